"""GL601."""

from __future__ import annotations

from gpulint.rules import words
from gpulint.rules.base import VerdictRule, View
from gpulint.solver.verdict import Verdict, Witness


class GridLeavesElementsUncovered(VerdictRule):
    """The launch is too small: no thread of it writes some elements of an output.

    ## What it does
    Reports an output that the host allocated without values of which some element is written by no
    thread of the launch, since the grid has too few blocks.

    ## Why is this bad
    The elements keep whatever the memory held before. Rounding the grid down instead of up is the
    usual cause.

    ## Example
    ```python
    out = cuda.device_array(n)
    fill[n // 256, 256](out)
    ```

    ## Use instead
    ```python
    out = cuda.device_array(n)
    fill[(n + 255) // 256, 256](out)
    ```
    """

    code = "GL601"
    name = "grid-leaves-elements-uncovered"
    property = "covered"

    def claims(self, verdict: Verdict, view: View) -> bool:
        return verdict.obligation.kind != "partial"

    def message(self, verdict: Verdict, witness: Witness) -> str:
        return f"no thread of the launch writes {words.element(witness)}, which the host left without a value"

    def help(self, verdict: Verdict) -> str:
        return "round the grid up: `(n + threads - 1) // threads`"
