"""What the rules about out-of-range accesses share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gpulint.dataflow.access import Access
from gpulint.ir import nodes as n
from gpulint.ir.walk import statements, walk
from gpulint.rules import words
from gpulint.rules.base import VerdictRule, View, index_label, severity
from gpulint.rules.finding import ERROR, Finding, Related
from gpulint.solver.verdict import Verdict, Witness
from gpulint.term import TRUE, show, symbols


def negative(verdict: Verdict) -> bool:
    """Whether the witness lies before the start of its array, or counts from its end."""
    w = verdict.witness
    return wraps(verdict) or (w is not None and any(at < 0 for at in w.element))


def wraps(verdict: Verdict) -> bool:
    """Whether the subscript is negative but still names an element, counted from the end."""
    return verdict.obligation.kind == "negative"


def tail(verdict: Verdict) -> bool:
    """Whether the access goes past the data only because the launch is larger than the data.

    So it is when the verdict hangs on the geometry of the launch, and when nothing at all guards a
    subscript that is made of the thread's place in the grid.
    """
    o = verdict.obligation
    if negative(verdict):
        return False
    if verdict.geometry or o.kind == "tail":
        return True
    if o.access is None or not _unguarded(o.access) or o.access.loops:
        return False
    names = {s.name for s in symbols(*o.access.subscripts)}
    within = ("threadIdx.", "lane")
    return any(x.startswith("blockIdx.") for x in names) and any(x.startswith(within) for x in names)


def _unguarded(access: Access) -> bool:
    stmt = access.stmt
    masked = getattr(stmt, "mask", None) is not None
    return access.guard == TRUE and not masked


def writes(verdict: Verdict) -> bool:
    """Whether the access stores: plain writes and atomics."""
    o = verdict.obligation
    return o.access.mode != "read" if o.access is not None else o.kind in ("write", "atomic")


class OutOfRange(VerdictRule):
    """The message, label and remedy of an access outside its array.

    Accesses of one line that leave their arrays with the same subscript under the same guard have
    one cause: they are told once, at the store if there is one.
    """

    property = "in-range"

    def check(self, view: View) -> Iterator[Finding]:
        causes: dict[tuple[object, ...], list[tuple[Verdict, Witness]]] = {}
        for verdict, witness in self.mine(view):
            causes.setdefault(_cause(verdict, witness), []).append((verdict, witness))
        for group in causes.values():
            first = min(group, key=lambda g: (severity(g[0], view.result) != ERROR, not writes(g[0])))
            found = self.report(view, *first)
            rest = {v.obligation.span: v for v, _ in group if v.obligation.span != found.span}
            also = tuple(_also(v) for v in rest.values())
            moved = _moved(view.kernel, first[0]) if words.tiles(first[1]) else ()
            yield replace(found, related=(*moved, *also, *found.related))

    def message(self, verdict: Verdict, witness: Witness) -> str:
        access = verdict.obligation.access
        who = words.point(witness.points[0], witness) if witness.points else f"a {words.one(witness)}"
        if any(size == 0 for size in witness.extents):
            return f"{who} {words.verb(access)} {words.element(witness)}, but {witness.array} is empty"
        return f"{who} {words.verb(access)} {words.element(witness)}, {words.distance(witness)}"

    def label(self, verdict: Verdict, witness: Witness) -> str:
        return index_label(verdict.obligation.access, witness)

    def help(self, verdict: Verdict) -> str:
        access, w = verdict.obligation.access, verdict.witness
        if access is None or w is None:
            return ""
        below = negative(verdict)
        return mask(access, w, below) if words.tiles(w) else guard(access, words.axis_outside(w), below)


def _cause(verdict: Verdict, witness: Witness) -> tuple[object, ...]:
    """Equal for verdicts with the same cause."""
    o = verdict.obligation
    if o.access is None:
        return (o.span,)
    _, index = words.subscript(o.access, words.axis_outside(witness))
    return (o.span.filename, o.span.row, index, o.access.guard, verdict.site is None)


def _moved(kernel: n.Kernel, verdict: Verdict) -> tuple[Related, ...]:
    """Where a product moved a tile's pointer before the access, when that is on another line."""
    access = verdict.obligation.access
    stmt = access.stmt if access is not None else None
    if access is None or not isinstance(stmt, (n.Load, n.Store, n.Atomic)):
        return ()
    used = {x.name for e in stmt.subscripts for x in walk(e) if isinstance(x, n.Var)}
    last: n.Assign | None = None
    for s in statements(kernel.body):
        if s is stmt:
            break
        if isinstance(s, n.Assign) and s.target in used and _multiplied(s.value):
            last = s
    if last is None or last.span.row == access.span.row or last.span.filename != access.span.filename:
        return ()
    return (Related("the place of the access is computed here", last.span),)


def _multiplied(value: n.Expr) -> bool:
    return any(isinstance(x, n.Binary) and x.op == "mul" for x in walk(value))


def _also(verdict: Verdict) -> Related:
    access = verdict.obligation.access
    return Related(f"so does this {words.noun(access)}", verdict.obligation.span)


def mask(access: Access, w: Witness, below: bool) -> str:
    """`give the load a mask: `mask=offs < n``, as far as the offset has a short name."""
    axis = words.axis_outside(w)
    text, _ = words.subscript(access, axis)
    size = words.device_names(show(access.checks[axis][1]), True) if axis < len(access.checks) else ""
    has = "narrow the mask of" if getattr(access.stmt, "mask", None) is not None else "mask"
    if not text or not text.isidentifier() or not size:
        how = " (`boundary_check` of a block pointer)" if has == "mask" else ""
        where = f"within `{access.array.name}` wherever the mask is true"
        low = "not negative and " if below else ""
        return f"{has} the {words.noun(access)}{how}, so that the offset is {low}{where}"
    low = f"(0 <= {text}) & ({text} < {size})" if below else f"{text} < {size}"
    return f"{has} the {words.noun(access)}: `mask={low}`"


def guard(access: Access, axis: int, below: bool) -> str:
    """`guard the store: `if i < out.size:``, with `0 <= i` where it may be negative."""
    if axis >= len(access.checks):
        return f"guard the {words.noun(access)}"
    text, term = words.subscript(access, axis)
    name = text or (words.device_names(show(term)) if term is not None else "")
    size = words.device_names(show(access.checks[axis][1]))
    if term is not None and term.value is not None:
        return f"correct the subscript, or launch only with `{size} > {term.value}`"
    low = "0 <= " if below else ""
    return f"guard the {words.noun(access)}: `if {low}{_operand(name)} < {size}:`"


def _operand(text: str) -> str:
    loose = any(word in text for word in (" if ", " and ", " or ", " < ", " > ", " == "))
    return f"({text})" if loose else text
