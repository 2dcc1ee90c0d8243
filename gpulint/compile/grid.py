"""The barrier of the whole grid: a counter in global memory that every block raises and waits on.

All blocks must be resident, which a cooperative launch guarantees. The counter is a 32-bit word that is zero
before the first launch and belongs to launches that follow each other: block 0 adds 2^31 less the number of
the other blocks, which add one each, so that a round flips the highest bit and leaves the rest at zero.
"""

from __future__ import annotations

from gpulint.compile import arithmetic as ar
from gpulint.compile.context import Context
from gpulint.compile.llvm import GLOBAL, Value, pointer
from gpulint.ir import nodes as n
from gpulint.ir.types import INT32
from gpulint.ir.walk import statements

COUNTER = "gpulint.grid"  # the parameter that holds the counter's address
TOP = -(2**31)
SCOPE = 'syncscope("device")'


def needed(kernel: n.Kernel) -> bool:
    """Whether the kernel has a barrier of the grid, and is launched cooperatively therefore."""
    return any(isinstance(s, n.Barrier) and s.kind == "grid" for s in statements(kernel.body))


def meet(cx: Context) -> None:
    """All threads of the grid wait here for each other, and see what each wrote before."""
    code = cx.code
    alone, done = code.label("arrive"), code.label("met")
    _block(cx)
    code.branch(_zero(cx, "thread"), alone, done)
    code.start(alone)
    cx.call("void", "llvm.nvvm.membar.gl")
    counter = f'{pointer(GLOBAL)} %"{COUNTER}"'
    old = code.get(f"atomicrmw add {counter}, i32 {_share(cx)} {SCOPE} monotonic")
    again, after = code.label("wait"), code.label("through")
    code.start(again)
    now = code.get(f"load atomic i32, {counter} {SCOPE} acquire, align 4")
    flipped = code.get(f"icmp slt i32 {code.get(f'xor i32 {old}, {now}')}, 0")
    code.branch(flipped, after, again)
    code.start(after)
    cx.call("void", "llvm.nvvm.membar.gl")
    code.start(done)
    _block(cx)


def _block(cx: Context) -> None:
    cx.call("void", "llvm.nvvm.barrier.cta.sync.aligned.all", ("i32", "0"), attributes="convergent nounwind")


def _share(cx: Context) -> str:
    """What the block adds: one, or in block 0 what is missing to 2^31."""
    code = cx.code
    blocks = "1"
    for axis in range(3):
        blocks = code.get(f"mul i32 {blocks}, {_int32(cx, 'grid_size', axis)}")
    rest = code.get(f"sub i32 {TOP + 1}, {blocks}")
    return code.get(f"select i1 {_zero(cx, 'block')}, i32 {rest}, i32 1")


def _zero(cx: Context, kind: str) -> str:
    """Whether the block or thread is the first along every axis."""
    code = cx.code
    all_ = "0"
    for axis in range(3):
        all_ = code.get(f"or i32 {all_}, {_int32(cx, kind, axis)}")
    return code.get(f"icmp eq i32 {all_}, 0")


def _int32(cx: Context, kind: str, axis: int) -> str:
    found: Value = cx.coordinate(cx, kind, axis)
    return ar.convert(cx, found, INT32).text
