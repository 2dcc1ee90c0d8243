"""The access set against the interpreter: no element is touched that no access covers."""

from __future__ import annotations

import random

import pytest
from kernels import kernel

from gpulint.dataflow import analyse
from gpulint.interp import ConcreteArray, ConcreteLaunch, run
from gpulint.ir import symbols
from tests.dataflow.instances import Search
from tests.dataflow.programs import SIZE, Generator

STOPS = {"step-limit", "wrap", "not-executable", "out-of-range", "uninitialised", "unknown-branch"}


def launches(seed: int, k):
    """Runs of one thread that end without trouble: (known symbols, arrays, outcome)."""
    r = random.Random(seed)
    for _ in range(3):
        grid, block, n = r.randint(1, 2), r.randint(1, 3), r.randint(0, 6)
        numbers, floats = [r.randint(-1, 6) for _ in range(SIZE)], [r.random() for _ in range(SIZE)]
        arrays = {
            "x": ConcreteArray((SIZE,), lambda i, f=floats: f[i[0]], dtype="float32"),
            "idx": ConcreteArray((SIZE,), lambda i, f=numbers: f[i[0]], dtype="int32"),
            "out": ConcreteArray((SIZE,), lambda i: 0.0, dtype="float32"),
        }
        at = (r.randrange(grid), 0, 0), (r.randrange(block), 0, 0)
        sizes = (grid, 1, 1), (block, 1, 1)
        outcome = run(k, ConcreteLaunch(*sizes, arrays, {"n": n}, points=(at,), max_steps=20_000))
        if any(v.kind in STOPS for v in outcome.violations) or not outcome.complete:
            continue
        terms = {
            symbols.thread(0): at[1][0], symbols.block(0): at[0][0], symbols.block_size(0): block,
            symbols.grid_size(0): grid, symbols.param("n"): n,
            **{symbols.extent(a, 0, 1): SIZE for a in arrays},
        }  # fmt: skip
        yield {term.atom: value for term, value in terms.items()}, arrays, outcome


def uncovered(seed: int) -> tuple[list[str], int]:
    """The elements that no access covers, and how many were covered."""
    text = Generator(seed).text()
    k = kernel(text)
    found = analyse(k)
    bad, good = [], 0
    for known, arrays, outcome in launches(seed, k):
        search = Search(known, arrays)
        touched = [("write", a, e) for a, es in outcome.written.items() for e in sorted(es)[:8]]
        touched += [("read", a, e) for a, es in outcome.read.items() for e in sorted(es)[:8]]
        for mode, array, element in touched:
            same = [a for a in found.accesses if a.array.name == array and a.mode == mode]
            answers = [search.covers(a, element) for a in same]
            good += any(answers)
            if not any(answers) and None not in answers:
                bad.append(f"{mode} {array}{list(element)} with {known} in\n{text}")
    return bad, good


@pytest.mark.parametrize("batch", range(8))
def test_every_touched_element_is_covered(batch):
    covered = 0
    for seed in range(batch * 30, batch * 30 + 30):
        bad, good = uncovered(seed)
        assert not bad, bad[0]
        covered += good
    assert covered > 100  # the programs do run


def test_the_search_can_fail():
    k = kernel("@cuda.jit\ndef k(out, n):\n    i = cuda.grid(1)\n    if i < n:\n        out[i] = 1.0\n")
    access = analyse(k).accesses[0]
    known = {symbols.thread(0).atom: 2, symbols.block(0).atom: 0, symbols.block_size(0).atom: 4}
    search = Search({**known, symbols.param("n").atom: 3}, {})
    assert search.covers(access, (2,)) is True
    assert search.covers(access, (3,)) is False
