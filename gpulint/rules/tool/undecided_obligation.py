"""GL011."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gpulint.rules.base import Rule, View, undecided_severity
from gpulint.rules.finding import Finding
from gpulint.solver.verdict import UNDECIDED


class UndecidedObligation(Rule):
    """An obligation is neither proved nor refuted.

    ## What it does
    Names an access or launch for which a property stayed open, why, and the clause that would
    settle it. The finding carries the property in question. `--deny undecided` makes it a warning.

    ## Why is this bad
    It is not known to be wrong, and not known to be right.

    ## Example
    ```python
    @cuda.jit
    def scatter(idx, x, out):
        i = cuda.grid(1)
        if i < idx.size:
            out[idx[i]] = x[i]
    ```

    ## Use instead
    ```python
    @gpulint.contract(requires=["injective(idx)", "within(idx, 0, out.size)"])
    @cuda.jit
    def scatter(idx, x, out):
        i = cuda.grid(1)
        if i < idx.size:
            out[idx[i]] = x[i]
    ```
    """

    code = "GL011"
    name = "undecided"
    property = "style"

    def check(self, view: View) -> Iterator[Finding]:
        for v in view.result.verdicts:
            if v.kind != UNDECIDED:
                continue
            o = v.obligation
            what = f"`{o.access.text}`" if o.access is not None and o.access.text else "this place"
            message = f"{o.property} of {what} is undecided: {v.reason or 'no proof and no counterexample'}"
            found = self.finding(
                undecided_severity(view), message, o.span, kernel=view.kernel.qualname,
                help=f"this clause would settle it: `{v.settle}`" if v.settle else "",
            )  # fmt: skip
            yield replace(found, property=o.property)
