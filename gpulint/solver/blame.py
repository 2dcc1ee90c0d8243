"""Whose fault a violation at a launch site would be: the launch's, or its caller's.

The host function leaves inputs free. An access past the end of an array whose size is one free
input, at an index that hangs on others, is a relation that the caller keeps and the code may state
as an assert: a witness against it proves nothing wrong with the launch. Nor does one against a helper that
only passes on what to launch how, where its callers are in view: they are decided each by itself. The same
holds, while sizes are taken to fit 32 bits, of a product of several inputs' sizes: what bounds it is a
relation too.
"""

from __future__ import annotations

import math
from collections.abc import Set as Set

from gpulint.contract.clause import Clause
from gpulint.dataflow.access import Access, IntOp
from gpulint.frontend.host.site import HostArray, of_device
from gpulint.ir import symbols as names
from gpulint.solver import powers, ranges
from gpulint.solver.options import INT32_SIZES
from gpulint.solver.polydiv import divided
from gpulint.solver.prover import Budget, Prover
from gpulint.solver.residual import Named
from gpulint.solver.setting import Setting
from gpulint.solver.space import AXES
from gpulint.solver.verdict import Obligation
from gpulint.term import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Bool,
    Cmp,
    Int,
    Scope,
    Sym,
    and_,
    apps,
    const,
    eq,
    ge,
    le,
    not_,
    subst,
    symbols,
)
from gpulint.term.build import of_atom

MAX_STEP = 2**16
MANY = 1000  # rows: more than a block has
SOME = 64
OWN_PROOFS = 12  # questions to Z3 about whose making one clause is
MARKS = (".shape[", ".size", ".strides[", ".stride(", ".span")


def owner(name: str) -> str:
    """The host object that a symbol belongs to: `a` for `a.shape[0]`."""
    for mark in MARKS:
        if mark in name:
            return name.split(mark)[0]
    return name


def of_launch(s: Setting, o: Obligation) -> bool:
    """Whether a violation of an obligation at the setting's site would be the launch's own."""
    if s.site is None:
        return True
    if s.site.forwarded:
        return False
    if o.property == "in-range" and o.access is not None and o.axis is not None:
        return any(sides(s, o.access, o.axis))
    if o.property == "disjoint" and o.access is not None and o.other is not None:
        terms = (*o.access.subscripts, *o.other.subscripts)
        used = symbols(*map(s.term, terms))
        return not any(".stride(" in x.name for x in used)  # a layout that only the caller knows
    if o.property == "no-wrap" and o.op is not None:
        return _width(s, o.op)
    return True


def sides(s: Setting, a: Access, axis: int) -> tuple[bool, bool]:
    """Whether an access past the end, and one before the start, would be the launch's own fault."""
    seen = s.see(a)
    size = _inputs(s, seen.checks[axis][1]) | _made_of(s, a.array.name)
    reach, stated_ = _at_most(s, a.checks[axis][0])
    if all(x.scope is Scope.LAUNCH for x in symbols(reach)):  # whichever element it is
        index = _owning(s, symbols(reach), stated_)
    else:
        index = _owners(s, a, reach, stated_)
    reaches = any(x.name.endswith(".span") for x in symbols(seen.checks[axis][1]))
    if not reaches and (not size or index <= size):
        return True, True
    return not reaches and _past_end(s, a, axis), _before_start(s, a, axis)


def _past_end(s: Setting, a: Access, axis: int) -> bool:
    """By what would keep the access below the extent, if elimination tells.

    How far a tensor of unknown layout reaches is its caller's to know.
    """
    seen = s.see(a)
    free = frozenset(x for x in symbols(seen.domain, *(t for c in seen.checks for t in c)) if _launch(x))
    facts = s.prover.relevant(seen.domain, *seen.checks[axis])
    more = frozenset(x for f in facts for x in symbols(f) if _launch(x))
    top, _, _ = ranges.goals(a, axis, seen.checks)
    kept = ranges.settle(s, seen.domain, top, Named(free | more, frozenset()))
    spare = counting(s, {a.array.name})
    told = [c.condition for c in kept.clauses]
    return bool(told) and not all(relation(s, c, spare) and not alone(s, c) for c in told)


