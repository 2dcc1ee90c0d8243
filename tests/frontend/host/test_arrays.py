"""Arrays that the host makes: shape, buffer, initialisation."""

import pytest


@pytest.mark.parametrize(
    ("expression", "shape", "initialised", "dtype"),
    [
        ("np.zeros(n)", "n", True, "float64"),
        ("np.zeros((n, 3), dtype=np.float32)", "n, 3", True, "float32"),
        ("np.empty(n, np.int32)", "n", False, "int32"),
        ("np.full((n, m), 7.0, 'f4')", "n, m", True, "float32"),
        ("np.arange(n, dtype=np.int64)", "n", True, "int64"),
        ("np.arange(2, 12, 3)", "4", True, ""),
        ("np.array([[1, 2, 3], [4, 5, 6]])", "2, 3", True, ""),
        ("np.linspace(0, 1, 11)", "11", True, "float64"),
        ("np.random.rand(n, 4)", "n, 4", True, "float64"),
        ("np.random.randint(0, 9, size=(n,))", "n", True, "int64"),
        ("np.random.random(n).astype(np.float32)", "n", True, "float32"),
        ("np.zeros((n, m)).T", "m, n", True, "float64"),
        ("np.zeros((n, m)).reshape(-1)", "n * m", True, "float64"),
        ("np.zeros(n * 6).reshape(n, -1)", "n, 6", True, "float64"),
        ("np.zeros((n, m)).ravel()", "m * n", True, "float64"),
        ("np.zeros((n, m))[0]", "m", True, "float64"),
        ("np.zeros((8, m))[2:5]", "3, m", True, "float64"),
        ("np.zeros(10)[::3]", "4", True, "float64"),
        ("np.zeros((n, m)) * 2 + 1", "n, m", True, ""),
        ("np.zeros((n, 1)) + np.ones((1, m))", "n, m", True, ""),
        ("cuda.device_array((n, m), np.float32)", "n, m", False, "float32"),
        ("cuda.device_array(n)", "n", False, "float64"),
        ("cuda.to_device(np.ones(n))", "n", True, "float64"),
        ("cuda.to_device(np.empty(n))", "n", False, "float64"),
        ("cuda.pinned_array(n)", "n", False, "float64"),
        ("np.empty_like(np.zeros((n, 2), np.int8))", "n, 2", False, "int8"),
    ],
)
def test_creation(in_function, expression, shape, initialised, dtype):
    found = in_function(f"a = {expression}\nk[1, 32](a, n)")
    a = found.array()
    shown = found.arguments[0]
    assert sorted(shown[2:-1].split(" * ")) == sorted(shape.split(" * "))
    assert (a.initialised, a.dtype, found.one.exact) == (initialised, dtype, True)


@pytest.mark.parametrize("library", ["torch", "cupy as torch"])
def test_other_libraries(launches, library):
    found = launches(
        f"import {library}\ndef f(n):\n    k[1, 32](torch.empty((n, 3), dtype=torch.int32), n)\n"
    )
    assert found.arguments[0].endswith("[n, 3]")
    assert (found.array().initialised, found.array().dtype) == (False, "int32")


def test_torch_sizes_as_arguments(launches):
    found = launches("import torch\ndef f(n):\n    a = torch.zeros(n, 3)\n    k[1, 32](a, n)\n")
    assert found.arguments[0] == "a[n, 3]"


def test_unknown_rank_keeps_the_host_name(in_function):
    found = in_function("d = cuda.to_device(x)\nk[(x.size + 31) // 32, 32](d, d.size)")
    assert found.arguments == ["x[?]", "x.size"]
    assert found.array().fresh and found.array().initialised


def test_like_keeps_the_names_too(in_function):
    found = in_function("d = cuda.device_array_like(x)\nk2[d.shape[0], 32](d, x, n)")
    assert found.grid == "x.shape[0]"
    assert found.array().buffer != found.array("y").buffer
    assert found.array().initialised is False


def test_unpacked_shape_fixes_the_rank(in_function):
    found = in_function("rows, cols = x.shape\nk[rows, cols](x, n)")
    assert found.arguments[0] == "x[x.shape[0], x.shape[1]]"
    assert "x.size == x.shape[0] * x.shape[1]" in found.facts


