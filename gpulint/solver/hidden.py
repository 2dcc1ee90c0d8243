"""What a tile kernel's source leaves open, and must not count as proved.

*Widths of loaded values*: the element type of a tensor is not in the source, so a product with a loaded
index has no width that is known. It is asked to fit 32 bits, the narrowest that index tensors come
in: proved then is proved for wider ones, and what is not shown stays undecided.
*Order within a program*: a store and a load, or a later store, of one array by other lanes of one program are
ordered by a barrier alone, whichever comes first in the source: warps need not run together. Pairs that a
barrier separates, that meet at the same lanes only, or that never meet are fine; others are undecided, and
refuted by a launch on which the interpreter sees a lane load what another one stored before.
"""

from __future__ import annotations

from gpulint.contract.clause import Clause
from gpulint.dataflow.access import Access, IntOp
from gpulint.dataflow.intervals import Intervals
from gpulint.ir import symbols as names
from gpulint.ir.types import INT32, IntType
from gpulint.solver import disjoint, renaming, space, splitting
from gpulint.solver.radix import Unifier
from gpulint.solver.residual import CAP, Named, rank
from gpulint.solver.setting import Setting
from gpulint.solver.space import AXES, Seen
from gpulint.solver.verdict import PROGRAM, PROVED, UNDECIDED, UNDER, Obligation, Verdict
from gpulint.term import Bool, Int, and_, apps, eq, ge, lt, mul, ne, or_
from gpulint.term.build import monomial, of_atom

MAX_PAIRS = 40
_WHY = {
    "read": "other lanes of the program load what it stores, with no barrier between",
    "write": "other lanes of the program store to the same elements, with no barrier between",
}
_HELD = frozenset(space.atom_of(names.block(axis)) for axis in AXES)
_NOTHING = Named(frozenset(), frozenset())


def products(s: Setting) -> tuple[IntOp, ...]:
    """The products with loaded values in addresses that no typed operation of the kernel covers."""
    if not s.tiles:
        return ()
    own = (op.term for op in s.accesses.ops if len(op.term.terms) == 1)
    typed = {a for t in own for a in apps(t, op="load")}
    out: dict[tuple[Int, int], IntOp] = {}
    for a in s.accesses.accesses:
        for t in a.subscripts:
            for mono, coeff in t.terms:
                if not mono:
                    continue
                part = mul(monomial(mono), coeff)
                loads = [x for x in apps(part, op="load") if not _typed(s, x.data)]
                if not loads or (len(mono) == 1 and abs(coeff) == 1) or any(x in typed for x in loads):
                    continue
                lanes = and_(*(lt(of_atom(x), size) for x, size in a.lanes))
                text = f"a product with {loads[0].data}'s elements"
                guard = and_(a.guard, lanes)
                out[part, a.index] = IntOp(part, INT32, guard, a.loops, a.span, "address", text)
    return tuple(out.values())


def _typed(s: Setting, array: str) -> bool:
    """Whether the element type is known, so that the kernel's operations have widths of their own."""
    known = s.accesses.arrays.get(array)
    return known is not None and isinstance(known.element, IntType)


def order(s: Setting, known: tuple[Clause, ...], named: Named) -> list[Verdict]:
    """Verdicts on stores whose elements other lanes of the program may load or store too, unordered.

    Those that are ordered or apart in this setting are left out. `known`: clauses that other verdicts rest
    on; what is shown with them, or with more, rests on them all.
    """
    if not s.tiles:
        return []
    intervals = Intervals(s.kernel.body)
    under = s.with_premises(known)
    writes = [a for a in s.accesses.accesses if a.mode == "write"]
    out: list[Verdict] = []
    count = 0
    for w in writes:
        for r in s.accesses.accesses:
            if r.array.name != w.array.name or not (r.mode == "read" or _later_store(r, w)):
                continue
            count += 1
            if count > MAX_PAIRS or _apart(s, w, r, intervals):
                continue
            kind = "read-write" if r.mode == "read" else "write-write"
            o = Obligation("disjoint", kind, w.span, access=w, other=r, scope=PROGRAM)
            cs = _parted(under, w, r, named)
            if cs is None:
                out.append(Verdict(o, UNDECIDED, reason=_WHY[r.mode]))
            else:
                out.append(Verdict(o, UNDER, clauses=tuple(dict.fromkeys((*known, *cs))), rung="radix"))
    return out


