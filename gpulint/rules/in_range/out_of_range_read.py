"""GL101."""

from __future__ import annotations

from gpulint.rules.base import View
from gpulint.rules.bounds import OutOfRange, negative, tail, writes
from gpulint.solver.verdict import Verdict


class OutOfRangeRead(OutOfRange):
    """A thread reads an element past the end of its array.

    ## What it does
    Reports a load whose subscript can reach or pass the extent of the array while its guard holds.

    ## Why is this bad
    The device checks no bounds. The load returns whatever lies behind the array, or the launch
    fails with an illegal memory access, often only for some sizes.

    ## Example
    ```python
    @cuda.jit
    def diff(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = x[i + 1] - x[i]
    ```

    ## Use instead
    ```python
    @cuda.jit
    def diff(x, out):
        i = cuda.grid(1)
        if i + 1 < x.size:
            out[i] = x[i + 1] - x[i]
    ```
    """

    code = "GL101"
    name = "out-of-range-read"

    def claims(self, verdict: Verdict, view: View) -> bool:
        return not (writes(verdict) or tail(verdict) or negative(verdict))
