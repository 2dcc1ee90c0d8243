"""Parameter types from an eager signature: `"void(int32[:], float64)"`, `void(float32[:, ::1], int32)`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Union

from gpulint.frontend.numba.types import by_name, unify
from gpulint.ir.types import UNKNOWN, ArrayType, Type

if TYPE_CHECKING:
    from gpulint.frontend.numba.world import World
    from gpulint.source.model import Scope

ParamType = Union[Type, ArrayType, None]
MAX_LENGTH = 10_000


def parameter_types(
    signatures: tuple[str | ast.expr, ...], count: int, scope: Scope, world: World
) -> list[ParamType]:
    """One type a parameter, None where no signature tells; several signatures are unified."""
    found = [types for s in signatures if (types := _of(s, scope, world)) is not None and len(types) == count]
    if not found:
        return [None] * count
    out = found[0]
    for other in found[1:]:
        out = [_both(a, b) for a, b in zip(out, other, strict=False)]
    return out


def _of(signature: str | ast.expr, scope: Scope, world: World) -> list[ParamType] | None:
    if isinstance(signature, str):
        if len(signature) > MAX_LENGTH:
            return None
        try:
            node = ast.parse(signature.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    else:
        node = signature
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return _of(node.value, scope, world)
    if isinstance(node, ast.Call):
        return [_type(a, scope, world) for a in node.args]
    if isinstance(node, ast.Tuple):
        return [_type(a, scope, world) for a in node.elts]
    return None


def _type(node: ast.expr, scope: Scope, world: World) -> ParamType:
    if isinstance(node, ast.Subscript):
        element = _type(node.value, scope, world)
        axes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if not all(isinstance(a, ast.Slice) for a in axes):
            return None
        return ArrayType(UNKNOWN if element is None or isinstance(element, ArrayType) else element, len(axes))
    if isinstance(node, ast.Name):
        known = by_name(node.id)
        return known if known is not None else _named(node, scope, world)
    if isinstance(node, ast.Attribute):
        known = by_name(node.attr)
        return known if known is not None else _named(node, scope, world)
    if isinstance(node, ast.Call):
        return _array_call(node, scope, world)
    return None


def _array_call(node: ast.Call, scope: Scope, world: World) -> ParamType:
    """`types.Array(types.float32, 2, 'C')`."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name not in ("Array", "CudaArray") or len(node.args) < 2:
        return None
    element, rank = _type(node.args[0], scope, world), node.args[1]
    if not isinstance(rank, ast.Constant) or not isinstance(rank.value, int):
        return None
    return ArrayType(UNKNOWN if element is None or isinstance(element, ArrayType) else element, rank.value)


def _named(node: ast.expr, scope: Scope, world: World) -> ParamType:
    """A type under a name of the module: `real = float32`, `vec = float32[:]`."""
    from gpulint.frontend.numba.values import DType, Unresolved

    value = world.value(node, scope)
    if isinstance(value, DType):
        return value.type
    if isinstance(value, Unresolved) and isinstance(value.node, ast.Subscript):
        return _type(value.node, value.scope, world)
    return None


def _both(a: ParamType, b: ParamType) -> ParamType:
    if a == b:
        return a
    if isinstance(a, ArrayType) and isinstance(b, ArrayType):
        element = a.element if a.element == b.element else UNKNOWN
        return ArrayType(element, a.ndim if a.ndim == b.ndim else None)
    if a is None or b is None or isinstance(a, ArrayType) or isinstance(b, ArrayType):
        return None
    return unify(a, b)
