"""GL603."""

from __future__ import annotations

from gpulint.rules import words
from gpulint.rules.base import VerdictRule, View
from gpulint.solver.verdict import Verdict, Witness


class RowBeyondBlock(VerdictRule):
    """A block that the host caps is shorter than the row, and the rest of the row is never read.

    ## What it does
    Reports a load of a tile kernel that takes one block of a row where the host limits the block's length,
    so that elements of a longer row are not read by any program, though all are when the row fits.

    ## Why is this bad
    A sum, a maximum or a norm is then that of the row's beginning. Nothing fails, and short rows come out
    right.

    ## Example
    ```python
    block = min(triton.next_power_of_2(n), 4096)
    row_sum[(m,)](x, out, n, BLOCK=block)
    ```

    ## Use instead
    ```python
    block = triton.next_power_of_2(n)
    assert block <= 4096, "longer rows need a loop"
    row_sum[(m,)](x, out, n, BLOCK=block)
    ```
    """

    code = "GL603"
    name = "row-beyond-block"
    property = "covered"

    def claims(self, verdict: Verdict, view: View) -> bool:
        return verdict.obligation.kind == "input"

    def message(self, verdict: Verdict, witness: Witness) -> str:
        return f"no program reads {words.element(witness)}: {verdict.reason}"

    def help(self, verdict: Verdict) -> str:
        return "loop over the row in blocks, or refuse rows that are longer than the block"
