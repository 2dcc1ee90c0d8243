"""Types of IR values. Widths are the dialect's own; `Unknown` is a value that nothing types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union


@dataclass(frozen=True)
class IntType:
    bits: int
    signed: bool = True

    @property
    def lo(self) -> int:
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def hi(self) -> int:
        return (1 << (self.bits - 1)) - 1 if self.signed else (1 << self.bits) - 1

    def wrap(self, value: int) -> int:
        """Two's complement: the value that a register of this width holds."""
        value &= (1 << self.bits) - 1
        return value - (1 << self.bits) if self.signed and value > self.hi else value


@dataclass(frozen=True)
class FloatType:
    bits: int


@dataclass(frozen=True)
class BoolType:
    pass


@dataclass(frozen=True)
class Unknown:
    """No type is known: a parameter without a signature, or what an opaque value has."""


Type = Union[IntType, FloatType, BoolType, Unknown]

BOOL, UNKNOWN = BoolType(), Unknown()
INT8, INT16, INT32, INT64 = (IntType(b) for b in (8, 16, 32, 64))
UINT8, UINT16, UINT32, UINT64 = (IntType(b, signed=False) for b in (8, 16, 32, 64))
FLOAT16, FLOAT32, FLOAT64 = (FloatType(b) for b in (16, 32, 64))


@dataclass(frozen=True)
class ArrayType:
    """An array: element type, rank (None when no use fixes it) and memory space."""

    element: Type
    ndim: int | None
    space: str = "global"  # global, shared, local, const
