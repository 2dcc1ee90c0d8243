"""GL508."""

from __future__ import annotations

from collections.abc import Iterator

from gpulint.rules import launching
from gpulint.rules.base import Rule, View
from gpulint.rules.finding import ERROR, Finding


class StaticSharedMemory(Rule):
    """A kernel declares more static shared memory than a block may have.

    ## What it does
    Adds up the shared arrays of constant shape that a kernel declares and reports a sum over 48 KiB.

    ## Why is this bad
    The kernel does not compile: ptxas refuses it, on every device, whatever the device could give to
    dynamic shared memory.

    ## Example
    ```python
    @cuda.jit
    def smooth(x):
        tile = cuda.shared.array((2, 7000), dtype=float32)
    ```

    ## Use instead
    ```python
    @cuda.jit
    def smooth(x):
        tile = cuda.shared.array((2, 6000), dtype=float32)
    ```

    ## References
    CUDA programming guide, "Compute Capabilities", technical specifications.
    """

    code = "GL508"
    name = "static-shared-memory"
    property = "contract"

    def check(self, view: View) -> Iterator[Finding]:
        for v in launching.contract_verdicts(view, (launching.STATIC,)):
            yield self.finding(
                ERROR, f"the kernel needs {v.reason}", v.obligation.span, kernel=view.kernel.qualname,
                help="use smaller tiles, or dynamic shared memory with an opt-in at launch",
            )  # fmt: skip
