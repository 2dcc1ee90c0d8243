"""Accesses and operations as text."""

from __future__ import annotations

from gpulint.ir import nodes as n
from gpulint.ir.printer import expr


def bare(e: n.Expr) -> str:
    """An expression without its outermost parentheses."""
    text = expr(e)
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0 and i < len(text) - 1:
            return text
    return text[1:-1]


def subscripts(s: n.Stmt) -> tuple[str, ...]:
    return tuple(bare(e) for e in getattr(s, "subscripts", ()))


def place(s: n.Stmt) -> str:
    """The element that a load, store or atomic names."""
    field = getattr(s, "field", "")
    return f"{getattr(s, 'array', '')}[{', '.join(subscripts(s))}]" + (f".{field}" if field else "")
