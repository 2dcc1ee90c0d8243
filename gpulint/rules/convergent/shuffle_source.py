"""GL803."""

from __future__ import annotations

from gpulint.rules import words
from gpulint.rules.base import VerdictRule, View
from gpulint.solver.verdict import Verdict, Witness


class ShuffleSource(VerdictRule):
    """A shuffle reads a lane that takes no part, and what that gives is used.

    ## What it does
    Reports a shuffle that reads a lane which its mask does not name, which the last warp of the block does
    not have, or whose thread has returned, where the result reaches a store, an atomic, an index or a
    condition. What lanes get whose result nobody uses is not looked at.

    ## Why is this bad
    The value is undefined: it may be anything, and something else on the next device.

    ## Example
    ```python
    @cuda.jit
    def total(x, out):
        i = cuda.grid(1)
        if i >= x.size:
            return
        v = x[i]
        for k in (16, 8, 4, 2, 1):
            v += cuda.shfl_down_sync(0xFFFFFFFF, v, k)
        if i % 32 == 0:
            cuda.atomic.add(out, 0, v)
    ```

    ## Use instead
    ```python
    @cuda.jit
    def total(x, out):
        i = cuda.grid(1)
        v = 0.0
        if i < x.size:
            v = x[i]
        for k in (16, 8, 4, 2, 1):
            v += cuda.shfl_down_sync(0xFFFFFFFF, v, k)
        if i % 32 == 0:
            cuda.atomic.add(out, 0, v)
    ```

    ## References
    CUDA programming guide, "Warp Shuffle Functions".
    """

    code = "GL803"
    name = "shuffle-source"
    property = "convergent"

    def claims(self, verdict: Verdict, view: View) -> bool:
        return verdict.obligation.kind == "shuffle"

    def message(self, verdict: Verdict, witness: Witness) -> str:
        if not witness.points:
            return "this shuffle reads a lane that takes no part, and what that gives is used"
        reader = words.point(witness.points[0], witness)
        user = words.point(witness.points[-1], witness)
        what = "uses what that gives" if reader == user else f"{user} uses what comes of it"
        return f"{reader} reads by this shuffle a lane that takes no part, and {what}"

    def help(self, verdict: Verdict) -> str:
        return "let every lane of the warp come here, with a neutral value where it has none of its own"
