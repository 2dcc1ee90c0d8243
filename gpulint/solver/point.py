"""Points at which conditions are evaluated: a number for every symbol and every opaque value.

What was not chosen is filled in, the same each time for a seed, within the static bounds. A point that
differs from another by one place keeps what that one knows of everything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Union
from zlib import crc32

from gpulint.term import App, Atom, Bool, Cmp, Int, Junction, Literal, Scope, Sym
from gpulint.term.evaluate import FUNCTIONS, OPERATORS
from gpulint.term.node import holds

Cell = tuple[str, str, tuple[int, ...]]  # a load or a function at its arguments
Place = Union[Sym, Cell]

SIZES = (3, 1, 2, 5, 8, 4, 16, 33)  # usual values of numbers of the launch
COORDINATES = (0, 1, 0, 2, 3, 5)  # and of others
MAX_BITS = 200  # of a value
BITWISE = {"and": int.__and__, "or": int.__or__, "xor": int.__xor__}
DIVISIONS = ("floordiv", "mod", "truncdiv", "truncmod")


class Undefined(Exception):
    """A term has no value at a point, or one too large to compute with."""


class Point:
    """Values of symbols and cells. `before` is the point from which this one differs by `moved` alone."""

    __slots__ = ("_atoms", "_truths", "before", "moved", "seed", "values")

    def __init__(
        self,
        values: dict[Place, int],
        seed: int = 0,
        before: Point | None = None,
        moved: Place | None = None,
    ) -> None:
        self.values, self.seed, self.before, self.moved = values, seed, before, moved
        self._atoms: dict[Atom, int] = {}
        self._truths: dict[Bool, bool | None] = {}

    def at(self, place: Place, value: int) -> Point:
        """The point that differs by one value."""
        return Point({**self.values, place: value}, self.seed, self, place)

    def differs(self, t: Atom | Bool) -> bool:
        """Whether a term may have another value here than at the point before."""
        used, operators = holds(t) if t._holds is None else t._holds
        place = self.moved
        return place in used if isinstance(place, Sym) else place is None or place[0] in operators

    def holds(self, c: Bool) -> bool:
        """Whether a condition is true here; one without a value is not."""
        return self.truth(c) is True

    def truth(self, c: Bool) -> bool | None:
        """Whether a condition is true; None where that hangs on a term without a value."""
        if c not in self._truths:
            before = None if self.differs(c) else self.before
            self._truths[c] = self._truth(c) if before is None else before.truth(c)
        return self._truths[c]

    def _truth(self, c: Bool) -> bool | None:
        if isinstance(c, Junction):
            ends, unknown = c.op == "or", False
            for part in c.args:
                found = self.truth(part)
                if found is ends:
                    return ends
                unknown = unknown or found is None
            return None if unknown else not ends
        try:
            return self._leaf(c)
        except Undefined:
            return None

    def _leaf(self, c: Bool) -> bool:
        if isinstance(c, Cmp):
            v = self.integer(c.poly)
            return v <= 0 if c.op == "le" else (v == 0) == (c.op == "eq")
        assert isinstance(c, Literal)
        return not c.negated if c.atom is None else bool(self.atom(c.atom)) != c.negated

    def integer(self, t: Int) -> int:
        """The value of a term. Raises Undefined where it has none."""
        known, total = self._atoms, 0
        for mono, product in t.terms:
            for a in mono:
                v = known.get(a)
                product *= self.atom(a) if v is None else v
            total += product
        if total.bit_length() > MAX_BITS:
            raise Undefined
        return total

    def atom(self, a: Atom) -> int:
        found = self._atoms.get(a)
        if found is None:
            before = None if self.differs(a) else self.before
            if before is not None:
                found = before.atom(a)
            else:
                found = self._symbol(a) if isinstance(a, Sym) else self._application(a)
            self._atoms[a] = found
        return found

    def _symbol(self, s: Sym) -> int:
        found = self.values.get(s)
        usual = SIZES if s.scope is Scope.LAUNCH else COORDINATES
        return self._usual(s, s.order, usual) if found is None else found

    def _application(self, a: App) -> int:
        if a.op == "select":
            chosen = self.truth(a.args[0])
            if chosen is None:
                raise Undefined
            return self.integer(a.args[1] if chosen else a.args[2])
        args = tuple(map(self.integer, a.args))
        v = known(a, args)
        if v is None:
            v = self.values.get((a.op, a.data, args))
            if v is None:
                return self._usual(a, f"{a.data} {args}", COORDINATES)
        if v.bit_length() > MAX_BITS or within(a, v) != v:
            raise Undefined
        return v

    def _usual(self, a: Atom, text: str, usual: Sequence[int]) -> int:
        if not self.seed:
            return within(a, usual[0])
        n = crc32(f"{self.seed} {text}".encode(errors="surrogatepass"))
        return within(a, usual[n % len(usual)])

    def place(self, a: Atom) -> Place | None:
        """What can be given a value of its own for the atom to have it."""
        if isinstance(a, Sym):
            return a
        if a.op == "select":
            return None
        args = tuple(map(self.integer, a.args))
        return (a.op, a.data, args) if known(a, args) is None else None


def known(a: App, args: tuple[int, ...]) -> int | None:
    """The value of an application by what its operator means; None where that says nothing."""
    if a.op == "fn":
        if a.data == "product":
            return args[0] * args[1]
        table = FUNCTIONS if a.data in FUNCTIONS else BITWISE
        return int(table[a.data](*args)) if a.data in table else None
    if a.op == "load" or (a.op in DIVISIONS and not args[1]):
        return None
    if a.op == "pow" and not (args[1] >= 0 and args[1] * args[0].bit_length() <= MAX_BITS):
        raise Undefined
    return int(OPERATORS[a.op](*args))


def within(a: Atom, v: int) -> int:
    """The nearest value that the atom's static bounds allow."""
    if a.lo is not None and v < a.lo:
        return a.lo
    return a.hi if a.hi is not None and v > a.hi else v
