"""Mixed radix against brute force: what is said to be equal at both points is, in random digit systems."""

from __future__ import annotations

import itertools
import random

import pytest
from kernels import kernel

from gpulint.dataflow import analyse
from gpulint.solver.general import nameable
from gpulint.solver.options import Options
from gpulint.solver.radix import Unifier
from gpulint.solver.setting import Setting
from gpulint.term import (
    Bool,
    Int,
    Scope,
    add,
    and_,
    const,
    eq,
    evaluate,
    floordiv,
    ge,
    holds,
    lt,
    mod,
    mul,
    sym,
)

KERNEL = kernel("@cuda.jit\ndef k(x, n, m):\n    x[cuda.grid(1)] = n + m\n")
ACCESSES = analyse(KERNEL)
SETTING = Setting(KERNEL, ACCESSES, Options())
NAMED = nameable(KERNEL, ACCESSES)
N, M = sym("n", Scope.LAUNCH), sym("m", Scope.LAUNCH)
DIGITS = tuple(sym(name, Scope.LOOP, 0) for name in "abc")
SIZES, VALUES = range(-1, 5), range(5)


def domain(rng: random.Random) -> Bool:
    """Bounds of the digits, some of them missing."""
    parts = []
    for d in DIGITS:
        kind = rng.randrange(6)
        top = (N, M, const(rng.randint(1, 4)), N, M)[min(kind, 4)]
        parts.append(lt(d, top))
        if kind == 5:
            parts.append(ge(d, rng.choice([1, 2])))
    if rng.random() < 0.2:
        parts.append(eq(rng.choice(DIGITS), rng.choice([N, const(1)])))
    return and_(*parts)


def subscript(rng: random.Random) -> Int:
    """A sum of digits times radices, nested ones mostly; now and then of quotients and remainders."""
    digits = list(DIGITS)
    rng.shuffle(digits)
    radix: Int = const(rng.choice([1, 1, 1, 2]))
    out: Int = const(rng.randint(-1, 1))
    for d in digits[: rng.randint(1, 3)]:
        part = d
        if rng.random() < 0.2:
            w = rng.choice([const(2), const(3)])
            part = rng.choice([floordiv(d, w), mod(d, w), add(d, floordiv(d, w))])
        out = add(out, mul(mul(part, radix), rng.choice([1, 1, 1, 1, -1])))
        radix = mul(radix, rng.choice([N, M, const(rng.randint(1, 4)), const(1), add(N, const(1))]))
    return out


def points(n: int, m: int, inside: Bool) -> list[dict[object, int]]:
    """The digits within the domain."""
    atoms = [d.atom for d in DIGITS]
    made = (
        {**dict(zip(atoms, v, strict=True)), N.atom: n, M.atom: m}
        for v in itertools.product(VALUES, repeat=3)
    )
    return [p for p in made if holds(inside, p)]


def collision(inside: Bool, subscripts: list[Int], u: Unifier) -> str:
    """Two points that meet in all subscripts and differ in what is said to be equal, under the clauses."""
    told = [d for d in DIGITS if u.fixed(d)]
    for n, m in itertools.product(SIZES, repeat=2):
        if not all(holds(c.condition, {N.atom: n, M.atom: m}) for c in u.clauses):
            continue
        met: dict[object, dict[object, int]] = {}
        for p in points(n, m, inside):
            place = tuple(evaluate(s, p) for s in subscripts)
            q = met.setdefault(place, p)
            if any(p[d.atom] != q[d.atom] for d in told):
                return f"n={n} m={m}: {p} and {q} meet in {place}, and {told} is said to be equal"
    return ""


def unified(seed: int) -> tuple[Bool, list[Int], Unifier]:
    rng = random.Random(seed)
    inside = domain(rng)
    subscripts = [subscript(rng) for _ in range(rng.choice([1, 1, 2]))]
    u = Unifier(SETTING, inside, NAMED)
    u.run(subscripts)
    return inside, subscripts, u


@pytest.mark.parametrize("batch", range(4))
def test_equal_subscripts_give_the_digits_that_are_said(batch: int) -> None:
    for seed in range(batch * 25, batch * 25 + 25):
        inside, subscripts, u = unified(seed)
        assert not collision(inside, subscripts, u), f"seed {seed}: {inside}, {subscripts}, {u.clauses}"


def test_much_is_said_with_clauses_and_without() -> None:
    made = [unified(seed)[2] for seed in range(50)]
    assert sum(any(u.fixed(d) for d in DIGITS) and not u.clauses for u in made) >= 10
    assert sum(bool(u.clauses) for u in made) >= 10


def test_the_check_sees_a_wrong_claim() -> None:
    inside = and_(*(lt(d, 3) for d in DIGITS))
    u = Unifier(SETTING, inside, NAMED, equal={DIGITS[0].atom})  # type: ignore[arg-type]
    assert collision(inside, [add(DIGITS[0], DIGITS[1])], u)
