"""The symbols of one kernel's unknowns: readable, unique names, and what is known of each.

In a kernel of tiles an unknown is a function of what it may depend on: the program, the iterations of
the loops around it and the lanes of its tile. So two points share its value only when all of those
agree, and a value read at other coordinates is the same function there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gpulint.ir import symbols
from gpulint.ir.span import Span
from gpulint.term import Bool, Scope, Sym, apps, bool_app, bool_sym, fn, subst, sym
from gpulint.term import symbols as symbols_of
from gpulint.term.node import App, Atom, Int, Literal

Context = Callable[[int], tuple[Int, ...]]


class Names:
    """Makes unknowns.

    `birth`: the loop in which an unknown has one value an iteration (-1: one value a point).
    `lossy`: unknowns that stand for something that the kernel does determine. `side`: what holds of
    an unknown wherever it is used. `context`, of a kernel of tiles: what an unknown that is born in a
    loop depends on, lanes apart. There unknowns are functions, known by name in `lossy_functions` and
    with what holds of them, over their arguments as they were made, in `laws`.
    """

    def __init__(self, reserved: set[str], context: Context | None = None) -> None:
        self.taken = set(reserved)
        self.context = context
        self.birth: dict[Sym, int] = {}
        self.lossy: set[Sym] = set()
        self.side: dict[Sym, Bool] = {}
        self.lossy_functions: set[str] = set()
        self.laws: dict[str, tuple[tuple[Int, ...], Bool]] = {}

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
                *, lossy: bool = False, scope: Scope = Scope.POINT,
                lanes: Iterable[int] = ()) -> Int:  # fmt: skip
        """A new integer unknown; `lo` and `hi` are inclusive, `lanes` the axes along which it varies."""
        if lo is not None and lo == hi:
            hi = None  # a symbol is wanted, not the constant
        if self.context is not None:
            name, args = self._function(name, span, loop, lossy, lanes)
            return fn(name, *args, lo=lo, hi=hi)
        out = sym(self.unique(name, span), scope, lo, hi)
        self._note(out.atom, loop, lossy)
        return out

    def boolean(self, name: str, span: Span | None, loop: int, *, lossy: bool = False,
                lanes: Iterable[int] = ()) -> Bool:  # fmt: skip
        if self.context is not None:
            name, args = self._function(name, span, loop, lossy, lanes)
            return bool_app(name, *args)
        out = bool_sym(self.unique(name, span), Scope.POINT)
        assert isinstance(out, Literal)
        self._note(out.atom, loop, lossy)
        return out

    def free(self, name: str, span: Span | None, lo: int | None = None) -> Int:
        """A new integer that nothing relates to any other, not even at the same point."""
        return sym(self.unique(name, span), Scope.POINT, lo)

    def _function(self, name: str, span: Span | None, loop: int, lossy: bool,
                  lanes: Iterable[int]) -> tuple[str, tuple[Int, ...]]:  # fmt: skip
        assert self.context is not None
        name = self.unique(name, span)
        if lossy:
            self.lossy_functions.add(name)
        return name, (*self.context(loop), *(symbols.lane(axis) for axis in sorted(lanes)))

    def _note(self, symbol: object, loop: int, lossy: bool) -> None:
        assert isinstance(symbol, Sym)
        self.birth[symbol] = loop
        if lossy:
            self.lossy.add(symbol)

    # --- what holds of them ----------------------------------------------------------------------

    def hold(self, unknown: Int, fact: Bool) -> None:
        """Note what holds of an unknown as it was made."""
        atom = unknown.atom
        if isinstance(atom, Sym):
            self.side[atom] = fact
        elif isinstance(atom, App):
            self.laws[atom.data] = atom.args, fact

    def fact(self, atom: Atom) -> Bool | None:
        """What is known to hold of an unknown, a function's at its arguments."""
        if isinstance(atom, Sym):
            return self.side.get(atom)
        if atom.op != "fn" or atom.data not in self.laws:
            return None
        made, law = self.laws[atom.data]
        if len(made) != len(atom.args):
            return None
        there: dict[Atom, Int | Bool] = {m.atom: a for m, a in zip(made, atom.args, strict=True) if m.atom}
        return subst(law, there)

    def loses(self, *terms: Int | Bool) -> bool:
        """Whether the terms hold an unknown that the kernel does determine."""
        if symbols_of(*terms) & self.lossy:
            return True
        return bool(self.lossy_functions) and any(self.is_lossy(a) for a in apps(*terms, op="fn"))

    def is_lossy(self, atom: Atom | None) -> bool:
        if isinstance(atom, Sym):
            return atom in self.lossy
        return isinstance(atom, App) and atom.op == "fn" and atom.data in self.lossy_functions
