"""GL503."""

from __future__ import annotations

from collections.abc import Iterator

from gpulint.ir.symbols import block, thread
from gpulint.ir.tiles import DIALECTS
from gpulint.rules import launching
from gpulint.rules.base import Rule, View, severity
from gpulint.rules.finding import ERROR, Finding, Related
from gpulint.term import symbols


class LaunchRankMismatch(Rule):
    """A kernel indexes another number of dimensions than its launch has.

    ## What it does
    Reports a launch whose grid and block both have fewer dimensions than the kernel's index calls
    (`cuda.grid(2)`) where the index along a missing one selects elements, and a launch with several
    threads along a dimension that the kernel never looks at. A launch of a single thread is fine.

    ## Why is this bad
    A missing dimension has the one coordinate 0, so that only the first row is worked on. Along a
    dimension too many all threads do the same work on the same elements.

    ## Example
    ```python
    @cuda.jit
    def scale(x):
        i, j = cuda.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            x[i, j] *= 2.0

    scale[blocks, 256](x)
    ```

    ## Use instead
    ```python
    scale[(blocks_x, blocks_y), (16, 16)](x)
    ```
    """

    code = "GL503"
    name = "launch-rank-mismatch"
    property = "contract"

    def check(self, view: View) -> Iterator[Finding]:
        rank, name = view.accesses.rank, view.kernel.qualname
        for s in view.result.sites if view.kernel.dialect not in DIALECTS else ():
            grid, block = s.site.grid, s.site.block
            if s.site.forall or not s.site.ranked or grid is None or block is None:
                continue
            given = max(len(grid), len(block))
            if all(size.value == 1 for size in (*grid, *block)):
                continue  # a single thread, however it is written
            if given < rank and any(_reaches(view, axis) for axis in range(given, rank)):
                message = f"`{name}` indexes {rank} dimensions, but this launch has {given}"
                yield self.finding(
                    ERROR, message, s.site.span, kernel=name,
                    help=f"launch with a grid and a block of {rank} dimensions",
                    related=(Related(f"indexes {rank} dimensions", view.kernel.header),),
                )  # fmt: skip
        for v in launching.contract_verdicts(view, (launching.RANK,)):
            message = v.reason or "the launch has other dimensions than the kernel indexes"
            yield self.finding(severity(v, view.result), message, v.obligation.span, kernel=name)


def _reaches(view: View, axis: int) -> bool:
    """Whether the coordinate along an axis is part of a subscript: its one value leaves elements out."""
    used = {s.name for a in view.accesses.accesses for s in symbols(*a.subscripts)}
    return str(thread(axis)) in used or str(block(axis)) in used
