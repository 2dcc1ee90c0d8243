"""Barriers of a block without which all its accesses are still proved ordered or apart.

A barrier is passed over, and every pair of accesses that it helped to order is decided again. Two may
each stand in for the other, so they are tried from the last one back, each without those found before.
Said only of kernels that are verified and order memory by block barriers alone: where atomics or fences are
in play, a barrier may order what no pair of accesses shows.
"""

from __future__ import annotations

from collections.abc import Set as Set

from gpulint.dataflow.access import Access
from gpulint.ir import nodes as n
from gpulint.ir.walk import statements
from gpulint.solver import disjoint, general
from gpulint.solver.pairs import Order, Pair, Pairing
from gpulint.solver.residual import Named
from gpulint.solver.setting import Setting
from gpulint.solver.verdict import PROVED, UNDER

MAX_BARRIERS = 12
MAX_PAIRS = 60


def barriers(s: Setting) -> list[n.Barrier]:
    """The barriers that may go, all of them together, in source order; `s` has the clauses as premises."""
    tried = [b for b in statements(s.kernel.body) if isinstance(b, n.Barrier)]
    pairs = list(Pairing(s.kernel, s.accesses).candidates())
    if not _plain(s, tried) or not 0 < len(tried) <= MAX_BARRIERS or len(pairs) > MAX_PAIRS:
        return []
    named, gone = general.nameable(s.kernel, s.accesses), frozenset[int]()
    out = []
    for b in reversed(tried):
        if not b.target and not b.span.calls and _ordered(s, gone | {id(b)}, pairs, named):
            gone |= {id(b)}
            out.append(b)
    return out[::-1]


def _plain(s: Setting, tried: list[n.Barrier]) -> bool:
    """Whether block barriers and plain accesses are all that there is."""
    atomics = any(a.mode == "atomic" for a in s.accesses.accesses)
    effects = any(isinstance(x, n.Effect) for x in statements(s.kernel.body))
    return not (s.tiles or atomics or effects or s.accesses.unsupported) and all(
        b.kind == "block" for b in tried
    )


def _ordered(s: Setting, gone: Set[int], pairs: list[tuple[Access, Access]], named: Named) -> bool:
    """Whether every pair is still ordered or apart without these barriers."""
    order = Order(s.kernel, s.accesses, gone)
    for a, b in pairs:
        new, old = order.pair(a, b, "block"), s.order.pair(a, b, "block")
        if new.ways not in (old.ways, ()) and not _apart(s, new, named):
            return False
    return True


def _apart(s: Setting, p: Pair, named: Named) -> bool:
    """Whether a pair is proved, under nothing but the clauses that hold anyway."""
    v = disjoint.decide(s, p, named)
    return v.kind == PROVED or (v.kind == UNDER and set(v.clauses) <= {disjoint.rank_clause(s), *s.premises})
