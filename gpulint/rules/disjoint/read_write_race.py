"""GL302."""

from __future__ import annotations

from gpulint.rules import words
from gpulint.rules.base import View
from gpulint.rules.races import Race, accumulates, barrier_help, modes
from gpulint.solver.verdict import Verdict


class ReadWriteRace(Race):
    """A thread reads an element that another thread writes, and nothing orders them.

    ## What it does
    Reports a load and a store of two different threads that can meet in an element with no barrier
    between them.

    ## Why is this bad
    The load sees the value before or after the store, as timing has it. Blocks run in any order, so
    a result that looks right may change with the size of the grid.

    ## Example
    ```python
    @cuda.jit
    def smooth(x):
        i = cuda.grid(1)
        if i + 1 < x.size:
            x[i] = 0.5 * (x[i] + x[i + 1])
    ```

    ## Use instead
    ```python
    @cuda.jit
    def smooth(x, out):
        i = cuda.grid(1)
        if i + 1 < x.size and i < out.size:
            out[i] = 0.5 * (x[i] + x[i + 1])
    ```
    """

    code = "GL302"
    name = "read-write-race"

    def claims(self, verdict: Verdict, view: View) -> bool:
        return modes(verdict) == {"read", "write"} and not accumulates(verdict, view)

    def help(self, verdict: Verdict) -> str:
        w = verdict.witness
        if words.tiles(w) and w is not None and w.points and w.points[0][0] == w.points[-1][0]:
            return "put `tl.debug_barrier()` between the two"
        return barrier_help(
            verdict, "read from one array and write to another, or split the work into two launches"
        )