def _before_start(s: Setting, a: Access, axis: int) -> bool:
    """By the index alone: no size of an array makes room before its first element.

    A number that the caller gives, or sizes of two inputs, may be what keeps it from being negative; and
    a part of an array may have elements before its own first one.
    """
    given = s.site.arguments.get(a.array.name) if s.site is not None else None
    if isinstance(given, HostArray) and not given.whole:
        return False
    used = {x for x in symbols(s.see(a).checks[axis][0]) if _launch(x)}
    unknown = any(_plain(x) or ".stride" in x.name or x.name.endswith(".span") for x in used)
    return not unknown and len({owner(x.name) for x in used}) < 2


def square(s: Setting, o: Obligation, c: Clause) -> bool:
    """Whether a clause keeps an index in range by relating the extents of one array that the host makes.

    `m <= n` for an allocation of n by m elements whose axes the kernel takes for each other: a host function
    that takes both numbers is not for squares alone.
    """
    if o.property != "in-range" or o.access is None or s.binding is None or c.predicate:
        return False
    made = _made_of(s, o.access.array.name)
    used = {owner(x.name) for x in symbols(s.binding.apply(c.condition)) if not x.boolean}
    return len(used) > 1 and used <= made


def _made_of(s: Setting, array: str) -> set[str]:
    """The numbers that the host makes a whole array of several axes by; none of one that it is given."""
    arg = s.site.arguments.get(array) if s.site is not None else None
    if (
        not isinstance(arg, HostArray)
        or not (arg.fresh and arg.whole)
        or arg.shape is None
        or s.binding is None
    ):
        return set()
    return {x.name for x in symbols(*map(s.binding.host, arg.shape)) if not x.boolean and _plain(x)}


def counting(s: Setting, arrays: Set[str]) -> frozenset[str]:
    """Tensors and lists of the caller that the launch takes nothing of but how many programs there are.

    Asked of arrays whose sizes are those by which the host itself allocates one (of none, where a condition
    names none): those count what there is room for. An input that goes to no kernel and that the host
    compares with nothing is then no other way to count them.
    """
    if s.site is None or s.binding is None:
        return frozenset()
    given = {k: a for k, a in s.site.arguments.items() if isinstance(a, HostArray)}
    shapes = {k: {owner(x.name) for x in symbols(*(a.shape or ()))} for k, a in given.items()}
    room = set().union(*(shapes[k] for k, a in given.items() if a.fresh))
    if not room or not all(shapes.get(k) and shapes[k] <= room for k in arrays):
        return frozenset()
    grid = [t for k, t in s.binding.mapping.items() if k.name.startswith("grid.")]
    kept = [t for k, t in s.binding.mapping.items() if not k.name.startswith("grid.")]
    said = [f for f in s.binding.facts if f not in {ge(t, 1) for t in grid}]
    ways = [{owner(x.name) for x in symbols(f)} for f in said]
    used = {owner(x.name) for x in symbols(*kept)} | {x for w in ways if len(w) > 1 for x in w}
    counts = {owner(x.name) for x in symbols(*grid) if not _plain(x)}
    return frozenset(counts - used - {a.name for a in given.values()})


