"""The way a loop runs: dropping the direction that the facts exclude changes no domain that they allow."""

from __future__ import annotations

from itertools import product

import pytest

from gpulint.config import Config
from gpulint.pipeline import check_file
from gpulint.solver.prover import Prover
from gpulint.solver.signs import directed
from gpulint.solver.space import Seen
from gpulint.term import Bool, Int, Scope, and_, ge, holds, le, lt, or_, sym

N, STEP, GRID = (sym(x, Scope.LAUNCH) for x in ("n", "step", "grid"))
K = sym("k", Scope.LOOP, 0)


def domain(step: Int) -> Bool:
    """What `for i in range(0, n, step)` says of its counter."""
    return or_(and_(ge(step, 1), lt(step * K, N)), and_(le(step, -1), lt(N, step * K)))


@pytest.mark.parametrize(
    ("facts", "step"),
    [
        ((ge(STEP, 1),), STEP),
        ((le(STEP, -1),), STEP),
        ((ge(STEP, 0),), STEP),
        ((), STEP),
        ((ge(STEP, 1), ge(GRID, 1)), STEP * GRID),
    ],
)
def test_under_the_facts_the_domain_stays_the_same(facts: tuple[Bool, ...], step: Int) -> None:
    before = domain(step)
    after = directed(Seen(None, before, (), (), frozenset()), Prover(facts, 1)).domain  # type: ignore[arg-type]
    if len(facts) and facts != (ge(STEP, 0),):
        assert after != before
    for values in product(range(-2, 3), range(-2, 3), range(-1, 3), range(3)):
        env = dict(zip((t.atom for t in (N, STEP, GRID, K)), values, strict=True))
        if all(holds(f, env) for f in facts):
            assert holds(before, env) == holds(after, env), env


STRIDED = """import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    for start in range(tl.program_id(0) * B, n, tl.num_programs(0) * B):
        i = start + tl.arange(0, B)
        tl.store(x + i, 1.0, mask=i < n)
"""


def test_the_end_of_a_strided_loop_bounds_its_offsets() -> None:
    (kernel,) = check_file(STRIDED, "k.py", Config()).kernels
    assert kernel.status == "verified" and "n <= x.size" in kernel.inferred
