"""The `# gpulint:` comments of a file."""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass

from gpulint.ir.span import Span
from gpulint.source.model import Module

_MARK = re.compile(r"#\s*gpulint:\s*")
_SKIPPED = frozenset(
    (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER)
)


@dataclass(frozen=True)
class Comment:
    """`# gpulint: BODY`. `alone`: no code stands on its line. `span` is the range from `#` on."""

    body: str
    row: int
    column: int
    body_column: int
    alone: bool
    span: Span

    def body_span(self, start: int, text: str) -> Span:
        """The range of a part of the body that begins at offset `start`."""
        column = self.body_column + start
        return Span(self.span.filename, self.row, column, self.row, column + len(text))


@dataclass(frozen=True)
class Comments:
    """The marked comments in source order, the rows on which code stands, and those of comments alone."""

    marked: tuple[Comment, ...] = ()
    code_rows: frozenset[int] = frozenset()
    comment_rows: frozenset[int] = frozenset()


def comments(module: Module) -> Comments:
    """Reads the comments of a module; what follows a place that cannot be tokenized is left out."""
    if "gpulint:" not in module.text:
        return Comments()
    found: list[tuple[int, int, str]] = []
    rows: set[int] = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
            if token.type == tokenize.COMMENT:
                found.append((*token.start, token.string))
            elif token.type not in _SKIPPED:
                rows.update(range(token.start[0], token.end[0] + 1))
    except (tokenize.TokenError, SyntaxError, RecursionError):
        pass
    marked = (_comment(module, row, column, text, row not in rows) for row, column, text in found)
    alone = frozenset(row for row, _, _ in found if row not in rows)
    return Comments(tuple(c for c in marked if c is not None), frozenset(rows), alone)


def _comment(module: Module, row: int, column: int, text: str, alone: bool) -> Comment | None:
    match = _MARK.match(text)
    if match is None:
        return None
    span = Span(module.filename, row, column, row, column + len(text))
    return Comment(text[match.end() :].rstrip(), row, column, column + match.end(), alone, span)
