"""Replay of a witness: does the violation that a prover claims really happen?"""

from __future__ import annotations

from collections.abc import Iterable

from gpulint.interp.launch import SAME_VALUE, ConcreteLaunch, Violation
from gpulint.interp.machine import run
from gpulint.ir.nodes import Kernel
from gpulint.ir.span import Span


def shown(
    violations: Iterable[Violation], kind: str, span: Span | None = None, array: str | None = None
) -> Violation | None:
    """The violation of this kind at this place, or None when there is none.

    `span` is that of either place of a race; a violation elsewhere, on the same row perhaps, is none of
    this one's. `array` is the name of the base array. Writes of one value come last.
    """
    found = None
    for v in violations:
        if v.kind != kind or (array is not None and v.array != array):
            continue
        if span is None or span in (v.span, v.other_span):
            if v.detail != SAME_VALUE:
                return v
            found = found or v
    return found


def replay(
    kernel: Kernel, launch: ConcreteLaunch, kind: str, span: Span | None = None, array: str | None = None
) -> Violation | None:
    """What `shown` finds in a run of the launch."""
    return shown(run(kernel, launch).violations, kind, span, array)
