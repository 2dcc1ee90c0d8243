"""GL507."""

from __future__ import annotations

from gpulint.rules import launching


class SharedMemoryLimit(launching.LimitRule):
    """A launch asks for more shared memory than a block may have.

    ## What it does
    Reports a launch whose dynamic shared memory is over the 48 KiB that a block may use without opting in.
    For Triton: a launch whose tiles for `tl.dot`, in the buffers that `num_stages` makes at least, need
    more than any device gives a block.

    ## Why is this bad
    The launch fails.

    ## Example
    ```python
    scale[grid, 256, stream, 64 * 1024](x)
    ```

    ## Use instead
    ```python
    scale[grid, 256, stream, 32 * 1024](x)
    ```

    ## References
    CUDA programming guide, "Compute Capabilities", technical specifications.
    """

    code = "GL507"
    name = "shared-memory-limit"
    kind = launching.SHARED
    remedy = "work on smaller tiles"
