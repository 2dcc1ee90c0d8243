"""Shapes, strides, spans and elements of tensors."""

import pytest

from gpulint.term import show
from tests.frontend.host.tile_snippets import body, given, launched, shown, tensor


@pytest.mark.parametrize(
    ("expression", "term"),
    [
        ("x.numel()", "x.size"),
        ("x.size(0)", "x.size"),
        ("x.shape[-1]", "x.shape[-1]"),
        ("len(x)", "x.shape[0]"),
        ("x.stride(0)", "x.stride(0)"),
        ("x.stride(-1)", "x.stride(-1)"),
        ("x.dim()", "x.ndim"),
        ("x.element_size()", "x.element_size()"),
        ("int(x.max())", "x.max()"),
        ("x[2].item()", "x[2].item()"),
        ("int(x[-1])", "x[-1]"),
        ("x.shape[:-1].numel()", "x.shape[:-1].numel()"),
        ("math.prod(x.shape[1:])", "x.shape[1:].numel()"),
        ("triton.next_power_of_2(100)", "128"),
        ("triton.next_power_of_2(m)", "next_power_of_2(m)"),
        ("torch.empty(3, m).numel()", "3 * m"),
        ("torch.empty((3, m), device='cuda').stride(0)", "m"),
        ("x.new_zeros(m, 2).size(1)", "2"),
    ],
)
def test_numbers(expression, term):
    found = body(f"k[(1,)](x, y, {expression}, 1)")
    assert given(found, "n") == term
    assert found.one.exact, found.one.notes


def test_unpacking_fixes_the_rank():
    found = body("M, N = x.shape\nk[(M,)](x, y, x.stride(-1), x.numel())")
    assert shown(found.array("x").shape) == "x.shape[0], x.shape[1]"
    assert given(found, "n") == "x.stride(1)"
    assert given(found, "stride") == "x.shape[0] * x.shape[1]"


def test_the_rest_of_a_shape():
    found = body("*lead, D = x.shape\nrows = math.prod(lead)\nk[(rows,)](x, y, D, 1)")
    assert (found.grid, given(found, "n")) == ("x.shape[:-1].numel()", "x.shape[-1]")


def test_numbered_axes_name_the_rank():
    site = body("k[(x.shape[0],)](x, y, x.shape[1], x.stride(0))").one
    assert shown(site.arguments["x"].shape) == "x.shape[0], x.shape[1]"
    assert site.notes == ("`x` is taken as a tensor with 2 axes, those that the code names",)
    assert site.exact


def test_other_uses_of_the_shape_leave_the_rank_open():
    assert body("z = torch.empty(x.shape)\nk[(x.shape[0],)](x, z, n, 1)").array("x").shape is None


def test_strides_of_unknown_layout_are_free_and_not_negative():
    found = body("M, N = x.shape\nk[(M,)](x, y, N, x.stride(0))")
    x = found.array("x")
    assert shown(x.strides) == "x.stride(0), x.stride(1)"
    ends = "x.shape[0] * x.stride(0) + x.shape[1] * x.stride(1) - x.stride(0) - x.stride(1)"
    assert show(x.span) == f"{ends} + 1"
    assert given(found, "stride") == "x.stride(0)"
    assert {"x.stride(0) >= 0", "x.stride(1) >= 0"} <= found.facts


def test_a_contiguous_tensor_spans_its_size():
    found = body("assert x.is_contiguous()\nM, N = x.shape\nk[(M,)](x, y, N, x.stride(0))")
    x = found.array("x")
    assert x.contiguous
    assert shown(x.strides) == "x.shape[1], 1"
    assert show(x.span) == "x.shape[0] * x.shape[1]"
    assert given(found, "stride") == "x.shape[1]"


def test_contiguity_learnt_after_the_strides_were_taken():
    found = body("M, N = x.shape\ns = x.stride(0)\nassert x.stride(1) == 1 and s == N\nk[(M,)](x, y, N, s)")
    assert shown(found.array("x").strides) == "x.shape[1], 1"
    assert given(found, "stride") == "x.shape[1]"


def test_contiguous_copies_only_what_is_not():
    found = body("M, N = x.shape\nx = x.contiguous()\nk[(M,)](x, y, N, x.stride(0))")
    x = found.array("x")
    assert (x.name, x.fresh, x.contiguous) == ("x", False, True)
    assert show(x.span) == "x.shape[0] * x.shape[1]"


