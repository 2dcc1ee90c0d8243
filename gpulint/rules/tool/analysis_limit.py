"""GL003."""

from __future__ import annotations

from gpulint.ir.span import Span
from gpulint.rules.base import Rule
from gpulint.rules.finding import WARNING, Finding


class AnalysisLimit(Rule):
    """The analysis of a file was cut off.

    ## What it does
    Reports a file whose check ran out of memory or past the last-resort time limit, or whose
    worker process ended without an answer. The other files are still checked.

    ## Why is this bad
    Nothing in the file counts as checked.

    ## Example
    ```python
    # one file with thousands of generated kernels
    ```

    ## Use instead
    ```python
    # the kernels split over several files
    ```
    """

    code = "GL003"
    name = "analysis-limit"
    property = "style"

    def report(self, reason: str, filename: str) -> Finding:
        """The finding of one file that was given up."""
        return self.finding(WARNING, f"the file was not checked: {reason}", Span(filename, 1, 0, 1, 0))
