"""GL501."""

from __future__ import annotations

from collections.abc import Iterator

from gpulint.rules import launching, limits, words
from gpulint.rules.base import Rule, View, severity
from gpulint.rules.finding import ERROR, Finding
from gpulint.solver.verdict import SiteVerdict


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
        for s in launching.violated(view, alias=False):
            assert s.clause is not None
            if not (s.clause.geometry and limits.broken(s.site)):
                yield self._at_site(view, s)
        for v in launching.contract_verdicts(view, launching.OWN_RULE, other=True):
            message = v.reason or "the contract does not hold"
            yield self.finding(
                severity(v, view.result), message, v.obligation.span,
                kernel=view.kernel.qualname, witness=v.witness,
            )  # fmt: skip

    def _at_site(self, view: View, s: SiteVerdict) -> Finding:
        clause = s.clause
        assert clause is not None
        why = "its contract requires" if clause.origin == "declared" else "the proof needs"
        notes = () if s.witness is None else (f"for example with {words.launch(s.witness)}",)
        return self.finding(
            ERROR, f"this launch of `{view.kernel.qualname}` breaks what {why}: `{clause}`", s.site.span,
            kernel=view.kernel.qualname, label=words.site_sizes(s.site), witness=s.witness,
            related=launching.required(clause), notes=(*notes, *((s.reason,) if s.reason else ())),
            help="launch with arguments that meet it, or check it on the host before the launch",
        )  # fmt: skip