def test_made_contiguous_on_one_path():
    found = body(
        """
        M, N = x.shape
        if x.stride(1) != 1 or x.stride(0) != N:
            x = x.contiguous()
        k[(M,)](x, y, N, x.stride(0))
        """
    )
    assert found.array("x").contiguous
    assert given(found, "stride") == "x.shape[1]"


def test_a_guard_that_is_too_weak_leaves_the_other_stride():
    weak = "if x.stride(1) != 1:\n    x = x.contiguous()"
    found = body(f"M, N = x.shape\n{weak}\nk[(M,)](x, y, N, x.stride(0))")
    assert shown(found.array("x").strides) == "x.shape[1] if x.stride(1) != 1 else x.stride(0), 1"


def test_tensors_like_others_have_no_gaps():
    found = body("M, N = x.shape\nz = torch.empty_like(x)\nk[(M,)](z, y, N, z.stride(0))")
    z = found.array("x")
    assert (z.fresh, z.initialised, z.contiguous) == (True, False, None)
    assert show(z.span) == "x.shape[0] * x.shape[1]"
    assert given(found, "stride") == "torch.empty_like(x).stride(0)"


def test_a_decorator_that_makes_tensors_contiguous():
    found = launched(
        """
        def packed(fn):
            def inner(*args):
                return fn(*(a.contiguous() for a in args))
            return inner

        @packed
        def f(x, y):
            k[(1,)](x, y, x.numel(), 1)
        """
    )
    assert found.array("x").contiguous


BASE = "x = torch.zeros(6, 10, device='cuda')"


@pytest.mark.parametrize(
    ("view", "shape", "strides", "span", "whole"),
    [
        ("x", "6, 10", "10, 1", "60", True),
        ("x.t()", "10, 6", "1, 10", "60", True),
        ("x.T", "10, 6", "1, 10", "60", True),
        ("x.transpose(0, 1)", "10, 6", "1, 10", "60", True),
        ("x.permute(1, 0)", "10, 6", "1, 10", "60", True),
        ("x.view(-1)", "60", "1", "60", True),
        ("x.reshape(3, -1)", "3, 20", "20, 1", "60", True),
        ("x.flatten()", "60", "1", "60", True),
        ("x.unsqueeze(1)", "6, 1, 10", "10, 10, 1", "60", True),
        ("x[None].squeeze(0)", "6, 10", "10, 1", "60", False),
        ("x[2:4]", "2, 10", "10, 1", "20", False),
        ("x[:, 1:3]", "6, 2", "10, 1", "52", False),
        ("x[::2]", "3, 10", "20, 1", "50", False),
        ("x[1]", "10", "1", "10", False),
        ("x[:, 0]", "6", "10", "51", False),
        ("x.select(1, 0)", "6", "10", "51", False),
        ("x.narrow(1, 2, 5)", "6, 5", "10, 1", "55", False),
        ("x.chunk(2, dim=1)[0]", "6, 5", "10, 1", "55", False),
        ("x.split([4, 6], dim=1)[1]", "6, 6", "10, 1", "56", False),
        ("x.unbind(0)[2]", "10", "1", "10", False),
        ("x[:, :1].expand(6, 4)", "6, 4", "10, 0", "51", False),
        ("x.t().contiguous()", "10, 6", "6, 1", "60", True),
        ("torch.empty_strided((2, 3), (5, 1))", "2, 3", "5, 1", "8", True),
    ],
)
def test_views(view, shape, strides, span, whole):
    t = tensor(f"{BASE}\n{view}")
    assert shown(t.shape) == shape
    assert shown(t.strides) == strides
    assert show(t.span) == span
    assert t.whole is whole


@pytest.mark.parametrize("view", ["x.t()", "x[2:4]", "x[:, 1:3]", "x.view(-1)", "x.unsqueeze(0)"])
def test_views_keep_the_buffer(view):
    found = body(f"{BASE}\nk[(1,)](x, {view}, 1, 1)")
    assert found.array("x").buffer == found.array("y").buffer


@pytest.mark.parametrize("copied", ["x.clone()", "torch.empty_like(x)", "x.t().contiguous()", "x + 1"])
def test_copies_have_their_own(copied):
    found = body(f"{BASE}\nk[(1,)](x, {copied}, 1, 1)")
    assert found.array("x").buffer != found.array("y").buffer


