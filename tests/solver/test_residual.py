"""What is said to be missing for a goal suffices for it: clauses against brute force."""

from __future__ import annotations

import itertools
import random

import pytest

from gpulint.contract.clause import Clause
from gpulint.solver.prover import Prover
from gpulint.solver.residual import Named, clauses, missing
from gpulint.term import (
    App,
    Bool,
    Int,
    Scope,
    and_,
    const,
    evaluate,
    floordiv,
    ge,
    holds,
    le,
    load,
    lt,
    maximum,
    minimum,
    mod,
    or_,
    select,
    sub,
    sym,
    symbols,
)

N, M = sym("n", Scope.LAUNCH, 0), sym("m", Scope.LAUNCH)
P, J = sym("i", Scope.POINT, 0), sym("j", Scope.LOOP)
NAMED = Named(frozenset(symbols(N, M)), frozenset({"idx", "other"}))
PROVER = Prover([], 1)
RANGES = {N: range(4), M: range(-2, 4), P: range(4), J: range(-2, 4)}
TABLES = ([0, 1, 2, 3], [3, -1, 2, 0], [1, 1, 5, 1])
ENVIRONMENTS = [
    dict(zip([t.atom for t in RANGES], v, strict=True)) for v in itertools.product(*RANGES.values())
]


def term(rng: random.Random, depth: int = 2) -> Int:
    if depth == 0 or rng.random() < 0.35:
        loads = [load("idx", [P]), load("other", [P]), load("other", [load("idx", [P]) + 1])]
        return rng.choice([N, M, P, J, const(rng.randint(-2, 2)), *loads[: rng.randint(1, 3)]])
    a, b = term(rng, depth - 1), term(rng, depth - 1)
    kind = rng.randrange(8)
    if kind < 4:
        return a + b * rng.choice([-1, 1, 2])
    if kind == 4:
        return a * rng.choice([N, P])
    if kind == 5:
        return rng.choice([minimum, maximum])(a, b)
    if kind == 6:
        return rng.choice([floordiv, mod])(a, rng.choice([const(rng.randint(2, 3)), N + 1]))
    return select(le(a, b), a, b)


def condition(rng: random.Random) -> Bool:
    parts = [lt(P, rng.choice([N, M])), le(rng.choice([J, M]), term(rng, 1))]
    if rng.random() < 0.4:
        parts.append(or_(le(term(rng, 1), 0), ge(J, M)))
    return and_(*parts[: rng.randint(1, 3)])


def loader(table: list[int]):  # type: ignore[no-untyped-def]
    def get(app: App, args: tuple[int, ...]) -> int:
        return table[args[0] % len(table)]

    return get


def met(c: Clause, env: dict[object, int], table: list[int]) -> bool:
    """Whether a clause holds: one on an array, of all of its elements; one that divides by zero does not."""
    if c.predicate == "within":
        try:
            low, high = (evaluate(b, env) for b in c.bounds)
        except ZeroDivisionError:
            return False
        return all(low <= v < high for v in table)
    if c.predicate == "above":
        return all(v >= evaluate(c.bounds[0], env) for v in table)
    return holds(c.condition, env, loader(table))


def refuting(domain: Bool, p: Int, cs: tuple[Clause, ...]) -> str:
    for env in ENVIRONMENTS:
        for table in TABLES:
            get = loader(table)
            if all(met(c, env, table) for c in cs) and holds(domain, env, get) and evaluate(p, env, get) > 0:
                return f"{env} {table}"
    return ""


@pytest.mark.parametrize("batch", range(4))
def test_clauses_suffice(batch: int) -> None:
    for seed in range(batch * 25, batch * 25 + 25):
        rng = random.Random(seed)
        domain, p = condition(rng), term(rng)
        for residual in missing(PROVER, domain, p, NAMED):
            cs = clauses(residual)
            if cs is not None:
                wrong = refuting(domain, p, cs)
                assert not wrong, f"seed {seed}: {domain} with {cs} does not give {p} <= 0: {wrong}"


def test_alternatives_are_found() -> None:
    found = [missing(PROVER, condition(r), term(r), NAMED) for r in map(random.Random, range(60))]
    assert sum(bool(f) for f in found) > 40
    assert sum(any(cs for r in f if (cs := clauses(r))) for f in found) > 12


def test_the_check_sees_a_clause_that_is_too_weak() -> None:
    assert refuting(lt(P, N), sub(P, M), (Clause(le(N, M + 2)),))
    assert not refuting(lt(P, N), sub(P, M), (Clause(le(N, M + 1)),))


def test_a_range_of_elements_bounds_the_loaded_index() -> None:
    a = load("idx", [P])
    (cs,) = [clauses(r) for r in missing(PROVER, lt(P, N), a - M + 1, NAMED)]
    assert cs is not None and [str(c) for c in cs] == ["within(idx, 0, m)"]
