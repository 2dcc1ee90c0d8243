"""GL103."""

from __future__ import annotations

from gpulint.rules.base import View
from gpulint.rules.bounds import OutOfRange, negative
from gpulint.solver.verdict import Verdict


class NegativeIndex(OutOfRange):
    """A subscript goes below the start of its array.

    ## What it does
    Reports a load, store or atomic update whose subscript can be smaller than the array allows:
    below zero or, where negative subscripts count from the end, below minus the extent.

    ## Why is this bad
    The access touches memory before the array. A negative subscript that still wraps to an element
    touches the wrong one.

    ## Example
    ```python
    @cuda.jit
    def shift(x, out, k):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[i - k]
    ```

    ## Use instead
    ```python
    @cuda.jit
    def shift(x, out, k):
        i = cuda.grid(1)
        if i < out.size and 0 <= i - k < x.size:
            out[i] = x[i - k]
    ```
    """

    code = "GL103"
    name = "negative-index"

    def claims(self, verdict: Verdict, view: View) -> bool:
        return negative(verdict)
