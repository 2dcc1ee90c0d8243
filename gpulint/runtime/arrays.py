"""Array arguments: where their elements are, by `__cuda_array_interface__` or DLPack."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from gpulint.compile.llvm import size_of
from gpulint.ir.types import BoolType, FloatType, IntType, Type
from gpulint.runtime.dlpack import described
from gpulint.runtime.errors import NotAnArray

MAX_DEPTH = 8  # of records within records
_KINDS = {"i": "int", "u": "uint", "f": "float", "b": "bool", "c": "complex"}


@dataclass(frozen=True)
class Device:
    """An array on the device. `strides` are in bytes; `dtype` is NumPy's name, `record` of structured arrays.

    `fields` are the names and type codes of a record's fields, where the array tells them.
    """

    pointer: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    itemsize: int
    read_only: bool = False
    fields: tuple[tuple[str, str], ...] = ()

    @property
    def count(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def contiguous(self) -> bool:
        """Whether the elements lie one after the other in row-major order."""
        return self.count == 0 or all(
            s == w or n == 1
            for s, w, n in zip(self.strides, packed(self.shape, self.itemsize), self.shape, strict=True)
        )

    @property
    def extent(self) -> tuple[int, int]:
        """The addresses from the first byte to one past the last."""
        if self.count == 0:
            return self.pointer, self.pointer
        steps = [(n - 1) * s for n, s in zip(self.shape, self.strides, strict=True)]
        low = self.pointer + sum(s for s in steps if s < 0)
        return low, self.pointer + sum(s for s in steps if s > 0) + self.itemsize

    @property
    def overlaps_itself(self) -> bool:
        """Whether two elements may share memory: no axis clears the reach of the smaller ones."""
        reach = self.itemsize
        axes = sorted((abs(s), n) for s, n in zip(self.strides, self.shape, strict=True) if n > 1)
        for stride, n in axes:
            if stride < reach:
                return True
            reach += stride * (n - 1)
        return False


def packed(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """The strides of a contiguous array, in bytes."""
    out = [itemsize]
    for n in reversed(shape[1:]):
        out.append(out[-1] * n)
    return tuple(reversed(out[: len(shape)]))


def describe(argument: Any, name: str) -> Device:
    """The array that an argument is. Raises NotAnArray."""
    told = getattr(argument, "__cuda_array_interface__", None)
    if not isinstance(told, dict):
        return _by_dlpack(argument, name)
    try:
        pointer, read_only = told["data"]
        shape = tuple(int(n) for n in told["shape"])
        kind, itemsize = str(told["typestr"])[1], int(str(told["typestr"])[2:])
        given = told.get("strides")
        strides = packed(shape, itemsize) if given is None else tuple(int(s) for s in given)
    except (KeyError, TypeError, ValueError, IndexError):
        raise NotAnArray(f"the __cuda_array_interface__ of `{name}` cannot be read: {told}") from None
    if kind == "V":
        return Device(
            int(pointer or 0), shape, strides, "record", itemsize, bool(read_only), _fields(argument, told)
        )
    dtype = "bool" if kind == "b" else f"{_KINDS.get(kind, kind)}{itemsize * 8}"
    return Device(int(pointer or 0), shape, strides, dtype, itemsize, bool(read_only))


def _fields(argument: Any, told: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """The fields of a structured array, by its interface or by its own `dtype`; () where neither tells."""
    given = told.get("descr") or getattr(getattr(argument, "dtype", None), "descr", None) or ()
    return _flat(given, "")


def _flat(given: Any, within: str, depth: int = 0) -> tuple[tuple[str, str], ...]:
    """Fields by their paths; what lies too deep, or is an array, is told by its text."""
    out: list[tuple[str, str]] = []
    for name, code, *shape in given:
        path = f"{within}.{name}" if within and name else str(name)
        if isinstance(code, list) and not shape and depth < MAX_DEPTH:
            out += _flat(code, path, depth + 1)
        else:
            out.append((path, "".join([str(code).lstrip("<=|"), *map(str, shape)])))
    return tuple(out)


def _by_dlpack(argument: Any, name: str) -> Device:
    found = described(argument)
    if found is None:
        kind = type(argument).__name__
        raise NotAnArray(f"`{name}` takes an array on the device, not {kind}")
    pointer, shape, strides, dtype, itemsize = found
    return Device(pointer, shape, packed(shape, itemsize) if strides is None else strides, dtype, itemsize)


def glance(argument: Any) -> Any:
    """What tells an argument from others, cheaply: equal glances are described alike.

    A tensor with `data_ptr` and `stride` tells by them; other arrays by what their interface says. None when
    there is nothing to go by.
    """
    if type(argument) in (int, float, bool):
        return type(argument), argument
    pointer = getattr(argument, "data_ptr", None)
    if pointer is not None:
        try:
            return pointer(), argument.shape, argument.stride(), argument.dtype, argument.is_cuda
        except (AttributeError, TypeError, RuntimeError):
            return None
    told = getattr(argument, "__cuda_array_interface__", None)
    if not isinstance(told, dict):
        return None
    return told.get("data"), told.get("shape"), told.get("typestr"), told.get("strides")


CODES = {
    "bool": "b1", "int8": "i1", "int16": "i2", "int32": "i4", "int64": "i8", "uint8": "u1", "uint16": "u2",
    "uint32": "u4", "uint64": "u8", "float16": "f2", "float32": "f4", "float64": "f8",
}  # fmt: skip


def dtype_of(t: Type) -> tuple[str, int]:
    """NumPy's name of an element type, and its bytes."""
    if isinstance(t, BoolType):
        return "bool", 1
    assert isinstance(t, (IntType, FloatType))
    kind = "float" if isinstance(t, FloatType) else "int" if t.signed else "uint"
    return f"{kind}{t.bits}", size_of(t)
