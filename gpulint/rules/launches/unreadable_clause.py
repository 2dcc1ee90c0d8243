"""GL511."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gpulint.contract.declared import declared
from gpulint.contract.error import ClauseError
from gpulint.ir.span import Span
from gpulint.rules.base import Rule, View
from gpulint.rules.finding import ERROR, Finding

QUOTE = 1  # the quotation mark before a clause in a decorator


class UnreadableClause(Rule):
    """A clause of a declared contract means nothing.

    ## What it does
    Reports clauses that are no condition, predicate or limit of the contract language, at the part that
    cannot be read, with what is wrong and the name that was probably meant.

    ## Why is this bad
    The clause is neither assumed nor checked: launches that its author meant to exclude are let through.

    ## Example
    ```python
    # gpulint: requires n <= x.sise
    @cuda.jit
    def fill(x, n):
        ...
    ```

    ## Use instead
    ```python
    # gpulint: requires n <= x.size
    @cuda.jit
    def fill(x, n):
        ...
    ```
    """

    code = "GL511"
    name = "unreadable-clause"
    property = "contract"

    def check(self, view: View) -> Iterator[Finding]:
        for e in declared(view.kernel).errors:
            hint = f"did you mean `{e.suggestion}`?" if e.suggestion else ""
            notes = () if _exact(e) else tuple(e.pointed().split("\n"))
            yield self.finding(
                ERROR, f"the clause `{e.text}` cannot be read: {e.message}", _place(e),
                kernel=view.kernel.qualname, help=hint, notes=notes,
            )  # fmt: skip


def _exact(e: ClauseError) -> bool:
    """Whether the text stands in the source as it is, with or without quotation marks."""
    return e.span.row == e.span.end_row and e.span.end_column - e.span.column in (
        len(e.text), len(e.text) + 2 * QUOTE,
    )  # fmt: skip


def _place(e: ClauseError) -> Span:
    """The wrong part of the clause; the whole where the source spells it in another way."""
    if not _exact(e):
        return e.span
    quoted = e.span.end_column - e.span.column > len(e.text)
    start = e.span.column + (QUOTE if quoted else 0)
    end = min(max(e.end_column, e.column + 1), max(len(e.text), e.column + 1))
    return replace(e.span, column=start + e.column, end_column=start + end)
