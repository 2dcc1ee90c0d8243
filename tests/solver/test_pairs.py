"""Pairs and barrier intervals against runs: what two threads of a block do between two barriers is a pair.

Programs run as plain Python with every access noted: thread, barrier interval, line and loop variables.
Two accesses of one element by two threads of a block within one interval, one of them a plain write,
must be among the pairs, with a way that the loop counters satisfy.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from fuzz import barriers, simulate
from fuzz.generate import Program
from fuzz.launches import launches
from kernels import kernel

from gpulint.dataflow import analyse
from gpulint.dataflow.access import Access, Loop
from gpulint.interp.environment import Environment, environment
from gpulint.interp.launch import ConcreteLaunch
from gpulint.solver.pairs import Pair, Pairing
from gpulint.term import Unbound, evaluate


@dataclass(frozen=True)
class Done:
    """One access as it happened; `variables` are the loop variables then."""

    thread: Any
    interval: int
    row: int
    mode: str
    variables: tuple[tuple[str, int], ...]


def traced(text: str, launch: ConcreteLaunch) -> dict[tuple[str, tuple[int, ...]], list[Done]] | None:
    """The accesses of each element, or None when the run does not come to its end."""
    log: dict[tuple[str, tuple[int, ...]], list[Done]] = defaultdict(list)

    class Tracing(simulate.Record):
        def note(self, name: str, element: tuple[int, ...], mode: str) -> None:
            super().note(name, element, mode)
            frame = sys._getframe()
            while frame.f_code.co_name != "k":
                assert frame.f_back is not None
                frame = frame.f_back
            found = {n: v for n, v in frame.f_locals.items() if re.fullmatch(r"[kw]\d+", n)}
            log[name, element].append(
                Done(self.thread, self.segments.rounds, frame.f_lineno, mode, tuple(sorted(found.items())))
            )

    record, _, whole = simulate.record_of(text, launch, Tracing())
    return log if whole and not record.out_of_range else None


def meetings(log: dict[tuple[str, tuple[int, ...]], list[Done]]) -> Iterator[tuple[str, Done, Done]]:
    """Accesses of two threads of one block in one interval that need an order."""
    for (name, _), done in log.items():
        for a, b in itertools.combinations(dict.fromkeys(done), 2):
            together = a.thread != b.thread and a.thread[0] == b.thread[0] and a.interval == b.interval
            if together and (a.mode != b.mode or a.mode == "write"):
                yield name.partition("@")[0], a, b


class Expected:
    """The pairs of a kernel with what a launch makes of their loops."""

    def __init__(self, program: Program) -> None:
        self.kernel = kernel(program.text)
        accesses = analyse(self.kernel)
        pairing = Pairing(self.kernel, accesses)
        self.pairs = [
            p for a, b in pairing.candidates() for p in pairing.scopes(a, b) if p.scope in ("any", "block")
        ]

    def allows(self, name: str, a: Done, b: Done, launch: ConcreteLaunch) -> bool:
        return any(
            p.first.array.name == name and (self._way(p, a, b, launch) or self._way(p, b, a, launch))
            for p in self.pairs
        )

    def _way(self, p: Pair, a: Done, b: Done, launch: ConcreteLaunch) -> bool:
        if not (_is(p.first, a) and _is(p.second, b)):
            return False
        return p.ways is None or any(self._holds(p, way, a, b, launch) for way in p.ways)

    def _holds(self, p: Pair, way: Any, a: Done, b: Done, launch: ConcreteLaunch) -> bool:
        for tie in way:
            mine = next((x for x in p.first.loops if x.span == tie.loop.span), None)
            other = next((x for x in p.second.loops if x.span == tie.loop.span), None)
            if mine is None or other is None or tie.gap is None:
                continue
            i, j = self._counters(mine, a, launch), self._counters(other, b, launch)
            if not any(y - x == tie.gap and tie.first in (None, x) for x in i for y in j):
                return False
        return True

    def _counters(self, loop: Loop, done: Done, launch: ConcreteLaunch) -> list[int]:
        """The iterations of the loop at which its variable has the value seen; all when nothing is known."""
        variables = dict(done.variables)
        if loop.value is None or loop.name not in variables:
            return list(range(12))
        base = environment(self.kernel, launch, done.thread).numbers
        out = []
        for i in range(12):
            try:
                value = evaluate(loop.value, Environment({**base, loop.counter.name: i}))
            except Unbound:
                return list(range(12))
            if value == variables[loop.name]:
                out.append(i)
        return out


def _is(a: Access, done: Done) -> bool:
    return a.span.row == done.row and a.mode == done.mode


@pytest.mark.parametrize("batch", range(4))
def test_what_happens_between_barriers_is_a_pair(batch: int) -> None:
    count = 0
    for seed in range(batch * 40, batch * 40 + 40):
        program = barriers.seeded(f"pairs/{seed}")
        expected = Expected(program)
        for launch in launches(program, 4, empty=False):
            log = traced(program.text, launch)
            for name, a, b in meetings(log) if log is not None else ():
                assert expected.allows(name, a, b, launch), (
                    f"seed {seed}: {name} {a} {b}\n{program.text}\n{launch}"
                )
                count += 1
    assert count > 50


def test_a_barrier_between_leaves_no_pair() -> None:
    k = kernel(
        "@cuda.jit\ndef k(x):\n    s = cuda.shared.array(64, numba.int32)\n    s[cuda.threadIdx.x] = 1\n"
        "    cuda.syncthreads()\n    x[cuda.grid(1)] = s[0]\n"
    )
    pairing = Pairing(k, analyse(k))
    found = [
        p for a, b in pairing.candidates() for p in pairing.scopes(a, b) if p.first.array.space == "shared"
    ]
    assert [p.kind for p in found] == ["write-write"]


def test_two_values_at_one_place_are_two_writes() -> None:
    k = kernel("@cuda.jit\ndef k(x):\n    x[0] = 1\n    x[0] = 2\n")
    assert len(list(Pairing(k, analyse(k)).candidates())) == 3
