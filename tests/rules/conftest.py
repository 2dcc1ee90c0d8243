"""Hand-made kernels, accesses and verdicts for the rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from gpulint.contract.clause import Clause
from gpulint.dataflow.access import Access, AccessSet, Array
from gpulint.frontend.host.site import LaunchSite
from gpulint.ir import symbols as s
from gpulint.ir.nodes import Kernel
from gpulint.ir.span import Span
from gpulint.ir.types import FLOAT32
from gpulint.rules.apply import findings
from gpulint.rules.base import View
from gpulint.rules.finding import Finding
from gpulint.solver.verdict import (
    REFUTED,
    KernelResult,
    Obligation,
    SiteVerdict,
    Verdict,
    Witness,
)
from gpulint.term import TRUE, Bool, Int, const


def place(row: int, column: int = 4, width: int = 6) -> Span:
    return Span("scale.py", row, column, row, column + width)


GRID = s.block(0) * s.block_size(0) + s.thread(0)


@dataclass
class Bench:
    """Builds one kernel's view piece by piece; `found` applies all rules to it."""

    accesses: list[Access] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    sites: list[SiteVerdict] = field(default_factory=list)
    declared: tuple[Clause, ...] = ()
    unsupported: tuple[tuple[str, Span], ...] = ()
    rank: int = 1
    deny: bool = False

    def access(self, mode: str, index: Int = GRID, row: int = 9, guard: Bool = TRUE, text: str = "i",
               reads: tuple[int, ...] = ()) -> Access:  # fmt: skip
        extent = s.extent("out", 0, 1)
        array = Array("out", "global", FLOAT32, (extent,), True, True, place(1))
        made = Access(
            len(self.accesses), array, mode, (index,), ((index, extent),), guard, (), place(row),
            text=f"out[{text}]", subscript_texts=(text,), reads=reads,
        )  # fmt: skip
        self.accesses.append(made)
        return made

    def site(self, grid: tuple[Int, ...] | None = None, block: tuple[Int, ...] | None = None) -> LaunchSite:
        return LaunchSite("scale", place(15, width=31), grid or (const(4),), block or (const(256),), {})

    def refute(self, prop: str, kind: str, witness: Witness | None, access: Access | None = None,
               other: Access | None = None, **more: Any) -> None:  # fmt: skip
        span = access.span if access is not None else place(9)
        question = Obligation(prop, kind, span, access, other, op=more.pop("op", None))
        self.verdicts.append(Verdict(question, more.pop("verdict", REFUTED), witness=witness, **more))

    def view(self) -> View:
        kernel = Kernel("scale", "scale", "numba", (), (), place(6, 0, 20), place(6, 0, 20))
        arrays = {a.array.name: a.array for a in self.accesses}
        accesses = AccessSet(
            tuple(self.accesses), arrays, (), (), (), self.rank, unsupported=self.unsupported
        )
        status = "refuted" if self.verdicts else "verified"
        result = KernelResult(tuple(self.verdicts), tuple(self.sites), status, self.declared)
        return View(kernel, accesses, result, self.deny)

    def found(self) -> list[Finding]:
        return findings(self.view())

    def one(self) -> Finding:
        (only,) = self.found()
        return only


def at(block: int, thread: int) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    return (block, 0, 0), (thread, 0, 0)


def tail_witness(element: int = 1000, **more: Any) -> Witness:
    """The last block of four: thread 232 of block 3 is the first past 1000 elements."""
    return Witness(
        {"out.size": 1000, "unused": 7}, (4, 1, 1), (256, 1, 1), (at(3, 232),), "out", (element,), (1000,),
        **more,
    )  # fmt: skip


def race_witness() -> Witness:
    return Witness({"out.size": 8}, (1, 1, 1), (2, 1, 1), (at(0, 0), at(0, 1)), "out", (0,), (8,))


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture
def make() -> Any:
    """The builders that tests need by name."""

    class Make:
        tail, race, point, place, grid = (
            staticmethod(tail_witness), staticmethod(race_witness), staticmethod(at), staticmethod(place),
            GRID,
        )  # fmt: skip

    return Make