def relation(s: Setting, goal: Bool, spare: Set[str] = frozenset()) -> bool:
    """Whether a condition relates two or more free inputs in a way that the caller can keep.

    It does when, whatever one input is, the others can be chosen to keep it. A bound that no choice
    keeps for some size of an input (two rows, three rows, many) is a fault of the launch; one that only a
    single row breaks is not: `y.size < x.size` is a relation, though nothing is shorter than one
    element. Where the host code says that another input is a multiple of a number, the rows are as many
    times that number. Sizes that the host code equates are one input; those of the device are none. How an
    array's size and its extents belong together, where nothing fixes its rank, is for the caller to keep.
    What the host code checks to be no larger than another may be smaller: that the two are equal is nothing
    that a caller would keep. `spare` are inputs that count for none.
    """
    if _equates(s, goal):
        return False
    goal = subst(goal, _equated(s))
    owners: dict[str, set[Sym]] = {}
    for x in symbols(goal):
        if not x.boolean and not of_device(x.name) and owner(x.name) not in spare:
            owners.setdefault(owner(x.name), set()).add(x)
    if goal == FALSE:
        return False
    if any(_unranked(own) for own in owners.values()):
        return True
    if len(owners) < 2:
        return False
    prover = s.prover.spending(Budget(OWN_PROOFS))
    left: list[Bool] = []
    for own in owners.values():
        step = _multiple(prover, {x for other in owners.values() if other is not own for x in other})
        many = MANY if len(own) < 3 else SOME  # of an array with many axes, each of a size that fits memory
        for size in (2 * step, 3 * step, many * step):
            fixed = and_(*(eq(of_atom(x), size) for x in sorted(own, key=lambda x: x.order)))
            never = not_(powers.folded(subst(goal, dict.fromkeys(own, const(size)))))
            if not prover.prove(fixed, never, z3_too=False):
                left.append(fixed)
            elif not prover.unsat(fixed):
                return False
    broken = prover.unsat_each(goal, left)
    return all(prover.unsat(w) for w, never in zip(left, broken, strict=True) if never)


def alone(s: Setting, goal: Bool) -> bool:
    """Whether a condition leaves a launch of as many programs as its inputs need with one along an axis.

    By a number of the caller alone (a block that holds all): how the work is cut is no input that must fit.
    """
    if not s.tiles:
        return False
    sizes = [t for axis in AXES if (t := s.term(names.grid_size(axis))).value is None]
    cut = [t for t in sizes if any(_plain(x) for x in symbols(t)) and not all(map(_plain, symbols(t)))]
    return any(s.prover.prove(goal, le(t, 1), z3_too=False) or _holds_down(s, goal, t) for t in cut)


def _holds_down(s: Setting, goal: Bool, size: Int) -> bool:
    """Whether a condition is that a positive multiple of `size - 1` is at most zero."""
    times = divided(goal.poly, size - 1) if isinstance(goal, Cmp) and goal.op == "le" else None
    return times is not None and bool(s.prover.prove(TRUE, ge(times, 1), z3_too=False))


def _equates(s: Setting, goal: Bool) -> bool:
    """Whether a condition makes two inputs equal of which the host code checks only which is the larger."""
    if not isinstance(goal, Cmp) or goal.op != "le":
        return False
    for f in s.prover.facts:
        if isinstance(f, Cmp) and f.op == "le" and len({owner(x.name) for x in symbols(f)}) == 2:
            times = divided(goal.poly, ZERO - f.poly) if f.poly.constant == 0 else None
            if times is not None and (times.lo or 0) >= 0:
                return True
    return False


def _multiple(prover: Prover, symbols_: set[Sym]) -> int:
    """What the sizes in the symbols are known to be multiples of, all together."""
    out = 1
    for f in prover.facts:
        rests = [a for a in apps(f, op="mod") if f == eq(of_atom(a), 0)]
        for a in rests:
            factor = a.args[1].value
            if factor and symbols(a.args[0]) & symbols_ and math.lcm(out, factor) <= MAX_STEP:
                out = math.lcm(out, factor)
    return out


def _unranked(own: set[Sym]) -> bool:
    """Whether symbols of one array are its size and some extent: no rank is known that ties them."""
    return any(x.name.endswith(".size") for x in own) and any(".shape[" in x.name for x in own)


def _equated(s: Setting) -> dict[Sym, Int]:
    """One symbol for each group of those that the facts at the site say are equal.

    It is one of the input that the host code says most of: what it checks others against.
    """
    said: dict[str, set[Sym]] = {}
    for x in symbols(*s.prover.facts):
        said.setdefault(owner(x.name), set()).add(x)
    first: dict[Sym, Int] = {}
    for f in s.prover.facts:
        pair = sorted(symbols(f), key=lambda x: (-len(said[owner(x.name)]), x.order))
        if len(pair) == 2 and f == eq(*map(of_atom, pair)):
            a, b = (subst(of_atom(x), first) for x in pair)
            (old,) = symbols(b)
            first = {x: subst(t, {old: a}) for x, t in first.items()} | ({old: a} if a != b else {})
    return first


