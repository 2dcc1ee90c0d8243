"""GL515."""

from __future__ import annotations

from collections.abc import Iterator

from gpulint.rules import launching
from gpulint.rules.base import Rule, View, launched, severity
from gpulint.rules.finding import Finding, Related


class WidthOfAnotherTensor(Rule):
    """A flat index over one tensor is taken apart into row and column by the row length of another.

    ## What it does
    Reports a quotient of a tile kernel whose dividend runs over all elements of one tensor and whose divisor
    is the row length of another, at a launch whose code checks only that the first is no wider.

    ## Why is this bad
    Where the first tensor is narrower, its second row begins before the quotient is one: elements are paired
    with rows and columns that are not theirs. All places stay in range, so nothing fails.

    ## Example
    ```python
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)   # below index.numel()
    row, col = offs // src_cols, offs % src_cols
    ```

    ## Use instead
    ```python
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row, col = offs // index_cols, offs % index_cols
    ```
    """

    code = "GL515"
    name = "width-of-another-tensor"
    property = "contract"

    def check(self, view: View) -> Iterator[Finding]:
        for v in launching.contract_verdicts(view, (launching.ROW_WIDTH,)):
            w, o = v.witness, v.obligation
            if w is None or o.access is None:
                continue
            message = f"this divides an index by another tensor's row length: {v.reason}"
            related = (Related("where the index is used", o.access.span), *launched(v, w))
            yield self.finding(
                severity(v, view.result), message, o.span, kernel=view.kernel.qualname, related=related,
                witness=w, help="divide by the row length of the tensor over whose elements the index runs",
            )  # fmt: skip
