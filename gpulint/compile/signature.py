"""The types of a kernel's parameters: given, declared by the decorator, or as launches in view pass them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Union

from gpulint.compile import records
from gpulint.compile.error import CompileError
from gpulint.compile.llvm import size_of
from gpulint.compile.records import Record
from gpulint.frontend.host.site import Argument, HostArray, LaunchSite, Scalar
from gpulint.frontend.numba.types import COMPLEX, by_name
from gpulint.ir import nodes as n
from gpulint.ir.printer import type_name
from gpulint.ir.types import INT64, UNKNOWN, ArrayType, Type, Unknown

MAX_LENGTH = 10_000
NOT_COMPILED = COMPLEX | {"bfloat16"}
TYPES = "compiled are int8 to int64, uint8 to uint64, float16 to float64, boolean and records of them"
HINT = "give it with --signature, for example --signature 'float32[::1], int64'"


@dataclass(frozen=True)
class ArraySpec:
    """An array parameter. `contiguous`: C-contiguous, so that no strides are passed.

    Of an array of `record`s the element type is not known.
    """

    element: Type
    ndim: int
    contiguous: bool
    record: Record | None = None

    def __str__(self) -> str:
        axes = [":"] * self.ndim
        if self.contiguous and axes:
            axes[-1] = "::1"
        kind = type_name(self.element) if self.record is None else str(self.record)
        return f"{kind}[{', '.join(axes)}]"

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return self.record.size if self.record is not None else size_of(self.element)

    @property
    def alignment(self) -> int:
        """Bytes to which addresses and strides must be."""
        return self.record.alignment if self.record is not None else size_of(self.element)


@dataclass(frozen=True)
class ScalarSpec:
    type: Type

    def __str__(self) -> str:
        return "boolean" if type_name(self.type) == "bool" else type_name(self.type)


Spec = Union[ArraySpec, ScalarSpec]
Signature = tuple[Spec, ...]


def text_of(s: Sequence[Spec]) -> str:
    """The signature as the frontend and `--signature` read it."""
    return f"void({', '.join(map(str, s))})"


def parse(text: str) -> Signature:
    """Read `float32[:, ::1], int64`, with or without `void(...)` around it. Raises CompileError."""
    try:
        if len(text) > MAX_LENGTH:
            raise ValueError
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise CompileError(f"the signature `{text[:60]}` cannot be read", hint=HINT) from None
    if isinstance(tree, ast.Call):
        items = list(tree.args)
    else:
        items = list(tree.elts) if isinstance(tree, ast.Tuple) else [tree]
    return tuple(map(_spec, items))


def _spec(node: ast.expr) -> Spec:
    if not isinstance(node, ast.Subscript):
        return ScalarSpec(_scalar(node))
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if not parts or not all(isinstance(p, ast.Slice) for p in parts):
        raise CompileError(f"`{ast.unparse(node)}` is no type of an array", hint=HINT)
    last = parts[-1]
    step = last.step if isinstance(last, ast.Slice) else None
    contiguous = isinstance(step, ast.Constant) and step.value == 1
    record = records.read(node.value)
    return ArraySpec(UNKNOWN if record else _scalar(node.value), len(parts), contiguous, record)


def _scalar(node: ast.expr) -> Type:
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    found = by_name(name) if name else None
    if name in NOT_COMPILED or found is None or isinstance(found, Unknown):
        raise CompileError(f"`{ast.unparse(node)}` is no type that is compiled", hint=TYPES)
    return found


def choose(
    kernel: n.Kernel, given: str, declared: Sequence[str], sites: Sequence[LaunchSite],
    contiguous: frozenset[str] = frozenset(),
) -> Signature:  # fmt: skip
    """The signature to compile for.

    What is `given` goes first, then what the decorator declares, then what all launches in view agree on.
    `contiguous` are arrays that the contract says are C-contiguous.
    """
    if given:
        found = parse(given)
    elif len(declared) == 1:
        found = parse(declared[0])
    elif declared:
        raise CompileError("the decorator declares several signatures", kernel.header, HINT)
    else:
        found = tuple(_of_launches(p, sites) for p in kernel.params)
    if len(found) != len(kernel.params):
        names = ", ".join(p.name for p in kernel.params)
        raise CompileError(f"{len(found)} types for the parameters {names}", kernel.header, HINT)
    for spec, p in zip(found, kernel.params, strict=True):
        _fits(spec, p)
    return tuple(
        replace(s, contiguous=True) if isinstance(s, ArraySpec) and p.name in contiguous else s
        for s, p in zip(found, kernel.params, strict=True)
    )


def records_of(kernel: n.Kernel, signature: Signature) -> dict[str, Record]:
    """The records that array parameters consist of, by name."""
    return {
        p.name: s.record
        for p, s in zip(kernel.params, signature, strict=True)
        if isinstance(s, ArraySpec) and s.record is not None
    }


def _fits(spec: Spec, p: n.Param) -> None:
    if p.is_array != isinstance(spec, ArraySpec):
        wanted = "an array" if p.is_array else "a number"
        raise CompileError(f"`{p.name}` is used as {wanted}, not as {spec}", p.span)
    if isinstance(spec, ArraySpec) and isinstance(p.type, ArrayType) and p.type.ndim not in (None, spec.ndim):
        raise CompileError(f"`{p.name}` has {p.type.ndim} axes in the kernel, not {spec.ndim}", p.span)


def _of_launches(p: n.Param, sites: Sequence[LaunchSite]) -> Spec:
    """The type on which the launches that tell agree; arrays are strided where one launch passes such."""
    given = {_of_argument(p, s.arguments.get(p.name)) for s in sites}
    found = {s for s in given if s is not None}
    if len(found) == 1:
        return found.pop()
    arrays = [s for s in found if isinstance(s, ArraySpec)]
    if len(arrays) == len(found) and len({replace(s, contiguous=False) for s in arrays}) == 1:
        return replace(arrays[0], contiguous=False)
    why = "launches differ in the type" if len(found) > 1 else "nothing gives the type"
    raise CompileError(f"{why} of `{p.name}`", p.span, HINT)


def _of_argument(p: n.Param, given: Argument | None) -> Spec | None:
    if isinstance(p.type, ArrayType):
        if not isinstance(given, HostArray):
            return None
        element = by_name(given.dtype) if given.dtype and given.dtype not in NOT_COMPILED else None
        ndim = len(given.shape) if given.shape is not None else p.type.ndim
        record = records.of_text(given.dtype)
        if record is not None and ndim is not None:
            return ArraySpec(UNKNOWN, ndim, bool(given.contiguous), record)
        if element is None or isinstance(element, Unknown) or ndim is None:
            return None
        return ArraySpec(element, ndim, bool(given.contiguous))
    if isinstance(given, Scalar):
        if not isinstance(given.type, Unknown):
            return ScalarSpec(given.type)
        return ScalarSpec(INT64) if given.term is not None else None
    return None
