"""Segments that index arrays give to programs: races that only their contents decide.

Two programs that meet in an element have the same digits of its offset there, each digit being what stands
before a radix which all below it cannot make up. A digit made of loaded elements (where a sequence starts,
which chunk of it is a program's) lies in an interval that its program's coordinates tell. So programs are
apart where no two of them have boxes of digits that overlap, which a host can check of its index arrays:

    apart((range(cu[pid_0], cu[pid_0 + 1]), pid_1) for pid_0 in range(grid.x) for pid_1 in range(grid.y))

Sound: every digit of a program's element is in the interval that the clause gives for its coordinates, and
the coordinates are all that tell programs apart. A branch on what the host knows is taken apart first: all
points of a launch go the same way there.
"""

from __future__ import annotations

from gpulint.contract.clause import APART, Clause
from gpulint.ir import symbols as names
from gpulint.solver import cases, quantified, space
from gpulint.solver.radix import Unifier, divided
from gpulint.solver.residual import CAP, HUGE, Named, rank
from gpulint.solver.setting import Setting
from gpulint.term import (
    FALSE,
    TRUE,
    ZERO,
    App,
    Atom,
    Bool,
    Int,
    Literal,
    Scope,
    Sym,
    add,
    and_,
    apps,
    conjuncts,
    eq,
    ge,
    maximum,
    minimum,
    mul,
    neg,
    not_,
    or_,
    sub,
    sym,
    symbols,
)
from gpulint.term.build import ONE, monomial, of_atom
from gpulint.term.walk import atoms

MAX_WAYS = 8  # combinations of what the host knows
MAX_BOUNDS = 4  # upper bounds of one digit in a clause
_MARK = sym("digit", Scope.LAUNCH)


def apart(
    s: Setting, domain: Bool, subscript: Int, live: list[Int], named: Named
) -> tuple[Clause, ...] | None:
    """Clauses under which programs that differ in `live` coordinates never share a value of the subscript.

    `domain` holds at each of two points. None where some way is not settled, or where there is one alone that
    asks nothing of index arrays.
    """
    live = [x for x in live if not str(x).startswith("threadIdx.")]  # a program is one thread
    if not live or not all(str(x).startswith("blockIdx.") for x in live):
        return None
    asked: list[tuple[Bool, list[Clause]]] = []
    for inside, index in ways(domain, subscript):
        known = [c for c in conjuncts(inside) if isinstance(c, Literal) and c not in conjuncts(domain)]
        used = symbols(inside, index) if known else set(map(space.atom_of, live))
        own = [x for x in live if space.atom_of(x) in used]
        found = _settled(s, inside, index, own, named)
        if found is None:
            return None
        idle = [Clause(eq(_programs(x), 1)) for x in live if x not in own]
        asked.append((and_(*known), [*idle, *found]))
    out = _joined(asked)
    return out if len(asked) > 1 or any(c.predicate == APART for c in out) else None


def _settled(s: Setting, domain: Bool, index: Int, live: list[Int], named: Named) -> list[Clause] | None:
    """The clauses for one way: those of mixed radix, or those on index arrays."""
    u = Unifier(s, domain, named)
    u.run([index])
    u.assume_single(live, index)
    if all(u.fixed(x) for x in live) and not any(rank(c) >= CAP for c in u.clauses):
        return u.clauses
    if not live or not (apps(index, op="load") or _chosen(index, live)):
        return None
    return _boxes(s, domain, index, live, named)


def _chosen(t: Int, live: list[Int]) -> bool:
    """Whether the number of the program picks one of several parameters in a term."""
    own = set(map(space.atom_of, live))
    return any(symbols(x.args[0]) & own for x in apps(t, op="select"))


def _programs(x: Int) -> Int:
    """How many values a program's coordinate has."""
    return names.grid_size(names.AXES.index(str(x)[-1]))


def _joined(asked: list[tuple[Bool, list[Clause]]]) -> tuple[Clause, ...]:
    """The clauses of all ways: what every way asks without condition, the rest where its flags are so."""
    everywhere = [c for c in asked[0][1] if all(c in cs for _, cs in asked)]
    out = dict.fromkeys(everywhere)
    for known, cs in asked:
        for c in cs:
            if c not in everywhere:
                out[c if c.predicate or known == TRUE else Clause(or_(not_(known), c.condition))] = None
    return tuple(out)


def ways(domain: Bool, index: Int) -> list[tuple[Bool, Int]]:
    """The domain and a term in it for each way to settle the conditions that the host knows.

    All points of a launch go the same way; its domain holds where the whole one does and that way is taken.
    """
    left = [(domain, index)]
    out: list[tuple[Bool, Int]] = []
    while left and len(left) + len(out) <= MAX_WAYS:
        inside, t = left.pop()
        both = cases.split(inside, t, {})
        flag = cases.condition(inside, t)
        if both is None or flag is None or not _of_host(flag):
            out.append((inside, t))
            continue
        left += [way for way in both if way[0] != FALSE]
    return [*out, *left]


