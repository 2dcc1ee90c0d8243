"""Records as NumPy packs them: fields one after the other, without gaps.

Written `record(position=float32, hits=int32)` in signatures. Fields are scalars; nested records, arrays in
records and aligned layouts with gaps are not compiled.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from math import gcd

from gpulint.compile.error import CompileError
from gpulint.compile.llvm import size_of
from gpulint.frontend.numba.types import COMPLEX, by_name
from gpulint.ir.printer import type_name
from gpulint.ir.span import Span
from gpulint.ir.types import Type, Unknown

WORD = "record"
WIDEST = 16  # bytes to which records are aligned at most


@dataclass(frozen=True)
class Record:
    """Field names with their scalar types, in memory order."""

    fields: tuple[tuple[str, Type], ...]

    def __str__(self) -> str:
        return f"{WORD}({', '.join(f'{name}={type_name(t)}' for name, t in self.fields)})"

    @property
    def size(self) -> int:
        """Bytes from one record to the next."""
        return sum(size_of(t) for _, t in self.fields)

    @property
    def alignment(self) -> int:
        """Bytes to which every record lies when the first does: the power of two that divides the size."""
        return min(self.size & -self.size, WIDEST)

    @property
    def offsets(self) -> Mapping[str, int]:
        """Where each field starts, in bytes."""
        out, at = {}, 0
        for name, t in self.fields:
            out[name] = at
            at += size_of(t)
        return out

    def field(self, name: str, span: Span) -> Type:
        """The type of a field. Raises CompileError."""
        found = dict(self.fields).get(name)
        if found is None:
            raise CompileError(f"the record has no field `{name}`; it is {self}", span)
        return found

    def aligned(self, name: str) -> int:
        """The alignment of a field in bytes, in every record."""
        return gcd(size_of(dict(self.fields)[name]), self.offsets[name], self.alignment)


def read(node: ast.expr) -> Record | None:
    """The record that a part of a signature names; None where it names none. Raises CompileError."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != WORD:
        return None
    fields = []
    for k in node.keywords:
        name = k.value.id if isinstance(k.value, ast.Name) else ""
        t = by_name(name) if name and name not in COMPLEX else None
        if k.arg is None or t is None or isinstance(t, Unknown):
            raise CompileError(f"`{ast.unparse(k.value)}` is no type of a field that is compiled")
        fields.append((k.arg, t))
    if not fields or node.args:
        raise CompileError("a record is written as in record(x=float32, n=int64)")
    return Record(tuple(fields))


def of_text(text: str) -> Record | None:
    """The record that a text names, as the host code's reader writes it; None where it is none."""
    if not text.startswith(f"{WORD}("):
        return None
    try:
        return read(ast.parse(text, mode="eval").body)
    except (CompileError, SyntaxError):
        return None
