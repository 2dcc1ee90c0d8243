"""Source ranges of a kernel."""

from __future__ import annotations

import ast

from gpulint.ir.span import Span
from gpulint.source.model import KernelSource


def header_span(source: KernelSource) -> Span:
    """Decorators and signature: from the first decorator to the line before the body."""
    node = source.node
    whole = source.module.span(node)
    if isinstance(node, ast.Lambda):
        return whole
    first = min(
        [whole, *(source.module.span(d) for d in node.decorator_list)], key=lambda s: (s.row, s.column)
    )
    row = max(node.body[0].lineno - 1, node.lineno)
    end = len(source.module.lines[row - 1]) if row <= len(source.module.lines) else 0
    if node.body[0].lineno == node.lineno:
        end = source.module.span(node.body[0]).column
    return Span(whole.filename, first.row, max(first.column - 1, 0), row, end)
