"""How sizes of grid and block are understood."""

import pytest


@pytest.mark.parametrize(
    ("expression", "grid"),
    [
        ("(n + 255) // 256", "(n + 255) // 256"),
        ("math.ceil(n / 256)", "-((-n) // 256)"),
        ("int(np.ceil(n / 256))", "-((-n) // 256)"),
        ("int(math.ceil(n * 1.0 / 256))", "-((-n) // 256)"),
        ("-(-n // 256)", "-((-n) // 256)"),
        ("(x.size + 31) // 32", "(x.size + 31) // 32"),
        ("x.shape[0] * 2", "2 * x.shape[0]"),
        ("len(x)", "x.shape[0]"),
        ("min(n, 65535)", "min(n, 65535)"),
        ("max(1, n // 4)", "max(1, n // 4)"),
        ("1 << 4", "16"),
        ("2 ** 3", "8"),
        ("divmod(n, 8)[0]", "n // 8"),
        ("n if m > 0 else 1", "n if m >= 1 else 1"),
        ("abs(-3)", "3"),
        ("np.prod((2, 3))", "6"),
        ("x.nbytes // x.itemsize if False else 7", "7"),
    ],
)
def test_sizes(in_function, expression, grid):
    found = in_function(f"k[{expression}, 256](x, n)")
    assert found.grid == grid
    assert found.one.exact


def test_floor_of_a_true_division(in_function):
    assert in_function("k[math.floor(n / 4), 32](x, n)").grid == "n // 4"


def test_truncation_depends_on_the_sign(in_function):
    assert in_function("k[int(x.size / 4), 32](x, n)").grid == "x.size // 4"
    assert in_function("k[int(n / 4), 32](x, n)").grid != "n // 4"


def test_inexact_floats_are_not_understood(in_function):
    found = in_function("k[int(n * 0.1), 32](x, n)")
    assert not found.one.exact
    assert any("0.1" in note for note in found.one.notes)


def test_two_axes_in_names(in_function):
    found = in_function(
        """
        tpb = (16, 8)
        bpg = ((x.shape[0] + 15) // tpb[0], (x.shape[1] + 7) // tpb[1])
        k[bpg, tpb](x, n)
        """
    )
    assert found.grid == "(x.shape[0] + 15) // 16, (x.shape[1] + 7) // 8"
    assert found.block == "16, 8"


def test_module_constants_are_folded(launches):
    found = launches("TPB = 128\ndef f(x):\n    k[(x.size + TPB - 1) // TPB, TPB](x, 1)\n")
    assert (found.grid, found.block) == ("(x.size + 127) // 128", "128")


def test_default_is_one_possible_value(launches):
    found = launches("def f(x, threads=256):\n    k[1, threads](x, 1)\n")
    assert found.block == "threads"
    assert found.one.exact and not found.one.notes


def test_parameter_of_unknown_form_is_noted(launches):
    found = launches("def f(x, grid):\n    k[grid, 32](x, 1)\n")
    assert found.grid == "grid"
    assert found.one.notes == ("`grid` is taken as one number",)


def test_indexed_parameter_is_a_tuple(launches):
    found = launches("def f(x, block):\n    k[x.size // block[0] // block[1], block](x, 1)\n")
    assert found.block == "block[0], block[1]"
    assert not found.one.notes


def test_spans_of_grid_and_block(in_function):
    found = in_function("bpg = (n + 31) // 32\nk[bpg, 32](x, n)")
    span = found.one.grid_span
    assert span is not None and (span.row, span.column, span.end_column) == (found.one.span.row - 1, 10, 24)
    assert found.one.block_span is not None and found.one.block_span.row == found.one.span.row


def test_unknown_call_makes_it_inexact(in_function):
    found = in_function("blocks = pick(n)\nk[blocks, 32](x, n)")
    assert found.grid == "blocks"
    assert not found.one.exact and any("pick(n)" in note for note in found.one.notes)


def test_same_text_is_not_the_same_value(in_function):
    found = in_function("k[pick(n), pick(n)](x, n)")
    assert found.grid != found.block


def test_sizes_are_positive(in_function):
    assert {"n // 2 >= 1", "m >= 1"} <= in_function("k[n // 2, m](x, n)").facts


def test_helper_functions_are_followed(launches):
    found = launches(
        """
        def cdiv(a, b):
            return (a + b - 1) // b

        def f(x, n):
            k[cdiv(n, 64), 64](x, n)
        """
    )
    assert found.grid == "(n + 63) // 64"