def _parted(s: Setting, w: Access, r: Access, named: Named) -> tuple[Clause, ...] | None:
    """Further clauses by which two lanes of a program, one at each access, never meet; or None."""
    cs = _same_lane(s, w, r, named)
    if cs is not None:
        return cs
    meet = reload(s, w, r)[0]
    return () if s.prover.unsat(*meet) else splitting.parted(s, meet, named) or None


def again(s: Setting, o: Obligation) -> Verdict:
    """The order of a store and a load in a setting that knows more."""
    assert o.access is not None and o.other is not None
    if s.prover.unsat(*reload(s, o.access, o.other)[0]):
        return Verdict(o, PROVED, rung="z3")
    return Verdict(o, UNDECIDED, reason=_WHY[o.other.mode])


def _later_store(r: Access, w: Access) -> bool:
    return r.mode == "write" and r.index > w.index


def _apart(s: Setting, w: Access, r: Access, intervals: Intervals) -> bool:
    repeated = r.index < w.index and any(x.span == y.span for x in r.loops for y in w.loops)
    if w.subscripts == r.subscripts and w.lanes == r.lanes and (not repeated or _one_lane(s, w, r)):
        return True
    if intervals.ties(w.stmt, r.stmt) == []:
        return True
    return _same_lane(s, w, r, _NOTHING) is not None or s.prover.unsat(*reload(s, w, r)[0])


def _one_lane(s: Setting, w: Access, r: Access) -> bool:
    """Whether mixed radix shows that equal subscripts of a program are those of one lane."""
    a, b = s.see(w, frozenset()), s.see(r, frozenset())
    return _fixed(s, w, a, b, _NOTHING) == ()


def _same_lane(s: Setting, w: Access, r: Access, named: Named) -> tuple[Clause, ...] | None:
    """Clauses under which two accesses in different loops, of one form, only meet at one lane; or None."""
    a, b = s.see(w, frozenset()), s.see(r, frozenset())
    same = renaming.alike(s, a, b) if w.lanes == r.lanes else None
    return _fixed(s, w, a, same, named) if same is not None else None


def _fixed(s: Setting, w: Access, a: Seen, b: Seen, named: Named) -> tuple[Clause, ...] | None:
    """Clauses under which equal subscripts of a program are those of one lane; none may be named: proved."""
    may = named is not _NOTHING
    u = Unifier(s, disjoint.common(a.domain, b.domain), named, equal=set(_HELD), may_assume=may)
    u.run(list(a.subscripts))
    fixed = all(u.fixed(of_atom(lane)) for lane, _ in w.lanes)
    return tuple(u.clauses) if fixed and all(rank(c) < CAP for c in u.clauses) else None


def reload(s: Setting, w: Access, r: Access) -> tuple[list[Bool], tuple[Seen, Seen]]:
    """What holds where two lanes of one program meet, the first of them at the store."""
    a, b = s.see(w, frozenset()), s.see(r, frozenset())
    both = zip(a.subscripts, b.subscripts, strict=True)
    meet = [eq(space.twin(x, 1, _HELD), space.twin(y, 2, _HELD)) for x, y in both]
    if w.lanes == r.lanes:
        lanes = [of_atom(x) for x, _ in w.lanes]
        meet.append(or_(*(ne(space.twin(x, 1), space.twin(x, 2)) for x in lanes)))
    else:
        meet.append(or_(*(ge(s.term(size), 2) for _, size in (*w.lanes, *r.lanes))))
    whole = [space.twin(a.domain, 1, _HELD), space.twin(b.domain, 2, _HELD), *meet]
    return [*whole, *splitting.derived(s.prover, whole)], (a, b)
