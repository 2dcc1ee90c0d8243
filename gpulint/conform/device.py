"""A case on the GPU: its arrays in the device's memory, one checked launch, and what differs afterwards."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gpulint.compile.signature import ArraySpec
from gpulint.compile.tile.signature import PointerSpec
from gpulint.conform.case import Case
from gpulint.conform.contents import Number
from gpulint.conform.subject import MEMORY
from gpulint.conform.subject import Memory as Spec
from gpulint.ir.types import BoolType, FloatType, Type
from gpulint.runtime.arrays import CODES, dtype_of
from gpulint.runtime.driver import Driver
from gpulint.runtime.plan import Plan
from gpulint.runtime.prepare import Prepared

RELATIVE, ABSOLUTE = 2e-5, 2e-6  # of floats of 32 bits
EXACTER, FINER = 1e-9, 1e-12  # of floats of 64 bits
ROUGH = 2e-3  # of floats of 16 bits
SHOWN = 3
LETTERS = {"b1": "?", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I", "u8": "Q",
           "f2": "e", "f4": "f", "f8": "d"}  # fmt: skip


@dataclass
class Memory:
    """An array in the device's memory, with the interface by which libraries pass such."""

    driver: Driver
    spec: Spec
    shape: tuple[int, ...]
    pointer: int = field(default=0)

    @property
    def count(self) -> int:
        return math.prod(self.shape)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": code_of(self.spec),
            "data": (self.pointer, False),
            "version": 3,
            "strides": None,
        }

    def fill(self, values: Sequence[Number]) -> None:
        """Allocate and copy elements there; those of records come field by field."""
        raw = packed(self.spec, values)
        self.pointer = self.driver.allocate(len(raw))
        self.driver.put(self.pointer, raw)

    def elements(self) -> list[Number]:
        """The elements, copied back; in the order in which they were given."""
        raw = self.driver.fetch(self.pointer, self.count * self.spec.size)
        letters, width = layout(self.spec)
        rows = list(struct.iter_unpack(letters, raw))
        return [row[k] for k in range(width) for row in rows]

    def free(self) -> None:
        self.driver.free(self.pointer)


def layout(spec: Spec) -> tuple[str, int]:
    """How `struct` packs an element, and of how many values it consists."""
    if not isinstance(spec, ArraySpec) or spec.record is None:
        return f"<{LETTERS[_code(spec.element)]}", 1
    fields = spec.record.fields
    gaps = [f"{gap}x" for gap in spec.record.gaps]
    letters = [f"{gap}{LETTERS[_code(t)]}" for gap, (_, t) in zip(gaps, fields, strict=False)]
    return f"<{''.join(letters)}{gaps[-1]}", len(fields)


def packed(spec: Spec, values: Sequence[Number]) -> bytes:
    """Elements as they lie in memory; those of records come field by field."""
    letters, width = layout(spec)
    count = len(values) // width
    columns = [values[k * count : (k + 1) * count] for k in range(width)]
    return b"".join(struct.pack(letters, *row) for row in zip(*columns, strict=True))


def code_of(spec: Spec) -> str:
    """The elements of an array as its interface tells them."""
    if isinstance(spec, ArraySpec) and spec.record is not None:
        return f"|V{spec.size}"
    return f"<{_code(spec.element)}"


def untold(plan: Plan) -> str:
    """Why no array of this module can be passed to a kernel, or ''."""
    kinds = [a.spec.kind for a in plan.arguments if isinstance(a.spec, PointerSpec)]
    return "the interface of device arrays has no bfloat16" if "bf16" in kinds else ""


def _code(t: Type) -> str:
    return CODES[dtype_of(t)[0]]


def launched(plan: Plan, driver: Driver, case: Case) -> dict[str, list[Number]]:
    """The elements of every array after the launch. Raises LaunchRefused, DriverError."""
    held: dict[str, Memory] = {}
    arguments: list[Any] = []
    try:
        for a in plan.arguments:
            if isinstance(a.spec, MEMORY):
                held[a.name] = Memory(driver, a.spec, case.shapes[a.name])
                held[a.name].fill(case.given[a.name])
                arguments.append(held[a.name])
            else:
                arguments.append(case.numbers[a.name])
        block = None if plan.tile else case.block
        Prepared(plan, driver, case.grid, block, case.shared)(*arguments)
        return {name: m.elements() for name, m in held.items()}
    finally:
        for m in held.values():
            m.free()


def different(plan: Plan, case: Case, found: dict[str, list[Number]]) -> list[str]:
    """What is not as the interpreter has it, the first few places."""
    specs = {a.name: a.spec for a in plan.arguments}
    out = []
    for name, wanted in case.wanted.items():
        spec = specs[name]
        assert isinstance(spec, MEMORY)
        out += [
            f"{name}[{k}] is {a}, not {b}"
            for k, (a, b) in enumerate(zip(found[name], wanted, strict=True))
            if b is not None and not agree(spec.element, a, b)
        ]
        total = math.fsum(found[name])
        if name in case.sums and not math.isclose(total, case.sums[name], rel_tol=RELATIVE, abs_tol=RELATIVE):
            out.append(f"the elements of {name} add up to {total}, not {case.sums[name]}")
    return out[:SHOWN]


def agree(t: Type, a: Number, b: Number) -> bool:
    """Whether two results of a type are the same: integers exactly, floats within the tolerance."""
    if not isinstance(t, FloatType):
        return bool(a) == bool(b) if isinstance(t, BoolType) else a == b
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    relative, absolute = {16: (ROUGH, ROUGH), 32: (RELATIVE, ABSOLUTE), 64: (EXACTER, FINER)}[t.bits]
    return math.isclose(a, b, rel_tol=relative, abs_tol=absolute)
