"""The IR as a readable grammar: expressions are pure, statements have the effects.

    kernel    ::= params, arrays, body
    stmt      ::= Assign | Load | Store | Atomic | View | Alloc | If | For | While | Break | Continue
                | Block | Leave | Barrier | Assume | Effect | Unsupported
    expr      ::= Const | Var | Coord | Extent | Stride | Unary | Binary | Compare | Logic | Choose
                | Cast | Opaque | Lane | Relane

Locals are mutable names (the dataflow room makes them single-assignment). Reads of memory are
statements, so that a read under a short circuit or in a conditional expression stands under an `If`:
the frontend expands `a and x[i]`, `x[i] if c else 0` and chained comparisons that read memory.
Function calls are inlined by the frontend: the callee's body is a `Block`, its `return` a `Leave`.

Every node is a frozen dataclass; printing, traversal and hashing are derived from the fields.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as _field
from typing import Union

from gpulint.ir.expressions import (
    EVERY,
    Binary,
    Cast,
    Choose,
    Compare,
    Const,
    Coord,
    Expr,
    Extent,
    Lane,
    Logic,
    Opaque,
    Relane,
    Size,
    Stride,
    Unary,
    Var,
    upto,
)
from gpulint.ir.span import NOWHERE, Span
from gpulint.ir.statements import (
    Alias,
    Alloc,
    Assign,
    Assume,
    Atomic,
    Barrier,
    Block,
    Break,
    Continue,
    Effect,
    For,
    If,
    Leave,
    Load,
    Range,
    Stmt,
    Store,
    Unsupported,
    View,
    While,
)
from gpulint.ir.types import ArrayType, BoolType, FloatType, IntType, Type, Unknown

__all__ = [
    "EVERY",
    "Alias",
    "Alloc",
    "Assign",
    "Assume",
    "Atomic",
    "Barrier",
    "Binary",
    "Block",
    "Break",
    "Cast",
    "Choose",
    "Compare",
    "Const",
    "Continue",
    "Coord",
    "Effect",
    "Expr",
    "Extent",
    "For",
    "If",
    "Kernel",
    "Lane",
    "Leave",
    "Load",
    "Logic",
    "Opaque",
    "Param",
    "Range",
    "Relane",
    "Size",
    "Stmt",
    "Store",
    "Stride",
    "Unary",
    "Unsupported",
    "ValueType",
    "Var",
    "View",
    "While",
    "upto",
]


@dataclass(frozen=True)
class Param:
    """A kernel parameter. An array has an ArrayType; a scalar any other type, Unknown included.

    `fields`: attributes read from a record or named-tuple parameter become parameters of their own,
    named `p.field`. A parameter that is never used as an array is a scalar. `constexpr`: a compile-time
    value of a tile dialect. A pointer of a tile dialect is a 1-D array of the elements from the pointer
    on. `lo`: the least value that an integer parameter can have, as `tiles.sized` finds it.
    """

    name: str
    type: Union[Type, ArrayType]
    span: Span = _field(default=NOWHERE, compare=False)
    constexpr: bool = False
    lo: int | None = None

    @property
    def is_array(self) -> bool:
        return isinstance(self.type, ArrayType)


@dataclass(frozen=True)
class Kernel:
    """One kernel, device functions inlined.

    `qualname` is dotted with the classes and functions that hold it (`make.<locals>.kernel` is
    `make.kernel`). `header` covers the decorators and the signature. `declared` are contract clauses
    as text with their places. `options` are the decorator's (`fastmath`, `max_registers`, ...); those of
    kind `number` and `function` name what the lowering takes for granted: parameters that are numbers, and
    functions that are those that the source in view gives.
    `grid_width`: bits of `cuda.grid` and `cuda.gridsize`.
    """

    name: str
    qualname: str
    dialect: str
    params: tuple[Param, ...]
    body: tuple[Stmt, ...]
    span: Span
    header: Span
    declared: tuple[tuple[str, Span], ...] = ()
    options: tuple[tuple[str, str], ...] = ()

    @property
    def numbers(self) -> tuple[str, ...]:
        """Parameters taken for numbers only because they are given to functions that are not known."""
        return tuple(name for kind, name in self.options if kind == "number")

    @property
    def functions(self) -> tuple[str, ...]:
        """Functions that are known only because callers and classes in view give no other ones."""
        return tuple(name for kind, name in self.options if kind == "function")


ValueType = Union[IntType, FloatType, BoolType, Unknown]
