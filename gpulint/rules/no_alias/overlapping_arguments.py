"""GL701."""

from __future__ import annotations

from collections.abc import Iterator

from gpulint.rules import launching, words
from gpulint.rules.base import VerdictRule, View
from gpulint.rules.finding import ERROR, Finding, Related
from gpulint.solver.verdict import Verdict, Witness


class OverlappingArguments(VerdictRule):
    """A launch passes overlapping memory for two parameters that must be apart.

    ## What it does
    Reports a launch that gives the same allocation for two array parameters, where the kernel is
    free of races only if they do not overlap.

    ## Why is this bad
    What one thread writes through one name another reads through the other, with nothing to order
    them.

    ## Example
    ```python
    @cuda.jit
    def shift(x, out):
        i = cuda.grid(1)
        if 0 < i < out.size:
            out[i] = x[i - 1]

    shift[blocks, 256](a, a)
    ```

    ## Use instead
    ```python
    b = cuda.device_array_like(a)
    shift[blocks, 256](a, b)
    ```
    """

    code = "GL701"
    name = "overlapping-arguments"
    property = "no-alias"

    def check(self, view: View) -> Iterator[Finding]:
        yield from super().check(view)
        for s in launching.violated(view, alias=True):
            assert s.clause is not None
            names = " and ".join(f"`{a}`" for a in s.clause.arrays)
            message = f"this launch passes overlapping memory for {names}, which must not overlap"
            yield self.finding(
                ERROR, message, s.site.span, kernel=view.kernel.qualname,
                help="pass separate arrays", notes=(f"the kernel is right under `{s.clause}`",),
                witness=s.witness, related=launching.required(s.clause),
            )  # fmt: skip

    def message(self, verdict: Verdict, witness: Witness) -> str:
        who = words.points(witness) if len(witness.points) > 1 else f"two {words.one(witness)}s"
        reason = verdict.reason or "the arguments of this launch overlap"
        return f"{reason}, and {who} meet in {words.element(witness)}"

    def places(self, verdict: Verdict, witness: Witness) -> tuple[Related, ...]:
        o = verdict.obligation
        found = [a for a in (o.access, o.other) if a is not None]
        who = words.one(witness)
        return tuple(Related(f"`{a.text}`: one {who}'s {words.noun(a)}", a.span) for a in found)

    def help(self, verdict: Verdict) -> str:
        return "pass separate arrays"
