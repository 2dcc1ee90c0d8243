"""GL303."""

from __future__ import annotations

from gpulint.rules import words
from gpulint.rules.base import View
from gpulint.rules.races import Race, accumulates
from gpulint.solver.verdict import Verdict, Witness


class NonAtomicAccumulation(Race):
    """Threads add to the same element without an atomic operation.

    ## What it does
    Reports a store of a value made from the very element that is stored to (`x[i] += v`), where two
    threads can do so at the same element.

    ## Why is this bad
    Both threads load the old value, and the store of one is lost: sums and counts come out too
    small.

    ## Example
    ```python
    @cuda.jit
    def histogram(x, bins):
        i = cuda.grid(1)
        if i < x.size:
            bins[x[i] % bins.size] += 1
    ```

    ## Use instead
    ```python
    @cuda.jit
    def histogram(x, bins):
        i = cuda.grid(1)
        if i < x.size:
            cuda.atomic.add(bins, x[i] % bins.size, 1)
    ```
    """

    code = "GL303"
    name = "non-atomic-accumulation"

    def claims(self, verdict: Verdict, view: View) -> bool:
        return accumulates(verdict, view)

    def message(self, verdict: Verdict, witness: Witness) -> str:
        race = super().message(verdict, witness)
        return f"{race}, so that one of the updates is lost"

    def help(self, verdict: Verdict) -> str:
        access = verdict.obligation.access
        if words.tiles(verdict.witness):
            return "if the programs mean to add up, use `tl.atomic_add`"
        if access is None or not access.subscript_texts:
            return "update the element with an atomic operation"
        at = ", ".join(access.subscript_texts)
        at = at if len(access.subscript_texts) == 1 else f"({at})"
        return f"if the threads mean to add up, use `cuda.atomic.add({access.array.name}, {at}, ...)`"
