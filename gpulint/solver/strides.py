"""Obligation contract, for tile kernels: one tensor is not stepped along in two ways.

An access multiplies its index along an axis by the stride that the host passes. Another access of the same
tensor that takes the same axis by a step of one, or by a stride of another tensor, goes to the same elements
only where the two steps are equal. That the kernel takes the stride at all says that they need not be. It
is refuted where the host leaves the stride free, the index is shown to be one along the axis, and a run
touches the place that the other step leads to, while the strides differ.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpulint.dataflow.access import Access
from gpulint.frontend.host.site import HostArray
from gpulint.interp.machine import run
from gpulint.solver import space
from gpulint.solver.outputs import pure, small_launch, witness
from gpulint.solver.polydiv import divided
from gpulint.solver.setting import Setting
from gpulint.solver.sites import SiteRound
from gpulint.solver.space import Seen
from gpulint.solver.verdict import REFUTED, Obligation, Verdict, Witness
from gpulint.term import ONE, ZERO, Bool, Int, Scope, Sym, add, and_, const, ge, lt, mul, ne, symbols
from gpulint.term.build import monomial, of_atom

ANOTHER = 2  # the least stride of a witness that is no step of one


@dataclass(frozen=True)
class Parts:
    """An offset: the index along each axis that its own stride says, and what has none of the strides."""

    indices: dict[Sym, Int]
    rest: Int


def check(a: SiteRound) -> None:
    """Add a verdict for the first access of each tensor that drops a stride which another one uses."""
    s = a.setting
    if a.reason or s.site is None or not s.site.exact or not s.tiles:
        return
    for name, arg in s.site.arguments.items():
        axes = _axes(s, arg)
        own = [x for x in s.accesses.accesses if x.array.name == name and x.mode != "atomic"]
        if axes and len(own) > 1:
            a.extra += _first(s, own, axes)


def _axes(s: Setting, arg: object) -> dict[Sym, Int]:
    """The strides that the host leaves free, with the extents of their axes; none where some are known."""
    if not isinstance(arg, HostArray) or not arg.shape or arg.strides is None or s.binding is None:
        return {}
    pairs = [(s.binding.host(t).atom, s.binding.host(n)) for t, n in zip(arg.strides, arg.shape, strict=True)]
    found = {t: n for t, n in pairs if isinstance(t, Sym) and ".stride(" in t.name}
    return found if len(found) == len(pairs) else {}


def _first(s: Setting, own: list[Access], axes: dict[Sym, Int]) -> list[Verdict]:
    seen = [(x, s.see(x)) for x in own]
    parts = [(x, v, _parts(v.subscripts[0], axes)) for x, v in seen if len(v.subscripts) == 1]
    for x, v, p in parts:
        used = [t for t in axes if p.indices[t] == ZERO]
        if len(used) != 1 or p.rest == ZERO:
            continue
        (axis,) = used
        along = next(
            (y for y, w, q in parts if q.rest == ZERO and _runs(s, w, q.indices[axis], axes[axis])), None
        )
        w = _elsewhere(s, x, v, p.rest, axis, axes[axis]) if along is not None else None
        if w is not None:
            o = Obligation("contract", "stride", x.span, access=x, other=along)
            reason = f"another access takes this axis by {axis.name}"
            return [Verdict(o, REFUTED, reason=reason, witness=w, site=s.site, rung="search")]
    return []


def _parts(offset: Int, axes: dict[Sym, Int]) -> Parts:
    indices, rest = dict.fromkeys(axes, ZERO), ZERO
    for mono, coeff in offset.terms:
        term = mul(monomial(mono), coeff) if mono else const(coeff)
        own = [t for t in axes if t in mono]
        factor = divided(term, of_atom(own[0])) if len(own) == 1 else None
        if factor is None:
            rest = add(rest, term)
        else:
            indices[own[0]] = add(indices[own[0]], factor)
    return Parts(indices, rest)


def _runs(s: Setting, seen: Seen, index: Int, extent: Int) -> bool:
    """Whether a moving term, a sum of plain coordinates and counters, is shown to be an index of an axis."""
    atoms = [a for mono, _ in index.terms for a in mono]
    moving = [a for a in atoms if any(x.scope is not Scope.LAUNCH for x in symbols(of_atom(a)))]
    plain = all(isinstance(a, Sym) for a in moving)
    return bool(moving) and plain and bool(s.prover.prove(seen.domain, _inside(index, extent)))


def _inside(index: Int, extent: Int) -> Bool:
    return and_(ge(index, ZERO), lt(index, extent))


def _elsewhere(s: Setting, a: Access, seen: Seen, rest: Int, axis: Sym, extent: Int) -> Witness | None:
    """A launch on which the access touches a place that its index along the axis does not lead to."""
    steps = [ONE, *(of_atom(x) for x in symbols(rest) if ".stride(" in x.name)]
    for step in steps:
        index = divided(rest, step)
        if index is None or not _runs(s, seen, index, extent) or not pure(space.see(a)):
            continue
        stride = of_atom(axis)
        free = [of_atom(x) for x in symbols(*seen.subscripts) if ".stride(" in x.name]
        wanted = [seen.domain, ge(index, ONE), ge(stride, ANOTHER), ne(stride, step)]
        wanted += [ge(t, ONE) for t in free]
        w = _touched(s, a, seen.subscripts[0], wanted)
        if w is not None:
            return w
    return None


def _touched(s: Setting, a: Access, offset: Int, wanted: list[Bool]) -> Witness | None:
    found = small_launch(s, wanted)
    if found is None:
        return None
    reader, launch = found
    place = (reader.number(offset, 0),)
    outcome = run(s.kernel, launch)
    name = a.array.name
    touched = outcome.read.get(name, set()) if a.mode == "read" else outcome.written.get(name, {})
    return witness(reader, launch, name, place) if place in touched else None
