"""GL301."""

from __future__ import annotations

from gpulint.rules import words
from gpulint.rules.base import View
from gpulint.rules.races import Race, accumulates, modes
from gpulint.solver.verdict import Verdict


class WriteWriteRace(Race):
    """Two threads write the same element, and nothing orders them.

    ## What it does
    Reports plain stores of two different threads that can meet in an element with no barrier
    between them.

    ## Why is this bad
    Which value stays is a matter of timing: it differs between runs and devices. Between blocks not
    even a barrier helps.

    ## Example
    ```python
    @cuda.jit
    def halve(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i // 2] = x[i]
    ```

    ## Use instead
    ```python
    @cuda.jit
    def halve(x, out):
        i = cuda.grid(1)
        if i < out.size and 2 * i < x.size:
            out[i] = x[2 * i]
    ```
    """

    code = "GL301"
    name = "write-write-race"

    def claims(self, verdict: Verdict, view: View) -> bool:
        return modes(verdict) == {"write"} and not accumulates(verdict, view)

    def help(self, verdict: Verdict) -> str:
        if words.tiles(verdict.witness):
            return "give each program elements of its own, and mask the lanes past them"
        return "give each thread an element of its own, or let a single thread write"
