"""GL512."""

from __future__ import annotations

from gpulint.rules import launching


class CooperativeGridLimit(launching.LimitRule):
    """A kernel that waits for the whole grid is launched with more blocks than any device holds at once.

    ## What it does
    Reports a launch of a kernel that calls `sync` of `cuda.cg.this_grid()`, when its blocks are more than
    192 multiprocessors of 32 blocks and 2048 threads each can hold. A smaller grid may still be too large
    for the device at hand: that it fits is the assumption `cooperative-grids`.

    ## Why is this bad
    Numba launches such a kernel cooperatively: all blocks must be resident at once, or the launch fails
    with `CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE`.

    ## Example
    ```python
    relax[100_000, 256](x, y)
    ```

    ## Use instead
    ```python
    most = relax.overloads[signature].max_cooperative_grid_blocks(256)
    relax[min(most, 100_000), 256](x, y)  # with a grid stride inside
    ```

    ## References
    Numba CUDA documentation, "Cooperative Groups"; CUDA programming guide, "Compute Capabilities".
    """

    code = "GL512"
    name = "cooperative-grid-limit"
    kind = launching.COOPERATIVE
    remedy = "launch as many blocks as `max_cooperative_grid_blocks` says, and loop over the data"
