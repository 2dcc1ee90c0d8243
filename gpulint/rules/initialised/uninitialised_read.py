"""GL901."""

from __future__ import annotations

from gpulint.rules import words
from gpulint.rules.base import VerdictRule, View
from gpulint.rules.races import element_label
from gpulint.solver.verdict import Verdict, Witness


class UninitialisedRead(VerdictRule):
    """A thread reads an element that nothing has written.

    ## What it does
    Reports a load from an array that was allocated without values (shared, local or an output of
    the host) at an element that is not written before.

    ## Why is this bad
    The load returns whatever the memory held: the result differs from run to run.

    ## Example
    ```python
    @cuda.jit
    def add(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] += x[i]

    out = cuda.device_array_like(x)
    ```

    ## Use instead
    ```python
    @cuda.jit
    def add(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] += x[i]

    out = cuda.to_device(np.zeros_like(x))
    ```
    """

    code = "GL901"
    name = "uninitialised-read"
    property = "initialised"

    def claims(self, verdict: Verdict, view: View) -> bool:
        return verdict.obligation.lanes is None

    def message(self, verdict: Verdict, witness: Witness) -> str:
        who = words.point(witness.points[0], witness) if witness.points else f"a {words.one(witness)}"
        return f"{who} reads {words.element(witness)}, which nothing has written"

    def label(self, verdict: Verdict, witness: Witness) -> str:
        return element_label(verdict.obligation.access, witness, 0)

    def help(self, verdict: Verdict) -> str:
        return "write the element first, or allocate the array with values"