def _of_host(c: Bool) -> bool:
    return all(x.scope is Scope.LAUNCH for x in symbols(c)) and not apps(c, op="load")


def _boxes(s: Setting, domain: Bool, index: Int, live: list[Int], named: Named) -> list[Clause] | None:
    """The clause that the programs' digits are in boxes which do not overlap, and what makes them digits."""
    u = Unifier(s, domain, named)
    coordinates = frozenset(space.atom_of(x) for x in live)
    digits = _digits(u, domain, index, (False, True) if apps(index, op="load") else (False,))
    bounds: list[Int] = []
    for d in digits:
        if not _told(d, coordinates, named) and not symbols(d) & coordinates and not apps(d, op="load"):
            continue  # the program's own lanes and counters
        low, high = _interval(u.setting, domain, d, coordinates, named)
        if low is None or high is None:
            return None
        bounds += [low, high]
    given = any(apps(b, op="load") or _chosen(b, live) for b in bounds)
    if any(rank(c) >= CAP for c in u.clauses) or not given:
        return None
    clause = quantified.apart(u.setting.prover, domain, tuple(bounds), live, named)
    return None if clause is None else [*u.clauses, clause]


def _digits(u: Unifier, domain: Bool, t: Int, ways: tuple[bool, ...]) -> list[Int]:
    """The subscript as digits, highest first: equal subscripts of two points give equal digits.

    With `t == R * high + low`, `0 <= low < R` and R the same for both points, high and low are equal at both.
    `ways`: whether clauses may make that so, in the order to try. They say how wide rows are, which is no
    business of programs that copy rows of several arrays into one.
    """
    for assume in ways:
        for radix in _radices(u, t):
            high, low = divided(t, radix)
            if high == ZERO or low == ZERO:
                continue
            if not u.setting.prover.prove(domain, ge(low, 0), z3_too=False):
                continue
            found = u.below(low, radix, assume)
            if found is None or any("." in x.name for c in found for x in symbols(c.condition)):
                continue  # how long an array is makes no layout
            u.take(found)
            return [*_digits(u, domain, high, ways), *_digits(u, domain, low, ways)]
    return [t]


def _radices(u: Unifier, t: Int) -> list[Int]:
    """Factors of the subscript's terms that are the same for all points, in the order to try them."""
    found = {}
    for mono, c in t.terms:
        fixed = tuple(a for a in mono if _still(a))
        if len(fixed) < len(mono):
            for k in {1, abs(c)}:
                radix = mul(monomial(fixed), k)
                found[radix] = (-len(fixed), u.declared(radix), -k)
    return sorted((r for r in found if r != ONE), key=lambda r: (*found[r], r.order))


def _still(a: Atom) -> bool:
    return all(x.scope is Scope.LAUNCH for x in symbols(of_atom(a))) and not apps(of_atom(a), op="load")


def _told(t: Int, coordinates: frozenset[Sym], named: Named) -> bool:
    """Whether a host can evaluate a term, given the program's coordinates."""
    return all(_kept(a, coordinates, named) for a in atoms(t))


def _kept(a: Atom, coordinates: frozenset[Sym], named: Named) -> bool:
    if isinstance(a, Sym):
        return a in coordinates or a in named.symbols or a == _MARK.atom
    return a.op != "fn" and (a.op != "load" or a.data in named.arrays)


def _interval(
    s: Setting, domain: Bool, d: Int, coordinates: frozenset[Sym], named: Named
) -> tuple[Int | None, Int | None]:
    """Where a digit lies for given coordinates: from, and below which."""
    if _told(d, coordinates, named):
        return d, d + 1
    lows, highs = (_tops(s, domain, t, coordinates, named) for t in (neg(d), d + 1))
    return (maximum(*map(neg, lows)) if lows else None), (minimum(*highs) if highs else None)


def _tops(s: Setting, domain: Bool, t: Int, coordinates: frozenset[Sym], named: Named) -> list[Int]:
    """Some upper bounds of a term over the domain, in the program's coordinates."""
    goal, mark = sub(t, _MARK), space.atom_of(_MARK)

    def keep(a: Atom) -> bool:
        own = atoms(*a.args) if isinstance(a, App) else ()
        return _kept(a, coordinates, named) and all(_kept(x, coordinates, named) for x in own)

    found = [
        add(p, _MARK)
        for p in s.prover.bounder(domain, goal).reduce(goal, keep)
        if dict(p.terms).get((mark,)) == -1
    ]
    found.sort(key=lambda p: (len(p.terms), p.order))
    return [p for p in found if all(abs(c) <= HUGE for _, c in p.terms)][:MAX_BOUNDS]
