"""What a launch leaves to the callers of its host function, taken as kept: the assumption `fitting-inputs`.

A host function that checks nothing of how its inputs fit together (a scale for each row, an index array
whose elements are rows of another, segments in order) leaves that to its caller. The kernel's contract says
it in clauses that a host can check. Where these are all that an obligation lacks at a launch, the launch
meets the contract as far as anyone can tell from its code, and the verdict names the assumption.

It is assumed of accesses and races, at launches whose arguments are all understood. A width that sizes may
leave is no misfit of inputs (that elements are in range is, where a width hangs on it), and what the host
code makes itself is for it to get right. A clause counts where some choice of the other inputs keeps it
whatever one input is (`sites.independent`), so that nothing is assumed which a single input breaks, where it
speaks of an array from outside, and where inputs of one element each keep it: those that must differ in size
(`n < y.size` for a loop that ends with `<= n`) are no inputs that fit, but as likely an index that is one
off. What the code says against it (a number for none, elements that may repeat, accumulation) has been asked
before, and is never assumed away; that stores do not meet by their elements (`injective`, `apart`) is for the
code to say. Only obligations that hold under the printed contract for any parameters are taken as met, so
that the reader sees every clause that callers are to keep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gpulint.contract.clause import APART, Clause
from gpulint.frontend.host.cells import CHANGED
from gpulint.frontend.host.site import HostArray
from gpulint.ir import symbols as names
from gpulint.solver.blame import owner
from gpulint.solver.options import FITTING_INPUTS
from gpulint.solver.setting import Setting
from gpulint.solver.space import AXES
from gpulint.solver.verdict import Verdict
from gpulint.term import ONE, TRUE, App, Int, Sym, apps, lt, subst, symbols

PROPERTIES = ("in-range", "disjoint")
APARTNESS = ("injective", APART)  # stores that must not meet: the code is to say so
LAYOUT = (".stride", ".span")


def keeping(s: Setting, natural: Setting, v: Verdict, every: Sequence[Verdict]) -> Setting | None:
    """The setting of a site with what its callers keep of the premises of `natural`; None for nothing.

    `every` are the kernel's verdicts for any parameters. Elements that stay where accesses need them may
    be taken to do so in a width too.
    """
    if FITTING_INPUTS not in s.options.assume or s.binding is None or not s.binding.exact:
        return None
    fit = [c for c in natural.premises if _from_outside(s, c)]
    if v.obligation.property == "no-wrap":
        asked = {
            b for x in every if x.obligation.property == "in-range" for c in x.clauses for b in bounds(c)
        }
        fit = [c for c in fit if c.predicate and c in asked]
    elif v.obligation.property not in PROPERTIES:
        return None
    kept = s.with_premises(fit)
    return None if kept is s else kept


def bounds(c: Clause) -> list[Clause]:
    """A range of elements below the least of several bounds as one below each: who keeps it may differ."""
    top = c.bounds[1].atom if c.predicate == "within" else None
    if not isinstance(top, App) or top.op != "min":
        return [c]
    return [replace(c, bounds=(c.bounds[0], x)) for x in top.args if isinstance(x, Int)]


def _from_outside(s: Setting, c: Clause) -> bool:
    """Whether a clause speaks of what comes in from outside: elements, or the size of an array.

    What the host allocates has the size that it gave it, and how a tensor lies in memory is for the host to
    ask: neither is a matter of inputs that fit.
    """
    assert s.site is not None and s.binding is not None
    held = {x.name.partition(".")[0] for x in symbols(c.condition) if names.is_extent(x.name)}
    given = [s.site.arguments.get(name) for name in (*c.arrays, *held)]
    outside = all(isinstance(a, HostArray) and not a.fresh for a in given)
    if c.predicate in APARTNESS:
        return False
    if c.predicate or not outside:
        return outside and _of_one(s, c)
    used = symbols(s.binding.apply(c.condition))
    if any(CHANGED in x.name for x in used):
        return False  # the host's own code gave it that value, which nobody knows
    layout = any(mark in x.name for x in used for mark in LAYOUT)
    return bool(held) and not layout and not used & _cutting(s) and _of_one(s, c)


def _cutting(s: Setting) -> set[Sym]:
    """The caller's numbers by which the launch divides its work among programs.

    That such a block divides a size is nothing that inputs fit by: the last one needs a mask.
    """
    sizes = (s.term(names.grid_size(axis)) for axis in AXES)
    by = (a.args[1] for a in apps(*sizes, op="floordiv"))
    return {x for x in symbols(*by) if owner(x.name) == x.name}


def _of_one(s: Setting, c: Clause) -> bool:
    """Whether inputs of one element each keep a clause; of a range of elements, whether it has any."""
    assert s.binding is not None
    condition = s.binding.apply(c.condition)
    if c.predicate == "within":
        low, high = (s.term(b) for b in c.bounds)
        condition = lt(low, high)
    return subst(condition, dict.fromkeys(symbols(condition), ONE)) == TRUE
