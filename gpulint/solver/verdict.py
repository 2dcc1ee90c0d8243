"""Obligations and verdicts: what is asked of a kernel, and what can honestly be answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpulint.contract.clause import Clause
from gpulint.dataflow.access import Access, IntOp, LeftOut, Sync
from gpulint.frontend.host.site import LaunchSite
from gpulint.interp.launch import Point
from gpulint.ir.span import Span

PROVED, UNDER, REFUTED, UNDECIDED = "proved", "proved-under", "refuted", "undecided"
PROGRAM = "program"  # the scope of an obligation on the order within one program
ADVICE = ("negative", "extreme", "late")  # kinds of obligations that may be meant so: told, but no fault
PROPERTIES = (
    "in-range", "disjoint", "no-wrap", "convergent", "initialised", "covered", "contract", "no-alias",
)  # fmt: skip


@dataclass(frozen=True)
class Obligation:
    """One question. `kind` refines the property (`read`, `write`, `tail`, `write-write`, ...).

    `scope`: of a race in a kernel with barriers, `blocks` (threads of different blocks) or `block`
    (threads of one); of tile kernels also `lanes` (of one store) and `program`; empty for any two threads.
    """

    property: str
    kind: str
    span: Span
    access: Access | None = None
    other: Access | None = None
    op: IntOp | None = None
    axis: int | None = None  # which subscript check of `access`
    sync: Sync | None = None
    scope: str = ""
    lanes: LeftOut | None = None  # the lanes of a load, and their use


@dataclass(frozen=True)
class Witness:
    """Concrete numbers that break an obligation; `replayed` once the interpreter confirmed them.

    `params` maps the user's names (`n`, `x.shape[0]`, host symbols) to numbers, `values` maps
    sub-terms worth showing (the index, its parts) to numbers, `element` the array and subscripts,
    `points` the one or two points, `trips` loop variables to their values for each point. `tile`: of a tile
    kernel, how many axes the tile at the points has (none at all for a scalar); None for threads.
    """

    params: Mapping[str, int]
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    points: tuple[Point, ...]
    array: str = ""
    element: tuple[int, ...] = ()
    extents: tuple[int, ...] = ()
    values: Mapping[str, int] = field(default_factory=dict)
    trips: tuple[Mapping[str, int], ...] = ()
    replayed: bool = False
    tile: int | None = None


@dataclass(frozen=True)
class Verdict:
    """The answer to one obligation.

    `clauses`: what it holds under (proved-under). `site`: the launch site it was decided or refuted
    for; None: for any parameters. `geometry`: the refutation is for the usual launches only (a
    geometry clause that no launch site or declared contract gives). `rung`: what decided it.
    `assumptions`: names of the standing assumptions that were used. `settle`: the clause that would
    settle an undecided one. `exact`: `clauses` settle an undecided one, and say how large the launch is.
    """

    obligation: Obligation
    kind: str
    reason: str = ""
    clauses: tuple[Clause, ...] = ()
    witness: Witness | None = None
    site: LaunchSite | None = None
    geometry: bool = False
    rung: str = ""
    assumptions: tuple[str, ...] = ()
    settle: str = ""
    exact: bool = False


@dataclass(frozen=True)
class SiteVerdict:
    """How one launch site stands to the kernel's contract: meets, violates or undecided."""

    site: LaunchSite
    status: str
    clause: Clause | None = None
    witness: Witness | None = None
    reason: str = ""


@dataclass(frozen=True)
class KernelResult:
    """Everything decided of one kernel. `status`: verified, refuted, undecided or unsupported."""

    verdicts: tuple[Verdict, ...]
    sites: tuple[SiteVerdict, ...]
    status: str
    declared: tuple[Clause, ...] = ()
    inferred: tuple[Clause, ...] = ()
    assumed: tuple[str, ...] = ()
