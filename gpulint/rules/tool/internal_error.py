"""GL002."""

from __future__ import annotations

from gpulint.ir.span import Span
from gpulint.rules.base import Rule
from gpulint.rules.finding import INFO, Finding


class InternalError(Rule):
    """gpulint failed on a kernel or a file.

    ## What it does
    Reports, in one line, that the analysis of a kernel or of a whole file ended in an error of
    gpulint itself. The kernel counts as undecided; everything else is still checked.

    ## Why is this bad
    The kernel was not checked, and the cause is a defect of gpulint that is worth reporting.

    ## Example
    ```python
    @cuda.jit
    def kernel(x):  # uses something that gpulint trips over
        ...
    ```

    ## Use instead
    ```python
    # gpulint: ignore[GL002] reported upstream
    @cuda.jit
    def kernel(x):
        ...
    ```
    """

    code = "GL002"
    name = "internal-error"
    property = "style"

    def report(self, reason: str, span: Span, kernel: str = "") -> Finding:
        """The finding of one failure; `reason` is a single line."""
        what = f"`{kernel}` was not checked in full" if kernel else "the file was not checked"
        return self.finding(INFO, f"{what}: internal error: {reason}", span, kernel=kernel)
