"""Traversal: symbols, applications, substitution."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar, Union, cast

from gpulint.term import build as b
from gpulint.term.cut import application
from gpulint.term.node import App, Atom, Bool, Cmp, Int, Junction, Literal, Sym, holds, intern

T = TypeVar("T", Int, Bool)
X = TypeVar("X", Int, Bool, Union[Int, Bool])
Term = Union[Int, Bool]


def atoms(*terms: Term) -> Iterator[Atom]:
    """Every distinct atom, arguments of applications included, each once, outermost first."""
    seen: set[Term | Atom] = set()
    stack: list[Term | Atom] = list(reversed(terms))
    while stack:
        t = stack.pop()
        if t in seen:
            continue
        seen.add(t)
        if isinstance(t, Int):
            stack.extend(a for m, _ in reversed(t.terms) for a in reversed(m))
        elif isinstance(t, Cmp):
            stack.append(t.poly)
        elif isinstance(t, Junction):
            stack.extend(reversed(t.args))
        elif isinstance(t, Literal):
            if t.atom is not None:
                stack.append(t.atom)
        else:
            yield cast(Atom, t)
            if isinstance(t, App):
                stack.extend(reversed(t.args))


def symbols(*terms: Term) -> set[Sym]:
    """The symbols that occur anywhere in the terms."""
    return set().union(*(holds(t)[0] for t in terms))


def apps(*terms: Term, op: str = "") -> list[App]:
    """The applications (of one operator) that occur anywhere in the terms."""
    if not any(op in held if op else held for held in (holds(t)[1] for t in terms)):
        return []
    return [a for a in atoms(*terms) if isinstance(a, App) and op in ("", a.op)]


def made_of(term: Term | Atom) -> tuple[frozenset[Sym], frozenset[str]]:
    """The symbols and the operators of applications that occur anywhere in the term."""
    return holds(term)


def conjuncts(c: Bool) -> tuple[Bool, ...]:
    """The parts of a conjunction; a condition that is none is its own part, `TRUE` has none."""
    if isinstance(c, Junction) and c.op == "and":
        return c.args
    return () if c == b.TRUE else (c,)


Replacement = Union[Int, Bool, None]
Replace = Callable[[Atom], Replacement]


def transform(term: T, replace: Replace, *, outermost: bool = False) -> T:
    """Rebuild `term` with each atom that `replace` answers for exchanged; None keeps the atom.

    `replace` sees an application after its arguments were rebuilt (when it still is one then); with
    `outermost` it sees it as it stands in `term`, and what it answers is not looked into.
    """
    work = _Transform(replace, outermost)
    rebuild: Callable[[Any], Any] = work.integer if isinstance(term, Int) else work.boolean
    return cast(T, rebuild(term))


class _Transform:
    """One rebuilding; shared parts are rebuilt once."""

    def __init__(self, replace: Replace, outermost: bool) -> None:
        self.replace, self.outermost = replace, outermost
        self.ints: dict[Int, Int] = {}
        self.bools: dict[Bool, Bool] = {}
        self.atoms: dict[Atom, Replacement] = {}

    def atom(self, a: Atom) -> Replacement:
        """What stands for the atom in the rebuilt term; None when it stays."""
        if a not in self.atoms:
            self.atoms[a] = self._new_atom(a)
        return self.atoms[a]

    def _new_atom(self, a: Atom) -> Replacement:
        if isinstance(a, Sym):
            return self.replace(a)
        answer = self.replace(a) if self.outermost else None
        if answer is not None:
            return answer
        args = tuple(self.integer(x) if isinstance(x, Int) else self.boolean(x) for x in a.args)
        rebuilt = None if all(x is y for x, y in zip(args, a.args, strict=True)) else remake(a, args)
        if self.outermost:
            return rebuilt
        new: Atom | None = a if rebuilt is None else rebuilt.atom
        if isinstance(new, App):  # a symbol here was put in by `replace` itself
            answer = self.replace(new)
        return rebuilt if answer is None else answer

    def integer(self, t: Int) -> Int:
        if t not in self.ints:
            self.ints[t] = self._new_integer(t)
        return self.ints[t]

    def _new_integer(self, t: Int) -> Int:
        news = {a: self.atom(a) for m, _ in t.terms for a in m}
        if all(new is None for new in news.values()):
            return t
        products = []
        for mono, coeff in t.terms:
            product = b.const(coeff)
            for a in mono:
                new = news[a]
                factor = b.of_atom(a) if new is None else new
                product = b.mul(product, factor if isinstance(factor, Int) else _as_number(factor))
            products.append(product)
        return b.add(*products)

    def boolean(self, c: Bool) -> Bool:
        if c not in self.bools:
            self.bools[c] = self._new_boolean(c)
        return self.bools[c]

    def _new_boolean(self, c: Bool) -> Bool:
        if isinstance(c, Cmp):
            p = self.integer(c.poly)
            return c if p is c.poly else b._compare(c.op, p)
        if isinstance(c, Junction):
            parts = tuple(self.boolean(x) for x in c.args)
            if all(x is y for x, y in zip(parts, c.args, strict=True)):
                return c
            return b.and_(*parts) if c.op == "and" else b.or_(*parts)
        assert isinstance(c, Literal)
        new = None if c.atom is None else self.atom(c.atom)
        if new is None:
            return c
        lit = _as_condition(new) if isinstance(new, Int) else new
        return b.not_(lit) if c.negated else lit


def _as_number(c: Bool) -> Int:
    return b.select(c, b.ONE, b.ZERO)


def _as_condition(t: Int) -> Bool:
    """The condition that a number stands for: a predicate as such, any other when it is not zero."""
    top = t.atom
    if (isinstance(top, App) and top.op == "fn") or (isinstance(top, Sym) and top.boolean):
        return intern(Literal, (top, False))
    if isinstance(top, App) and top.op == "select" and top.args[1:] == (b.ONE, b.ZERO):
        return cast(Bool, top.args[0])
    return b.ne(t, b.ZERO)


def remake(a: App, args: tuple[object, ...]) -> Int:
    """Build the application again over new arguments, normalising."""
    makers: dict[str, Callable[..., Int]] = {
        "floordiv": b.floordiv, "mod": b.mod, "truncdiv": b.truncdiv, "truncmod": b.truncmod,
        "min": b.minimum, "max": b.maximum, "select": b.select, "pow": b.power,
    }  # fmt: skip
    if a.op == "fn" and a.data == "product":
        return b.mul(*cast("tuple[Int, Int]", args))
    if a.op in makers:
        return makers[a.op](*args)
    return b.of_atom(application(a.op, a.data, args, a.lo, a.hi))


def subst(term: T, mapping: Mapping[Any, X]) -> T:
    """Replace atoms (symbols or applications) simultaneously; a boolean symbol takes a Bool.

    Applications are looked up as they stand in `term`, outermost first.
    """
    if not mapping:
        return term
    return transform(term, mapping.get, outermost=True)


def rename(term: T, new: Callable[[Sym], Sym | None]) -> T:
    """Replace symbols by symbols; None keeps the symbol."""

    def replace(a: Atom) -> Replacement:
        if not isinstance(a, Sym):
            return None
        other = new(a)
        return None if other is None else intern(Int, (((other,), 1),))

    return transform(term, replace)
