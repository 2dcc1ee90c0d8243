"""Exact division of polynomials, and what a divisor that is a sum says of a quotient by it."""

from __future__ import annotations

from collections.abc import Iterable

from gpulint.term import ONE, ZERO, Int, add, const, mul, sub
from gpulint.term.build import monomial
from gpulint.term.mono import without
from gpulint.term.node import Mono

MAX_STEPS = 24  # terms of a quotient of polynomials


def divided(p: Int, d: Int) -> Int | None:
    """The polynomial `q` with `q * d == p`; None when there is none with integers, or none of few terms."""
    lead, head = _leading(d)
    q, rest = ZERO, p
    for _ in range(MAX_STEPS):
        if not rest.terms:
            return q
        mono, c = _leading(rest)
        more = without(mono, lead)
        if more is None or c % head:
            return None
        part = mul(monomial(tuple(more)), c // head) if more else const(c // head)
        q, rest = add(q, part), sub(rest, mul(part, d))
    return None


def _leading(p: Int) -> tuple[Mono, int]:
    """The greatest term: by degree, then by the order of the atoms, which products keep."""
    return max(p.terms, key=lambda t: (len(t[0]), sorted(a.order for a in t[0])))


def bounds(quotient: Int, x: Int, w: Int, limits: Iterable[Int]) -> list[Int]:
    """`x // w <= h - 1` from a constraint `x <= h*w - 1`, where `w >= 1` is a sum; `limits` are at most zero.

    Sound: `x < h*w` and `w >= 1` give `x // w < h`. Nothing of `x` itself may stand in `h*w`.
    """
    own = {m for m, _ in x.terms if m}
    out = []
    for g in limits:
        above = add(sub(x, g), ONE)  # g <= 0 says x < above
        if len(above.terms) > 1 and not own & {m for m, _ in above.terms}:
            height = divided(above, w)
            if height is not None:
                out.append(add(sub(quotient, height), ONE))
    return out
