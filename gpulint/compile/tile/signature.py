"""The types of a Triton kernel's arguments, as Triton names them: `*fp16:16, i32`, and its constants.

A pointer is to elements of one kind. `:16` says that the address, or the number, is a multiple of 16: the
compiler relies on it, so it is part of the contract and checked at every launch. Parameters that are given as
constants have no type and are no arguments of the compiled kernel.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Union

from gpulint.compile.error import CompileError
from gpulint.frontend.host.site import Argument, HostArray, LaunchSite, Scalar
from gpulint.frontend.triton.types import NAMES
from gpulint.ir import nodes as n
from gpulint.ir.types import BoolType, FloatType, IntType, Type, Unknown
from gpulint.source.values import DType, Plain

MAX_LENGTH = 10_000
UNIT = 16  # what Triton calls divisibility
HINT = "give it with --signature, for example --signature '*fp16:16, *fp32, i32'"
CONSTANT = "as in --constexpr BLOCK=128"
_ITEM = re.compile(r"(\*?)(\w+)(:16)?")
_DTYPES = {  # Triton's name: NumPy's
    "i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8",
    "u16": "uint16", "u32": "uint32", "u64": "uint64", "fp16": "float16", "bf16": "bfloat16",
    "fp32": "float32", "fp64": "float64",
}  # fmt: skip
_KINDS = {dtype: kind for kind, dtype in _DTYPES.items()}
_BYTES = {"i1": 1, "bf16": 2}
NUMBERS = ("i32", "i64", "fp32")  # kinds of numbers that are passed


@dataclass(frozen=True)
class PointerSpec:
    """A pointer to elements of a kind. `multiple`: its address is a multiple of 16 bytes."""

    kind: str
    multiple: bool = False

    def __str__(self) -> str:
        return f"*{self.kind}{':16' if self.multiple else ''}"

    @property
    def dtype(self) -> str:
        """NumPy's name of the elements."""
        return _DTYPES[self.kind]

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return _BYTES.get(self.kind) or int(self.kind.lstrip("iufp")) // 8

    @property
    def element(self) -> Type:
        return NAMES[self.dtype]


@dataclass(frozen=True)
class NumberSpec:
    """A number. `multiple`: it is a multiple of 16."""

    kind: str
    multiple: bool = False

    def __str__(self) -> str:
        return f"{self.kind}{':16' if self.multiple else ''}"

    @property
    def type(self) -> Type:
        return NAMES[_DTYPES[self.kind]]


Spec = Union[PointerSpec, NumberSpec]
Signature = tuple[Spec, ...]


def text_of(s: Sequence[Spec]) -> str:
    return ", ".join(map(str, s))


def parse(text: str) -> Signature:
    """Read `*fp16:16, i32`. Raises CompileError."""
    items = [x.strip() for x in text[:MAX_LENGTH].split(",")] if text.strip() else []
    return tuple(map(_spec, items))


def _spec(item: str) -> Spec:
    m = _ITEM.fullmatch(item)
    if m is None or m.group(2) not in _DTYPES or (not m.group(1) and m.group(2) not in NUMBERS):
        raise CompileError(f"`{item[:60]}` is no type of a Triton kernel's argument", hint=HINT)
    star, kind, multiple = m.groups()
    if not star and multiple and kind.startswith("fp"):
        raise CompileError(f"`{item}`: only pointers and integers are multiples of 16", hint=HINT)
    return PointerSpec(kind, bool(multiple)) if star else NumberSpec(kind, bool(multiple))


def constant(text: str) -> tuple[str, Plain]:
    """`NAME=VALUE` of the command line: a literal, or an element type (`tl.float16`). Raises CompileError."""
    name, _, value = text.partition("=")
    value = value.strip()
    if value.removeprefix("tl.") in NAMES and name.strip().isidentifier():
        return name.strip(), DType(value.removeprefix("tl."))
    try:
        found = ast.literal_eval(value)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        found = ...
    if not name.strip().isidentifier() or not (found is None or isinstance(found, (bool, int, float, str))):
        raise CompileError(f"`{text[:60]}` is no NAME=VALUE of a compile-time value", hint=CONSTANT)
    return name.strip(), found


def of_program(name: str, value: object) -> Plain:
    """A compile-time value of a running program, element types of Triton included. Raises CompileError."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    kind = str(value)
    if type(value).__name__ == "dtype" and kind in _DTYPES:
        return DType(_DTYPES[kind])
    raise CompileError(f"the value of `{name}` is no number, text or element type", hint=CONSTANT)


def constants(
    kernel: n.Kernel, names: Sequence[str], given: Mapping[str, Plain], sites: Sequence[LaunchSite]
) -> dict[str, Plain]:
    """The compile-time values of a kernel: those given, then those that all launches in view agree on.

    `names` are the kernel's parameters; any of them may be given, constexpr ones must have a value.
    """
    for name in given:
        if name not in names:
            raise CompileError(f"the kernel has no parameter `{name}`", kernel.header)
    out = dict(given)
    for p in kernel.params:
        if p.constexpr and p.name not in names:
            hint = "kernels may use constants that the source in view gives"
            raise CompileError(f"the value of `{p.name}` is not in the source", p.span, hint)
        if p.constexpr and p.name not in out:
            found = {_number(s.arguments.get(p.name)) for s in sites}
            only = found.pop() if len(found) == 1 else None
            if only is None:
                raise CompileError(f"nothing gives the value of `{p.name}`", p.span, CONSTANT)
            out[p.name] = only
    return out


def _number(given: Argument | None) -> int | None:
    return given.term.value if isinstance(given, Scalar) and given.term is not None else None


def choose(
    params: Sequence[n.Param], given: str, sites: Sequence[LaunchSite], multiples: frozenset[str]
) -> Signature:
    """The types of the arguments: as given, else as all launches in view pass them.

    `multiples`: arguments that are multiples of 16 besides those that the signature says.
    """
    found = parse(given) if given else tuple(_of_launches(p, sites) for p in params)
    if len(found) != len(params):
        names = ", ".join(p.name for p in params)
        raise CompileError(f"{len(found)} types for the arguments {names}", hint=HINT)
    for name in multiples - {p.name for p in params}:
        raise CompileError(f"the kernel has no argument `{name}`")
    out = []
    for spec, p in zip(found, params, strict=True):
        unused = isinstance(p.type, Unknown) and isinstance(spec, PointerSpec)
        if p.is_array != isinstance(spec, PointerSpec) and not unused:
            wanted = "a pointer" if p.is_array else "a number"
            raise CompileError(f"`{p.name}` is used as {wanted}, not as {spec}", p.span)
        out.append(type(spec)(spec.kind, spec.multiple or p.name in multiples))
    return tuple(out)


def _of_launches(p: n.Param, sites: Sequence[LaunchSite]) -> Spec:
    found = {_of_argument(p, s.arguments.get(p.name)) for s in sites} - {None}
    only = found.pop() if len(found) == 1 else None
    if only is None:
        why = "launches differ in the type" if found else "nothing gives the type"
        raise CompileError(f"{why} of `{p.name}`", p.span, HINT)
    return only


def _of_argument(p: n.Param, given: Argument | None) -> Spec | None:
    if p.is_array:
        kind = _KINDS.get(given.dtype) if isinstance(given, HostArray) else None
        return PointerSpec(kind) if kind else None
    if not isinstance(given, Scalar):
        return None
    if given.real is not None or isinstance(given.type, FloatType):
        return NumberSpec("fp32")
    if isinstance(given.type, BoolType):
        return None
    if given.term is not None or isinstance(given.type, IntType):
        return NumberSpec("i32")
    return None
