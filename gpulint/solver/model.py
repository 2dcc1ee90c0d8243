"""Solutions: Z3 models read back as numbers, small ones first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpulint.solver.encode import Encoder, load_name, symbol_name
from gpulint.term import App, Atom, Bool, Int, Sym, Unbound, evaluate, holds, symbols


def make_solver(rlimit: int) -> Any:
    """A solver bounded in Z3's own resource units, with a fixed seed."""
    import z3

    solver = z3.SimpleSolver()
    solver.set("rlimit", rlimit)
    solver.set("random_seed", 7)
    return solver


class Model:
    """The numbers of one solution. What it leaves open takes the smallest value that it may have."""

    def __init__(self, model: Any, encoder: Encoder) -> None:
        self._encoder = encoder
        self._numbers: dict[str, Any] = {}
        self._functions: dict[str, Any] = {}
        for d in model.decls():
            if d.arity() == 0:
                self._numbers[d.name()] = model[d]
            else:
                self._functions[d.name()] = model[d]

    def known(self) -> frozenset[Sym]:
        """The integer symbols that the encoded conditions speak of."""
        return frozenset(a for a in self._encoder.atoms if isinstance(a, Sym) and not a.boolean)

    def symbol(self, s: Sym) -> int:
        found = self._numbers.get(symbol_name(s)[1:-1])
        if found is None:
            return s.lo if s.lo is not None else min(0, s.hi if s.hi is not None else 0)
        return bool(found) if s.boolean else int(found.as_long())

    def value(self, t: Int) -> int:
        """The value of a term. Raises Unbound or ZeroDivisionError where it has none."""
        return evaluate(t, self._environment(t), self._element)

    def holds(self, c: Bool) -> bool:
        try:
            return holds(c, self._environment(c), self._element)
        except (Unbound, ZeroDivisionError):
            return False

    def _environment(self, t: Int | Bool) -> Mapping[Atom, int]:
        return {s: self.symbol(s) for s in symbols(t)}

    def _element(self, a: App, args: tuple[int, ...]) -> int:
        if a.op == "load":
            return self.element(a.data, args)
        raise Unbound(a)

    def tells(self, array: str) -> bool:
        """Whether the encoded conditions speak of elements of an array."""
        return any(isinstance(a, App) and a.op == "load" and a.data == array for a in self._encoder.atoms)

    def element(self, array: str, subscripts: Sequence[int]) -> int:
        """The value that the solution gives to an element of a read-only array."""
        table = self._functions.get(load_name(array, len(subscripts)))
        if table is None:
            return 0
        *entries, default = table.as_list()
        for entry in entries:
            if [x.as_long() for x in entry[:-1]] == list(subscripts):
                return int(entry[-1].as_long())
        return int(default.as_long()) if hasattr(default, "as_long") else 0


def smallest(solver: Any, encoder: Encoder, wanted: Sequence[Sym]) -> Model:
    """The solver's solution with each of the wanted symbols made small in turn (not below zero)."""
    import z3

    best = solver.model()
    for s in wanted:
        if s not in encoder.atoms:
            continue
        name = z3.Int(symbol_name(s)[1:-1])
        value = best.eval(name, model_completion=True).as_long()
        low = -1 if s.lo is None else s.lo - 1
        for _ in range(72):
            if value <= low + 1:
                break
            middle = low + 1 if value - low < 4 else (low + value) // 2
            solver.push()
            solver.add(name <= middle, name > low)
            found = solver.check() == z3.sat
            if found:
                best = solver.model()
                value = best.eval(name, model_completion=True).as_long()
            else:
                low = middle
            solver.pop()
        solver.add(name <= value)
    return Model(best, encoder)
