"""Replay of a witness: does the violation that a prover claims really happen?"""

from __future__ import annotations

from gpulint.interp.launch import ConcreteLaunch, Violation
from gpulint.interp.machine import run
from gpulint.ir.nodes import Kernel
from gpulint.ir.span import Span


def replay(
    kernel: Kernel, launch: ConcreteLaunch, kind: str, span: Span | None = None, array: str | None = None
) -> Violation | None:
    """The violation of this kind at this place, or None when the run does not show it.

    `span` matches by rows: a range in the same file that shares a row with it, of either place of a
    race. `array` is the name of the base array.
    """
    for v in run(kernel, launch).of(kind):
        if array is not None and v.array != array:
            continue
        if span is None or any(s is not None and touches(s, span) for s in (v.span, v.other_span)):
            return v
    return None


def touches(a: Span, b: Span) -> bool:
    """Whether the two ranges, or the calls through which they were reached, share a row."""
    return any(
        p.filename == q.filename and p.row <= q.end_row and q.row <= p.end_row
        for p in (a, *a.calls)
        for q in (b, *b.calls)
    )
