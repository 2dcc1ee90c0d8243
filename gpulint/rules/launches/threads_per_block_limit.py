"""GL504."""

from __future__ import annotations

from gpulint.rules import launching


class ThreadsPerBlockLimit(launching.LimitRule):
    """A block has more threads than any device runs.

    ## What it does
    Reports a launch whose block has more than 1024 threads in all.

    ## Why is this bad
    The launch fails: CUDA devices run at most 1024 threads a block.

    ## Example
    ```python
    scale[grid, (64, 32)](x)
    ```

    ## Use instead
    ```python
    scale[grid, (32, 32)](x)
    ```

    ## References
    CUDA programming guide, "Compute Capabilities", technical specifications.
    """

    code = "GL504"
    name = "threads-per-block-limit"
    kind = launching.THREADS
    remedy = "use a smaller block and a larger grid"
