"""Constant arrays of the host source (`np.array([...])`), read for `cuda.const.array_like` and globals."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

from gpulint.frontend.numba.types import by_name
from gpulint.ir.types import BOOL, FLOAT64, INT64, BoolType, Type
from gpulint.source import constants
from gpulint.source.model import Scope

if TYPE_CHECKING:
    from gpulint.frontend.numba.world import World

MAX_ELEMENTS = 4096
MAKERS = frozenset((
    "array", "asarray", "zeros", "ones", "full", "arange", "empty", "zeros_like", "ones_like", "linspace",
    "ascontiguousarray", "to_device", "device_array",
))  # fmt: skip
Number = Union[int, float]
Nested = tuple[tuple[int, ...], list[Number]]


@dataclass(frozen=True)
class Table:
    """Elements in row-major order; None when only the shape is known."""

    shape: tuple[int, ...]
    elements: tuple[Number, ...] | None
    element: Type


def called(node: ast.AST) -> str:
    """The last name of the function that a call calls."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def table(node: ast.expr, scope: Scope, world: World) -> Table | None:
    """The array that a host expression makes, when its shape is constant."""
    maker = called(node)
    if maker not in MAKERS or not isinstance(node, ast.Call) or not node.args:
        return None
    element = _dtype(node, scope, world)
    if element is None and any(k.arg == "dtype" for k in node.keywords):
        return None
    if maker in ("array", "asarray", "ascontiguousarray"):
        found = _nested(node.args[0], scope, world)
        return None if found is None else _typed(found[0], found[1], element)
    first = constants.fold(node.args[0], scope, world.project)
    if first is None or maker in ("zeros_like", "ones_like", "linspace", "to_device"):
        return None
    if maker == "arange":
        return _arange(first.value, element) if len(_positional(node)) == 1 else None
    return _filled(maker, node, first.value, element or FLOAT64, scope, world)


def _positional(node: ast.Call) -> list[ast.expr]:
    return [a for a in node.args if not isinstance(a, ast.Starred)]


def _dtype(node: ast.Call, scope: Scope, world: World) -> Type | None:
    given = next((k.value for k in node.keywords if k.arg == "dtype"), None)
    if given is None and len(node.args) > 1 and called(node) not in ("full", "arange", "linspace"):
        given = node.args[1]
    if given is None:
        return None
    folded = constants.fold(given, scope, world.project)
    if folded is not None and isinstance(folded.value, str):
        return by_name(folded.value)
    name = given.attr if isinstance(given, ast.Attribute) else getattr(given, "id", "")
    return by_name(name)


def _nested(node: ast.expr, scope: Scope, world: World) -> Nested | None:
    """Shape and elements of nested displays of constants."""
    if isinstance(node, (ast.List, ast.Tuple)):
        if len(node.elts) > MAX_ELEMENTS:
            return None
        return _stacked([_nested(e, scope, world) for e in node.elts])
    folded = constants.fold(node, scope, world.project)
    return None if folded is None else _flatten(folded.value)


def _flatten(value: constants.Plain) -> Nested | None:
    if isinstance(value, (int, float)):
        return (), [value]
    return _stacked([_flatten(v) for v in value]) if isinstance(value, tuple) else None


def _stacked(parts: list[Nested | None]) -> Nested | None:
    shapes = {p[0] for p in parts if p is not None}
    if not parts or None in parts or len(shapes) != 1:
        return None
    flat = [x for p in parts if p is not None for x in p[1]]
    return ((len(parts), *shapes.pop()), flat) if len(flat) <= MAX_ELEMENTS else None


def _typed(shape: tuple[int, ...], flat: list[Number], element: Type | None) -> Table:
    if element is None:
        whole = all(isinstance(x, int) for x in flat)
        element = BOOL if all(isinstance(x, bool) for x in flat) else INT64 if whole else FLOAT64
    if not isinstance(element, BoolType) and element == INT64:
        flat = [int(x) for x in flat]
    return Table(shape, tuple(flat), element)


def _arange(count: constants.Plain, element: Type | None) -> Table | None:
    if not isinstance(count, int) or not 0 < count <= MAX_ELEMENTS:
        return None
    return Table((count,), tuple(range(count)), element or INT64)


def _filled(
    maker: str, node: ast.Call, shape: constants.Plain, element: Type, scope: Scope, world: World
) -> Table | None:
    extents = shape if isinstance(shape, tuple) else (shape,)
    sizes = tuple(e for e in extents if isinstance(e, int) and not isinstance(e, bool) and e > 0)
    if len(sizes) != len(extents) or not sizes:
        return None
    count = 1
    for e in sizes:
        count *= e
    fill: constants.Plain = {"zeros": 0, "ones": 1}.get(maker)
    if maker == "full" and len(node.args) > 1:
        folded = constants.fold(node.args[1], scope, world.project)
        fill = folded.value if folded is not None else None
    known = isinstance(fill, (int, float)) and count <= MAX_ELEMENTS
    return Table(sizes, (fill,) * count if known and isinstance(fill, (int, float)) else None, element)
