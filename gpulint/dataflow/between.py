"""Bounds of variables that a loop moves towards each other: `while lo < hi: mid = (lo + hi) // 2; ...`.

Every variable of a cycle is held against the values that the cycle starts from: `v >= u0` and `v <= u0`.
Those that hold at the start and that an iteration keeps, given that the loop's condition and all that are
left hold at its beginning, hold in every iteration (the greatest inductive set, as Houdini finds it).
An iteration is each way through the choices of its step, under their conditions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from gpulint import term as t
from gpulint.term import App, Bool, Cmp, Int, Sym
from gpulint.term.build import of_atom
from gpulint.term.interval import bounds

MAX_GROUP = 3
MAX_WAYS = 8  # through the choices of one step
MAX_FACTS = 16
DEPTH = 5  # facts that are added up for one bound


def held(init: Mapping[Sym, Int], steps: Mapping[Sym, Int], condition: Bool) -> dict[Sym, list[Bool]]:
    """What holds of each variable at the start of every iteration, over what the cycle starts from."""
    if len(init) > MAX_GROUP:
        return {}
    starts = list(dict.fromkeys(init.values()))
    left = [
        (v, up, start)
        for v in init
        for start in starts
        for up in (True, False)
        if _follows(_gap(init[v], up, start), [])
    ]
    before = -1
    while left and before != len(left):
        before = len(left)
        known = [t.neg(_gap(of_atom(v), up, start)) for v, up, start in left]
        left = [c for c in left if _kept(c, steps[c[0]], condition, known)]
    out: dict[Sym, list[Bool]] = {}
    for v, up, start in left:
        out.setdefault(v, []).append(t.ge(_gap(of_atom(v), up, start), 0))
    return out


def _gap(v: Int, up: bool, start: Int) -> Int:
    """What is not negative where `v <= start` (`up`) or `v >= start`."""
    return t.sub(start, v) if up else t.sub(v, start)


def _kept(c: tuple[Sym, bool, Int], step: Int, condition: Bool, known: list[Int]) -> bool:
    ways = list(_ways(step, condition))
    if len(ways) > MAX_WAYS:
        return False
    _, up, start = c
    return all(_follows(_gap(value, up, start), [*known, *_linear(where)]) for value, where in ways)


def _ways(step: Int, where: Bool) -> Iterator[tuple[Int, Bool]]:
    """The values that a step may give, each with what holds then."""
    top = step.atom
    if not isinstance(top, App) or top.op != "select":
        yield step, where
        return
    c, yes, no = cast("tuple[Bool, Int, Int]", top.args)
    yield from _ways(yes, t.and_(where, c))
    yield from _ways(no, t.and_(where, t.not_(c)))


def _linear(where: Bool) -> list[Int]:
    """Polynomials that are at most zero."""
    found = [c for c in t.conjuncts(where) if isinstance(c, Cmp) and c.op in ("le", "eq")]
    return [p for c in found for p in ((c.poly,) if c.op == "le" else (c.poly, t.neg(c.poly)))][:MAX_FACTS]


def _follows(goal: Int, facts: list[Int], depth: int = DEPTH) -> bool:
    """Whether `goal >= 0` by static bounds once facts (at most zero) are added.

    A quotient by a number goes first, exactly: `x // d <= g` where `x <= d*g + d - 1`, and `x // d >= g`
    where `x >= d*g`.
    """
    low = bounds(goal, {})[0]
    if low is not None and low >= 0:
        return True
    whole = _undivided(goal)
    if whole is not None:
        return _follows(whole, facts, depth)
    if depth == 0:
        return False
    loose = next((m for m, c in goal.terms if m and bounds(t.mul(_mono(m), c), {})[0] is None), None)
    k = dict(goal.terms).get(loose, 0) if loose is not None else 0
    for f in facts:
        c = dict(f.terms).get(loose, 0) if loose is not None else 0
        if c and k * c < 0 and k % c == 0 and _follows(t.add(goal, t.mul(f, -k // c)), facts, depth - 1):
            return True
    return False


def _mono(m: tuple[t.Atom, ...]) -> Int:
    out = t.ONE
    for a in m:
        out = t.mul(out, of_atom(a))
    return out


def _undivided(goal: Int) -> Int | None:
    """A goal that is as good without its quotient by a number."""
    for m, c in goal.terms:
        top = m[0] if len(m) == 1 and c in (1, -1) else None
        if not isinstance(top, App) or top.op != "floordiv" or cast(Int, top.args[1]).value is None:
            continue
        x, d = cast("tuple[Int, Int]", top.args)
        if cast(int, d.value) < 1:
            continue
        rest = t.sub(goal, t.mul(of_atom(top), c))
        if c == 1:  # x // d >= -rest
            return t.add(x, t.mul(d, rest))
        return t.sub(t.add(t.mul(d, rest), t.sub(d, 1)), x)
    return None
