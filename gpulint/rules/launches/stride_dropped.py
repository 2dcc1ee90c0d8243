"""GL513."""

from __future__ import annotations

from collections.abc import Iterator

from gpulint.rules import launching, words
from gpulint.rules.base import Rule, View, launched, severity
from gpulint.rules.finding import Finding, Related


class StrideDropped(Rule):
    """A kernel steps along one axis of a tensor by its stride in one access, and without it in another.

    ## What it does
    Reports an access of a tile kernel that leaves out a stride which another access of the same tensor
    uses for the same axis, or takes another tensor's, at a launch that passes strides of any size.

    ## Why is this bad
    The two accesses go to the same elements of contiguous tensors only. For a transposed tensor or a slice
    of columns the second reads other elements, mostly without leaving the memory: nothing fails.

    ## Example
    ```python
    x = tl.load(X + cols * stride_col, mask=cols < n, other=0.0)
    total = tl.sum(x, axis=0)
    x = tl.load(X + cols, mask=cols < n, other=0.0)
    ```

    ## Use instead
    ```python
    x = tl.load(X + cols * stride_col, mask=cols < n, other=0.0)
    total = tl.sum(x, axis=0)
    x = tl.load(X + cols * stride_col, mask=cols < n, other=0.0)
    ```
    """

    code = "GL513"
    name = "stride-dropped"
    property = "contract"

    def check(self, view: View) -> Iterator[Finding]:
        for v in launching.contract_verdicts(view, (launching.STRIDE,)):
            w, o = v.witness, v.obligation
            if w is None or o.access is None or o.other is None:
                continue
            message = f"this goes to {words.element(w)}, and {v.reason}"
            related = (Related("the access with the stride", o.other.span), *launched(v, w))
            yield self.finding(
                severity(v, view.result), message, o.span, kernel=view.kernel.qualname, related=related,
                witness=w, help="multiply by the same stride, or have the host make the tensor contiguous",
            )  # fmt: skip
