"""GL502."""

from __future__ import annotations

from collections.abc import Iterator

from gpulint.rules import launching
from gpulint.rules.base import Rule, View
from gpulint.rules.finding import ERROR, Finding, Related


class ContractUnsatisfiable(Rule):
    """No launch can meet the declared contract.

    ## What it does
    Reports declared clauses that contradict each other or the limits of every device.

    ## Why is this bad
    A contract that no launch meets proves anything: every verdict under it would be empty.

    ## Example
    ```python
    @gpulint.contract(block=(2048, 1, 1), requires=["n <= x.size"])
    @cuda.jit
    def fill(x, n):
        ...
    ```

    ## Use instead
    ```python
    @gpulint.contract(block=(1024, 1, 1), requires=["n <= x.size"])
    @cuda.jit
    def fill(x, n):
        ...
    ```
    """

    code = "GL502"
    name = "contract-unsatisfiable"
    property = "contract"

    def check(self, view: View) -> Iterator[Finding]:
        for v in launching.contract_verdicts(view, (launching.UNSATISFIABLE,)):
            clauses = v.clauses or view.result.declared
            where = tuple(
                Related(f"`{c}` is required here", c.span) for c in clauses if c.span != v.obligation.span
            )
            listed = " and ".join(f"`{c}`" for c in clauses)
            yield self.finding(
                ERROR, f"no launch can meet the contract: {listed or v.reason}", v.obligation.span,
                kernel=view.kernel.qualname, related=where, notes=(v.reason,) if v.reason and listed else (),
                help="relax or remove one of the clauses",
            )  # fmt: skip
