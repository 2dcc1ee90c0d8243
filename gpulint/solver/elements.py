"""The point that writes a tensor element, given by the element's indices along the tensor's axes.

A tile kernel addresses a tensor by one offset `s = base + r_1*d_1 + ... + r_n*d_n` over coordinates, lanes
and loop counters `d`. The host says that the element with indices `i_k` lies at `sum(i_k * stride_k)`. Each
digit is matched to the axis whose stride divides its radix, so that strides need no order and no sizes:
`row*sm + (lane + B*k)*sn` gives `row == i_0`, `lane == i_1 % B`, `k == i_1 // B`. An axis that no digit
steps along is taken together with the next (rows and columns walked as one number). That the point found
is of the launch and reaches the element is for the caller to prove (`reached`), so a wrong match
proves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as Set
from dataclasses import dataclass
from itertools import pairwise

from gpulint.dataflow.access import Access
from gpulint.solver import space
from gpulint.solver.inverse import completed, definite, hits
from gpulint.solver.polydiv import divided
from gpulint.solver.setting import Setting
from gpulint.solver.signs import settled, substitute
from gpulint.solver.space import Seen
from gpulint.term import (
    ONE,
    ZERO,
    App,
    Atom,
    Bool,
    Int,
    Scope,
    Sym,
    add,
    and_,
    apps,
    const,
    eq,
    floordiv,
    ge,
    lt,
    mod,
    mul,
    sub,
    subst,
    sym,
    symbols,
)
from gpulint.term.build import monomial, of_atom

Digit = tuple[Sym, Int]
NESTED = 3  # halves of halves


@dataclass(frozen=True)
class Element:
    """Any element of a tensor: its indices, the strides of their axes, and that they are in range."""

    indices: tuple[Int, ...]
    strides: tuple[Int, ...]
    inside: Bool

    @property
    def place(self) -> Int:
        return add(*(mul(i, s) for i, s in zip(self.indices, self.strides, strict=True)))


def any_of(shape: Sequence[Int], strides: Sequence[Int]) -> Element:
    """The element of a tensor with these extents and strides that stands for all of them."""
    indices = tuple(sym(f"element{k}", Scope.POINT, 0) for k in range(len(shape)))
    return Element(indices, tuple(strides), and_(*(lt(i, n) for i, n in zip(indices, shape, strict=True))))


def reached(
    s: Setting, a: Access, element: Element, steps: Set[Sym] = frozenset(), when: Sequence[Bool] = ()
) -> Bool | None:
    """What suffices for one write to reach the element at some point; None when no point shows.

    `steps` are launch symbols that count launches and may be chosen like a coordinate, where `when` holds.
    """
    wanted = definite(a)
    if wanted is None or len(a.subscripts) != 1:
        return None
    seen = settled(space.see(a, domain=wanted).mapped(s.term, s.term), s.prover)
    seen, parts = _halved(seen, steps)
    found = solve(seen.subscripts[0], element, steps)
    if found is None:
        return None
    limits: list[Bool] = []
    for (whole, by), (q, r, _) in reversed(parts.items()):
        high, low = found.setdefault(q, ZERO), found.setdefault(r, ZERO)
        w = subst(by, found)
        value = add(mul(high, w), low)
        more = _counted(whole, value, steps)
        if more is None:
            return None
        found = {**more, **found}
        limits += [ge(low, ZERO), lt(low, w), eq(subst(whole, found), value)]
    whole_point = completed(seen, found, {})
    if whole_point is None:
        return None
    at = hits(seen, whole_point, (element.place,), lambda t: subst(s.term(t), whole_point))
    return and_(subst(seen.domain, whole_point), at, *limits, *(subst(c, whole_point) for c in when))


Halves = dict[tuple[Int, Int], tuple[Sym, Sym, tuple[App, App]]]


def _halved(seen: Seen, steps: Set[Sym]) -> tuple[Seen, Halves]:
    """The access with numbers that it uses as quotient and remainder as two digits each.

    A half may be halved again, by a divisor that the digits before make up: in groups of programs the
    number within a group is split by the rows that are left.
    """
    parts: Halves = {}
    for _ in range(NESTED):
        made = {d for q, r, _ in parts.values() for d in (q, r)}
        new = _halves(seen.subscripts, steps, made)
        if not new:
            break
        names: dict[Atom, Int | Bool] = {}
        for q, r, apps_ in new.values():
            names.update(zip(apps_, (of_atom(q), of_atom(r)), strict=True))
        seen = seen.mapped(substitute(names), substitute(names))
        parts.update(new)
    return seen, parts


def _halves(subscripts: Sequence[Int], steps: Set[Sym], made: Set[Sym]) -> Halves:
    """Numbers that the offsets use as quotient and remainder, each half a digit of its own.

    `x // w` is q and `x % w` is r exactly when `x == q * w + r` and r is in [0, w). A divisor is fixed, or
    made of these digits.
    """
    out: Halves = {}
    for a in apps(*subscripts):
        if a.op not in ("floordiv", "mod"):
            continue
        x, w = a.args
        pair = [next(iter(apps(f(x, w), op=op)), None) for f, op in ((floordiv, "floordiv"), (mod, "mod"))]
        moving = any(_moves(b, steps) for m, _ in x.terms for b in m)
        if not moving or any(_moves(d, steps) for d in symbols(w) - made):
            continue
        if pair[0] is not None and pair[1] is not None and all(p.args == (x, w) for p in pair if p):
            digits = (sym(f"{x} // {w}", Scope.POINT), sym(f"{x} % {w}", Scope.POINT))
            q, r = (next(iter(symbols(d))) for d in digits)
            out[x, w] = (q, r, (pair[0], pair[1]))
    return out


def _counted(whole: Int, value: Int, steps: Set[Sym]) -> dict[Sym, Int] | None:
    """The coordinates and counters that make up a number, from its value."""
    digits = _digits(whole, steps)
    if digits is None:
        return None
    for d, r in digits:
        whole = sub(whole, mul(r, of_atom(d)))
    return _chain(sub(value, whole), digits, steps)


def solve(
    subscript: Int, element: Element, steps: Set[Sym], starts: Mapping[Sym, Int] | None = None
) -> dict[Sym, Int] | None:
    """The digits of an offset, axis by axis from the largest stride.

    `starts` are digits whose value is given: what counts along the same axis goes on from there. In the
    answer each of these stands for where along its axis the element is.
    """
    digits = _digits(subscript, steps)
    if digits is None:
        return None
    base = subscript
    for d, r in digits:
        base = sub(base, mul(r, of_atom(d)))
    out: dict[Sym, Int] = {}
    carry, last = ZERO, ONE
    order = sorted(range(len(element.strides)), key=lambda k: (-_degree(element.strides[k]), k))
    for n, k in enumerate(order):
        stride = element.strides[k]
        step = divided(last, stride)
        if carry != ZERO and step is None:
            return None
        offset, base = _part(base, stride) if n + 1 < len(order) else (base, ZERO)
        value = sub(add(mul(carry, step or ONE), element.indices[k]), offset)
        parts = {d: _along(r, stride, n + 1 < len(order)) for d, r in digits if d not in out}
        mine = [(d, q) for d, (q, _) in parts.items() if q != ZERO]
        if mine:
            given = [d for d, _ in mine if starts and d in starts]
            rest = sub(value, add(*(starts[d] for d in given))) if starts else value
            out.update(_chain(rest, [p for p in mine if p[0] not in given], steps))
            out.update(dict.fromkeys(given, value))
            base = add(base, *(mul(parts[d][1], out[d]) for d, _ in mine))
            value = ZERO
        carry, last = value, stride
    return out if carry == ZERO else None


def _along(radix: Int, stride: Int, more: bool) -> tuple[Int, Int]:
    """How many steps along an axis a digit makes, and what it moves along the axes of lower strides besides.

    `row * (sm + B)` goes on by a row and B columns: a triangle's rows start where they meet the diagonal.
    """
    whole = divided(radix, stride)
    if whole is not None or not more:
        return whole or ZERO, ZERO
    return _part(radix, stride)


def _chain(value: Int, digits: list[Digit], steps: Set[Sym]) -> dict[Sym, Int]:
    """Digits of a number: from the smallest where each radix divides the next, else from the largest.

    Counters of launches come last, however short a step they make: a launch covers what it can by itself.
    """
    ordered = sorted(digits, key=lambda p: (p[0] in steps, _degree(p[1]), _size(p[1])))
    ratios = [divided(b, a) for (_, a), (_, b) in pairwise(ordered)]
    if None in ratios:
        return _from_top(value, ordered)
    out: dict[Sym, Int] = {}
    if not ordered:
        return out
    value = floordiv(value, ordered[0][1])
    for (d, _), ratio in zip(ordered, [*ratios, None], strict=True):
        rest = floordiv(value, ratio) if ratio is not None else ZERO
        out[d] = sub(value, mul(rest, ratio)) if ratio is not None else value
        value = rest
    return out


def _from_top(value: Int, ordered: list[Digit]) -> dict[Sym, Int]:
    out: dict[Sym, Int] = {}
    for d, r in reversed(ordered):
        out[d] = floordiv(value, r)
        value = sub(value, mul(out[d], r))
    return out


def _digits(s: Int, steps: Set[Sym]) -> list[Digit] | None:
    """(digit, radix) pairs of an offset; None when something else than a plain digit steps in it."""
    found: dict[Sym, Int] = {}
    for mono, coeff in s.terms:
        loose = [a for a in mono if _moves(a, steps)]
        if not loose:
            continue
        if len(loose) > 1 or not isinstance(loose[0], Sym):
            return None
        rest = list(mono)
        rest.remove(loose[0])
        found[loose[0]] = add(found.get(loose[0], ZERO), mul(monomial(tuple(rest)), coeff))
    return list(found.items())


def _moves(a: Atom, steps: Set[Sym]) -> bool:
    return any(x.scope is not Scope.LAUNCH or x in steps for x in symbols(of_atom(a)))


def _part(base: Int, stride: Int) -> tuple[Int, Int]:
    """A fixed offset as a multiple of the stride and the rest."""
    whole = rest = ZERO
    for m, c in base.terms:
        term = mul(monomial(m), c) if m else const(c)
        q = divided(term, stride) if m else None
        whole, rest = (add(whole, q), rest) if q is not None else (whole, add(rest, term))
    return whole, rest


def _degree(p: Int) -> int:
    return max((len(m) for m, _ in p.terms), default=0)


def _size(p: Int) -> int:
    return max((abs(c) for _, c in p.terms), default=0)
