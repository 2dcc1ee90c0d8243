"""What a device accepts as a launch.

Source: CUDA C++ Programming Guide, "Compute Capabilities" (technical specifications per compute
capability, and the section on shared memory of each). The limits on block and grid are the same for
every architecture from 7.5 on; shared memory above 48 KiB a block needs an opt-in at run time.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpulint.contract.clause import Clause
from gpulint.ir.symbols import AXES, MAX_BLOCK, MAX_GRID, MAX_THREADS
from gpulint.term import ONE, TRUE, Bool, Int, and_, ge, le, mul, show

KIB = 1024
MULTIPROCESSORS = 192  # no device of the table has more; each holds so many blocks and threads at most:
RESIDENT_BLOCKS = 32
RESIDENT_THREADS = 2048
COOPERATIVE = Clause(predicate="cooperative", bounds=(ONE,), text="cooperative")
STATIC_SHARED = 48 * KIB


@dataclass(frozen=True)
class DeviceLimits:
    """Limits of one compute capability (`cc` is 86 for 8.6). Sizes are in bytes."""

    cc: int
    opt_in_shared: int
    threads: int = MAX_THREADS
    block: tuple[int, int, int] = MAX_BLOCK
    grid: tuple[int, int, int] = MAX_GRID
    static_shared: int = STATIC_SHARED
    max_cluster: int = 1  # blocks of a portable cluster; 1: no clusters

    @property
    def arch(self) -> str:
        return f"sm_{self.cc}"


DEVICES = {
    d.arch: d
    for d in (
        DeviceLimits(75, 64 * KIB),
        DeviceLimits(80, 163 * KIB),
        DeviceLimits(86, 99 * KIB),
        DeviceLimits(87, 163 * KIB),
        DeviceLimits(89, 99 * KIB),
        DeviceLimits(90, 227 * KIB, max_cluster=8),
        DeviceLimits(100, 227 * KIB, max_cluster=8),
        DeviceLimits(103, 227 * KIB, max_cluster=8),
        DeviceLimits(120, 99 * KIB, max_cluster=8),
        DeviceLimits(121, 99 * KIB, max_cluster=8),
    )
}


@dataclass(frozen=True)
class LimitCondition:
    """One thing that must hold for the device to accept the launch.

    `condition` is over the terms given; `what` names the size (`block.y`, `threads a block`), `value`
    is its term, `least` and `limit` the smallest and the largest size that the device takes (a launch
    of no blocks or no threads is an error too). `name`: block-axis, grid-axis, threads-per-block,
    shared-memory, cooperative-grid.
    """

    name: str
    condition: Bool
    what: str
    value: Int
    least: int
    limit: int

    @property
    def message(self) -> str:
        return f"{self.what} is {show(self.value)}; the device takes {self.least} to {self.limit}"


def launch_conditions(
    grid: tuple[Int, ...] | None, block: tuple[Int, ...] | None, shared: Int | None = None,
    cooperative: bool = False,
) -> list[LimitCondition]:  # fmt: skip
    """What must hold of a launch with these sizes on every device from sm_75 on.

    Sizes that are not known (None) give no conditions. `shared` is the dynamic shared memory in
    bytes; more than every device can give is an error, an opt-in is the host's business. A `cooperative`
    launch holds all its blocks at once, which no device does with more than the table's largest could.
    Conditions that always hold are left out.
    """
    out: list[LimitCondition] = []
    for kind, sizes, limits in (("block", block, MAX_BLOCK), ("grid", grid, MAX_GRID)):
        for axis, size in enumerate((sizes or ())[:3]):
            out.append(_within(f"{kind}-axis", f"{kind}.{AXES[axis]}", size, 1, limits[axis]))
    if block is not None and len(block) > 1:
        out.append(
            _within("threads-per-block", "the number of threads a block", product(block), 1, MAX_THREADS)
        )
    if shared is not None:
        most = max(d.opt_in_shared for d in DEVICES.values())
        out.append(_within("shared-memory", "dynamic shared memory", shared, 0, most))
    if cooperative and grid is not None:
        what = "the number of blocks of a cooperative launch"
        out.append(_within("cooperative-grid", what, product(grid), 1, most_blocks(block)))
    return [c for c in out if c.condition != TRUE]


def most_blocks(block: tuple[Int, ...] | None) -> int:
    """Blocks of a cooperative launch that no device can hold more of."""
    threads = product(block or ()).value
    each = RESIDENT_BLOCKS if threads is None else min(RESIDENT_BLOCKS, RESIDENT_THREADS // max(1, threads))
    return MULTIPROCESSORS * max(1, each)


def product(sizes: tuple[Int, ...]) -> Int:
    """The product of the sizes along the axes."""
    out = ONE
    for size in sizes[:3]:
        out = mul(out, size)
    return out


def _within(name: str, what: str, size: Int, least: int, limit: int) -> LimitCondition:
    return LimitCondition(name, and_(ge(size, least), le(size, limit)), what, size, least, limit)


def devices_for(clauses: tuple[Clause, ...]) -> tuple[DeviceLimits, ...]:
    """The devices of the table that meet every limit clause; empty when no device does."""
    return tuple(d for d in DEVICES.values() if all(_meets(d, c) for c in clauses))


def _meets(d: DeviceLimits, c: Clause) -> bool:
    amount = c.bounds[0].value if c.bounds else None
    if amount is None:
        return True
    if c.predicate == "min_cc":
        return d.cc >= amount
    if c.predicate == "max_shared":
        return d.opt_in_shared >= amount
    if c.predicate == "min_blocks":
        return amount <= RESIDENT_BLOCKS
    if c.predicate == "cluster":
        return d.max_cluster >= amount
    return True  # every device of the table launches cooperatively
