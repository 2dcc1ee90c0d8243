"""Concrete evaluation of terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gpulint.term.node import App, Atom, Bool, Cmp, Int, Junction, Literal, Sym


class Unbound(KeyError):
    """A term needs the value of an atom that the environment does not give."""


MAX_POWER_BITS = 1 << 16
Loader = Callable[[App, tuple[int, ...]], int]


def _missing(app: App, args: tuple[int, ...]) -> int:
    raise Unbound(app)


def evaluate(term: Int, env: Mapping[Atom, int], loader: Loader = _missing) -> int:
    """The value of `term`; `loader` gives loads and uninterpreted functions.

    Raises Unbound for an atom without a value (a power with a negative exponent or of more than
    MAX_POWER_BITS bits included), ZeroDivisionError for a zero divisor.
    """
    return _Evaluation(env, loader).integer(term)


def holds(cond: Bool, env: Mapping[Atom, int], loader: Loader = _missing) -> bool:
    """The truth of `cond`; junctions are evaluated left to right and stop early."""
    return _Evaluation(env, loader).boolean(cond)


class _Evaluation:
    """One evaluation; shared parts of the term are computed once."""

    def __init__(self, env: Mapping[Atom, int], loader: Loader) -> None:
        self.env, self.loader = env, loader
        self.known: dict[App, int] = {}
        self.truths: dict[Junction, bool] = {}

    def integer(self, term: Int) -> int:
        total = 0
        for mono, coeff in term.terms:
            product = coeff
            for a in mono:
                product *= self.atom(a)
            total += product
        return total

    def boolean(self, cond: Bool) -> bool:
        if isinstance(cond, Cmp):
            v = self.integer(cond.poly)
            return v <= 0 if cond.op == "le" else (v == 0) == (cond.op == "eq")
        if isinstance(cond, Junction):
            if cond not in self.truths:
                parts = map(self.boolean, cond.args)
                self.truths[cond] = all(parts) if cond.op == "and" else any(parts)
            return self.truths[cond]
        assert isinstance(cond, Literal)
        if cond.atom is None:
            return not cond.negated
        return bool(self.atom(cond.atom)) != cond.negated

    def atom(self, a: Atom) -> int:
        if a in self.env:
            return self.env[a]
        if isinstance(a, Sym):
            raise Unbound(a)
        if a not in self.known:
            self.known[a] = self.application(a)
        return self.known[a]

    def application(self, a: App) -> int:
        if a.op == "select":
            return self.integer(a.args[1] if self.boolean(a.args[0]) else a.args[2])
        args = [self.integer(x) for x in a.args]
        if a.op == "pow" and not (args[1] >= 0 and args[1] * args[0].bit_length() <= MAX_POWER_BITS):
            raise Unbound(a)
        if a.op == "fn" and a.data == "product":
            return args[0] * args[1]
        if a.op == "fn" and a.data in FUNCTIONS:
            return FUNCTIONS[a.data](*args)
        if a.op in ("load", "fn"):
            return self.loader(a, tuple(args))
        return OPERATORS[a.op](*args)


def trunc_div(x: int, y: int) -> int:
    q = abs(x) // abs(y)
    return q if (x < 0) == (y < 0) else -q


OPERATORS: dict[str, Callable[..., int]] = {
    "floordiv": lambda x, y: x // y,
    "mod": lambda x, y: x % y,
    "truncdiv": trunc_div,
    "truncmod": lambda x, y: x - trunc_div(x, y) * y,
    "min": min,
    "max": max,
    "pow": pow,
}
FUNCTIONS: dict[str, Callable[..., int]] = {
    "next_power_of_2": lambda n: 1 << (n - 1).bit_length() if n > 0 else 0,
    "floor_log2": lambda n: max(n.bit_length() - 1, 0),
}
