"""GL811."""

from __future__ import annotations

from collections.abc import Iterator

from gpulint.contract.clause import Clause
from gpulint.rules.base import Rule, View
from gpulint.rules.finding import INFO, Finding
from gpulint.solver import superfluous
from gpulint.solver.options import Options
from gpulint.solver.prover import Budget
from gpulint.solver.setting import Setting

PROOFS = 16  # questions to Z3 for one kernel


class SuperfluousBarrier(Rule):
    """A barrier without which everything in the block is ordered all the same.

    ## What it does
    Reports a `syncthreads` of a verified kernel that can go: no two threads of a block meet in an element
    without it, or another barrier orders them. What it reports can go all together.

    ## Why is this bad
    Every thread of the block waits for the slowest. Nothing is wrong with the result.

    ## Example
    ```python
    @cuda.jit
    def reverse(x):
        s = cuda.shared.array(64, dtype=float32)
        t = cuda.threadIdx.x
        s[t] = x[t]
        cuda.syncthreads()
        x[t] = s[63 - t]
        cuda.syncthreads()
    ```

    ## Use instead
    ```python
    @cuda.jit
    def reverse(x):
        s = cuda.shared.array(64, dtype=float32)
        t = cuda.threadIdx.x
        s[t] = x[t]
        cuda.syncthreads()
        x[t] = s[63 - t]
    ```
    """

    code = "GL811"
    name = "superfluous-barrier"
    property = "performance"

    def check(self, view: View) -> Iterator[Finding]:
        if view.result.status != "verified" or not any(y.kind == "block" for y in view.accesses.syncs):
            return
        for b in superfluous.barriers(_setting(view)):
            yield self.finding(
                INFO, "all accesses of the block are ordered without this barrier", b.span,
                kernel=view.kernel.qualname, help="leave it out",
            )  # fmt: skip


def _setting(view: View) -> Setting:
    """The kernel under the clauses that it was verified under."""
    clauses: tuple[Clause, ...] = (*view.result.declared, *view.result.inferred)
    options = Options(assume=frozenset(view.result.assumed))
    return Setting(view.kernel, view.accesses, options, clauses, budget=Budget(PROOFS))
