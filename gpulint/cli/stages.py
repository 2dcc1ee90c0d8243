"""A kernel as text at each stage of the analysis; empty when it did not get that far."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpulint.pipeline import Analysis


def source(a: Analysis) -> str:
    s = a.source
    segment = ast.get_source_segment(s.module.text, s.node) or ""
    span = s.module.span(s.node)
    head = [f"# {s.module.filename}:{span.row}: {s.dialect} kernel {s.qualname}"]
    head.append(f"@{ast.unparse(s.decorator)}")
    head += [f"# declared: {text}" for text, _ in s.declared]
    return "\n".join([*head, segment])


def ir(a: Analysis) -> str:
    from gpulint.ir.printer import kernel

    return kernel(a.kernel) if a.kernel is not None else ""


def graph(a: Analysis) -> str:
    from gpulint.dataflow.build import build
    from gpulint.dataflow.export import to_text

    return to_text(build(a.kernel)) if a.kernel is not None else ""


def dot(a: Analysis) -> str:
    from gpulint.dataflow.build import build
    from gpulint.dataflow.export import to_dot

    return to_dot(build(a.kernel)) if a.kernel is not None else ""


def accesses(a: Analysis) -> str:
    """One block an access: array, mode, subscripts, guard, loops; then operations and facts."""
    from gpulint.term import show

    if a.accesses is None:
        return ""
    found = a.accesses
    lines = [f"kernel {a.source.qualname}, launch rank {found.rank or 'unknown'}"]
    for x in found.accesses:
        place = ", ".join(show(s) for s in x.subscripts)
        kind = f"atomic {x.op}" if x.op else x.mode
        lines.append(f"  #{x.index} {kind} {x.array.name}[{place}]  ({x.text or '-'}, line {x.span.row})")
        lines.append(f"       where {show(x.guard)}" + ("" if x.exact else "  (or less)"))
        for loop in x.loops:
            lines.append(f"       for {show(loop.counter)} in range({show(loop.trips)})")
        for lane, size in x.lanes:
            lines.append(f"       for {show(lane)} in range({show(size)})")
    for op in found.ops:
        width = f"{'' if op.type.signed else 'u'}int{op.type.bits}"
        lines.append(f"  {width} {op.text} = {show(op.term)} feeds {op.feeds} (line {op.span.row})")
    lines += [f"  fact {show(f)}" for f in found.facts]
    lines += [f"  approximated: {text}" for text in found.approximations]
    lines += [f"  not understood, line {span.row}: {text}" for text, span in found.unsupported]
    return "\n".join(lines)


def obligations(a: Analysis) -> str:
    """One line an obligation, with what decided it; then the contract and the launch sites."""
    from gpulint.report.summary import obligation, site

    if a.result is None:
        return ""
    lines = [f"kernel {a.source.qualname}: {a.result.status}"]
    for v in a.result.verdicts:
        o = obligation(v)
        kind = f" ({o.kind})" if o.kind else ""
        by = f" by {o.rung}" if o.rung else ""
        lines.append(f"  {o.span.row}:{o.span.column + 1} {o.property}{kind}: {o.verdict}{by}")
        lines += [f"       under {c}" for c in o.clauses]
        lines += [f"       {o.reason}"] if o.reason else []
        lines += [f"       settled by {o.settle}"] if o.settle else []
    for title, clauses in (("declared", a.result.declared), ("inferred", a.result.inferred)):
        lines += [f"  {title}: {c}" for c in clauses]
    lines += [f"  assumed: {name}" for name in a.result.assumed]
    for s in a.result.sites:
        at = site(s)
        lines.append(f"  launch {at.span.row}:{at.span.column + 1} {at.status} {at.reason}".rstrip())
    return "\n".join(lines)


STAGE: dict[str, Callable[[Analysis], str]] = {
    "source": source, "ir": ir, "graph": graph, "dot": dot, "accesses": accesses, "obligations": obligations,
}  # fmt: skip
