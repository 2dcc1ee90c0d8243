"""GL812."""

from __future__ import annotations

from collections.abc import Iterator

from gpulint.dataflow.access import Access
from gpulint.rules.base import Rule, View
from gpulint.rules.finding import INFO, Finding
from gpulint.rules.performance.shapes import blocks
from gpulint.solver import banks


class BankConflict(Rule):
    """The lanes of a warp reach different words in one bank of shared memory.

    ## What it does
    Computes in which of the 32 banks the lanes of a warp touch a shared array, and reports an access that
    takes two or more turns. Needs the shape of the block, from a launch in view or since only
    `threadIdx.x` tells the threads apart.

    ## Why is this bad
    The access takes that many times as long. Nothing is wrong with the result.

    ## Example
    ```python
    @cuda.jit
    def transpose(x, out):
        tile = cuda.shared.array((32, 32), dtype=float32)
        i, j = cuda.threadIdx.y, cuda.threadIdx.x
        tile[i, j] = x[i, j]
        cuda.syncthreads()
        out[i, j] = tile[j, i]

    transpose[1, (32, 32)](x, out)
    ```

    ## Use instead
    ```python
    @cuda.jit
    def transpose(x, out):
        tile = cuda.shared.array((32, 33), dtype=float32)
        i, j = cuda.threadIdx.y, cuda.threadIdx.x
        tile[i, j] = x[i, j]
        cuda.syncthreads()
        out[i, j] = tile[j, i]

    transpose[1, (32, 32)](x, out)
    ```

    ## References
    CUDA C++ best practices guide, "Shared Memory and Memory Banks".
    """

    code = "GL812"
    name = "bank-conflict"
    property = "performance"

    def check(self, view: View) -> Iterator[Finding]:
        worst: dict[object, tuple[int, Access]] = {}
        for a in view.accesses.accesses:
            if a.array.space == "shared":
                ways = max((banks.turns(a, shape) for shape in blocks(view)), default=1)
                key = (a.span.filename, a.span.row, a.array.name)
                if ways > worst.get(key, (1, a))[0]:
                    worst[key] = (ways, a)
        for ways, a in worst.values():
            text = f"the lanes of a warp reach {ways} words of `{a.array.name}` in one bank"
            yield self.finding(
                INFO, f"{text}: {ways} turns ({ways}-way bank conflict)", a.span,
                kernel=view.kernel.qualname, help=_remedy(a),
            )  # fmt: skip


def _remedy(a: Access) -> str:
    extents = [e.value for e in a.array.extents]
    last = extents[-1] if extents else None
    if len(extents) > 1 and last is not None and last % 2 == 0:
        shape = ", ".join("?" if e is None else str(e) for e in (*extents[:-1], last + 1))
        return f"pad the rows by one element: shape ({shape})"
    return "let neighbouring threads touch neighbouring elements"
