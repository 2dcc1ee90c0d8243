"""GL010."""

from __future__ import annotations

from collections.abc import Iterator

from gpulint.rules.base import Rule, View, undecided_severity
from gpulint.rules.finding import Finding
from gpulint.solver.options import unassumed


class UnsupportedConstruct(Rule):
    """A construct in a kernel is not understood.

    ## What it does
    Names a statement or expression that gpulint does not model. What may depend on it stays
    undecided; the rest of the kernel is checked.

    ## Why is this bad
    It is no fault of the kernel, but the kernel cannot be proved.

    ## Example
    ```python
    @cuda.jit
    def kernel(x):
        x[:] = 0.0  # a whole-array assignment
    ```

    ## Use instead
    ```python
    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = 0.0
    ```
    """

    code = "GL010"
    name = "unsupported-construct"
    property = "style"

    def check(self, view: View) -> Iterator[Finding]:
        left = unassumed(view.kernel, view.result.assumed)
        for reason, span in dict.fromkeys((*view.accesses.unsupported, *left)):
            message = f"not understood: {reason}"
            yield self.finding(undecided_severity(view), message, span, kernel=view.kernel.qualname)
