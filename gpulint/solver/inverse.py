"""The point that writes an element: subscripts solved for coordinates and loop counters.

For `s = base + r_1*d_1 + ... + r_n*d_n` with nested positive radices (r_1 == 1) the digits of an
element `e` are `d_n = (e - base) // r_n`, then the remainder is split on. That the point lies in the
access's domain and that its subscripts are the element is for the caller to prove (`hits`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as Set

from gpulint.dataflow.access import Access, Loop
from gpulint.ir import symbols as names
from gpulint.solver import swizzles
from gpulint.solver.space import AXES, Seen, atom_of, gid, total
from gpulint.term import (
    ZERO,
    App,
    Atom,
    Bool,
    Cmp,
    Int,
    Scope,
    Sym,
    add,
    and_,
    apps,
    conjuncts,
    const,
    eq,
    floordiv,
    ge,
    le,
    lt,
    mod,
    mul,
    sub,
    subst,
    sym,
    symbols,
)
from gpulint.term.build import monomial, of_atom

COORDINATES = ("gid.", "threadIdx.", "blockIdx.")


def inverse(seen: Seen, element: tuple[Int, ...], held: Set[Sym] = frozenset()) -> dict[Sym, Int] | None:
    """A value for every point symbol of the access but the `held`, or None.

    An axis in which no radix shows gives none; counters that no axis gives stand at their first iteration.
    """
    out: dict[Sym, Int] = {}
    halves = halves_of(seen.subscripts, held)
    for given, e in zip(seen.subscripts, element, strict=True):
        s = apart(given, halves)
        part = _quotient(s, e, held)
        if part is not None:
            out.setdefault(*part)
            continue
        digits = digits_of(s, held)
        if digits is None:
            continue  # perhaps it holds at the point that the others give
        base = s
        for d, r in digits:
            base = sub(base, mul(r, of_atom(d)))
        rest = sub(e, base)
        left = [p for p in digits if p[0] not in out]
        for i, (d, r) in enumerate(left):
            last = i == len(left) - 1
            out[d] = divided(rest, r)
            rest = ZERO if last else sub(rest, mul(r, out[d]))
    for given, e in zip(seen.subscripts, element, strict=True):
        part = swizzles.turned(apart(given, halves), e, out, held)
        if part is not None:
            out.setdefault(*part)
    return completed(seen, out, halves, held)


def apart(s: Int, halves: Halves) -> Int:
    """The subscript with quotient and remainder of a coordinate as coordinates of their own."""
    whole: dict[Atom, Int | Bool] = {a: of_atom(d) for pair in halves.values() for a, d in pair}
    return subst(s, whole)


def completed(
    seen: Seen, found: Mapping[Sym, Int], halves: Halves, held: Set[Sym] = frozenset()
) -> dict[Sym, Int] | None:
    """A point from what the subscripts gave: halves joined, coordinates that none names as the guard fixes
    them (`if tid == 31`), or bounds them from below, or at their lowest.

    None when an unknown value is among those.
    """
    out = dict(found)
    for (b, w), ((_, high), (_, low)) in halves.items():
        out[b] = add(mul(out.pop(high, ZERO), w), out.pop(low, ZERO))
    used = symbols(seen.domain, *seen.subscripts)
    loose = {x for x in used if x.scope is not Scope.LAUNCH} - set(out) - held
    for x in sorted(loose, key=lambda x: x.order):
        if x.scope is not Scope.LOOP and not x.name.startswith(COORDINATES):
            return None
        wanted = _wanted(seen.domain, x, loose)
        out[x] = const(max(x.lo or 0, 0)) if wanted is None else subst(wanted, dict(out))
    return out


def _wanted(domain: Bool, x: Sym, loose: Set[Sym]) -> Int | None:
    """The value that an equation of the domain gives a coordinate, or else its first lower bound."""
    bound: Int | None = None
    for c in conjuncts(domain):
        if not isinstance(c, Cmp) or x not in symbols(c) or loose & symbols(c) != {x}:
            continue
        sign = next((k for m, k in c.poly.terms if m == (x,)), 0)
        rest = sub(c.poly, mul(of_atom(x), sign))
        if abs(sign) != 1 or x in symbols(rest):
            continue
        if c.op == "eq":
            return mul(rest, -sign)
        if c.op == "le" and sign < 0 and bound is None and rest.value is not None and rest.value > 0:
            bound = rest
    return bound


def divided(x: Int, radix: Int) -> Int:
    """`x // radix`; by `c * w` as `(x // w) // c`, which is the same for positive factors and plainer."""
    if len(radix.terms) == 1:
        (mono, c) = radix.terms[0]
        if mono and c > 1:
            return floordiv(floordiv(x, monomial(mono)), c)
    return floordiv(x, radix)


Half = tuple[App, Sym]
Halves = Mapping[tuple[Sym, Int], tuple[Half, Half]]


def halves_of(subscripts: tuple[Int, ...], held: Set[Sym]) -> dict[tuple[Sym, Int], tuple[Half, Half]]:
    """Coordinates that the subscripts use as quotient and remainder: `pid // w`, `pid % w`.

    Each half gets a symbol of its own, a digit like any other; the coordinate is `q * w + r`.
    """
    out: dict[tuple[Sym, Int], tuple[Half, Half]] = {}
    for a in apps(*subscripts):
        if a.op not in ("floordiv", "mod"):
            continue
        x, w = a.args
        top = x.atom
        if not isinstance(top, Sym) or top in held or top.scope is Scope.LAUNCH or (top, w) in out:
            continue
        if not all(_fixed(b, held) for m, _ in w.terms for b in m):
            continue
        names_ = (sym(f"{top.name} // {w}", Scope.POINT, 0), sym(f"{top.name} % {w}", Scope.POINT, 0))
        q, r = (next(iter(symbols(t))) for t in names_)
        parts = [next(iter(apps(f(x, w), op=op)), None) for f, op in ((floordiv, "floordiv"), (mod, "mod"))]
        if parts[0] is not None and parts[1] is not None:
            out[top, w] = ((parts[0], q), (parts[1], r))
    return out


def _as_is(t: Int) -> Int:
    return t


def hits(
    seen: Seen, point: Mapping[Sym, Int], element: tuple[Int, ...], term: Callable[[Int], Int] = _as_is
) -> Bool:
    """The subscripts at the point are the element, and its coordinates and counters are such.

    What a symbol says of itself (a counter is not negative) is nowhere else in the access.
    """
    parts = [eq(subst(x, dict(point)), y) for x, y in zip(seen.subscripts, element, strict=True)]
    for x, value in point.items():
        if not x.name.startswith(COORDINATES):  # which are held to the launch's sizes below
            parts += [ge(value, x.lo)] if x.lo is not None else []
            parts += [le(value, x.hi)] if x.hi is not None else []
    for axis in AXES:
        for c, size in (
            (gid(axis), total(axis)),
            (names.thread(axis), names.block_size(axis)),
            (names.block(axis), names.grid_size(axis)),
        ):
            solved = point.get(atom_of(c))
            if solved is not None:
                parts += [ge(solved, 0), lt(solved, term(size))]
    return and_(*parts)


def definite(a: Access) -> Bool | None:
    """What suffices for the access to happen at a point, or None when jumps may prevent it.

    That is its guard less what holds anyway once the loops before it have ended, and the ranges of the
    loops around it. A loop whose trip count is not known runs an iteration when its condition, a part
    of the guard, holds there and held in every iteration before: that of a `range` (whose loops have a
    `value`) only ever turns false, and so do conditions that are comparisons by <=.
    """
    if not a.tracked:
        return None
    parts = [c for c in conjuncts(a.guard) if c not in conjuncts(a.given)]
    for lane, size in a.lanes:
        parts += [ge(of_atom(lane), 0), lt(of_atom(lane), size)]
    for loop in a.loops:
        k = of_atom(loop.counter)
        parts.append(ge(k, 0))
        if not _open_ended(loop):
            parts.append(lt(k, loop.trips))
        elif loop.value is None and any(
            loop.counter in symbols(c) and not (isinstance(c, Cmp) and c.op == "le") for c in parts
        ):
            return None
    return and_(*parts)


def _open_ended(loop: Loop) -> bool:
    top = loop.trips.atom
    return isinstance(top, Sym) and top.scope is not Scope.LAUNCH


def _quotient(s: Int, e: Int, held: Set[Sym]) -> tuple[Sym, Int] | None:
    """For `x // c` plus what is fixed, the first x that gives the element."""
    loose = [(m, k) for m, k in s.terms if not all(_fixed(a, held) for a in m)]
    if len(loose) != 1 or loose[0][1] != 1 or len(loose[0][0]) != 1:
        return None
    top = loose[0][0][0]
    if not isinstance(top, App) or top.op != "floordiv" or (top.args[1].value or 0) < 1:
        return None
    inside = digits_of(top.args[0], held)
    if inside is None or len(inside) != 1 or inside[0][1] != const(1):
        return None
    x = inside[0][0]
    quotient = sub(e, sub(s, of_atom(top)))
    return x, sub(mul(quotient, top.args[1]), sub(top.args[0], of_atom(x)))


def digits_of(s: Int, held: Set[Sym]) -> list[tuple[Sym, Int]] | None:
    """(digit, radix) pairs of a subscript, largest radix first."""
    found: dict[Sym, Int] = {}
    for mono, coeff in s.terms:
        loose = [a for a in mono if not _fixed(a, held)]
        if not loose:
            continue
        if len(loose) > 1 or not isinstance(loose[0], Sym):
            return None
        rest = list(mono)
        rest.remove(loose[0])
        radix = mul(monomial(tuple(rest)), coeff)
        found[loose[0]] = add(found.get(loose[0], ZERO), radix)
    return sorted(found.items(), key=lambda p: _weight(p[1]), reverse=True)


def _fixed(a: Atom, held: Set[Sym]) -> bool:
    parts = symbols(of_atom(a))
    return all(s.scope is Scope.LAUNCH or s in held for s in parts)


def _weight(radix: Int) -> tuple[int, int, str]:
    degree = max((len(m) for m, _ in radix.terms), default=0)
    return degree, max((abs(c) for _, c in radix.terms), default=0), radix.order
