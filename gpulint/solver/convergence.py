"""Obligation convergent: every barrier is reached by all its participants, or by none.

Shown for each barrier on its own: its condition and the trip counts of the loops around it are the
same for any two threads of a block (in equal iterations of those loops). With every barrier so,
all threads of a block meet the same barriers in the same order. Uniformity by dataflow first, then
Z3 on the conditions; only barriers whose condition is tracked exactly can be decided.
"""

from __future__ import annotations

from gpulint.dataflow.access import Sync
from gpulint.ir import symbols as names
from gpulint.solver import disjoint, space
from gpulint.solver.setting import Setting
from gpulint.solver.space import AXES
from gpulint.solver.verdict import PROVED, UNDECIDED, Obligation, Verdict
from gpulint.term import FALSE, Bool, Int, Sym, and_, eq, ge, lt, mod, not_, symbols

FENCES = ("fence_block", "fence_device", "fence_system")


def obligations(s: Setting) -> list[Obligation]:
    """One question for each barrier of the kernel."""
    return [obligation(y) for y in s.accesses.syncs if y.kind not in FENCES]


def obligation(y: Sync) -> Obligation:
    return Obligation("convergent", y.kind, y.span, sync=y)


def again(s: Setting, o: Obligation) -> Verdict:
    """The verdict on one barrier in a setting."""
    y = o.sync
    assert y is not None
    if y.kind == "warp" and y.mask is not None and _low(y.mask) is None and y.mask.value is not None:
        return Verdict(o, UNDECIDED, reason=f"the mask {y.mask} names lanes that are not followed")
    if y.uniform and (y.kind != "warp" or y.mask is None or _low(y.mask) in (None, space.WARP)):
        return Verdict(o, PROVED, rung="uniform")
    if y.kind == "grid":
        return Verdict(o, UNDECIDED, reason="the barrier's condition may differ between blocks")
    if y.kind == "warp" and y.mask is not None and y.mask.value is None:
        return Verdict(o, UNDECIDED, reason="participants not decided")
    if not y.exact:
        return Verdict(o, UNDECIDED, reason="some thread may have jumped past the barrier")
    if s.prover.unsat(*split(s, y)) and (y.kind != "warp" or s.prover.unsat(*_stranger(s, y))):
        return Verdict(o, PROVED, rung="z3")
    return Verdict(o, UNDECIDED, reason="the barrier's condition may differ between threads")


def _low(mask: Int) -> int | None:
    """How many lanes a mask of the lowest lanes names."""
    value = mask.value
    if value is None:
        return None
    value %= 1 << space.WARP
    return value.bit_length() if value and value & (value + 1) == 0 else None


def _stranger(s: Setting, y: Sync) -> list[Bool]:
    """A thread that reaches a warp barrier and is not named by its mask."""
    lanes = _low(y.mask) if y.mask is not None else None
    if lanes is None or lanes == space.WARP:
        return [FALSE]
    return [_reached(s, y), ge(mod(disjoint.linear(s), space.WARP), lanes)]


def _reached(s: Setting, y: Sync) -> Bool:
    domain = s.term(and_(y.guard, *(loop.domain for loop in y.loops)))
    return and_(domain, *(s.term(space.below(names.thread(a), names.block_size(a))) for a in AXES))


def split(s: Setting, y: Sync) -> list[Bool]:
    """A thread that reaches the barrier and a participant that does not, in the same iteration.

    The participants are the threads of the block, or those of the warp that the mask names.
    """
    domain = s.term(and_(y.guard, *(loop.domain for loop in y.loops)))
    one = shared(y)
    bounds = [s.term(space.below(names.thread(a), names.block_size(a))) for a in AXES]
    own = symbols(domain)
    used = and_(*(b for b in bounds if symbols(b) & own))
    out = [
        space.twin(and_(domain, used), 1, one),
        space.twin(and_(not_(s.term(y.apart)), used), 2, one),
    ]
    if y.kind == "warp":
        warp, lanes = disjoint.warp(s), _low(y.mask) if y.mask is not None else None
        out.append(eq(space.twin(warp, 1, one), space.twin(warp, 2, one)))
        if lanes is not None:
            out.append(space.twin(lt(mod(disjoint.linear(s), space.WARP), lanes), 2, one))
    return out


def shared(y: Sync) -> frozenset[Sym]:
    """What two threads of a block have in common: the block index and the loops' counters."""
    blocks = {space.atom_of(names.block(a)) for a in AXES}
    return frozenset(blocks | {loop.counter for loop in y.loops})
