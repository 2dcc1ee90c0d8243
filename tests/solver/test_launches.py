"""Launches that repeat a thread's work along idle axes, or give one memory under two names."""

from __future__ import annotations

import pytest
from fuzz.sites import decided

from gpulint.solver.verdict import PROVED, UNDER, KernelResult

HEAD = "import numpy as np\nimport numba\nfrom numba import cuda\n\n@cuda.jit\ndef k(x):\n"
PLAIN = HEAD + "    i = cuda.grid(1)\n    if i < x.size:\n        x[i] += 1\n"
BLOCKS = (
    HEAD + "    s = cuda.shared.array(64, numba.int32)\n    t = cuda.threadIdx.x\n    s[t] = cuda.clock()\n"
    "    cuda.syncthreads()\n    if t == 0:\n        cuda.atomic.add(x, cuda.blockIdx.x, 1)\n"
)


def races(result: KernelResult) -> set[str]:
    return {v.kind for v in result.verdicts if v.obligation.property == "disjoint"}


def host(launch: str) -> str:
    return f"def main(n, h):\n    x = cuda.to_device(np.zeros(n, dtype=np.float32))\n    k[{launch}](x)\n"


@pytest.mark.parametrize(
    "launch", ["((n + 3) // 4, h), 4", "(n + 3) // 4, (4, h)", "((n + 3) // 4, 1, h), 4"]
)
def test_a_free_size_along_an_idle_axis_is_not_passed_over(launch: str) -> None:
    _, result = decided(PLAIN + host(launch))
    assert result.status != "verified" and [s.status for s in result.sites] != ["meets"]


@pytest.mark.parametrize("launch", ["(n + 3) // 4, 4", "((n + 3) // 4, 1), (4, 1)"])
def test_one_thread_along_the_idle_axes_is_none(launch: str) -> None:
    _, result = decided(PLAIN + host(launch))
    assert races(result) <= {PROVED, UNDER} and [s.status for s in result.sites] == ["meets"]


def test_shared_memory_alone_needs_the_rank_too() -> None:
    _, result = decided(BLOCKS)
    asked = [(v, v.obligation.access) for v in result.verdicts if v.obligation.property == "disjoint"]
    own = [v for v, a in asked if a is not None and a.array.space == "shared"]
    assert own and all(v.kind == UNDER and "launched in 1-D" in map(str, v.clauses) for v in own)


SHIFT = HEAD.replace("(x)", "(x, y)") + (
    "    i = cuda.grid(1)\n    if i + 1 < x.size and i < y.size:\n        y[i] = x[i + 1]\n"
)


@pytest.mark.parametrize(
    ("pair", "fine"),
    [
        ("a[1:], a[:-1]", False),
        ("a[0:n], a[n:]", True),
        ("a[0:n], a[n - 1:]", False),
        ("a, a[n:]", False),
        ("a, a[::-1]", False),
        ("a[n:], a[:n]", True),
        ("a[:n][1:], a[n:]", True),
        ("a[:n][1:], a[n - 1:]", False),
        ("a[::2], a[1::2]", False),
        ("a, a", False),
        ("a, b", True),
        ("a[:n], b[n:]", True),
    ],
)
def test_parts_of_one_allocation_are_not_taken_as_apart(pair: str, fine: bool) -> None:
    made = "cuda.to_device(np.zeros(2 * n, dtype=np.float32))"
    host = f"def main(n):\n    a = {made}\n    b = {made}\n    k[(n + 31) // 32, 32]({pair})\n"
    _, result = decided(SHIFT + host)
    asked = {v.kind for v in result.verdicts if v.obligation.property == "no-alias"}
    assert (asked <= {PROVED}) is fine
    assert fine or [s.status for s in result.sites] != ["meets"]


def test_a_launch_larger_than_the_assumption_is_not_verified() -> None:
    plain = HEAD + "    i = cuda.grid(1)\n    if i < x.size:\n        x[i] = i\n"
    for size, fine in ((5_000_000, True), (5_000_000_000, False)):
        made = f"    x = cuda.device_array({size}, dtype=np.int8)\n"
        _, result = decided(f"{plain}def main():\n{made}    k[(x.size + 255) // 256, 256](x)\n")
        assert ([s.status for s in result.sites] == ["meets"]) is fine
        assert (result.status == "verified") is fine


FREE = "(a.size + 31) // 32, 32"


@pytest.mark.parametrize(
    ("made", "fine"),
    [
        ("b = a.reshape(-1)", False),
        ("b = a.ravel()", False),
        ("b = np.reshape(a, -1)", False),
        ("b = np.asarray(a)", False),
        ("b = np.ascontiguousarray(a).reshape(a.size)", False),
        ("b = a.astype(np.float32, copy=False)", False),
        ("b = a if a.size > 4 else a.copy()", False),
        ("a = cuda.to_device(a)\n    b = a.reshape(-1)", False),
        ("a = np.zeros((a.size, 2)).T\n    b = a.reshape(-1)", False),
        ("a = a[1:]\n    b = a.reshape(-1)", False),
        ("b = a.copy().reshape(-1)", True),
        ("b = np.zeros_like(a).ravel()", True),
        ("b = a.flatten()", True),
        ("c = a.reshape(-1)\n    b = cuda.to_device(c)", True),
    ],
)
def test_an_array_and_another_arrangement_of_it(made: str, fine: bool) -> None:
    _, result = decided(f"{SHIFT}def main(a):\n    {made}\n    k[{FREE}](a, b)\n")
    assert (result.status == "verified") is fine
    assert fine or [s.status for s in result.sites] != ["meets"]


FORWARD = HEAD + "    x[cuda.threadIdx.x] += 1\n\ndef go(x, grid, block):\n    k[grid, block](x)\n\n"


def refuted(text: str) -> bool:
    _, result = decided(text)
    return any(v.kind == "refuted" for v in result.verdicts if v.obligation.property == "in-range")


def test_a_helper_is_not_blamed_for_what_its_callers_in_view_decide() -> None:
    call = "def main():\n    x = cuda.to_device(np.zeros({n}))\n    go(x, 1, 32)\n"
    assert not refuted(FORWARD + call.format(n=32))
    assert refuted(FORWARD + call.format(n=31))
    assert refuted(FORWARD.replace("block](x)", "32](x)") + call.format(n=32))
