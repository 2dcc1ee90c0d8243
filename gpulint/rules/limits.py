"""Which sizes of a launch are certainly outside what every device allows."""

from __future__ import annotations

from collections.abc import Iterator

from gpulint.frontend.host.site import LaunchSite
from gpulint.ir.span import Span
from gpulint.ir.symbols import AXES, MAX_BLOCK, MAX_GRID, MAX_THREADS
from gpulint.rules.launching import above, value
from gpulint.term import ONE, mul


def threads(site: LaunchSite) -> Iterator[tuple[str, Span]]:
    """More threads in a block than any device runs."""
    total = ONE
    for size in site.block or ():
        total = mul(total, size)
    if total.lo is not None and total.lo > MAX_THREADS:
        text = f"a block of {value(total, total.lo)} threads is over the limit of {MAX_THREADS}"
        yield text, site.block_span or site.span


def block_axes(site: LaunchSite) -> Iterator[tuple[str, Span]]:
    """A block longer than its axis allows, or empty; too many threads in all are told first."""
    for axis, size in enumerate(site.block or ()):
        found = above(size, MAX_BLOCK[axis])
        if found is not None and not any(threads(site)):
            limit = f"1 to {MAX_BLOCK[axis]}"
            text = f"block.{AXES[axis]} is {value(size, found)}; devices allow {limit}"
            yield text, site.block_span or site.span


def grid_axes(site: LaunchSite) -> Iterator[tuple[str, Span]]:
    """A grid longer than its axis allows, or empty."""
    for axis, size in enumerate(site.grid or ()):
        found = above(size, MAX_GRID[axis])
        if found is not None:
            text = f"grid.{AXES[axis]} is {value(size, found)}; devices allow 1 to {MAX_GRID[axis]}"
            yield text, site.grid_span or site.span


def broken(site: LaunchSite) -> bool:
    """Whether any limit is certainly broken."""
    return any(any(check(site)) for check in (threads, block_axes, grid_axes))