def _at_most(s: Setting, index: Int) -> tuple[Int, set[Sym]]:
    """The index with the host code's own bound in place of each element that it states one for.

    With it, the symbols of those bounds, which are the host's and not the kernel's.
    """
    known = s.binding.elements if s.binding is not None else {}
    tops = {x: known[x.data].most for x in apps(index, op="load") if x.data in known}
    found = {x: stated(s, top) for x, top in tops.items() if top is not None}
    return subst(index, found), symbols(*found.values())


def _owning(s: Setting, used: set[Sym], stated_: set[Sym]) -> set[str]:
    """The inputs that symbols belong to: those of the kernel by what the launch gives it."""
    return _inputs(s, *(of_atom(x) if x in stated_ else s.term(of_atom(x)) for x in used))


def _inputs(s: Setting, *terms: Int) -> set[str]:
    """The inputs that terms of the host hang on; what the host code equates is one."""
    said = _equated(s)
    return {owner(x.name) for x in symbols(*(subst(t, said) for t in terms)) if not x.boolean}


def stated(s: Setting, top: Int) -> Int:
    """What a check of the host code limits `x.max()` to, instead of that unknown itself."""
    atom = top.atom
    for f in s.prover.facts if isinstance(atom, Sym) else ():
        if isinstance(f, Cmp) and f.op in ("le", "eq") and atom in symbols(f):
            limits = (top - f.poly, top + f.poly) if f.op == "eq" else (top - f.poly,)
            for limit in limits:
                if atom not in symbols(limit):
                    return limit
    return top


def _launch(x: Sym) -> bool:
    return x.scope is Scope.LAUNCH and not x.boolean


def _owners(s: Setting, a: Access, index: Int, stated_: set[Sym]) -> set[str]:
    """The inputs that an index hangs on: through itself, its guard and loops, and the launch's size.

    A number of the caller that only sets the launch's size (threads a block) is no such input.
    """
    known = s.binding.elements if s.binding is not None else {}
    bounded = {
        x: ONE for x in apps(a.domain, op="load") if x.data in known and known[x.data].most is not None
    }
    used = symbols(index, subst(a.domain, bounded))
    geometry = [f(x) for x in AXES for f in (names.grid_size, names.block_size)]
    sizes = symbols(*geometry)
    out = _owning(s, {x for x in used - sizes if x.scope is Scope.LAUNCH and not x.boolean}, stated_)
    moved = [names.grid_size(x) for x in AXES if symbols(names.block(x)) & used]
    moved += [names.block_size(x) for x in AXES if symbols(names.thread(x)) & used]
    sizes = {x for x in symbols(*map(s.term, moved)) if not x.boolean and not _plain(x)}
    return out | _inputs(s, *map(of_atom, sizes))


def _width(s: Setting, op: IntOp) -> bool:
    assert s.site is not None
    shapes = [t for a in s.site.arguments.values() if isinstance(a, HostArray) for t in a.shape or ()]
    seen = s.see(op).subscripts
    loads = dict.fromkeys(apps(*seen, op="load"), ONE)  # where an element lies is another question
    terms = tuple(subst(t, loads) for t in seen)
    used = symbols(*terms)
    sizes = [s.term(names.grid_size(a)) for a in AXES if symbols(names.block(a)) & used]
    free = {x for x in symbols(*terms, *sizes) if x.scope is Scope.LAUNCH and not x.boolean}
    if free and all(_plain(x) and x not in symbols(*shapes) for x in free):
        return False  # numbers of the caller alone
    if any(".stride" in x.name for x in free):
        return False  # a layout that only the caller knows
    return INT32_SIZES not in s.options.assume or len({owner(x.name) for x in free}) < 2


def _plain(x: Sym) -> bool:
    return owner(x.name) == x.name
