"""Accesses and operations named as the user wrote them, not as the IR prints them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from gpulint.dataflow.access import Access, AccessSet, IntOp
from gpulint.ir.span import Span

Segment = Callable[[Span], str]
MAX_TEXT = 80


def spell(accesses: AccessSet, segment: Segment) -> AccessSet:
    """The same set with texts taken from the source; `segment` gives the text of a range on one
    line, or ''. What cannot be found there keeps its text. Nothing but texts changes."""
    return replace(
        accesses,
        accesses=tuple(_access(a, segment(a.span)) for a in accesses.accesses),
        ops=tuple(_operation(o, segment(o.span)) for o in accesses.ops),
        left_out=tuple(replace(x, load=_access(x.load, segment(x.load.span))) for x in accesses.left_out),
    )


def _operation(op: IntOp, text: str) -> IntOp:
    return replace(op, text=text) if _short(text) else op


def _access(access: Access, text: str) -> Access:
    if access.lanes or _through_pointer(text):
        return _tile(access, text)
    parts = _subscripts(text) if _short(text) else None
    if parts is None:
        return access
    if len(parts) != len(access.subscript_texts):
        return replace(access, text=text)
    return replace(access, text=text, subscript_texts=tuple(parts))


def _tile(access: Access, text: str) -> Access:
    """An access through a pointer: the pointer as written, and what is added to its base."""
    call = _parsed(text) if _short(text) else None
    where = call.args[0] if isinstance(call, ast.Call) and call.args else None
    if where is None or isinstance(where, ast.Constant):
        nothing = ("",) * len(access.subscripts)
        return replace(access, text=f"{access.array.name}[...]", subscript_texts=nothing)
    offset = _offset(where, text) if len(access.subscripts) == 1 else ""
    written = ast.get_source_segment(text, where) or access.array.name
    return replace(access, text=written, subscript_texts=(offset,))


def _through_pointer(text: str) -> bool:
    """Whether this is a load, store or atomic of a tile dialect: `tl.store(p, v)`, `tl.atomic_add(p, v)`."""
    call = _parsed(text) if _short(text) else None
    name = call.func.attr if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else ""
    return name in ("load", "store") or name.startswith("atomic_")


def _offset(where: ast.expr, text: str) -> str:
    """What a pointer expression adds to the name that it starts with."""
    first = where
    while isinstance(first, ast.BinOp) and isinstance(first.op, ast.Add):
        first = first.left
    if first is where or not isinstance(first, ast.Name):
        return ""
    source = ast.get_source_segment(text, where) or ""
    name, _, rest = source.partition("+")
    return " ".join(rest.split()) if name.strip() == first.id else ""


def _short(text: str) -> bool:
    return 0 < len(text) <= MAX_TEXT


def _subscripts(text: str) -> list[str] | None:
    """The subscripts of `a[i][j, k]`, or the index of `atomic.add(a, (i, j), v)`; None for others."""
    node = _parsed(text)
    if node is None:
        return None
    if isinstance(node, ast.Call) and len(node.args) >= 2:
        return _elements(node.args[1], text)
    out: list[str] = []
    while isinstance(node, ast.Subscript):
        out[:0] = _elements(node.slice, text)
        node = node.value
    return out or None


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _elements(index: ast.expr, text: str) -> list[str]:
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return [ast.get_source_segment(text, p) or "" for p in parts]
