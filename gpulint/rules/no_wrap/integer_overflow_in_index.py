"""GL401."""

from __future__ import annotations

from gpulint.ir.printer import type_name
from gpulint.rules import words
from gpulint.rules.base import VerdictRule
from gpulint.solver.verdict import Verdict, Witness


class IntegerOverflowInIndex(VerdictRule):
    """Integer arithmetic on the way to an index or a guard leaves its width.

    ## What it does
    Reports an integer operation whose result feeds an address or a guard and does not fit the type
    that it is computed in. A product that is widened only afterwards (`(row * n + col).to(tl.int64)`) is told
    as a warning even where no array is assumed to be that large: the cast shows that it may be.

    ## Why is this bad
    The result wraps around: the index lands somewhere else, or a guard lets the wrong threads
    through. It shows only on large inputs.

    ## Example
    ```python
    @cuda.jit
    def copy(x, out, row, width):
        i = np.int32(cuda.grid(1))
        at = np.int32(row) * np.int32(width) + i
        if i < width:
            out[at] = x[at]
    ```

    ## Use instead
    ```python
    @cuda.jit
    def copy(x, out, row, width):
        i = cuda.grid(1)
        at = np.int64(row) * np.int64(width) + i
        if i < width:
            out[at] = x[at]
    ```
    """

    code = "GL401"
    name = "integer-overflow-in-index"
    property = "no-wrap"

    def message(self, verdict: Verdict, witness: Witness) -> str:
        op = verdict.obligation.op
        who = f" in {words.point(witness.points[0], witness)}" if witness.points else ""
        if op is None:
            return f"an integer operation leaves its width{who}"
        value = witness.values.get(op.text)
        came = f" comes to {value} and" if value is not None else ""
        feeds = {"address": "an index", "guard": "a guard"}.get(op.feeds, op.feeds)
        if verdict.obligation.kind == "late":
            return f"`{op.text}`{came} does not fit {type_name(op.type)}{who}, and is widened only afterwards"
        return f"`{op.text}`{came} does not fit {type_name(op.type)}{who}; it feeds {feeds}"

    def label(self, verdict: Verdict, witness: Witness) -> str:
        op = verdict.obligation.op
        return words.computed(op.text, op.term, witness) if op is not None else ""

    def help(self, verdict: Verdict) -> str:
        if words.tiles(verdict.witness):
            return "widen an operand before the operation: `.to(tl.int64)`"
        return "widen an operand before the operation: `np.int64(...)`"
