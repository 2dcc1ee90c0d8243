"""The backward of an autograd function is launched on what its forward saved."""

from gpulint.frontend.host.site import HostArray
from gpulint.term import show
from tests.frontend.host.tile_snippets import launched, shown

FORWARD = """
class Op(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, scale=0):
        rows, n = x.shape
        x = x.contiguous()
        y = torch.empty(rows, dtype=torch.float32, device=x.device)
        ctx.save_for_backward(x, y)
        ctx.rows = rows
        ctx.scale = scale
        return y

    @staticmethod
    def backward(ctx, dy):
"""


def backward(lines: str, forward: str = FORWARD):
    text = forward + "".join(f"        {line}\n" for line in lines.strip().splitlines())
    return launched(text)


def argument(found, name: str) -> HostArray:
    given = found.one.arguments[name]
    assert isinstance(given, HostArray)
    return given


def test_saved_tensors_have_the_sizes_and_layouts_of_the_forward():
    found = backward("x, y = ctx.saved_tensors\nk[(ctx.rows,)](x, y, x.stride(0), 1)")
    assert shown(argument(found, "x").shape) == "x.shape[0], x.shape[1]"
    assert argument(found, "x").contiguous
    assert shown(argument(found, "y").shape) == "x.shape[0]"
    assert found.grid == "x.shape[0]"
    assert found.one.exact, found.one.notes


def test_nothing_is_said_of_elements_and_memory_that_the_forward_left():
    forward = FORWARD.replace("torch.empty(rows, dtype=torch.float32", "torch.arange(rows")
    found = backward("x, y = ctx.saved_tensors\nk[(1,)](y, x, 1, 1)", forward)
    y = argument(found, "x")
    assert (y.high, y.injective, y.fresh, y.initialised) == (None, None, False, None)


def test_a_gradient_has_its_outputs_shape_and_a_layout_of_its_own():
    found = backward("k[(1,)](dy, dy, dy.stride(0), 1)")
    dy = argument(found, "x")
    assert shown(dy.shape) == "x.shape[0]"
    assert shown(dy.strides) == "dy.stride(0)"
    assert dy.dtype == "float32"


def test_what_the_forward_checks_holds_in_the_backward():
    forward = FORWARD.replace("x = x.contiguous()", "x = x.contiguous()\n        assert w.numel() == n")
    forward = forward.replace("save_for_backward(x, y)", "save_for_backward(x, w)")
    found = backward("x, w = ctx.saved_tensors\nk[(1,)](x, w, 1, 1)", forward)
    assert "w.size == x.shape[1]" in map(show, found.one.facts)


def test_ways_that_save_different_tensors_leave_what_each_saved():
    forward = FORWARD.replace(
        "ctx.save_for_backward(x, y)",
        "if scale:\n            ctx.save_for_backward(x, y)\n"
        "        else:\n            ctx.save_for_backward(x, w)",
    )
    found = backward("x, y = ctx.saved_tensors\nk[(1,)](x, y, 1, 1)", forward)
    assert argument(found, "x").contiguous
    assert shown(argument(found, "y").shape) == "x.shape[0] if scale != 0 else w.shape[0]"


def test_a_spread_or_missing_save_leaves_free_inputs():
    for save in ("ctx.save_for_backward(*many)", "pass"):
        forward = FORWARD.replace("ctx.save_for_backward(x, y)", save)
        found = backward("x, y = ctx.saved_tensors\nk[(1,)](x, y, 1, 1)", forward)
        assert argument(found, "x").shape is None
        assert not argument(found, "x").contiguous


def test_only_an_autograd_function_has_its_forwards_ctx():
    forward = FORWARD.replace("torch.autograd.Function", "torch.nn.Module")
    found = backward("x, y = ctx.saved_tensors\nk[(1,)](x, y, 1, 1)", forward)
    assert argument(found, "x").shape is None


def test_launches_of_the_forward_are_recorded_once():
    forward = FORWARD.replace("ctx.rows = rows", "k[(rows,)](x, y, n, 1)\n        ctx.rows = rows")
    found = backward("x, y = ctx.saved_tensors\nk[(1,)](x, y, 1, 1)", forward)
    assert [s.function for s in found] == ["Op.forward", "Op.backward"]