def test_asserted_rank_of_one(in_function):
    found = in_function("assert x.ndim == 1\nk[x.shape[0], 32](x, n)")
    assert found.arguments[0] == "x[x.size]"
    assert "x.shape[0] == x.size" in found.facts or "x.size == x.shape[0]" in found.facts


def test_views_share_the_buffer(in_function):
    found = in_function("a = np.zeros(100)\nk2[1, 32](a[10:60], a, n)")
    part, whole = found.array(), found.array("y")
    assert part.buffer == whole.buffer and not part.whole and whole.whole
    assert found.arguments[:2] == ["a[10:60][50]", "a[100]"]


def test_column_is_a_view_that_is_not_contiguous(in_function):
    found = in_function("a = np.zeros((n, m))\nk[1, 32](a[:, 1], n)")
    assert found.array().contiguous is None and not found.array().whole


def test_slice_bounds_are_clipped(in_function):
    found = in_function("a = np.zeros(100)\nk[1, 32](a[:x.size], n)")
    assert found.arguments[0].endswith("[min(x.size, 100)]")


def test_separate_allocations_are_fresh(in_function):
    found = in_function("k2[1, 32](np.zeros(n), np.zeros(n), n)")
    a, b = found.array(), found.array("y")
    assert a.fresh and b.fresh and a.buffer != b.buffer


def test_asarray_may_be_the_array_itself(in_function):
    found = in_function("a = np.zeros(n)\nk2[1, 32](np.asarray(a), a, n)")
    assert not found.array().fresh


def test_device_array_is_not_copied_again(in_function):
    found = in_function("a = cuda.device_array(n)\nk2[1, 32](cuda.to_device(a), a, n)")
    assert found.array().buffer == found.array("y").buffer


@pytest.mark.parametrize(
    ("statement", "initialised"),
    [
        ("a[:] = 0", True),
        ("a.copy_to_device(x)", True),
        ("a[0] = 1", None),
        ("k[1, 32](a, n)", None),
        ("fill(a)", None),
        ("m.n = 1", False),
    ],
)
def test_initialisation_by_writing(in_function, statement, initialised):
    found = in_function(f"a = cuda.device_array(n)\n{statement}\nk2[1, 32](a, x, n)")
    last = found[-1].arguments["x"]
    assert last.initialised is initialised


def test_extents_are_not_negative(in_function):
    assert "n >= 0" in in_function("k[1, 32](np.zeros(n), 1)").facts


def test_asserted_contiguity(in_function):
    assert in_function("assert x.flags.c_contiguous\nk[1, 32](x, n)").array().contiguous is True
    assert in_function("assert x.flags['C_CONTIGUOUS']\nk[1, 32](x, n)").array().contiguous is True
    assert in_function("k[1, 32](x, n)").array().contiguous is None


def test_values_that_may_be_scalars_say_so(launches):
    head = "from numba import cuda\n@cuda.jit\ndef k(x, n):\n    helper(x, n)\n"
    site = launches("def f(x, n):\n    k[1, 32](x, n)\n", head).one
    assert site.arguments["n"].scalar is not None


def test_none_and_text_are_other(in_function):
    assert in_function("k2[1, 32](x, None, 'a')").arguments[1:] == ["<None>", "<'a'>"]


def test_typed_scalars(in_function):
    site = in_function("k[1, 32](x, np.int32(n))").one
    assert site.arguments["n"].type.bits == 32
    assert in_function("k[1, 32](x, 2.5)").arguments[1] == "float"


def test_one_number_tells_that_all_items_of_a_literal_are_numbers(in_function):
    found = in_function("v = np.array([0.0, m, y.tiny])\nk[1, v.size](v, v.size)")
    assert (found.block, found.arguments[0]) == ("3", "v[3]")


def test_an_object_is_no_array(launches):
    text = "class Thing:\n    pass\n\ndef f(n):\n    k[1, 32](Thing(), n)\n"
    assert str(launches(text).arguments[0]).startswith("<")


@pytest.mark.parametrize(
    ("made", "shape"),
    [("np.zeros(m)", "n"), ("np.zeros(m[0])", "?"), ("np.zeros(len(m))", "?")],
    ids=["number", "item", "length"],
)
def test_the_whole_shape_of_an_array_is_a_number(launches, made, shape):
    text = f"def f(n, m):\n    out = {made}\n    k2[1, 32](np.arange(n) % m, out, 4)\n"
    assert launches(text).arguments[0].endswith(f"[{shape}]")
