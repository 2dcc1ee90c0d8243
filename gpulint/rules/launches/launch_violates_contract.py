"""GL501."""

from __future__ import annotations

from collections.abc import Iterator

from gpulint.contract.clause import Clause
from gpulint.ir.span import Span
from gpulint.rules import launching
from gpulint.rules.base import Rule, View, severity
from gpulint.rules.finding import ERROR, Finding, Related
from gpulint.solver.verdict import Witness


class LaunchViolatesContract(Rule):
    """A launch breaks a clause that the kernel needs.

    ## What it does
    Reports a launch site whose arguments, grid or block break a declared clause, or a clause under
    which the kernel was proved.

    ## Why is this bad
    The kernel is right only for launches that meet its contract. This one goes out of range, races
    or leaves its width.

    ## Example
    ```python
    @gpulint.contract(block=(256, 1, 1), requires=["n <= x.size"])
    @cuda.jit
    def fill(x, n):
        i = cuda.grid(1)
        if i < n:
            x[i] = 0.0

    fill[4, 128](x, n)
    ```

    ## Use instead
    ```python
    assert n <= x.size
    fill[(n + 255) // 256, 256](x, n)
    ```
    """

    code = "GL501"
    name = "launch-violates-contract"
    property = "contract"

    def check(self, view: View) -> Iterator[Finding]:
        for v in launching.contract_verdicts(view, launching.OWN_RULE, other=True):
            clause = v.clauses[0] if v.clauses else None
            level = severity(v, view.result)
            yield self._broken(view, clause, v.obligation.span, level, v.witness, v.reason)
        for s in launching.violated(view, alias=False):
            yield self._broken(view, s.clause, s.site.span, ERROR, s.witness, s.reason)

    def _broken(
        self, view: View, clause: Clause | None, span: Span, level: str, witness: Witness | None, reason: str
    ) -> Finding:
        name = view.kernel.qualname
        message = reason or "the launch does not meet the contract"
        related: tuple[Related, ...] = ()
        if clause is not None:
            declared = clause.origin == "declared"
            why = "its contract requires" if declared else "its proof needs"
            message = f"this launch of `{name}` breaks what {why}: `{clause}`"
            related = launching.required(clause)
        return self.finding(
            level, message, span, kernel=name, related=related, witness=witness,
            notes=launching.example(witness), help="meet it, or check it on the host before the launch",
        )  # fmt: skip
