"""What signs settle at an access: truncating division, and the wrap of negative indices.

Triton's `//` and `%` truncate as C's do, and so does Python's `int(i / n)`. For a dividend that is not
negative and a positive divisor both agree with the floor, which elimination, radices and Z3 understand.
An index that may be negative wraps: it is a choice by its sign, and the index itself where that is known.
A loop runs upwards or downwards by the sign of its step.
The signs are proved under the access's own domain; where they are not, the first form stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar, cast

from gpulint.solver.prover import Prover
from gpulint.solver.space import Seen
from gpulint.term import (
    TRUE,
    App,
    Atom,
    Bool,
    Int,
    Junction,
    Scope,
    and_,
    apps,
    conjuncts,
    const,
    exact,
    floordiv,
    ge,
    lt,
    mod,
    mul,
    not_,
    or_,
    subst,
)
from gpulint.term.build import of_atom
from gpulint.term.walk import atoms, made_of

T = TypeVar("T", Int, Bool)
CHOICES = ("min", "max", "select")
ROUNDS = 6  # nesting depth of divisions


def floored(s: Seen, prover: Prover) -> Seen:
    """The access with each truncating division rewritten whose operands' signs are proved.

    What the domain says of the divisors and the quotients is added to it: `x // w >= 1` where `x >= w`.
    """
    for _ in range(ROUNDS):
        known: dict[Atom, Int | Bool] = {}
        more: list[Bool] = []
        for a in _innermost(s):
            x, w = cast("tuple[Int, Int]", a.args)
            positive = _positive(s.domain, w, prover)
            if positive is None or not prover.prove(s.domain, ge(x, 0), z3_too=False):
                continue
            known[a] = floordiv(x, w) if a.op == "truncdiv" else mod(x, w)
            more += [ge(of_atom(f), 1) for f in positive if isinstance(f, App)]
            if a.op == "truncdiv":
                more += _quotient(s.domain, x, w, prover)
        if not known:
            return s
        s = s.mapped(substitute(known), substitute(known))
        s = replace(s, domain=and_(s.domain, *more))
    return s


def _positive(domain: Bool, w: Int, prover: Prover) -> tuple[Atom, ...] | None:
    """What is at least one where a divisor is: itself as an atom, or each factor by which it was shown.

    Of a product that is shown as it stands nothing is said of the factors, two of which may be negative.
    None for a divisor that is not shown to be at least one.
    """
    if prover.prove(domain, ge(w, 1), z3_too=False):
        return (w.atom,) if w.atom is not None else ()
    (mono, c) = w.terms[0] if len(w.terms) == 1 else ((), 0)
    if len(mono) < 2 or c < 1:
        return None
    return mono if all(prover.prove(domain, ge(of_atom(f), 1), z3_too=False) for f in mono) else None


def _quotient(domain: Bool, x: Int, w: Int, prover: Prover) -> list[Bool]:
    """Bounds of `x // w` that the domain gives: `x >= w` the one below, `x < h * w` the one above.

    The height `h` is tried where the dividend is a remainder by `h` times what the divisor may be: with
    `size = min(group, left)`, the columns of a group are `id % (group * columns) // size`.
    """
    out = [ge(floordiv(x, w), 1)] if prover.prove(domain, ge(x, w), z3_too=False) else []
    if not out and any(a.op in CHOICES for a in apps(x)):
        out.append(ge(floordiv(x, w), 0))  # which was shown way by way
    inner, least = x.atom, w.atom
    if not isinstance(inner, App) or inner.op != "mod" or not isinstance(least, App) or least.op != "min":
        return out
    heights = (exact(inner.args[1], part) for part in least.args)
    h = next((h for h in heights if h is not None), None)
    if h is not None and prover.prove(domain, lt(x, mul(h, w)), z3_too=False):
        out.append(lt(floordiv(x, w), h))
    return out


def settled(s: Seen, prover: Prover) -> Seen:
    """The access with the direction of its loops and the divisions told by their signs."""
    return _numbered(floored(directed(s, prover), prover), prover)


def _numbered(s: Seen, prover: Prover) -> Seen:
    """The access with quotients of a number by what is no smaller: `-1 // w` is -1 where `w >= 1`."""
    known: dict[Atom, Int | Bool] = {}
    for a in apps(s.domain, *s.subscripts, op="floordiv"):
        x, w = cast("tuple[Int, Int]", a.args)
        if x.value is None or w.value is not None:
            continue
        if prover.prove(s.domain, ge(w, -x.value if x.value < 0 else x.value + 1), z3_too=False):
            known[a] = const(-1 if x.value < 0 else 0)
    return s.mapped(substitute(known), substitute(known)) if known else s


def directed(s: Seen, prover: Prover) -> Seen:
    """The access without the ways into its domain that no launch takes, as of a loop by the sign of its step.

    Of a disjunction's branch, what is said of the launch alone is a fact, and dropped, or contradicts the
    facts, and the branch is: under the facts the domain stays the same.
    """
    parts = conjuncts(s.domain)
    taken = [_taken(p, prover) if isinstance(p, Junction) and p.op == "or" else p for p in parts]
    return s if all(p is q for p, q in zip(parts, taken, strict=True)) else replace(s, domain=and_(*taken))


def _taken(p: Junction, prover: Prover) -> Bool:
    branches = []
    for way in p.args:
        told = {c for c in conjuncts(way) if _of_launch(c)}
        if any(prover.prove(TRUE, not_(c), z3_too=False) for c in told):
            continue
        known = {c for c in told if prover.prove(TRUE, c, z3_too=False)}
        branches.append(and_(*(c for c in conjuncts(way) if c not in known)))
    return or_(*branches)


def _of_launch(c: Bool) -> bool:
    used, operators = made_of(c)
    return operators.isdisjoint(("load", "fn")) and all(x.scope is Scope.LAUNCH for x in used)


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


def substitute(known: Mapping[Atom, Int | Bool]) -> Callable[[T], T]:
    return lambda t: subst(t, known)


def _innermost(s: Seen) -> list[App]:
    return innermost(s.domain, *s.subscripts, *(t for c in s.checks for t in c))


def innermost(*terms: Bool | Int) -> list[App]:
    """Truncating divisions with no truncating division among their operands."""
    every = [a for a in atoms(*terms) if isinstance(a, App) and a.op in ("truncdiv", "truncmod")]
    inner = set(every)
    return [a for a in every if not any(b in inner for x in a.args for b in apps(cast(Int, x)))]
