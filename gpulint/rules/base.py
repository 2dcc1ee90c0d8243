"""What a rule is: a class whose docstring is its page, and a function from verdicts to findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from gpulint.dataflow.access import Access, AccessSet
from gpulint.ir.nodes import Kernel
from gpulint.ir.span import Span
from gpulint.rules import words
from gpulint.rules.finding import ERROR, INFO, WARNING, Finding, Related
from gpulint.solver.verdict import REFUTED, KernelResult, Verdict, Witness


@dataclass(frozen=True)
class View:
    """A kernel as the rules see it: its IR, its accesses and what was decided of them."""

    kernel: Kernel
    accesses: AccessSet
    result: KernelResult
    deny_undecided: bool = field(default=False)


class Rule:
    """One kind of finding. Subclasses set the three names; their docstring is the page."""

    code: ClassVar[str]
    name: ClassVar[str]
    property: ClassVar[str]

    def check(self, view: View) -> Iterator[Finding]:
        """The findings of this rule in one kernel; rules about whole files yield none here."""
        yield from ()

    def finding(
        self, severity: str, message: str, span: Span, kernel: str = "", label: str = "", help: str = "",
        related: tuple[Related, ...] = (), witness: Witness | None = None, notes: tuple[str, ...] = (),
    ) -> Finding:  # fmt: skip
        """A finding of this rule, with the calls through which its place was reached."""
        calls = tuple(Related("called from here", call) for call in span.calls)
        return Finding(
            self.code, self.name, self.property, severity, message, span, kernel, label, help,
            (*related, *calls), witness, notes,
        )  # fmt: skip


class VerdictRule(Rule):
    """A rule that turns refuted verdicts of its property into findings, one each."""

    def claims(self, verdict: Verdict, view: View) -> bool:
        """Whether a refuted verdict of this property is of this rule's kind."""
        return True

    def message(self, verdict: Verdict, witness: Witness) -> str:
        """What happens, in plain words."""
        raise TypeError(f"{type(self).__name__} has no message")

    def label(self, verdict: Verdict, witness: Witness) -> str:
        """The short text under the carets."""
        return ""

    def help(self, verdict: Verdict) -> str:
        """What to do about it."""
        return ""

    def places(self, verdict: Verdict, witness: Witness) -> tuple[Related, ...]:
        """The other places that belong to the finding, the launch site apart."""
        return ()

    def check(self, view: View) -> Iterator[Finding]:
        for verdict, witness in self.mine(view):
            yield self.report(view, verdict, witness)

    def mine(self, view: View) -> Iterator[tuple[Verdict, Witness]]:
        """The refuted verdicts that this rule reports."""
        for verdict in view.result.verdicts:
            fits = verdict.kind == REFUTED and verdict.obligation.property == self.property
            if fits and verdict.witness is not None and self.claims(verdict, view):
                yield verdict, verdict.witness

    def report(self, view: View, verdict: Verdict, witness: Witness) -> Finding:
        o = verdict.obligation
        return self.finding(
            severity(verdict, view.result), self.message(verdict, witness), o.span,
            kernel=view.kernel.qualname, label=self.label(verdict, witness), help=self.help(verdict),
            related=(*self.places(verdict, witness), *launched(verdict, witness)),
            witness=witness, notes=notes(verdict, witness),
        )  # fmt: skip


def severity(verdict: Verdict, result: KernelResult) -> str:
    """Error for a launch site in view or under a declared contract, else a warning.

    A launch that only an assumption leaves out is a warning too.
    """
    if verdict.obligation.kind == "late":
        return WARNING
    if verdict.site is not None:
        return ERROR
    return ERROR if result.declared and not verdict.geometry else WARNING


def undecided_severity(view: View) -> str:
    return WARNING if view.deny_undecided else INFO


def launched(verdict: Verdict, witness: Witness) -> tuple[Related, ...]:
    """The launch site that a refutation is for, with its numbers."""
    if verdict.site is None:
        return ()
    o = verdict.obligation
    text = f"launched with {words.launch(witness, o.access, o.other)}"
    calls = tuple(Related("by way of this call", c) for c in reversed(verdict.site.callers))
    return (Related(text, verdict.site.span), *calls)


def notes(verdict: Verdict, witness: Witness) -> tuple[str, ...]:
    """Without a launch site: the smallest launch that shows it; then what the verdict rests on."""
    out = []
    if verdict.site is None:
        o = verdict.obligation
        out.append(f"for example with {words.launch(witness, o.access, o.other)}")
    if verdict.geometry:
        out.append("no launch of this kernel is in view; this one is of the usual kind")
    if verdict.assumptions:
        out.append(f"assuming {', '.join(verdict.assumptions)}")
    return tuple(out)


def index_label(access: Access | None, witness: Witness, which: int = 0) -> str:
    """How the subscript that leaves its bounds was computed."""
    if access is None:
        return ""
    axis = words.axis_outside(witness)
    text, term = words.subscript(access, axis)
    value = witness.element[axis] if axis < len(witness.element) else None
    if term is None:
        return f"{text} = {value}" if text and value is not None else ""
    return words.computed(text, term, witness, which, value)
