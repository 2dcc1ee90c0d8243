"""GL506."""

from __future__ import annotations

from gpulint.rules import launching


class GridAxisLimit(launching.LimitRule):
    """A grid is longer along an axis than any device allows, or empty.

    ## What it does
    Reports a launch whose grid leaves 1..2147483647 along x, or 1..65535 along y or z.

    ## Why is this bad
    The launch fails; for sizes that grow with the data it fails only on large inputs.

    ## Example
    ```python
    scale[(1, 100_000), 256](x)
    ```

    ## Use instead
    ```python
    scale[(100_000, 1), 256](x)
    ```

    ## References
    CUDA programming guide, "Compute Capabilities", technical specifications.
    """

    code = "GL506"
    name = "grid-axis-limit"
    kind = launching.GRID_AXIS
    remedy = "put the long axis on x, or loop over the data with a grid stride"
