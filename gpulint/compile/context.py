"""What the lowering of one function carries along."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from gpulint.compile.llvm import Code, Value, size_of, type_of
from gpulint.compile.module import Module
from gpulint.compile.proofs import Proofs
from gpulint.compile.records import Record
from gpulint.ir.span import Span
from gpulint.ir.types import Type

Coordinate = Callable[["Context", str, int], Value]


@dataclass(frozen=True)
class Options:
    """How code is made. `fast`: floats may be reassociated and functions approximate (`fastmath=True`).

    `contract`: a product and a sum may become one operation, as Numba has it by default. `lines`: keep
    the places of the source. `library`: what the names of math functions begin with (`__nv_` in libdevice,
    nothing in the host's own library); None where there is none. `vectors`: how many a thread takes in the
    second version of a streaming kernel; 0 for no such version.
    """

    fast: bool = False
    contract: bool = True
    lines: bool = True
    library: str | None = "__nv_"
    vectors: int = 1

    @property
    def flags(self) -> str:
        """The flags of a float operation."""
        return "fast " if self.fast else "contract " if self.contract else ""


@dataclass(frozen=True)
class ArrayValue:
    """An array as code sees it: where it starts, and 64-bit registers or literals for its sizes.

    `strides` are in bytes; None for C-contiguous. `small`: no element lies 2^31 elements or more from the
    first, by a standing assumption that launches are held to. `constant`: no thread writes it. Of an array of
    `record`s the element type is not known; `align` is that of a field, in bytes, and 0 elsewhere.
    """

    element: Type
    space: int
    pointer: str
    extents: tuple[str, ...]
    strides: tuple[str, ...] | None
    small: bool = False
    constant: bool = False
    record: Record | None = None
    align: int = 0

    @property
    def size(self) -> int:
        """Bytes from one element to the next of a contiguous array."""
        return self.record.size if self.record is not None else size_of(self.element)

    @property
    def alignment(self) -> int:
        """Bytes to which an element is aligned, for its load or store."""
        return self.align or size_of(self.element)


@dataclass(frozen=True)
class Slots:
    """Where an array name that is given its meaning at run time keeps it: memory of the thread's own."""

    pointer: str
    space: int
    extents: tuple[str, ...]
    strides: tuple[str, ...]


@dataclass
class Context:
    """`coordinate` reads a launch coordinate. `slots` hold the versions of locals, by name and type.

    `arrays` are the array names that mean one array throughout; of those in `views`, only element type and
    marks stand there, and the rest is read from their slots.
    """

    module: Module
    code: Code
    options: Options
    proofs: Proofs
    coordinate: Coordinate
    arrays: dict[str, ArrayValue] = field(default_factory=dict)
    views: dict[str, Slots] = field(default_factory=dict)
    slots: dict[str, dict[Type, str]] = field(default_factory=dict)
    point: Value | None = None  # the global index, where one thread stands for several of the launch
    scope: str = ""  # of line information
    filename: str = ""

    def at(self, span: Span) -> None:
        """What is written from here on belongs to this place."""
        if self.scope:
            found = self.module.place(span, self.scope, self.filename)
            self.code.location = found or self.code.location

    def call(self, result: str, name: str, *given: tuple[str, str], attributes: str = "") -> str:
        """A call of an outside function with (type, value) arguments; its result, '' for void."""
        target = self.module.declare(result, name, tuple(t for t, _ in given), attributes)
        text = f"call {result} {target}({', '.join(f'{t} {v}' for t, v in given)})"
        if result == "void":
            self.code.do(text)
            return ""
        return self.code.get(text)

    def intrinsic(self, name: str, t: Type, *operands: Value) -> Value:
        """An intrinsic that is overloaded on one type: `llvm.smax` gives `llvm.smax.i64`."""
        kind = type_of(t)
        suffix = {"half": "f16", "float": "f32", "double": "f64"}.get(kind, kind)
        given = tuple((kind, o.text) for o in operands)
        return Value(t, self.call(kind, f"{name}.{suffix}", *given))
