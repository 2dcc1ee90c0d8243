"""Ways in which a use depends on left-out lanes: fewer of them never ask for less."""

from __future__ import annotations

import itertools
import random

import pytest

from gpulint.dataflow.ways import SOME, fewest
from gpulint.term import Bool, Int, Scope, and_, holds, lt, subst, sym

LANE = sym("lane0", Scope.POINT, 0)
N = sym("n", Scope.LAUNCH, 0)
SOMES = [sym(f"{SOME}{k}", Scope.POINT, 0) for k in range(2)]
FLAGS = [sym(f"f{k}", Scope.LAUNCH, 0) for k in range(3)]
SYMBOLS = [*SOMES, N, *FLAGS]
ENVS = [dict(zip((x.atom for x in SYMBOLS), v, strict=True))
        for v in itertools.product((0, 1, 2), (0, 1, 2), (1, 2), *[(0, 1)] * 3)]  # fmt: skip


def cases(rng: random.Random) -> list[tuple[Bool, tuple[tuple[object, Int], ...]]]:
    """Some cases of a load at `some.k`, each under flags and perhaps a bound on that lane."""
    out = []
    for _ in range(6):
        some = rng.choice(SOMES)
        parts = [lt(0, f) for f in FLAGS if rng.random() < 0.5]
        parts += [lt(some, N)] if rng.random() < 0.7 else []
        out.append((and_(*parts), ((LANE.atom, some),)))
    return list(dict.fromkeys(out))


def needed(found: list, env: dict) -> bool:
    """Whether some case lets a lane outside `lane < n` through, for some lane, under these sizes."""
    inside = lt(LANE, N)
    for condition, at in found:
        for lanes in itertools.product(range(3), repeat=2):
            here = {**env, **{x.atom: v for x, v in zip(SOMES, lanes, strict=True)}}
            if holds(condition, here) and not holds(subst(inside, dict(at)), here):
                return True
    return False


@pytest.mark.parametrize("seed", range(40))
def test_fewer_cases_ask_for_no_less(seed: int) -> None:
    before = cases(random.Random(seed))
    for at_most in (1, 6):
        after = fewest(before, at_most)
        assert len(after) <= len(before)
        for env in ENVS:
            assert needed(after, env) or not needed(before, env), (before, after)


def test_cases_that_differ_in_numbers_of_their_lanes_are_one() -> None:
    a, b = SOMES
    found = [(and_(lt(a, N), lt(0, FLAGS[0])), ((LANE.atom, a),)), (lt(b, N), ((LANE.atom, b),))]
    ((condition, at),) = fewest(found, 1)
    assert condition == lt(a, N)
    assert at == ((LANE.atom, a),)
