"""Launches of tile kernels: how the grid is given, what becomes of arguments and options."""

import pytest

from gpulint.frontend.host.site import Other
from gpulint.term import FALSE, TRUE, show
from tests.frontend.host.tile_snippets import HEAD, body, given, launched


@pytest.mark.parametrize(
    "text",
    [
        "grid = (triton.cdiv(n, 64),)\nk[grid](x, y, n, 1)",
        "k[(triton.cdiv(n, 64),)](x, y, n, 1)",
        "k[[triton.cdiv(n, 64)]](x, y, n, 1)",
        "k[triton.cdiv(n, 64)](x, y, n, 1)",
        "k[lambda META: (triton.cdiv(n, META['BLOCK']),)](x, y, n, 1, BLOCK=64)",
        "grid = lambda meta: (triton.cdiv(meta['n'], meta['BLOCK']),)\nk[grid](x, y, n, 1)",
        "def grid(META):\n    return (triton.cdiv(n, META['BLOCK']),)\nk[grid](x, y, n, 1)",
        "k.run(x, y, n, 1, grid=(triton.cdiv(n, 64),), warmup=False)",
        "torch.library.wrap_triton(k)[(triton.cdiv(n, 64),)](x, y, n, 1)",
        "kernel = k\nkernel[(triton.cdiv(n, 64),)](x, y, n, 1)",
        "launch = k[(triton.cdiv(n, 64),)]\nlaunch(x, y, n, 1)",
        "args = (x, y, n, 1)\nk[(triton.cdiv(n, 64),)](*args)",
        "kw = {'n': n, 'stride': 1}\nk[(triton.cdiv(n, 64),)](x, y, **kw)",
        "kw = dict(n=n, stride=1)\nk[(triton.cdiv(n, 64),)](x, y, **kw)",
        "kw = dict({'n': 3, 'stride': 1}, n=n)\nk[(triton.cdiv(n, 64),)](x, y, **kw)",
        "kw = {'n': 3, **dict(stride=1), 'n': n}\nk[(triton.cdiv(n, 64),)](x, y, **kw)",
        "kw = dict(n=3)\nkw['n'] = n\nk[(triton.cdiv(n, 64),)](x, y, **{**kw, 'stride': 1})",
        "with torch.cuda.device(x.device):\n    k[(triton.cdiv(n, 64),)](x, y, n, 1)",
    ],
)
def test_forms_of_a_launch(text):
    found = body(text)
    assert found.grid == "(n + 63) // 64"
    assert found.block == "1, 1, 1"
    assert list(found.one.arguments) == ["x", "y", "n", "stride", "BLOCK"]
    assert given(found, "BLOCK") == "64"
    assert found.one.exact, found.one.notes


def test_warm_up_launches_nothing():
    assert not body("k.run(x, y, n, 1, grid=(1,), warmup=True)")


def test_three_axes():
    assert body("B, S, D = x.shape\nk[(B, S, D)](x, y, n, 1)").grid == "x.shape[0], x.shape[1], x.shape[2]"


def test_launch_options_are_no_arguments():
    site = body("k[(1,)](x, y, n, 1, num_warps=8, num_stages=n, maxnreg=128)").one
    assert {name: show(t) for name, t in site.options.items()} == {
        "num_warps": "8", "num_stages": "n", "maxnreg": "128",
    }  # fmt: skip
    assert set(site.arguments) == {"x", "y", "n", "stride", "BLOCK"}


def test_static_methods_of_autograd_functions():
    found = launched(
        """
        class Op(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                y = torch.empty_like(x)
                k[(x.numel(),)](x, y, x.numel(), 1)
                ctx.save_for_backward(x)
                return y

            @staticmethod
            def backward(ctx, dy):
                x, = ctx.saved_tensors
                k[(dy.numel(),)](x, dy, dy.numel(), 1)
        """
    )
    assert [s.function for s in found] == ["Op.forward", "Op.backward"]
    assert [show(s.grid[0]) for s in found] == ["x.size", "x.size"]
    assert all(s.exact for s in found), [s.notes for s in found]


