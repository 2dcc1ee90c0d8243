"""GL801."""

from __future__ import annotations

from gpulint.rules import words
from gpulint.rules.base import VerdictRule, View
from gpulint.solver.verdict import Verdict, Witness


class DivergentBarrier(VerdictRule):
    """Some threads of a block reach a barrier and others do not.

    ## What it does
    Reports a barrier under a condition or in a loop that differs between the threads that must
    meet there.

    ## Why is this bad
    The threads that arrive wait for those that never do: the launch hangs, or goes on with a
    barrier that did not order anything.

    ## Example
    ```python
    @cuda.jit
    def step(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2.0
            cuda.syncthreads()
    ```

    ## Use instead
    ```python
    @cuda.jit
    def step(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2.0
        cuda.syncthreads()
    ```
    """

    code = "GL801"
    name = "divergent-barrier"
    property = "convergent"

    def claims(self, verdict: Verdict, view: View) -> bool:
        return verdict.obligation.kind not in ("warp", "shuffle")

    def message(self, verdict: Verdict, witness: Witness) -> str:
        if len(witness.points) < 2:
            return "not all threads of a block reach this barrier"
        there, away = (words.point(p, witness) for p in witness.points[:2])
        return f"{there} reaches this barrier and {away} does not"

    def help(self, verdict: Verdict) -> str:
        return "move the barrier out of the condition, so that every thread of the block reaches it"
