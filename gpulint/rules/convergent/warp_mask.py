"""GL802."""

from __future__ import annotations

from gpulint.rules import words
from gpulint.rules.base import VerdictRule, View
from gpulint.solver.verdict import Verdict, Witness


class WarpMask(VerdictRule):
    """The lanes that reach a warp operation are not those that its mask names.

    ## What it does
    Reports a shuffle, vote, match or `syncwarp` that a lane named by its mask does not reach, since it
    waits elsewhere, or that a lane reaches which the mask does not name.

    ## Why is this bad
    The result of a shuffle or a vote is undefined, or the warp waits for lanes that never come.

    ## Example
    ```python
    @cuda.jit
    def half(x, out):
        t = cuda.threadIdx.x
        v = x[t]
        if t % 32 < 16:
            v += cuda.shfl_xor_sync(0xFFFFFFFF, v, 8)
        cuda.syncthreads()
        out[t] = v
    ```

    ## Use instead
    ```python
    @cuda.jit
    def half(x, out):
        t = cuda.threadIdx.x
        v = x[t]
        if t % 32 < 16:
            v += cuda.shfl_xor_sync(0x0000FFFF, v, 8)
        cuda.syncthreads()
        out[t] = v
    ```

    ## References
    CUDA programming guide, "Warp Shuffle Functions" and "Warp Vote Functions".
    """

    code = "GL802"
    name = "warp-mask"
    property = "convergent"

    def claims(self, verdict: Verdict, view: View) -> bool:
        return verdict.obligation.kind == "warp"

    def message(self, verdict: Verdict, witness: Witness) -> str:
        if not witness.points:
            return "the lanes that reach this warp operation are not those that its mask names"
        there = words.point(witness.points[0], witness)
        if len(witness.points) < 2:
            return f"{there} reaches this warp operation, whose mask does not name it"
        away = words.point(witness.points[1], witness)
        return f"{there} reaches this warp operation and {away}, which its mask names, does not"

    def help(self, verdict: Verdict) -> str:
        return "name the lanes that come here, or move the operation to where all lanes of the mask come"