def test_a_kernel_wrapped_by_calls():
    found = launched(
        """
        def raw(x, n, BLOCK: tl.constexpr):
            tl.store(x + tl.program_id(0), n)

        raw = triton.jit(raw)
        raw = triton.heuristics({"BLOCK": lambda args: args["n"] * 2})(raw)

        def f(x, n):
            raw[(n,)](x, n)
        """
    )
    assert found.one.kernel == "raw"
    assert found.grid == "n"


def test_spread_of_an_unknown_dictionary_leaves_the_rest_free():
    site = launched("def f(x, y, **kw):\n    k[(1,)](x, y, **kw)\n").one
    assert not site.exact
    assert any("spread" in note for note in site.notes)


def test_a_dictionary_made_of_an_unknown_one_is_unknown():
    for made in ("dict(kw, stride=1)", "dict(stride=1, **kw)", "{**kw, 'stride': 1}"):
        assert not launched(f"def f(x, y, n, **kw):\n    k[(1,)](x, y, n, **{made})\n").one.exact


def test_a_copy_of_a_dictionary_is_another_one():
    site = body("kw = dict(n=3, stride=1)\nold = dict(kw)\nkw['n'] = 5\nk[(1,)](x, y, **old)").one
    assert show(site.arguments["n"].term) == "3"


def test_an_argument_that_is_missing_is_noted():
    site = body("k[(1,)](x, y, n)").one
    assert "nothing in view gives `stride` a value" in site.notes
    assert not site.exact


def test_none_and_strings_are_known_for_what_they_are():
    site = body("k[(1,)](None, 'relu', torch.float16, 1)").one
    none, text, dtype = (site.arguments[n] for n in ("x", "y", "n"))
    assert isinstance(none, Other) and none.none == TRUE
    assert isinstance(text, Other) and text.none == FALSE and text.known
    assert isinstance(dtype, Other) and dtype.known
    assert site.exact


def test_a_parameter_may_be_none():
    found = body("k[(1,)](x, y, 1 if x is None else 0, 1)")
    assert show(found.array("x").none) == "x is None"
    assert given(found, "n") == "1 if x is None else 0"


def test_a_tensor_on_one_path_and_none_on_the_other():
    found = body("t = torch.empty(n, device=y.device)\nif m == 3:\n    t = None\nk[(1,)](t, y, n, 1)")
    assert show(found.array("x").none) == "m == 3"
    assert found.one.exact


def test_floats_hold_nothing_open():
    found = body("k[(1,)](x, y, 1.0 / math.sqrt(n), n ** -0.5)")
    assert found.arguments[2:4] == ["float", "float"]
    assert found.one.exact


def test_conditions_that_have_nothing_to_do_with_the_launch_leave_it_exact():
    found = body("if is_hip():\n    w = 4\nelse:\n    w = 8\nk[(n,)](x, y, n, 1, num_warps=8)")
    assert found.one.exact


def test_conditions_on_what_is_launched_do_not():
    assert not body("assert fits(x, n)\nk[(n,)](x, y, n, 1)").one.exact


def test_numbers_set_once_for_each_device():
    head = HEAD + "LIMIT = 64\nif torch.cuda.is_available():\n    LIMIT = 128\n"
    found = launched("def f(x, y, n):\n    k[(n,)](x, y, n, 1, BLOCK=LIMIT)\n", head)
    assert given(found, "BLOCK") == "64 if LIMIT has value 1 of 2 else 128"
    assert found.one.exact


def test_processor_count_is_an_input():
    found = body(
        "sms = torch.cuda.get_device_properties(x.device).multi_processor_count\n"
        "k[(min(sms, n),)](x, y, n, 1)"
    )
    assert found.one.exact
    count = "torch.cuda.get_device_properties(x.device).multi_processor_count"
    assert found.grid == f"min(n, {count})"
    assert f"{count} >= 1" in found.facts
