"""GL602."""

from __future__ import annotations

from gpulint.rules import words
from gpulint.rules.base import VerdictRule, View
from gpulint.rules.covered.causes import grid_at_fault
from gpulint.solver.verdict import Verdict, Witness


class OutputPartlyUnwritten(VerdictRule):
    """A launch leaves elements of an output unwritten that the host allocated without values.

    ## What it does
    Reports an output that the host allocated without values of which some element is skipped by
    the kernel's guards or strides, or lies beyond the grid.

    ## Why is this bad
    The elements keep whatever the memory held before, and differ from run to run.

    ## Example
    ```python
    @cuda.jit
    def inner(x, out):
        i = cuda.grid(1)
        if 0 < i < x.size - 1:
            out[i] = x[i - 1] + x[i + 1]

    out = cuda.device_array_like(x)
    ```

    ## Use instead
    ```python
    @cuda.jit
    def inner(x, out):
        i = cuda.grid(1)
        if 0 < i < x.size - 1:
            out[i] = x[i - 1] + x[i + 1]

    out = cuda.to_device(np.zeros_like(x))
    ```
    """

    code = "GL602"
    name = "output-partly-unwritten"
    property = "covered"

    def claims(self, verdict: Verdict, view: View) -> bool:
        return verdict.obligation.kind == "output" and not grid_at_fault(verdict, view)

    def message(self, verdict: Verdict, witness: Witness) -> str:
        return f"no {words.one(witness)} writes {words.element(witness)}, which the host left without a value"

    def help(self, verdict: Verdict) -> str:
        return "write the remaining elements too, or fill the array before the launch"
