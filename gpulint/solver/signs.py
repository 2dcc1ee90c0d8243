"""What signs settle at an access: truncating division, and the wrap of negative indices.

Triton's `//` and `%` truncate as C's do, and so does Python's `int(i / n)`. For a dividend that is not
negative and a positive divisor both agree with the floor, which elimination, radices and Z3 understand.
An index that may be negative wraps: it is a choice by its sign, and the index itself where that is known.
The signs are proved under the access's own domain; where they are not, the first form stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar, cast

from gpulint.solver.prover import Prover
from gpulint.solver.space import Seen
from gpulint.term import App, Atom, Bool, Int, and_, apps, floordiv, ge, mod, not_, subst
from gpulint.term.walk import atoms

T = TypeVar("T", Int, Bool)
ROUNDS = 6  # nesting depth of divisions


def floored(s: Seen, prover: Prover) -> Seen:
    """The access with each truncating division rewritten whose operands' signs are proved.

    What the domain says of the quotients is added to it: `x // w >= 1` where `x >= w`.
    """
    for _ in range(ROUNDS):
        known: dict[Atom, Int | Bool] = {}
        more: list[Bool] = []
        for a in _innermost(s):
            x, w = cast("tuple[Int, Int]", a.args)
            if not all(prover.prove(s.domain, c, z3_too=False) for c in (ge(w, 1), ge(x, 0))):
                continue
            known[a] = floordiv(x, w) if a.op == "truncdiv" else mod(x, w)
            if a.op == "truncdiv" and prover.prove(s.domain, ge(x, w), z3_too=False):
                more.append(ge(floordiv(x, w), 1))
        if not known:
            return s
        s = s.mapped(_substitute(known), _substitute(known))
        s = replace(s, domain=and_(s.domain, *more))
    return s


def unwrapped(s: Seen, prover: Prover) -> Seen:
    """The access with each subscript that chooses by a sign as the choice that is taken.

    A choice whose condition contradicts the domain is its other value wherever the access happens.
    """
    known: dict[Atom, Int | Bool] = {}
    for a in apps(*s.subscripts, op="select"):
        c, yes, no = cast("tuple[Bool, Int, Int]", a.args)
        if prover.prove(s.domain, not_(c), z3_too=False):
            known[a] = no
        elif prover.prove(s.domain, c, z3_too=False):
            known[a] = yes
    if not known:
        return s
    return replace(s, subscripts=tuple(subst(t, known) for t in s.subscripts))


def _substitute(known: Mapping[Atom, Int | Bool]) -> Callable[[T], T]:
    return lambda t: subst(t, known)


def _innermost(s: Seen) -> list[App]:
    """Truncating divisions with no truncating division among their operands."""
    terms: tuple[Bool | Int, ...] = (s.domain, *s.subscripts, *(t for c in s.checks for t in c))
    every = [a for a in atoms(*terms) if isinstance(a, App) and a.op in ("truncdiv", "truncmod")]
    inner = set(every)
    return [a for a in every if not any(b in inner for x in a.args for b in apps(cast(Int, x)))]
