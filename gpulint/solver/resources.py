"""Obligation contract, for every launch: static shared memory fits what a block may have.

Source: CUDA C++ Programming Guide, "Compute Capabilities": static shared memory is limited to 48 KiB a
block on every device; more needs dynamic allocation and an opt-in.
"""

from __future__ import annotations

from gpulint.contract.limits import STATIC_SHARED
from gpulint.dataflow.access import Array
from gpulint.ir.types import BoolType, FloatType, IntType
from gpulint.solver.setting import Setting
from gpulint.solver.verdict import PROVED, REFUTED, Obligation, Verdict


def decide(s: Setting) -> list[Verdict]:
    """One verdict when the kernel has shared arrays whose sizes are all constant."""
    shared = [a for a in s.accesses.arrays.values() if a.space == "shared"]
    sizes = [size(a) for a in shared]
    if not shared or None in sizes:
        return []
    total = sum(n for n in sizes if n is not None)
    largest = max(shared, key=lambda a: size(a) or 0)
    o = Obligation("contract", "static-shared", largest.span)
    if total <= STATIC_SHARED:
        return [Verdict(o, PROVED, rung="constant")]
    parts = ", ".join(f"{a.name}: {size(a)}" for a in shared)
    reason = f"{total} bytes of static shared memory ({parts}); a block may have {STATIC_SHARED}"
    return [Verdict(o, REFUTED, reason=reason, rung="constant")]


def size(a: Array) -> int | None:
    """Bytes of an array of constant shape, or None."""
    t = a.element
    if isinstance(t, BoolType):
        total = 1
    elif isinstance(t, (IntType, FloatType)):
        total = t.bits // 8
    else:
        return None
    for e in a.extents:
        if e.value is None:
            return None
        total *= e.value
    return total
