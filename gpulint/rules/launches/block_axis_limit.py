"""GL505."""

from __future__ import annotations

from collections.abc import Iterator

from gpulint.frontend.host.site import LaunchSite
from gpulint.ir.span import Span
from gpulint.rules import launching, limits


class BlockAxisLimit(launching.LimitRule):
    """A block is longer along an axis than any device allows, or empty.

    ## What it does
    Reports a launch whose block leaves 1..1024 along x or y, or 1..64 along z.

    ## Why is this bad
    The launch fails.

    ## Example
    ```python
    scale[grid, (1, 1, 128)](x)
    ```

    ## Use instead
    ```python
    scale[grid, (1, 2, 64)](x)
    ```

    ## References
    CUDA programming guide, "Compute Capabilities", technical specifications.
    """

    code = "GL505"
    name = "block-axis-limit"
    kind = launching.BLOCK_AXIS
    remedy = "spread the threads over other axes"

    def excess(self, site: LaunchSite) -> Iterator[tuple[str, Span]]:
        return limits.block_axes(site)
