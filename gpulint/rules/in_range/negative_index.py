"""GL103."""

from __future__ import annotations

from dataclasses import replace

from gpulint.rules import words
from gpulint.rules.base import View
from gpulint.rules.bounds import OutOfRange, negative, wraps
from gpulint.rules.finding import WARNING, Finding
from gpulint.solver.verdict import Verdict, Witness


class NegativeIndex(OutOfRange):
    """A subscript goes below the start of its array.

    ## What it does
    Reports a load, store or atomic update whose subscript can be smaller than the array allows:
    below zero or, where negative subscripts count from the end, below minus the extent. Where one
    counts from the end for some threads only, that is a warning.

    ## Why is this bad
    The access touches memory before the array. A negative subscript that still counts from the end
    touches an element that is rarely the one meant.

    ## Example
    ```python
    @cuda.jit
    def shift(x, out, k):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[i - k]
    ```

    ## Use instead
    ```python
    @cuda.jit
    def shift(x, out, k):
        i = cuda.grid(1)
        if i < out.size and 0 <= i - k < x.size:
            out[i] = x[i - k]
    ```
    """

    code = "GL103"
    name = "negative-index"

    def claims(self, verdict: Verdict, view: View) -> bool:
        return negative(verdict)

    def message(self, verdict: Verdict, witness: Witness) -> str:
        if not wraps(verdict):
            return super().message(verdict, witness)
        who = words.point(witness.points[0], witness) if witness.points else f"a {words.one(witness)}"
        access, pairs = verdict.obligation.access, zip(witness.element, witness.extents, strict=False)
        meant = replace(witness, element=tuple(at + size if at < 0 else at for at, size in pairs))
        place = f"{words.element(witness)}, which counts from the end: {words.element(meant)}"
        return f"{who} {words.verb(access)} {place}"

    def report(self, view: View, verdict: Verdict, witness: Witness) -> Finding:
        found = super().report(view, verdict, witness)
        return replace(found, severity=WARNING) if wraps(verdict) else found
