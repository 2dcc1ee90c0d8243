"""GL902."""

from __future__ import annotations

from gpulint.rules import words
from gpulint.rules.base import VerdictRule, View
from gpulint.rules.finding import Related
from gpulint.solver.verdict import Verdict, Witness

USES = {
    "stored value": "is stored", "subscript": "is used as an offset", "mask": "is used in a mask",
    "branch": "decides a branch", "loop": "bounds a loop",
}  # fmt: skip


def enters(what: str) -> str:
    """`takes part in tl.dot`, `is stored`."""
    if what.startswith("atomic"):
        return "is the operand of an atomic"
    return USES.get(what) or f"takes part in `tl.{what}`"


class UndefinedLanesInReduction(VerdictRule):
    """Lanes that a load leaves out have no value, and reach a result all the same.

    ## What it does
    Reports a load with a mask but without `other` (or with `boundary_check` but without
    `padding_option`) of which a lane outside the mask is reduced, multiplied in `tl.dot`, sorted,
    scanned, stored, added by an atomic or used as an offset, in a mask or in a branch. Lanes that are
    replaced (`tl.where(mask, x, 0.0)`) or only stored under the same mask are fine.

    ## Why is this bad
    Such a lane holds whatever was in the register, NaN perhaps. It shows only for sizes that are no
    multiple of the block, and not on every device.

    ## Example
    ```python
    @triton.jit
    def row_sum(x, out, n, BLOCK: tl.constexpr):
        offs = tl.arange(0, BLOCK)
        row = tl.load(x + tl.program_id(0) * n + offs, mask=offs < n)
        tl.store(out + tl.program_id(0), tl.sum(row))
    ```

    ## Use instead
    ```python
    @triton.jit
    def row_sum(x, out, n, BLOCK: tl.constexpr):
        offs = tl.arange(0, BLOCK)
        row = tl.load(x + tl.program_id(0) * n + offs, mask=offs < n, other=0.0)
        tl.store(out + tl.program_id(0), tl.sum(row))
    ```

    ## References
    Triton language reference, `triton.language.load`.
    """

    code = "GL902"
    name = "undefined-lanes-in-reduction"
    property = "initialised"

    def claims(self, verdict: Verdict, view: View) -> bool:
        lanes = verdict.obligation.lanes
        return lanes is not None and not lanes.wins

    def message(self, verdict: Verdict, witness: Witness) -> str:
        lanes = verdict.obligation.lanes
        what = enters(lanes.what) if lanes is not None else "is used"
        who = words.point(witness.points[0], witness) if witness.points else "a lane"
        return f"{who} is masked off in this load and has no value, but {what}"

    def places(self, verdict: Verdict, witness: Witness) -> tuple[Related, ...]:
        lanes = verdict.obligation.lanes
        if lanes is None or lanes.span == verdict.obligation.span:
            return ()
        return (Related(f"{enters(lanes.what)} here", lanes.span),)

    def help(self, verdict: Verdict) -> str:
        lanes = verdict.obligation.lanes
        if lanes is not None and lanes.what == "stored value":
            return "store under the same mask, or give the load an `other`"
        value = NEUTRAL.get(lanes.what, "0.0") if lanes is not None else "0.0"
        return f"give the load a value for these lanes that changes nothing: `other={value}`"


NEUTRAL = {
    "max": 'float("-inf")', "argmax": 'float("-inf")', "min": 'float("inf")', "argmin": 'float("inf")',
    "prod": "1.0", "cumprod": "1.0",
}  # fmt: skip
