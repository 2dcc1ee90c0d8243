"""The reduced kernel writes the same elements of the array as the whole one."""

from __future__ import annotations

import pytest

from gpulint.frontend.triton import lower
from gpulint.interp import ConcreteArray, ConcreteLaunch
from gpulint.interp.machine import run
from gpulint.ir.addresses import writes_of
from gpulint.ir.nodes import Kernel
from gpulint.ir.walk import statements
from gpulint.source.kernels import find
from gpulint.source.load import load_text
from gpulint.source.resolve import Project

HEAD = """import triton
import triton.language as tl

@triton.jit
def k(x, idx, out, n, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
"""


def kernel(*lines: str) -> Kernel:
    module = load_text(HEAD + "".join(f"    {line}\n" for line in lines), "k.py")
    project = Project()
    return lower(find(module, project)[0], project)


PLAIN = ("v = tl.load(x + o, mask=o < n, other=0.0)", "tl.store(out + o, tl.exp(v) + 1.0, mask=o < n)")
LOOP = (
    "acc = tl.zeros((B,), dtype=tl.float32)", "at = o", "for i in range(0, n, B):",
    "    acc += tl.load(x + i + tl.arange(0, B), mask=i + tl.arange(0, B) < n, other=0.0)",
    "    if i >= B:", "        tl.store(out + at, acc, mask=at < 6)", "    at += B",
)  # fmt: skip
OTHER = ("tl.store(x + o, 1.0, mask=o < n)", "tl.store(out + o + 1, 2.0, mask=o + 1 < n)")
INDIRECT = ("at = tl.load(idx + o, mask=o < n, other=0)", "tl.store(out + at, 1.0, mask=o < n)")
BRANCH = ("if tl.load(x) > 0:", "    tl.store(out + o, 1.0, mask=o < n)")


@pytest.mark.parametrize("lines", [PLAIN, LOOP, OTHER, INDIRECT, BRANCH])
@pytest.mark.parametrize("n", [1, 3, 7])
def test_the_same_elements_are_written(lines: tuple[str, ...], n: int) -> None:
    whole = kernel(*lines)
    arrays = {name: ConcreteArray((16,), lambda i: i[0] % 3) for name in ("x", "idx", "out")}
    launch = ConcreteLaunch((2, 1, 1), (1, 1, 1), arrays, {"n": n, "B": 2})
    full, part = run(whole, launch), run(writes_of(whole, "out"), launch)
    assert full.complete and part.complete
    assert set(full.written.get("out", {})) == set(part.written.get("out", {}))


@pytest.mark.parametrize(("lines", "kept"), [(PLAIN, 0), (LOOP, 0), (INDIRECT, 1), (BRANCH, 1)])
def test_loads_stay_only_where_addresses_hang_on_them(lines: tuple[str, ...], kept: int) -> None:
    reduced = writes_of(kernel(*lines), "out")
    assert sum(type(s).__name__ == "Load" for s in statements(reduced.body)) == kept
