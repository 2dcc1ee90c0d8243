"""What is run: a kernel that was lowered and decided, of either dialect, and the types of its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Union

from gpulint.compile.signature import ArraySpec, ScalarSpec
from gpulint.compile.tile.signature import NumberSpec, PointerSpec
from gpulint.contract.clause import Clause
from gpulint.dataflow.access import AccessSet
from gpulint.ir import nodes as n
from gpulint.ir.tiles import DIALECTS

Memory = Union[ArraySpec, PointerSpec]
Spec = Union[ArraySpec, ScalarSpec, PointerSpec, NumberSpec]
MEMORY = (ArraySpec, PointerSpec)


class Subject(Protocol):
    """`compile.artifact.Proved`, or `compile.tile.proved.Tiled`."""

    @property
    def kernel(self) -> n.Kernel: ...

    @property
    def accesses(self) -> AccessSet: ...

    @property
    def clauses(self) -> tuple[Clause, ...]: ...

    @property
    def signature(self) -> Sequence[Spec]: ...


def tile(p: Subject) -> bool:
    """Whether it is a kernel of programs, not of threads."""
    return p.kernel.dialect in DIALECTS


def axes(spec: Memory) -> int:
    """Axes of an array; what a pointer reaches has one."""
    return spec.ndim if isinstance(spec, ArraySpec) else 1
