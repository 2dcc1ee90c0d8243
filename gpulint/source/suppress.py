"""Suppression comments: `# gpulint: ignore[GL101, GL203] reason`."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from gpulint.ir.span import Span
from gpulint.source.comments import Comment, Comments, comments
from gpulint.source.model import Module

_IGNORE = re.compile(r"(ignore-file|ignore)\b(?!-)\s*(?:\[([^\]]*)\])?[\s:,-]*(.*)$")
_SIMPLE = (
    ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Raise, ast.Assert, ast.Delete,
    ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.Pass, ast.Break, ast.Continue,
)  # fmt: skip


@dataclass(frozen=True)
class Suppression:
    """`# gpulint: ignore[GL101, GL203] reason`.

    `codes` is empty when every code is meant. `row` is the comment's own row; `rows` are the rows
    whose findings it silences, None for the whole file (`ignore-file`). After code it covers
    the simple statement that holds its line, in a compound statement its line alone; on a line of its
    own, what it would cover on the next line of code.
    """

    codes: tuple[str, ...]
    reason: str
    row: int
    rows: tuple[int, ...] | None
    span: Span

    def covers(self, code: str, row: int) -> bool:
        """Whether a finding with this code at this row is silenced."""
        return (not self.codes or code in self.codes) and (self.rows is None or row in self.rows)


def suppressions(module: Module) -> list[Suppression]:
    """The suppressions of a file in source order. `ignore[]` with no code inside silences nothing."""
    read = comments(module)
    found: list[Suppression] = []
    statements: dict[int, tuple[int, int]] | None = None
    for comment in read.marked:
        match = _IGNORE.match(comment.body)
        if match is None:
            continue
        codes = _codes(match.group(2))
        rows: tuple[int, ...] | None = None
        if match.group(1) == "ignore":
            statements = _statements(module) if statements is None else statements
            rows = _rows(comment, read, statements)
        if codes is not None:
            found.append(Suppression(codes, match.group(3).strip(), comment.row, rows, comment.span))
    return found


def _codes(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return ()
    return tuple(c for c in re.split(r"[\s,]+", text.strip()) if c) or None


def _rows(comment: Comment, read: Comments, statements: dict[int, tuple[int, int]]) -> tuple[int, ...]:
    row = comment.row
    if comment.alone:
        row = min((r for r in read.code_rows if r > comment.row), default=0)
    first, last = statements.get(row, (row, row))
    return tuple(range(first, last + 1)) if row else ()


def _statements(module: Module) -> dict[int, tuple[int, int]]:
    """For each row of a simple statement over several lines, the statement's rows."""
    ranges: dict[int, tuple[int, int]] = {}
    for node in ast.walk(module.tree):
        if isinstance(node, _SIMPLE) and (node.end_lineno or 0) > node.lineno:
            end = node.end_lineno or node.lineno
            ranges.update(dict.fromkeys(range(node.lineno, end + 1), (node.lineno, end)))
    return ranges
