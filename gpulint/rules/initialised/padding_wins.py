"""GL903."""

from __future__ import annotations

from dataclasses import replace

from gpulint.dataflow.access import EXPONENTIALS
from gpulint.rules import words
from gpulint.rules.base import VerdictRule, View
from gpulint.rules.finding import WARNING, Finding, Related
from gpulint.rules.initialised.undefined_lanes import NEUTRAL
from gpulint.solver.verdict import Verdict, Witness


class PaddingWinsReduction(VerdictRule):
    """The zero that a load puts in place of missing elements counts as data in what follows.

    ## What it does
    Reports a load padded with zero (`other=0.0`, or zero padding of a block) whose value goes as it is,
    or converted or scaled, into an exponential that is summed over the padded lanes, and, as a warning,
    into a maximum or minimum or its position.

    ## Why is this bad
    `exp(0 - m)` is not zero: each padded lane adds to the denominator of a softmax. The maximum of a row
    of negative numbers comes out as the 0 of the padding. It shows only where the row is shorter than
    the block.

    ## Example
    ```python
    @triton.jit
    def softmax(x, out, n, BLOCK: tl.constexpr):
        offs = tl.arange(0, BLOCK)
        at = tl.program_id(0) * n + offs
        row = tl.load(x + at, mask=offs < n, other=0.0)
        e = tl.exp(row - tl.max(row))
        tl.store(out + at, e / tl.sum(e), mask=offs < n)
    ```

    ## Use instead
    ```python
    @triton.jit
    def softmax(x, out, n, BLOCK: tl.constexpr):
        offs = tl.arange(0, BLOCK)
        at = tl.program_id(0) * n + offs
        row = tl.load(x + at, mask=offs < n, other=float("-inf"))
        e = tl.exp(row - tl.max(row))
        tl.store(out + at, e / tl.sum(e), mask=offs < n)
    ```
    """

    code = "GL903"
    name = "padding-wins-reduction"
    property = "initialised"

    def claims(self, verdict: Verdict, view: View) -> bool:
        lanes = verdict.obligation.lanes
        return lanes is not None and bool(lanes.wins)

    def report(self, view: View, verdict: Verdict, witness: Witness) -> Finding:
        found = super().report(view, verdict, witness)
        lanes = verdict.obligation.lanes
        certain = lanes is not None and lanes.wins == EXPONENTIALS
        return found if certain else replace(found, severity=WARNING)

    def message(self, verdict: Verdict, witness: Witness) -> str:
        lanes = verdict.obligation.lanes
        who = words.point(witness.points[0], witness) if witness.points else "a lane"
        if lanes is None or lanes.wins == EXPONENTIALS:
            return f"{who} is padded with 0 by this load, and its exponential is part of the sum"
        return f"{who} is padded with 0 by this load, and takes part in `tl.{lanes.what}`"

    def places(self, verdict: Verdict, witness: Witness) -> tuple[Related, ...]:
        lanes = verdict.obligation.lanes
        return (Related("taken together with the others here", lanes.span),) if lanes is not None else ()

    def help(self, verdict: Verdict) -> str:
        lanes = verdict.obligation.lanes
        value = NEUTRAL.get(lanes.what, 'float("-inf")') if lanes is not None else 'float("-inf")'
        return f"pad with a value that changes nothing: `other={value}`"
