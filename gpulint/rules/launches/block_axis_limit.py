"""GL505."""

from __future__ import annotations

from gpulint.rules import launching


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