def test_leading_axes_joined_keep_the_row_stride():
    found = body("x = x.view(-1, x.shape[-1])\nk[(x.shape[0],)](x, y, x.shape[1], x.stride(0))")
    assert found.grid == "x.shape[:-1].numel()"
    assert given(found, "stride") == "x.stride(-2)"


def test_equal_shapes_have_one_name():
    found = body("assert y.shape == x.shape\nk[(y.numel(),)](x, y, y.shape[-1], x.numel())")
    assert (found.grid, given(found, "n"), given(found, "stride")) == ("x.size", "x.shape[-1]", "x.size")


@pytest.mark.parametrize(
    ("condition", "fact"),
    [
        ("x.min() >= 0", "x.min() >= 0"),
        ("int(x.max()) < n", "x.max() < n"),
        ("(x >= 0).all()", "x.min() >= 0"),
        ("torch.all(x < n)", "x.max() < n"),
        ("((x >= 0) & (x < n)).all()", "x.min() >= 0"),
        ("m & (m - 1) == 0 and m > 0", "m == 0 or m == 2 ** floor_log2(m)"),
        ("m in (16, 32)", "m == 16 or m == 32"),
    ],
)
def test_assertions(condition, fact):
    found = body(f"assert {condition}\nk[(m,)](x, y, n, m)")
    assert fact in found.facts
    assert found.one.exact, found.one.notes


def test_bounds_of_the_elements():
    found = body("assert int(x.min()) >= 0 and int(x.max()) < n\nk[(m,)](x.view(-1), y, n, 1)")
    x, y = found.array("x"), found.array("y")
    assert (show(x.low), show(x.high)) == ("x.min()", "x.max()")
    assert (y.low, y.high) == (None, None)


def test_bounds_are_gone_once_the_elements_change():
    x = body("assert x.min() >= 0\nx.add_(-1)\nk[(1,)](x, y, n, 1)").array("x")
    assert x.low is None


@pytest.mark.parametrize(
    ("expression", "injective", "ordered", "low", "high"),
    [
        ("torch.arange(n)", True, True, "0", "n - 1"),
        ("torch.randperm(n)", True, None, "0", "n - 1"),
        ("torch.argsort(torch.rand(n))", True, None, "0", "n - 1"),
        ("torch.sort(torch.rand(n))[1]", True, None, "0", "n - 1"),
        ("torch.randint(0, m, (n,))", False, None, "0", "m - 1"),
        ("torch.cumsum(torch.ones(n), 0)", None, True, None, None),
        ("F.pad(torch.cumsum(torch.ones(n), 0), (1, 0))", None, True, None, None),
        ("torch.tensor([3, 1, 2])", True, False, "1", "3"),
    ],
)
def test_what_is_known_of_elements(expression, injective, ordered, low, high):
    t = tensor(expression)
    assert (t.injective, t.sorted) == (injective, ordered)
    assert (t.low and show(t.low), t.high and show(t.high)) == (low, high)


def test_as_many_different_elements_as_elements():
    assert body("assert x.unique().numel() == x.numel()\nk[(1,)](x, y, n, 1)").array("x").injective


def test_sorted_by_its_differences():
    for condition in ("bool((x.diff() >= 0).all())", "torch.all(x[1:] >= x[:-1])"):
        assert body(f"assert {condition}\nk[(1,)](x, y, n, 1)").array("x").sorted


def test_next_power_of_2_says_what_it_is():
    found = body("B = triton.next_power_of_2(m)\nk[(1,)](x, y, m, 1, BLOCK=B)")
    assert {
        "m <= next_power_of_2(m)",
        "next_power_of_2(m) < 2 * m or m <= 0",
        "next_power_of_2(m) == 2 ** floor_log2(next_power_of_2(m)) or m <= 0",
    } <= found.facts


def test_a_block_as_wide_as_a_row_leaves_no_other_path():
    found = body(
        """
        B = triton.next_power_of_2(m)
        if m <= B:
            k[(1,)](x, y, m, 1, BLOCK=B)
        else:
            k[(2,)](x, y, m, 1, BLOCK=B)
        """
    )
    assert found.grid == "1"


def test_a_tensor_of_a_known_shape_has_its_rank():
    found = body(
        "x, y = x.contiguous(), y.contiguous()\nassert x.shape == y.shape\nassert x.ndim == 2\n"
        "k[(1,)](x, y, y.stride(0), 1)"
    )
    assert shown(found.array("y").shape) == shown(found.array("x").shape)
    assert given(found, "n") == shown(found.array("x").shape).split(", ")[1]
