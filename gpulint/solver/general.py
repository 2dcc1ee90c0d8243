"""The first round: every obligation for any parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from gpulint.contract.clause import Clause
from gpulint.dataflow.access import Access, AccessSet, IntOp
from gpulint.ir import symbols as names
from gpulint.ir.nodes import Kernel
from gpulint.ir.types import ArrayType
from gpulint.solver import (
    convergence,
    disjoint,
    groups,
    hidden,
    initialised,
    lanes,
    presumed,
    ranges,
    resources,
    shuffles,
    space,
    tuning,
    widths,
)
from gpulint.solver.disjoint import MAX_PAIRS
from gpulint.solver.pairs import Pair, Pairing
from gpulint.solver.residual import Named, rank
from gpulint.solver.setting import Setting
from gpulint.solver.verdict import PROVED, UNDECIDED, UNDER, Obligation, Verdict
from gpulint.term import ZERO, Sym, maximum, minimum, symbols

MAX_ACCESSES = 600
Ask = Callable[[Setting], Verdict]


def nameable(kernel: Kernel, accesses: AccessSet) -> Named:
    """What a host can read: integer parameters, extents, strides, block and grid."""
    found: set[Sym] = set()
    for p in kernel.params:
        if not p.is_array:
            found |= symbols(names.scalar(p))
    arrays = set()
    for a in accesses.arrays.values():
        if a.is_param:
            arrays.add(a.name)
            for axis, e in enumerate(a.extents):
                found |= symbols(e, names.stride(a.name, axis), names.stride(a.name, axis, "element"))
    for p in kernel.params:
        if isinstance(p.type, ArrayType):
            found |= symbols(names.size(p.name, p.type.ndim))
    for axis in space.AXES:
        found |= symbols(names.block_size(axis), names.grid_size(axis), space.total(axis))
    return Named(frozenset(found), frozenset(arrays))


@dataclass
class Round:
    """The verdicts for any parameters, and the data clauses that they rest on."""

    setting: Setting
    named: Named
    verdicts: list[Verdict]
    inferred: tuple[Clause, ...]


def decide(s: Setting) -> Round:
    """In-range first: its data clauses are premises of the rest, which then holds under them."""
    named = nameable(s.kernel, s.accesses)
    if s.tiles:
        taken = presumed.taken(s, named)
        taken += groups.positive(s.with_premises(taken), named)
        return _presuming(s, named, taken) or _decide(s, named)
    along = presumed.along_x()
    if s.accesses.flat and along not in s.premises:
        r = decide(s.with_premises((along,)))
        return Round(r.setting, named, [_resting(v, (along,)) for v in r.verdicts], (along, *r.inferred))
    plain = _decide(s, named)
    if all(v.kind != UNDECIDED for v in plain.verdicts):
        return plain
    more = _presuming(s, named, presumed.divisors(s.accesses, named))
    return plain if more is None or _open(more) >= _open(plain) else more


def _open(r: Round) -> int:
    """How many verdicts are left open."""
    return sum(v.kind == UNDECIDED for v in r.verdicts)


def _presuming(s: Setting, named: Named, taken: tuple[Clause, ...]) -> Round | None:
    """The verdicts with clauses that are taken for granted; None without any."""
    if not taken:
        return None
    r = _decide(s.with_premises(taken), named)
    verdicts = [_resting(v, taken) for v in r.verdicts]
    return Round(r.setting, named, verdicts, tuple(dict.fromkeys((*taken, *r.inferred))))


def _resting(v: Verdict, taken: tuple[Clause, ...]) -> Verdict:
    """A verdict that was reached with clauses taken for granted."""
    if v.kind not in (PROVED, UNDER):
        return v
    return replace(v, kind=UNDER, clauses=tuple(dict.fromkeys((*taken, *v.clauses))))


def _decide(s: Setting, named: Named) -> Round:
    verdicts = _in_range(s, named)
    inferred = consistent(s, _data(verdicts))
    verdicts = [_kept(v, inferred) for v in verdicts]
    full = s.with_premises(inferred)
    verdicts += _widths(s, full, inferred, named)
    verdicts += _disjoint(s, full, inferred, named)
    more = (*convergence.obligations(s), *shuffles.obligations(s), *initialised.obligations(s))
    for o in more:
        verdicts.append(_either(s, full, inferred, _ordered(o)))
    for o in lanes.obligations(s):
        verdicts.append(_either(s, full, inferred, _left_out(o, named)))
    known = consistent(s, _data([v for v in verdicts if not lanes.on_clauses(v)])) if s.tiles else ()
    verdicts += [*resources.decide(s), *tuning.decide(s), *hidden.order(full, known, named)]
    whole = consistent(s, _data([v for v in verdicts if not lanes.on_clauses(v)]))
    kept = consistent(s, merged((*whole, *_data([v for v in verdicts if lanes.on_clauses(v)]))))
    verdicts = [_kept(v, kept if lanes.on_clauses(v) else whole) for v in verdicts]
    return Round(s.with_premises(whole), named, verdicts, whole)


def _ordered(o: Obligation) -> Ask:
    decide_ = convergence.again if o.property == "convergent" else initialised.again
    decide_ = shuffles.again if o.kind == shuffles.KIND else decide_
    return lambda s: decide_(s, o)


def _left_out(o: Obligation, named: Named) -> Ask:
    return lambda s: lanes.decide(s, o, named)


def consistent(s: Setting, clauses: tuple[Clause, ...]) -> tuple[Clause, ...]:
    """The clauses, less those that no launch meets together with the ones before.

    A contract that no launch can meet proves nothing, so contradictory clauses are no premises.
    """
    conditions = [c.condition for c in clauses]
    if not s.prover.unsat(*conditions):
        return clauses
    kept: list[Clause] = []
    for c in sorted(clauses, key=lambda c: (rank(c), str(c))):
        if not s.prover.unsat(*(k.condition for k in kept), c.condition):
            kept.append(c)
    return tuple(kept)


def _kept(v: Verdict, clauses: tuple[Clause, ...]) -> Verdict:
    """The verdict, unless it rests on a clause that contradicts the others."""
    if v.kind != UNDER or set(merged(v.clauses)) <= set(clauses) or _covered(v, clauses):
        return v
    return replace(v, kind=UNDECIDED, reason="what it needs contradicts what other accesses need")


def _covered(v: Verdict, clauses: tuple[Clause, ...]) -> bool:
    """Whether every clause of the verdict is there, ranges of elements perhaps in merged form."""
    ranged = {a for c in clauses if c.predicate in ("within", "above") for a in c.arrays}
    merged_away = ("within", "above")
    return all(c in clauses or (c.predicate in merged_away and c.arrays[0] in ranged) for c in v.clauses)


def _widths(s: Setting, full: Setting, inferred: tuple[Clause, ...], named: Named) -> list[Verdict]:
    """One verdict for each integer operation, equal ones decided once."""
    done: dict[tuple[object, ...], Verdict] = {}
    out = []
    for op in (*s.accesses.ops, *hidden.products(s)):
        if op.modular:
            continue  # the range of its access answers for it
        key = (op.term, op.type, op.domain)
        if key not in done:
            done[key] = _either(s, full, inferred, _width(op, named))
        v = done[key]
        out.append(replace(v, obligation=replace(v.obligation, kind=op.feeds, span=op.span, op=op)))
    return out


def _width(op: IntOp, named: Named) -> Ask:
    return lambda s: widths.decide(s, op, named)


def _data(verdicts: list[Verdict]) -> tuple[Clause, ...]:
    return merged(tuple(dict.fromkeys(c for v in verdicts if v.kind == UNDER for c in v.clauses)))


def merged(clauses: tuple[Clause, ...]) -> tuple[Clause, ...]:
    """Ranges of one array made one clause: `within` takes the tightest bounds that are asked for."""
    out: list[Clause] = []
    spans: dict[str, list[Clause]] = {}
    for c in clauses:
        if c.predicate in ("within", "above"):
            spans.setdefault(c.arrays[0], []).append(c)
        else:
            out.append(c)
    for array, cs in sorted(spans.items()):
        lows = [c.bounds[0] for c in cs if c.predicate == "above"] or [ZERO]
        highs = [c.bounds[1] for c in cs if c.predicate == "within"]
        if highs:
            bounds = (maximum(*lows), minimum(*highs))
            out.append(Clause(predicate="within", arrays=(array,), bounds=bounds))
        else:
            out.append(Clause(predicate="above", arrays=(array,), bounds=(maximum(*lows),)))
    return tuple(out)


def _in_range(s: Setting, named: Named) -> list[Verdict]:
    done: dict[tuple[object, ...], list[Verdict]] = {}
    out: list[Verdict] = []
    for a in s.accesses.accesses[:MAX_ACCESSES]:
        if not a.checks:
            continue
        key = (a.array.name, a.checks, a.domain, a.negative_wraps)
        if key not in done:
            done[key] = ranges.decide(s, a, named)
        out += [_for(v, a) for v in done[key]]
    return out


def _for(v: Verdict, a: Access) -> Verdict:
    """A verdict decided for an equal access, about this one."""
    o = v.obligation
    if o.access is a:
        return v
    kind = o.kind if o.kind == "negative" else a.mode
    return replace(v, obligation=replace(o, kind=kind, span=a.span, access=a))


def _either(s: Setting, full: Setting, inferred: tuple[Clause, ...], ask: Ask) -> Verdict:
    """The verdict without the inferred clauses if that proves it, else the one under them."""
    v: Verdict = ask(s)
    if v.kind == PROVED or full is s:
        return v
    w: Verdict = ask(full)
    if w.kind == PROVED:
        return replace(w, kind=UNDER, clauses=inferred)
    if w.kind == UNDER and v.kind == UNDER and len(v.clauses) <= len(w.clauses):
        return v
    if w.kind == UNDER:
        return replace(w, clauses=tuple(dict.fromkeys((*inferred, *w.clauses))))
    return v if v.kind == UNDER else w


def _disjoint(s: Setting, full: Setting, inferred: tuple[Clause, ...], named: Named) -> list[Verdict]:
    out: list[Verdict] = []
    pairing = Pairing(s.kernel, s.accesses, s.order)
    for i, (a, b) in enumerate(pairing.candidates()):
        o = disjoint.obligation(Pair(a, b))
        if i >= MAX_PAIRS:
            out.append(Verdict(o, UNDECIDED, reason="more pairs than the budget"))
            break
        if a.array.name in s.accesses.tainted:
            out.append(Verdict(o, UNDECIDED, reason="an unsupported statement may write the array"))
            continue
        if pairing.barriers and a.array.space == "global":
            v = disjoint.decide(s, Pair(a, b), named, deep=False)
            if v.kind in (PROVED, UNDER):
                out.append(v)
                continue
        out += [_pair(s, full, inferred, p, named) for p in pairing.scopes(a, b)]
    return out


def _pair(s: Setting, full: Setting, inferred: tuple[Clause, ...], p: Pair, named: Named) -> Verdict:
    quick = disjoint.decide(s, p, named, deep=False)
    if quick.kind in (PROVED, UNDER):
        return quick
    return _either(s, full, inferred, lambda x: disjoint.decide(x, p, named))
