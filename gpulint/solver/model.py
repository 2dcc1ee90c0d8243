"""Solutions: Z3 models read back as numbers, small ones first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gpulint.interp.launch import Filled
from gpulint.solver.encode import Encoder, load_name, symbol_name
from gpulint.term import App, Atom, Bool, Int, Sym, Unbound, bool_sym, evaluate, holds, not_, or_, symbols

if TYPE_CHECKING:
    from gpulint.solver.memo import Memo

REACH = 64  # the greatest number in a solution that is looked for when Z3 finds none in general


def make_solver(rlimit: int, memo: Memo) -> Any:
    """A solver bounded in Z3's own resource units, with a fixed seed.

    Each kernel has a context of its own: what a context was asked before changes where Z3 looks first, and
    the answers about a kernel are not to hang on the kernels before it.
    """
    import z3

    if memo.context is None:
        memo.context = z3.Context()
    solver = z3.SimpleSolver(ctx=memo.context)
    solver.set("rlimit", rlimit)
    solver.set("random_seed", 7)
    return solver


def units(solver: Any) -> int:
    """Z3's resource units that questions in the solver's context took so far."""
    told = solver.statistics()
    return max((int(told.get_key_value(k)) for k in told.keys() if k == "rlimit count"), default=0)  # noqa: SIM118


def alternatives(claims: Sequence[Bool], ways: Sequence[Bool], rlimit: int, memo: Memo) -> Iterator[bool]:
    """For each of the ways, whether Z3 finds it contradictory with the claims."""
    import z3

    if not ways:
        return
    chosen = [bool_sym(f"way {i}") for i in range(len(ways))]
    solver = make_solver(rlimit, memo)
    implied = (or_(not_(c), way) for c, way in zip(chosen, ways, strict=True))
    solver.from_string(Encoder().script([*claims, *implied]))
    for c in chosen:
        (s,) = symbols(c)
        yield bool(solver.check(z3.Bool(symbol_name(s)[1:-1], solver.ctx)) == z3.unsat)


class Model:
    """The numbers of one solution. What it leaves open takes the smallest value that it may have."""

    def __init__(self, model: Any, encoder: Encoder) -> None:
        self._encoder = encoder
        self._numbers: dict[str, Any] = {}
        self._functions: dict[str, Any] = {}
        self._contents: dict[str, Filled] = {}
        for d in model.decls():
            if d.arity() == 0:
                self._numbers[d.name()] = model[d]
            else:
                self._functions[d.name()] = model[d]

    def known(self) -> frozenset[Sym]:
        """The integer symbols that the encoded conditions speak of."""
        return frozenset(a for a in self._encoder.atoms if isinstance(a, Sym) and not a.boolean)

    def speaks_of(self, s: Sym) -> bool:
        """Whether the encoded conditions hold a symbol, a boolean one too."""
        return s in self._encoder.atoms

    def symbol(self, s: Sym) -> int:
        found = self._numbers.get(symbol_name(s)[1:-1])
        if found is None:
            return s.lo if s.lo is not None else min(0, s.hi if s.hi is not None else 0)
        return bool(found) if s.boolean else int(found.as_long())

    def value(self, t: Int) -> int:
        """The value of a term. Raises Unbound or ZeroDivisionError where it has none."""
        return evaluate(t, self._environment(t), self._element)

    def holds(self, c: Bool) -> bool:
        return bool(self.truth(c))

    def truth(self, c: Bool) -> bool | None:
        """Whether a condition holds; None when it has no value."""
        try:
            return holds(c, self._environment(c), self._element)
        except (Unbound, ZeroDivisionError):
            return None

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
        return int(self.contents(array, len(subscripts))(tuple(subscripts)) or 0)

    def contents(self, array: str, rank: int) -> Filled:
        """What the solution says that an array of a rank holds."""
        key = load_name(array, rank)
        if key not in self._contents:
            table = self._functions.get(key)
            *entries, default = table.as_list() if table is not None else [0]
            listed = {tuple(x.as_long() for x in e[:-1]): int(e[-1].as_long()) for e in reversed(entries)}
            rest = int(default.as_long()) if hasattr(default, "as_long") else 0
            self._contents[key] = Filled(rest, tuple(listed.items()))
        return self._contents[key]


def within_reach(solver: Any, encoder: Encoder, wanted: Sequence[Sym]) -> bool:
    """Whether a question with products that Z3 cannot answer has a solution in small numbers.

    The bounds stay with the solver where that is so.
    """
    import z3

    names = [z3.Int(symbol_name(s)[1:-1], solver.ctx) for s in wanted if s in encoder.atoms and not s.boolean]
    solver.push()
    solver.add(*(name <= REACH for name in names))
    found = bool(names) and solver.check() == z3.sat
    if not found:
        solver.pop()
    return found


def smallest(solver: Any, encoder: Encoder, wanted: Sequence[Sym], most: int | None = None) -> Model:
    """The solver's solution with each of the wanted symbols made small in turn (not below zero).

    No more of them once the context has taken `most` units.
    """
    import z3

    best = solver.model()
    names = {s: z3.Int(symbol_name(s)[1:-1], solver.ctx) for s in wanted if s in encoder.atoms}
    far = any(best.eval(x, model_completion=True).as_long() > REACH for x in names.values())
    if far and within_reach(solver, encoder, wanted):
        best = solver.model()
    for s, name in names.items():
        value = best.eval(name, model_completion=True).as_long()
        low = -1 if s.lo is None else s.lo - 1
        stride = 1  # small values are usual: from below in growing steps, then between the last two
        for _ in range(96):
            if value <= low + 1 or (most is not None and units(solver) > most):
                break
            middle = low + stride if stride and low + stride < value else (low + value) // 2
            solver.push()
            solver.add(name <= middle, name > low)
            found = solver.check() == z3.sat
            if found:
                best = solver.model()
                value, stride = best.eval(name, model_completion=True).as_long(), 0
            else:
                low, stride = middle, 2 * stride
            solver.pop()
        solver.add(name <= value)
    return Model(best, encoder)
