"""The symbols of one kernel's unknowns: readable, unique names, and what is known of each."""

from __future__ import annotations

from gpulint.ir.span import Span
from gpulint.term import Bool, Scope, Sym, bool_sym, sym
from gpulint.term.node import Int, Literal


class Names:
    """Makes unknowns.

    `birth`: the loop in which an unknown has one value an iteration (-1: one value a point).
    `lossy`: unknowns that stand for something that the kernel does determine. `side`: what holds of
    an unknown wherever it is used.
    """

    def __init__(self, reserved: set[str]) -> None:
        self.taken = set(reserved)
        self.birth: dict[Sym, int] = {}
        self.lossy: set[Sym] = set()
        self.side: dict[Sym, Bool] = {}

    def unique(self, name: str, span: Span | None = None) -> str:
        if name in self.taken and span is not None:
            name = f"{name} (line {span.row})"
        stem, count = name, 1
        while name in self.taken:
            count += 1
            name = f"{stem} #{count}"
        self.taken.add(name)
        return name

    def integer(self, name: str, span: Span | None, loop: int, lo: int | None = None, hi: int | None = None,
                *, lossy: bool = False, scope: Scope = Scope.POINT) -> Int:  # fmt: skip
        """A new integer unknown; `lo` and `hi` are inclusive."""
        if lo is not None and lo == hi:
            hi = None  # a symbol is wanted, not the constant
        out = sym(self.unique(name, span), scope, lo, hi)
        self._note(out.atom, loop, lossy)
        return out

    def boolean(self, name: str, span: Span | None, loop: int, *, lossy: bool = False) -> Bool:
        out = bool_sym(self.unique(name, span), Scope.POINT)
        assert isinstance(out, Literal)
        self._note(out.atom, loop, lossy)
        return out

    def _note(self, symbol: object, loop: int, lossy: bool) -> None:
        assert isinstance(symbol, Sym)
        self.birth[symbol] = loop
        if lossy:
            self.lossy.add(symbol)
