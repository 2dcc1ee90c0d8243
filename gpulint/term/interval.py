"""Interval arithmetic over terms: inclusive bounds, None for unbounded.

Sound as over-approximation: every value that a term can take, for any values of its symbols within
their own bounds, lies within the interval.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from gpulint.term.node import App, Atom, Int, Mono

Interval = tuple[Optional[int], Optional[int]]  # noqa: UP045 (evaluated on 3.10)
Env = Mapping["Atom", Interval]
MAX_BITS = 4096


def scale(a: Interval, k: int) -> Interval:
    lo, hi = a
    low, high = (None if lo is None else lo * k), (None if hi is None else hi * k)
    return (low, high) if k >= 0 else (high, low)


def plus(a: Interval, b: Interval) -> Interval:
    return (
        None if a[0] is None or b[0] is None else a[0] + b[0],
        None if a[1] is None or b[1] is None else a[1] + b[1],
    )


def times(a: Interval, b: Interval) -> Interval:
    if a == (0, 0) or b == (0, 0):
        return (0, 0)
    corners = [_corner(x, i, y, j) for i, x in enumerate(a) for j, y in enumerate(b)]
    finite = [c for c, infinite in corners if not infinite]
    lo = None if any(c < 0 for c, infinite in corners if infinite) else min(finite, default=None)
    hi = None if any(c > 0 for c, infinite in corners if infinite) else max(finite, default=None)
    return capped((lo, hi))


def _corner(x: int | None, i: int, y: int | None, j: int) -> tuple[int, bool]:
    """A product of bounds, or the sign of an infinite one; end 0 is the lower, end 1 the upper."""
    if x is not None and y is not None:
        return x * y, False
    left = x if x is not None else (-1, 1)[i]
    right = y if y is not None else (-1, 1)[j]
    if not left or not right:
        return 0, False
    return (1 if (left < 0) == (right < 0) else -1), True


def capped(a: Interval) -> Interval:
    """The interval without bounds too long to be worth computing with."""
    lo, hi = a
    return (
        None if lo is not None and lo.bit_length() > MAX_BITS else lo,
        None if hi is not None and hi.bit_length() > MAX_BITS else hi,
    )


def join(a: Interval, b: Interval) -> Interval:
    return (
        None if a[0] is None or b[0] is None else min(a[0], b[0]),
        None if a[1] is None or b[1] is None else max(a[1], b[1]),
    )


def meet(a: Interval, b: Interval) -> Interval:
    lows = [x for x in (a[0], b[0]) if x is not None]
    highs = [x for x in (a[1], b[1]) if x is not None]
    return (max(lows) if lows else None), (min(highs) if highs else None)


def of_terms(terms: tuple[tuple[Mono, int], ...]) -> Interval:
    """Bounds of a polynomial from the static bounds of its atoms."""
    return _poly(terms, lambda a: (a.lo, a.hi))


class Bounds:
    """Bounds of terms with the atoms of `env` narrowed to the given intervals; shared parts once."""

    def __init__(self, env: Env) -> None:
        self._env = env
        self._ints: dict[Int, Interval] = {}
        self._products: dict[Mono, Interval] = {}
        self._atoms: dict[Atom, Interval] = {}

    def __call__(self, t: Int) -> Interval:
        found = self._ints.get(t)
        if found is None:
            found = self._ints[t] = meet(_poly(t.terms, self.atom), (t.lo, t.hi))
        return found

    def atom(self, a: Atom) -> Interval:
        found = self._atoms.get(a)
        if found is None:
            found = self._atoms[a] = self._of(a)
        return found

    def product(self, mono: Mono) -> Interval:
        """Bounds of a product of atoms, equal ones next to each other."""
        found = self._products.get(mono)
        if found is None:
            found = self._products[mono] = _poly(((mono, 1),), self.atom)
        return found

    def _of(self, a: Atom) -> Interval:
        own: Interval = (a.lo, a.hi)
        if getattr(a, "args", None) is not None:
            own = meet(own, of_app(a, self))  # type: ignore[arg-type]
        return meet(own, self._env[a]) if a in self._env else own


def bounds(term: Int, env: Env) -> Interval:
    """Bounds of `term` with the atoms of `env` narrowed to the given intervals."""
    return Bounds(env)(term)


def _poly(terms: tuple[tuple[Mono, int], ...], atom: Callable[[Atom], Interval]) -> Interval:
    total: Interval = (0, 0)
    for mono, coeff in terms:
        product: Interval = (1, 1)
        i = 0
        while i < len(mono):
            run = 1
            while i + run < len(mono) and mono[i + run] == mono[i]:
                run += 1
            product = times(product, _power(atom(mono[i]), run))
            i += run
        total = plus(total, scale(product, coeff))
        if total == (None, None):
            return total
    return total


def _power(a: Interval, n: int) -> Interval:
    out = a
    for _ in range(n - 1):
        out = times(out, a)
    if n % 2 == 0:
        out = (max(0, out[0]) if out[0] is not None else 0, out[1])
    return out


def of_app(a: App, integer: Callable[[Int], Interval]) -> Interval:
    """Bounds of an application from the bounds of its arguments."""
    return of_args(a.op, a.args, integer)


def of_args(op: str, args: tuple[Any, ...], integer: Callable[[Int], Interval]) -> Interval:
    """Bounds of what `op` gives for these arguments."""
    if op in ("floordiv", "truncdiv"):
        return _quotient(integer(args[0]), integer(args[1]), op == "truncdiv")
    if op == "mod":
        return _modulo(integer(args[0]), integer(args[1]))
    if op == "truncmod":
        (lo, _), top = integer(args[0]), _modulo((None, None), integer(args[1]))
        if lo is not None and lo >= 0:
            return top
        return (None if top[1] is None else -top[1]), top[1]
    if op in ("min", "max"):
        parts = [integer(x) for x in args]
        lows, highs = [p[0] for p in parts], [p[1] for p in parts]
        known_lows = [x for x in lows if x is not None]
        known_highs = [x for x in highs if x is not None]
        if op == "min":
            return (
                min(known_lows) if len(known_lows) == len(lows) else None,
                min(known_highs) if known_highs else None,
            )
        return (
            max(known_lows) if known_lows else None,
            max(known_highs) if len(known_highs) == len(highs) else None,
        )
    if op == "select":
        return join(integer(args[1]), integer(args[2]))
    if op == "pow":
        base, exponent = integer(args[0]), integer(args[1])
        if base[0] is not None and base[0] >= 1:
            low = exponent[0] if exponent[0] is not None else -1
            lo = 0 if low < 0 else base[0] ** min(low, 64)
            hi = None
            if base[1] is not None and exponent[1] is not None and 0 <= exponent[1] <= 64:
                hi = base[1] ** exponent[1]
            return capped((lo, hi))
    return None, None


def _quotient(a: Interval, b: Interval, trunc: bool) -> Interval:
    if b[0] is None or b[0] < 1:  # the divisor is not zero: no quotient exceeds the dividend
        if a[0] is None or a[1] is None:
            return None, None
        most = max(abs(a[0]), abs(a[1]))
        return -most, most

    def div(x: int, y: int) -> int:
        return -(-x // y) if trunc and x < 0 else x // y

    lo = hi = None
    if a[0] is not None:
        far = 0 if b[1] is None else div(a[0], b[1])
        lo = far if a[0] >= 0 else div(a[0], b[0])
    if a[1] is not None:
        far = (0 if trunc else -1) if b[1] is None else div(a[1], b[1])
        hi = div(a[1], b[0]) if a[1] >= 0 else far
    return lo, hi


def _modulo(a: Interval, b: Interval) -> Interval:
    if b[0] is None or b[0] < 1:
        return None, None
    hi = None if b[1] is None else b[1] - 1
    if a[0] is not None and a[0] >= 0 and a[1] is not None:
        hi = a[1] if hi is None else min(hi, a[1])
    return 0, hi
