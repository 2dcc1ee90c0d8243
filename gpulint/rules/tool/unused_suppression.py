"""GL020."""

from __future__ import annotations

from gpulint.ir.span import Span
from gpulint.rules.base import Rule
from gpulint.rules.finding import INFO, Finding


class UnusedSuppression(Rule):
    """A suppression comment silences nothing.

    ## What it does
    Reports a `# gpulint: ignore[...]` comment, or a code in it, with which no finding agrees.

    ## Why is this bad
    It hides the next real finding at that place.

    ## Example
    ```python
    out[i] = x[i]  # gpulint: ignore[GL102] guarded by the host
    ```

    ## Use instead
    ```python
    out[i] = x[i]
    ```
    """

    code = "GL020"
    name = "unused-suppression"
    property = "suppression"

    def report(self, codes: tuple[str, ...], span: Span) -> Finding:
        """The finding of one comment; `codes` are those unused, none when it names none."""
        what = f" for {', '.join(codes)}" if codes else ""
        return self.finding(INFO, f"unused suppression{what}", span, help="remove it")
