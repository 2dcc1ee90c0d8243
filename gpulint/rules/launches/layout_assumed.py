"""GL514."""

from __future__ import annotations

from collections.abc import Iterator

from gpulint.rules import launching, words
from gpulint.rules.base import Rule, View, launched, severity
from gpulint.rules.finding import Finding


class LayoutAssumed(Rule):
    """A kernel runs through a tensor as if it had no gaps, and the host lets callers pass one that has.

    ## What it does
    Reports an access of a tile kernel that comes to a place between the elements of its tensor, at a launch
    that takes the tensor in any layout. So it is of tensors whose stride another access of the kernel uses,
    and of the parameters of public functions that return a result, where the code neither passes their
    strides on, nor asks about them, nor calls `.contiguous()`. Vectors that are only read are left to the
    caller.

    ## Why is this bad
    A view like `base[:, ::2]` is a tensor too. Flat offsets up to `x.numel()` then go to elements of the base
    that are none of the view's: the result is wrong, and a store changes what nobody passed.

    ## Example
    ```python
    def fill_(x, value):
        n = x.numel()
        fill[(triton.cdiv(n, 1024),)](x, value, n, BLOCK=1024)
    ```

    ## Use instead
    ```python
    def fill_(x, value):
        assert x.is_contiguous()
        n = x.numel()
        fill[(triton.cdiv(n, 1024),)](x, value, n, BLOCK=1024)
    ```
    """

    code = "GL514"
    name = "layout-assumed"
    property = "contract"

    def check(self, view: View) -> Iterator[Finding]:
        for v in launching.contract_verdicts(view, (launching.GAPS,)):
            w, o = v.witness, v.obligation
            if w is None or o.access is None:
                continue
            does, where = words.verb(o.access), words.element(w)
            message = f"this {does} {where}, between two elements of {v.reason} when that is a view with gaps"
            help_ = f"require `{v.reason}.is_contiguous()`, make it contiguous, or pass its strides"
            yield self.finding(
                severity(v, view.result), message, o.span, kernel=view.kernel.qualname,
                related=launched(v, w), witness=w, help=help_,
            )  # fmt: skip
