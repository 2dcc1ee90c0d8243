"""GL011."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gpulint.rules.base import Rule, View, undecided_severity
from gpulint.rules.finding import Finding
from gpulint.solver.verdict import UNDECIDED, Obligation

_OPEN = {
    "in-range": "{} is not shown to stay in range",
    "disjoint": "{} is not shown to be free of races",
    "no-wrap": "{} is not shown to fit its integer type",
    "convergent": "this barrier is not shown to be reached by all its threads",
    "initialised": "{} is not shown to read only what was written",
    "covered": "{} is not shown to write every element of the output",
    "contract": "this launch is not shown to meet the contract",
    "no-alias": "the arguments of this launch are not shown to be apart",
}


def _open(o: Obligation) -> str:
    """What stayed open, in words."""
    if o.lanes is not None:
        return f"`{o.lanes.load.text}` is not shown to keep the lanes outside its mask out of every result"
    text = o.access.text if o.access is not None else o.op.text if o.op is not None else ""
    return _OPEN[o.property].format(f"`{text}`" if text else "this place")


class UndecidedObligation(Rule):
    """An obligation is neither proved nor refuted.

    ## What it does
    Names an access or launch for which a property stayed open, why, and the clause that would
    settle it. The finding carries the property in question. `--deny undecided` makes it a warning.

    ## Why is this bad
    It is not known to be wrong, and not known to be right.

    ## Example
    ```python
    @cuda.jit
    def scatter(idx, x, out):
        i = cuda.grid(1)
        if i < idx.size:
            out[idx[i]] = x[i]
    ```

    ## Use instead
    ```python
    @gpulint.contract(requires=["injective(idx)", "within(idx, 0, out.size)"])
    @cuda.jit
    def scatter(idx, x, out):
        i = cuda.grid(1)
        if i < idx.size:
            out[idx[i]] = x[i]
    ```
    """

    code = "GL011"
    name = "undecided"
    property = "style"

    def check(self, view: View) -> Iterator[Finding]:
        for v in view.result.verdicts:
            if v.kind != UNDECIDED:
                continue
            o = v.obligation
            message = f"{_open(o)}: {v.reason or 'no proof and no counterexample'}"
            found = self.finding(
                undecided_severity(view), message, o.span, kernel=view.kernel.qualname,
                help=f"this clause would settle it: `{v.settle}`" if v.settle else "",
            )  # fmt: skip
            yield replace(found, property=o.property)
        yield from self._sites(view)

    def _sites(self, view: View) -> Iterator[Finding]:
        """Launches that stayed open for a reason that no obligation has given already."""
        told = {v.reason for v in view.result.verdicts if v.kind == UNDECIDED and v.reason}
        for s in view.result.sites:
            if s.status == "undecided" and s.reason not in told:
                clause = f" (`{s.clause}`)" if s.clause is not None else ""
                message = f"{_OPEN['contract']}{clause}: {s.reason or 'no proof and no counterexample'}"
                found = self.finding(
                    undecided_severity(view), message, s.site.span, kernel=view.kernel.qualname
                )
                yield replace(found, property="contract")
