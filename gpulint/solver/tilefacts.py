"""What holds of a tile kernel's sizes at a launch site, since the kernel compiled for it.

Source: Triton's language reference: every axis of a tile has a power of two of elements (checked when a
block type is made), `TRITON_MAX_TENSOR_NUMEL` of them at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gpulint.dataflow.access import AccessSet
from gpulint.ir import symbols as names
from gpulint.ir.nodes import Kernel
from gpulint.ir.tiles import lengths
from gpulint.term import ONE, Bool, Int, add, apps, ge, gt, le, mul, or_, sub
from gpulint.term.build import of_atom

WORD = 1 << 31


def facts(kernel: Kernel, term: Callable[[Int], Int], sizes: Iterable[Int]) -> list[Bool]:
    """Tile sizes are positive, and powers of two: a number of blocks of them does not pass 2**31.

    `sizes` are the launch's own (of its grid). For `b` that divides 2**31 and `n <= 2**31`, `cdiv(n, b)` is
    at most `2**31 / b`, so `b * cdiv(n, b) <= 2**31`: the last index of the last block fits 32 bits.
    """
    given = {p.name: term(names.scalar(p)) for p in kernel.params if p.constexpr and not p.is_array}
    known = {name: t.value for name, t in given.items() if t.value is not None}
    tiles = [given[name] for name in sorted(lengths(kernel, known) & given.keys())]
    out = [ge(t, 1) for t in tiles]
    for a in apps(*sizes, op="floordiv"):
        x, b = a.args
        if b in tiles or _power(b):
            n = add(sub(x, b), ONE)
            out.append(or_(gt(n, WORD), le(mul(of_atom(a), b), WORD)))
    return out


def rounded(accesses: AccessSet) -> list[Bool]:
    """What holds of each `next_power_of_2(n)` of a kernel: at least n, and less than twice that from 1 on."""
    used: list[Int | Bool] = []
    for a in accesses.accesses:
        used += [a.domain, *a.subscripts, *(size for _, size in a.lanes)]
    out: list[Bool] = []
    for x in apps(*used, op="fn"):
        if x.data == "next_power_of_2" and len(x.args) == 1:
            n = x.args[0]
            out += [ge(of_atom(x), n), or_(gt(ONE, n), gt(mul(n, 2), of_atom(x)))]
    return out


def _power(b: Int) -> bool:
    k = b.value or 0
    return 0 < k <= names.MAX_TILE and k & (k - 1) == 0
