"""GL102."""

from __future__ import annotations

from gpulint.rules.base import View
from gpulint.rules.bounds import OutOfRange, negative, tail, writes
from gpulint.solver.verdict import Verdict


class OutOfRangeWrite(OutOfRange):
    """A thread writes an element past the end of its array.

    ## What it does
    Reports a store or an atomic update whose subscript can reach or pass the extent of the array
    while its guard holds.

    ## Why is this bad
    The device checks no bounds. The store overwrites other data, silently, or the launch fails with
    an illegal memory access; which of the two depends on what lies behind the array.

    ## Example
    ```python
    @cuda.jit
    def fill(out, n):
        i = cuda.grid(1)
        if i <= n:
            out[i] = 0.0

    out = cuda.device_array(n)
    fill[(n + 255) // 256, 256](out, n)
    ```

    ## Use instead
    ```python
    @cuda.jit
    def fill(out, n):
        i = cuda.grid(1)
        if i < n:
            out[i] = 0.0
    ```
    """

    code = "GL102"
    name = "out-of-range-write"

    def claims(self, verdict: Verdict, view: View) -> bool:
        return writes(verdict) and not (tail(verdict) or negative(verdict))
