"""Records as NumPy lays them out: fields one after the other, or, with `align=True`, as C does it.

Written `record(position=float32, hits=int32)` or `record(kind=int8, mass=float64, align=True)` in signatures.
Fields are scalars, or packed records within a packed record; arrays in records are not compiled. In aligned
records each field starts at a multiple of its size, and the record ends at a multiple of the largest (NumPy's
documentation, "Structured arrays", "Automatic byte offsets and alignment").
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import gcd

from gpulint.compile.error import CompileError
from gpulint.compile.llvm import size_of
from gpulint.frontend.numba.types import COMPLEX, by_name
from gpulint.ir.printer import type_name
from gpulint.ir.span import Span
from gpulint.ir.types import Type, Unknown

WORD, ALIGN = "record", "align"
FIELDS = "fields are numbers, booleans, or packed records in a packed record; pass arrays beside the records"
WIDEST = 16  # bytes to which records are aligned at most


@dataclass(frozen=True)
class Record:
    """Field names with their scalar types, in memory order; `align`: with gaps, as C lays them out.

    The fields of records within the record are named by their paths (`pos.x`).
    """

    fields: tuple[tuple[str, Type], ...]
    align: bool = False

    def __str__(self) -> str:
        fields = ", ".join(_texts(self.fields))
        return f"{WORD}({fields}{', align=True' if self.align else ''})"

    @property
    def size(self) -> int:
        """Bytes from one record to the next."""
        name, last = self.fields[-1]
        end = self.offsets[name] + size_of(last)
        return _up(end, max(size_of(t) for _, t in self.fields)) if self.align else end

    @property
    def alignment(self) -> int:
        """Bytes to which every record lies when the first does: the power of two that divides the size."""
        return min(self.size & -self.size, WIDEST)

    @property
    def offsets(self) -> Mapping[str, int]:
        """Where each field starts, in bytes."""
        out, at = {}, 0
        for name, t in self.fields:
            out[name] = _up(at, size_of(t)) if self.align else at
            at = out[name] + size_of(t)
        return out

    @property
    def gaps(self) -> tuple[int, ...]:
        """Bytes that belong to no field: before each of them, and after the last."""
        out, at = [], 0
        for name, t in self.fields:
            out.append(self.offsets[name] - at)
            at = self.offsets[name] + size_of(t)
        return (*out, self.size - at)

    def field(self, name: str, span: Span) -> Type:
        """The type of a field. Raises CompileError."""
        found = dict(self.fields).get(name)
        if found is None:
            raise CompileError(f"the record has no field `{name}`; it is {self}", span)
        return found

    def aligned(self, name: str) -> int:
        """The alignment of a field in bytes, in every record."""
        return gcd(size_of(dict(self.fields)[name]), self.offsets[name], self.alignment)


def _texts(fields: Sequence[tuple[str, Type]]) -> Iterator[str]:
    """Each field as it is written, those of one record within together."""
    for first, group in groupby(fields, key=lambda f: f[0].partition(".")[0]):
        inner = [(name.partition(".")[2], t) for name, t in group]
        if inner[0][0]:
            yield f"{first}={WORD}({', '.join(_texts(inner))})"
        else:
            yield f"{first}={type_name(inner[0][1])}"


def _up(at: int, unit: int) -> int:
    return -(-at // unit) * unit


def read(node: ast.expr) -> Record | None:
    """The record that a part of a signature names; None where it names none. Raises CompileError."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != WORD:
        return None
    fields: list[tuple[str, Type]] = []
    align = nested = False
    for k in node.keywords:
        if k.arg == ALIGN and isinstance(k.value, ast.Constant) and isinstance(k.value.value, bool):
            align = k.value.value
            continue
        within = read(k.value)
        if within is not None and not within.align and k.arg is not None:
            fields += [(f"{k.arg}.{name}", t) for name, t in within.fields]
            nested = True
            continue
        name = k.value.id if isinstance(k.value, ast.Name) else ""
        t = by_name(name) if name and name not in COMPLEX else None
        if k.arg is None or t is None or isinstance(t, Unknown):
            raise CompileError(
                f"`{ast.unparse(k.value)}` is no type of a field that is compiled", hint=FIELDS
            )
        fields.append((k.arg, t))
    if nested and align:
        raise CompileError("records within aligned records are not compiled", hint=FIELDS)
    if not fields or node.args:
        raise CompileError("a record is written as in record(x=float32, n=int64)")
    return Record(tuple(fields), align)


def of_text(text: str) -> Record | None:
    """The record that a text names, as the host code's reader writes it; None where it is none."""
    if not text.startswith(f"{WORD}("):
        return None
    try:
        return read(ast.parse(text, mode="eval").body)
    except (CompileError, SyntaxError):
        return None
