"""GL305."""

from __future__ import annotations

from collections.abc import Iterator

from gpulint.ir import nodes as n
from gpulint.ir.walk import statements
from gpulint.rules.base import Rule, View
from gpulint.rules.finding import INFO, Finding, Related


class OverlaidDynamicArrays(Rule):
    """Two dynamic shared arrays are used whole, and are the same memory.

    ## What it does
    Reports a second `cuda.shared.array(0, ...)` of a kernel when both arrays are accessed as they are, and
    not by slices of them.

    ## Why is this bad
    All dynamic shared arrays of a block begin at the same address: what is stored in one is stored in
    the other. It may be meant so, to use the memory again after a barrier.

    ## Example
    ```python
    @cuda.jit
    def pairs(x, y, out):
        a = cuda.shared.array(0, dtype=float32)
        b = cuda.shared.array(0, dtype=float32)
        t = cuda.threadIdx.x
        a[t], b[t] = x[t], y[t]
        cuda.syncthreads()
        out[t] = a[63 - t] * b[63 - t]
    ```

    ## Use instead
    ```python
    @cuda.jit
    def pairs(x, y, out):
        both = cuda.shared.array(0, dtype=float32)
        a, b = both[:64], both[64:]
        t = cuda.threadIdx.x
        a[t], b[t] = x[t], y[t]
        cuda.syncthreads()
        out[t] = a[63 - t] * b[63 - t]
    ```

    ## References
    Numba-CUDA documentation, "Dynamic Shared Memory".
    """

    code = "GL305"
    name = "overlaid-dynamic-arrays"
    property = "disjoint"

    def check(self, view: View) -> Iterator[Finding]:
        body = list(statements(view.kernel.body))
        accesses = (n.Load, n.Store, n.Atomic)
        used = {s.array for s in body if isinstance(s, accesses)}
        whole = [s for s in body if isinstance(s, n.Alloc) and s.shape is None and s.target in used]
        for second in whole[1:]:
            first = whole[0]
            yield self.finding(
                INFO, f"`{second.target}` and `{first.target}` are the same memory", second.span,
                kernel=view.kernel.qualname, help="take parts of one array: `both[:n]` and `both[n:]`",
                related=(Related(f"`{first.target}` begins at the same address", first.span),),
            )  # fmt: skip
