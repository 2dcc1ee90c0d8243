"""GL001."""

from __future__ import annotations

from gpulint.ir.span import Span
from gpulint.rules.base import Rule
from gpulint.rules.finding import ERROR, Finding
from gpulint.source.model import SourceError


class SyntaxErrorRule(Rule):
    """A file cannot be read as Python.

    ## What it does
    Reports a file that cannot be opened, decoded or parsed, or that is too large or too deeply
    nested to be checked. It counts as an error; the other files are still checked.

    ## Why is this bad
    Nothing in the file was checked.

    ## Example
    ```python
    @cuda.jit
    def kernel(x)
        x[0] = 1
    ```

    ## Use instead
    ```python
    @cuda.jit
    def kernel(x):
        x[0] = 1
    ```
    """

    code = "GL001"
    name = "syntax-error"
    property = "style"

    def report(self, error: SourceError) -> Finding:
        """The finding of one source error."""
        at = Span(error.filename, error.row, error.column, error.row, error.column + 1)
        return self.finding(ERROR, error.message, at)
