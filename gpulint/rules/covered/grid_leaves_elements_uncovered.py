"""GL601."""

from __future__ import annotations

from gpulint.rules import words
from gpulint.rules.base import VerdictRule, View
from gpulint.solver.verdict import Verdict, Witness


class GridLeavesElementsUncovered(VerdictRule):
    """The launch is too small: it has no thread for some elements that the kernel means to write.

    ## What it does
    Reports a launch with fewer threads than the kernel's guard admits elements: the kernel would
    write an element for which the launch has no thread.

    ## Why is this bad
    The elements keep what the memory held before. Rounding the grid down instead of up is the
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
        return verdict.obligation.kind not in ("output", "input")

    def message(self, verdict: Verdict, witness: Witness) -> str:
        where = words.extents(witness) or "its array"
        return f"the launch has no {words.one(witness)} that writes {words.element(witness)}, with {where}"

    def help(self, verdict: Verdict) -> str:
        if words.tiles(verdict.witness):
            return "round the grid up: `triton.cdiv(n, BLOCK)`"
        return "round the grid up: `(n + threads - 1) // threads`"
