"""What the caller of a host function chooses: numbers at their defaults, tensors without gaps.

A caller who says nothing of a number gets its default, so what breaks there for some tensors is the
launch's own fault, though other numbers might be chosen to fit.

A width that holds for these and not for every number or stride that a caller could think of is the
caller's to keep, like every clause on a free input: the launch meets the contract with it. Of the
clauses only those on widths are excused, since they limit how large an input may be and no more. What
fails for the usual inputs stays open. That no tensor which a kernel writes has two elements at one place (by
a stride of zero) is left to callers in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpulint.contract.clause import Clause
from gpulint.frontend.host.layout import products
from gpulint.frontend.host.site import HostArray, LaunchSite
from gpulint.ir.types import INT32
from gpulint.solver import layouts, questions
from gpulint.solver.options import INT32_SIZES, USUAL_INPUTS
from gpulint.solver.residual import Named
from gpulint.solver.setting import Setting
from gpulint.solver.verdict import PROVED, UNDER, Verdict
from gpulint.term import TRUE, Bool, Cmp, Int, Sym, and_, const, eq, ge, le, mul, symbols
from gpulint.term.build import ONE, of_atom

SMALL = 2**30  # what elements of index arrays stay below
PATIENCE = 160  # elimination steps over sizes of the launch, whose products hide in quotients


def excused(s: Setting, v: Verdict, named: Named) -> bool:
    """Whether a clause on a width, which the site does not establish, holds for the usual inputs.

    That the caller keeps it is then the assumption `usual-inputs`, named with the verdict.
    """
    if USUAL_INPUTS not in s.options.assume:
        return False
    if v.obligation.property != "no-wrap" or v.kind != UNDER or s.site is None:
        return False
    assert s.binding is not None
    told = [*usual(s.site), *(_rows(s.site) if INT32_SIZES not in s.options.assume else [])]
    facts, data = [s.binding.host(f) for f in told], _small(s, v.clauses)
    if not (facts or data) or (facts and s.prover.unsat(*facts)):
        return False
    at = s.with_facts(facts, settle=PATIENCE).with_premises(data)
    found = questions.again(at, v.obligation, named)
    return found is not None and found.kind == PROVED


def _rows(site: LaunchSite) -> list[Bool]:
    """The rows of a tensor, however long, number fewer than 2**31: what an offset of 32 bits may count."""
    out: list[Bool] = []
    for a in site.arguments.values():
        rows = ONE
        for n in (a.shape or ())[:-1] if isinstance(a, HostArray) else ():
            rows = mul(rows, n)
            out.append(le(rows, INT32.hi))
    return [f for f in dict.fromkeys(out) if f != TRUE]


def _small(s: Setting, clauses: Sequence[Clause]) -> list[Clause]:
    """What elements that come from outside usually keep: they lie below 2**30 where the kernel needs less.

    How large they are is all that is taken for granted; that none is too low is for the host code to say.
    """
    assert s.binding is not None
    out = []
    for c in clauses:
        known = s.binding.elements.get(c.arrays[0]) if c.predicate == "within" else None
        if known is None or known.low is None:
            continue
        fits = and_(ge(known.low, s.term(c.bounds[0])), le(SMALL, s.term(c.bounds[1])))
        if s.prover.prove(TRUE, fits):
            out.append(Clause(predicate="within", arrays=c.arrays, bounds=(c.bounds[0], const(SMALL))))
    return out


def solid(s: Setting, v: Verdict, named: Named) -> bool:
    """Whether a race needs a tensor of the caller that has two elements at one place.

    PyTorch writes to none either. It is an assumption too, of the same name.
    """
    o = v.obligation
    if USUAL_INPUTS not in s.options.assume or o.property != "disjoint" or o.access is None or s.site is None:
        return False
    arg = s.site.arguments.get(o.access.array.name)
    if not isinstance(arg, HostArray) or arg.fresh or arg.strides is None:
        return False
    found = questions.again(s.with_solid(frozenset({o.access.array.name})), o, named)
    return found is not None and found.kind == PROVED


def at_defaults(s: Setting) -> Setting | None:
    """The setting of a site with the numbers of its host function at their defaults; None without any."""
    if s.site is None or s.binding is None:
        return None
    known = numbers(s)
    used = symbols(*s.binding.mapping.values(), *s.binding.facts)
    return layouts.known_at(s, known) if used & known.keys() else None


def sensible(s: Setting) -> Setting:
    """The setting of a site with the numbers that are positive by default taken to be positive.

    For what would refute a launch: that a block of minus one row breaks it is no fault of its own.
    """
    if s.site is None or s.binding is None:
        return s
    positive = [ge(of_atom(x), 1) for x, value in _defaults(s.site).items() if value >= 1]
    facts = [f for f in map(s.binding.host, positive) if f != TRUE]
    return s.with_facts(facts) if facts and not s.prover.unsat(*facts) else s


def numbers(s: Setting) -> dict[Sym, Int]:
    """The numbers of the host function at a site at their defaults."""
    return {x: const(value) for x, value in _defaults(s.site).items()} if s.site is not None else {}


def _defaults(site: LaunchSite) -> dict[Sym, int]:
    """The numbers of the host function that have a default."""
    known = {}
    for f in site.usual:
        (x,) = symbols(f) if len(symbols(f)) == 1 else (None,)
        value = -f.poly.constant if isinstance(f, Cmp) and f.op == "eq" else None
        if x is not None and value is not None and f == eq(of_atom(x), value):
            known[x] = value
    return known


def usual(site: LaunchSite) -> list[Bool]:
    """The defaults of numbers and the row-major strides of tensors whose strides are inputs."""
    out = list(site.usual)
    for a in site.arguments.values():
        if isinstance(a, HostArray) and a.shape is not None and a.strides is not None:
            plain = zip(a.strides, products(a.shape), strict=True)
            out += [eq(given, want) for given, want in plain if isinstance(given.atom, Sym)]
    return [f for f in dict.fromkeys(out) if f != TRUE]
