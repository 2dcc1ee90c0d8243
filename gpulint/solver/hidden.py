"""What a tile kernel's source leaves open, and must not count as proved.

*Widths of loaded values*: the element type of a tensor is not in the source, so a product with a loaded
index has no width that is known. It is asked to fit 32 bits, the narrowest that index tensors come
in: proved then is proved for wider ones, and what is not shown stays undecided.
*Order within a program*: a store and a later load of one array by other lanes of the same program are
ordered by a barrier alone. Pairs that a barrier separates, that use the same lanes, or that never
meet are fine; others are undecided.
"""

from __future__ import annotations

from gpulint.dataflow.access import Access, IntOp
from gpulint.dataflow.intervals import Intervals
from gpulint.ir import symbols as names
from gpulint.ir.types import INT32, IntType
from gpulint.solver import space
from gpulint.solver.setting import Setting
from gpulint.solver.space import AXES
from gpulint.solver.verdict import UNDECIDED, Obligation, Verdict
from gpulint.term import Int, and_, apps, eq, lt, mul
from gpulint.term.build import monomial, of_atom

MAX_PAIRS = 40


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


def order(s: Setting) -> list[Verdict]:
    """Undecided verdicts on stores whose elements other lanes of the program load without a barrier."""
    if not s.tiles:
        return []
    intervals = Intervals(s.kernel.body)
    writes = [a for a in s.accesses.accesses if a.mode == "write"]
    out: list[Verdict] = []
    count = 0
    for w in writes:
        for r in s.accesses.accesses:
            if r.mode != "read" or r.array.name != w.array.name or r.index < w.index:
                continue
            count += 1
            if count > MAX_PAIRS or _apart(s, w, r, intervals):
                continue
            reason = "other lanes of the program load what it stores, with no barrier between"
            o = Obligation("disjoint", "read-write", w.span, access=w, other=r, scope="program")
            out.append(Verdict(o, UNDECIDED, reason=reason))
    return out


def _apart(s: Setting, w: Access, r: Access, intervals: Intervals) -> bool:
    if w.subscripts == r.subscripts and w.lanes == r.lanes:
        return True
    if intervals.ties(w.stmt, r.stmt) == []:
        return True
    a, b = s.see(w, frozenset()), s.see(r, frozenset())
    held = frozenset(space.atom_of(names.block(x)) for x in AXES)
    both = zip(a.subscripts, b.subscripts, strict=True)
    meet = [eq(space.twin(x, 1, held), space.twin(y, 2, held)) for x, y in both]
    return s.prover.unsat(space.twin(a.domain, 1, held), space.twin(b.domain, 2, held), *meet)
