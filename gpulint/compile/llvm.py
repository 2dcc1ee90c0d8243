"""LLVM IR as text: types, constants, and a builder of one function's blocks.

Text needs no library, so that `--emit llvm` works without one, and holds what a library of Python objects
may not know yet (synchronisation scopes, `nneg`, calling conventions).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field

from gpulint.compile.error import CompileError
from gpulint.ir.span import NOWHERE, Span
from gpulint.ir.types import BoolType, FloatType, IntType, Type

GENERIC, GLOBAL, SHARED, CONST, LOCAL = 0, 1, 3, 4, 0
SPACES = {"global": GLOBAL, "shared": SHARED, "const": CONST, "local": LOCAL}
_FLOATS = {16: "half", 32: "float", 64: "double"}


@dataclass(frozen=True)
class Value:
    """A scalar of the kernel in an LLVM register, or a literal."""

    type: Type
    text: str


def type_of(t: Type, span: Span = NOWHERE) -> str:
    """The LLVM type of a scalar in a register. Raises CompileError for a type that is not known."""
    if isinstance(t, IntType):
        return f"i{t.bits}"
    if isinstance(t, BoolType):
        return "i1"
    if isinstance(t, FloatType):
        return _FLOATS[t.bits]
    raise CompileError("the type of a value is not known", span, "give it with a cast in the source")


def stored_type(t: Type, span: Span = NOWHERE) -> str:
    """The LLVM type of a scalar in memory: a boolean is a byte there."""
    return "i8" if isinstance(t, BoolType) else type_of(t, span)


def size_of(t: Type) -> int:
    """Bytes of an element."""
    assert isinstance(t, (BoolType, IntType, FloatType))
    return 1 if isinstance(t, BoolType) else t.bits // 8


def pointer(space: int) -> str:
    return f"ptr addrspace({space})" if space else "ptr"


def literal(value: int | float | bool, t: Type) -> Value:
    """A constant of the type; floats are rounded to it, integers wrap."""
    if isinstance(t, BoolType):
        return Value(t, "true" if value else "false")
    if isinstance(t, IntType):
        return Value(t, str(t.wrap(int(value))))
    if isinstance(t, FloatType):
        return Value(t, _float(float(value), t.bits))
    raise CompileError(f"the type of the constant {value!r} is not known")


def _float(value: float, bits: int) -> str:
    """LLVM's hexadecimal form; that of a float32 is the double of the same value."""
    if bits == 16:
        try:
            return f"0xH{struct.unpack('<H', struct.pack('<e', value))[0]:04X}"
        except OverflowError:
            return "0xH7C00" if value > 0 else "0xHFC00"
    if bits == 32:
        try:
            value = struct.unpack("<f", struct.pack("<f", value))[0]
        except OverflowError:
            value = float("inf") if value > 0 else float("-inf")
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def quoted(name: str) -> str:
    """A name that may hold any character, as LLVM writes it."""
    plain = re.compile(rb"[A-Za-z0-9._$]")
    raw = name.encode()
    safe = "".join(chr(b) if plain.match(bytes([b])) else f"\\{b:02X}" for b in raw)
    return f'"{safe}"'


@dataclass
class Code:
    """The blocks of one function under construction.

    `dead`: the current block has ended and nothing can reach what follows; what is written then is dropped.
    """

    lines: list[str] = field(default_factory=list)
    entry: list[str] = field(default_factory=list)  # allocations, at the head of the first block
    dead: bool = False
    location: str = ""  # `, !dbg !N` of the statement being written
    _count: int = 0

    def fresh(self) -> str:
        self._count += 1
        return f"%v{self._count}"

    def label(self, base: str) -> str:
        self._count += 1
        return f"{base}.{self._count}"

    def do(self, text: str) -> None:
        """An instruction without a result."""
        if not self.dead:
            self.lines.append(f"  {text}{self.location}")

    def get(self, text: str) -> str:
        """An instruction with a result: the register that holds it."""
        name = self.fresh()
        self.do(f"{name} = {text}")
        return name

    def value(self, t: Type, text: str) -> Value:
        return Value(t, self.get(text))

    def reserve(self, llvm_type: str, align: int = 0) -> str:
        """Memory of the thread's own, allocated once on entry."""
        name = self.fresh()
        self.entry.append(f"  {name} = alloca {llvm_type}" + (f", align {align}" if align else ""))
        return name

    def start(self, label: str) -> None:
        """A new block, entered from the current one when that has not ended."""
        if not self.dead:
            self.do(f"br label %{label}")
        self.lines.append(f"{label}:")
        self.dead = False

    def jump(self, label: str) -> None:
        self.do(f"br label %{label}")
        self.dead = True

    def branch(self, condition: str, then: str, other: str) -> None:
        self.do(f"br i1 {condition}, label %{then}, label %{other}")
        self.dead = True

    def finish(self) -> None:
        self.do("ret void")
        self.dead = True


def arguments(items: Iterable[tuple[str, str]]) -> str:
    """`type value` pairs of a call."""
    return ", ".join(f"{t} {v}" for t, v in items)
