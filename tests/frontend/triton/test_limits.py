"""Code that is out to break the lowering ends with a statement that says so."""

from __future__ import annotations

from collections.abc import Callable

from gpulint.ir import nodes as n
from gpulint.ir.nodes import Kernel
from gpulint.ir.walk import statements, walk

JIT = "@triton.jit\n"
Lower = Callable[[str], Kernel]


def reasons(kernel: Kernel) -> list[str]:
    return [s.reason for s in statements(kernel.body) if isinstance(s, n.Unsupported)]


def test_recursion(kernel: Lower) -> None:
    found = kernel(f"{JIT}def r(a):\n    return r(a)\n\n{JIT}def k(x):\n    tl.store(x, r(1))\n")
    assert reasons(found) == ["recursion through r"]


def test_calls_that_multiply(kernel: Lower) -> None:
    text = f"{JIT}def f0(a):\n    return a + 1\n\n"
    for i in range(1, 28):
        text += f"{JIT}def f{i}(a):\n    return f{i - 1}(a) + f{i - 1}(a)\n\n"
    found = kernel(f"{text}{JIT}def k(x, n):\n    tl.store(x, f27(n))\n")
    assert len(reasons(found)) == 1 and "statements once inlined" in reasons(found)[0]


def test_reshapes_of_reshapes_stay_small(kernel: Lower) -> None:
    chain = ".reshape(8, 8).reshape(4, 16)" * 20
    text = f"{JIT}def k(x):\n    v = tl.arange(0, 64){chain}\n    tl.store(x + v, 0)\n"
    assert sum(1 for _ in walk(kernel(text))) < 5_000


def test_an_expression_nested_too_deeply(kernel: Lower) -> None:
    text = f"{JIT}def k(x, n):\n    tl.store(x + {'-' * 60}{'abs(' * 70}n{')' * 70}, 0)\n"
    assert "nested" in reasons(kernel(text))[0]


def test_a_value_that_cannot_be_lowered_is_unknown_and_the_rest_goes_on(kernel: Lower) -> None:
    found = kernel(f"{JIT}def k(x, n):\n    v = {{1: 2}}\n    tl.store(x + n, v)\n")
    assert reasons(found) == ["a Dict expression"]
    assert [s.array for s in statements(found.body) if isinstance(s, n.Store)] == ["x"]


def test_a_result_that_cannot_be_lowered_is_not_none(kernel: Lower) -> None:
    text = (
        f"{JIT}def f(a):\n    return {{1: a}}\n\n{JIT}def k(x):\n    if f(1) is None:\n"
        "        tl.store(x, 0)\n    else:\n        tl.store(x, 1)\n"
    )
    stores = [s for s in statements(kernel(text).body) if isinstance(s, n.Store)]
    assert [getattr(s.value, "value", None) for s in stores] == [1]
