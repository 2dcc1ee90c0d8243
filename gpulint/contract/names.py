"""What the names in a clause stand for, and which known name was meant by an unknown one."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Union

from gpulint.contract.error import Unreadable
from gpulint.ir import symbols as s
from gpulint.ir.nodes import Kernel
from gpulint.ir.types import ArrayType, BoolType
from gpulint.term import Bool, Int, bool_sym

PREDICATES = ("noalias", "contiguous", "aligned", "injective", "sorted", "within", "above")
LIMITS = ("min_cc", "max_shared", "min_blocks", "cluster", "cooperative")
FUNCTIONS = ("len", "min", "max", "abs", "cdiv")
LAUNCH = {"block": "block", "blockDim": "block", "grid": "grid", "gridDim": "grid"}
ATTRIBUTES = ("shape", "size", "ndim", "strides", "stride", "numel")


@dataclass(frozen=True)
class ArrayRef:
    """An array parameter by name; `ndim` is None when the kernel does not fix its rank."""

    name: str
    ndim: int | None


@dataclass(frozen=True)
class Row:
    """A tuple of numbers. `launch`: block or grid, whose missing axes are 1."""

    items: tuple[Int, ...]
    launch: bool = False


@dataclass(frozen=True)
class Open:
    """`x.shape` or `x.strides` of an array whose rank is not known: only single axes can be used."""

    array: str
    attribute: str


Value = Union[Int, Bool, Row, Open, ArrayRef]


class Names:
    """The names of one kernel. A parameter hides the launch name that it equals."""

    def __init__(self, kernel: Kernel) -> None:
        self.values: dict[str, Value] = {}
        for p in kernel.params:
            if isinstance(p.type, ArrayType):
                self.values[p.name] = ArrayRef(p.name, p.type.ndim)
            elif isinstance(p.type, BoolType):
                self.values[p.name] = bool_sym(p.name)
            else:
                self.values[p.name] = s.scalar(p)

    def lookup(self, node: ast.expr, name: str) -> Value:
        """The value of a name or a dotted record field; Unreadable when nothing has that name."""
        if name in self.values:
            return self.values[name]
        if name in LAUNCH:
            size = s.block_size if LAUNCH[name] == "block" else s.grid_size
            return Row(tuple(size(axis) for axis in range(3)), launch=True)
        known = [*self.values, *LAUNCH, *PREDICATES, *LIMITS, *FUNCTIONS]
        raise Unreadable(node, f"{name} is no parameter of the kernel", nearest(name, known))

    def record(self, name: str) -> bool:
        """Whether `name` is the start of dotted parameters (`p` of `p.field`)."""
        return any(n.startswith(f"{name}.") for n in self.values)

    def array(self, node: ast.expr) -> ArrayRef:
        """The array that an argument names."""
        if isinstance(node, (ast.Name, ast.Attribute)):
            found = self.lookup(node, ast.unparse(node))
            if isinstance(found, ArrayRef):
                return found
        raise Unreadable(node, f"{ast.unparse(node)} is no array parameter")


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that is most like `name`, or nothing."""
    return next(iter(difflib.get_close_matches(name, sorted(set(known)), 1, 0.6)), "")
