"""Attributes and subscripts: types, shapes, new axes, items of tuples, fields of parameters."""

from __future__ import annotations

import ast
from dataclasses import replace

from gpulint.frontend.shared.limits import NotHandled
from gpulint.frontend.shared.syntax import dotted_text
from gpulint.frontend.triton import expressions as ex
from gpulint.frontend.triton import operators as ops
from gpulint.frontend.triton import shapes
from gpulint.frontend.triton import types as tt
from gpulint.frontend.triton.calls import INTRINSICS
from gpulint.frontend.triton.context import Context, expression
from gpulint.frontend.triton.kinds import Kinds
from gpulint.frontend.triton.values import (
    DType,
    Method,
    Named,
    Pointer,
    Tile,
    Tuple,
    Unresolved,
    Value,
    Window,
    constant,
    integer,
)
from gpulint.frontend.triton.world import literal
from gpulint.ir import nodes as n
from gpulint.ir.types import INT32, INT64, UNKNOWN, ArrayType

_ELEMENT = ("element_ty", "scalar", "element_type")
_WINDOW = (
    "load",
    "store",
    "gather",
    "scatter",
    "atomic_add",
    "atomic_min",
    "atomic_max",
    "atomic_and",
    "atomic_or",
    "atomic_xor",
)
MAX_ITEMS = 64


@expression(ast.Attribute)
def attribute(cx: Context, node: ast.Attribute) -> Value:
    root = node.value
    while isinstance(root, ast.Attribute):
        root = root.value
    local = isinstance(root, ast.Name) and (root.id in cx.frame.env or _bound(cx, root.id))
    if isinstance(root, ast.Name) and not local and dotted_text(node) is not None:
        value = cx.world.name(node, cx.frame.scope)
        if not isinstance(value, Unresolved):
            return value
        owner = (
            ex.lower(cx, node.value)
            if not isinstance(node.value, ast.Name)
            else cx.world.name(node.value, cx.frame.scope)
        )
        return value if isinstance(owner, (Unresolved, Named)) else of(cx, owner, node.attr, node)
    return of(cx, ex.lower(cx, node.value), node.attr, node)


def _bound(cx: Context, name: str) -> bool:
    kinds = {b.kind for b in cx.frame.scope.bindings.get(name, ())}
    return bool(kinds) and not kinds & {"import", "function", "class"}


def of(cx: Context, value: Value, name: str, node: ast.AST) -> Value:
    """`value.name`."""
    if isinstance(value, Tuple):
        if name in value.names:
            return value.items[value.names.index(name)]
        return Method(value, name)
    if isinstance(value, DType):
        return _of_type(cx, value, name, node)
    if isinstance(value, Pointer):
        return _of_pointer(value, name)
    if isinstance(value, Window):
        return _of_window(cx, value, name, node)
    if isinstance(value, Tile):
        return _of_tile(cx, value, name, node)
    if isinstance(value, Named):
        return Named(f"{value.name}.{name}")
    if isinstance(value, Unresolved):
        return Unresolved(f"{value.text}.{name}", value.node, value.scope)
    return Method(value, name)


def _of_type(cx: Context, value: DType, name: str, node: ast.AST) -> Value:
    if name in _ELEMENT:
        owner = value.text.removesuffix(".dtype").removesuffix(".type")
        if value.text.endswith((".dtype", ".type")) and owner in cx.params and name != "scalar":
            cx.kinds.point((owner,))
        return replace(value, pointer=False)
    if name in ("value", "dtype"):
        return value
    bits = tt.size(value.type)
    if name in ("primitive_bitwidth", "itemsize") and bits is not None and not value.pointer:
        return Tile(literal(bits if name == "primitive_bitwidth" else bits // 8), weak=True)
    if name in ("primitive_bitwidth", "itemsize", "int_bitwidth", "fp_mantissa_width", "exponent_bias"):
        return Tile(n.Opaque(f"{value.text}.{name}", (), INT32, span=cx.span(node)), weak=True)
    return Method(value, name)


def _of_pointer(value: Pointer, name: str) -> Value:
    if name in ("dtype", "type"):
        return DType(value.element, True, f"{value.base}.{name}")
    if name in ("shape", "block_shape"):
        return _sizes(value.shape)
    return Method(value, name)


def _of_window(cx: Context, value: Window, name: str, node: ast.AST) -> Value:
    if name == "dtype":
        return DType(value.base.element, False, f"{value.base.base}.dtype")
    if name == "block_shape":
        return _sizes(value.block)
    if name in ("shape", "strides"):
        if value.hosted and name == "strides":
            raise NotHandled("the strides of a descriptor made by the host", node)
        return _sizes(value.sizes if name == "shape" else value.strides)
    return Method(value, name)


def _sizes(shape: tuple[n.Expr, ...]) -> Tuple:
    return Tuple(tuple(Tile(s, weak=True) for s in shape))


def parameter_of(cx: Context, value: Value) -> str:
    """The parameter that the value is, unchanged; '' for any other value."""
    if (
        isinstance(value, Tile)
        and not value.shape
        and isinstance(value.expr, n.Var)
        and value.expr.name in cx.params
    ):
        return value.expr.name
    return ""


def _of_tile(cx: Context, value: Tile, name: str, node: ast.AST) -> Value:
    parameter = parameter_of(cx, value)
    if name in ("dtype", "type"):
        text = parameter or (value.roots[0] if len(value.roots) == 1 else "value")
        return DType(value.type if not parameter else UNKNOWN, False, f"{text}.{name}")
    if name in ("value", "handle"):
        return value
    if parameter and name in _WINDOW:
        cx.kinds.descriptors.setdefault(parameter, 0)
        return Method(value, name)
    if name == "T":
        return shapes.permute(cx, value, range(value.rank)[::-1])
    if name in ("shape", "block_shape"):
        if parameter and name == "block_shape":
            cx.kinds.descriptors.setdefault(parameter, 0)
        return _sizes(value.shape)
    if name == "numel":
        return Tile(shapes.product(value.shape), weak=True)
    if parameter and not _is_method(name) and not isinstance(constant(value), str):
        cx.kinds.fields.setdefault(parameter, set()).add(name)
        return Tile(n.Opaque(f"{parameter}.{name}", (), UNKNOWN, span=cx.span(node)))
    return Method(value, name)


def _is_method(name: str) -> bool:
    """Whether tensors or strings have a method of the name."""
    return f"tl.{name}" in INTRINSICS or name in ("format", "upper", "lower", "startswith", "endswith")


# --- subscripts


@expression(ast.Subscript)
def subscript(cx: Context, node: ast.Subscript) -> Value:
    return _subscripted(cx, ex.lower(cx, node.value), node)


def _subscripted(cx: Context, owner: Value, node: ast.Subscript) -> Value:
    either = ex.lifted(cx, (owner,), lambda v: _subscripted(cx, v[0], node), node)
    if either is not None:
        return either
    if isinstance(owner, Tuple):
        return _of_tuple(cx, owner, node)
    if isinstance(owner, (Named, DType)):
        return Method(owner, "[]")
    parameter = parameter_of(cx, owner)
    if parameter and not isinstance(node.slice, (ast.Slice, ast.Tuple)):
        index = integer(ex.lower(cx, node.slice))
        if index is not None:
            assert isinstance(owner, Tile)
            return item(cx, owner, index, node)
    if isinstance(owner, (Tile, Pointer)):
        text = constant(owner)
        if isinstance(text, str):
            return Tile(n.Opaque(f"part of {text!r}", (), UNKNOWN, span=cx.span(node)), weak=True)
        return _axes(cx, owner, node)
    if isinstance(owner, Unresolved):
        index_ = ops.describe(ex.lower(cx, node.slice)) if not isinstance(node.slice, ast.Slice) else ":"
        return Unresolved(f"{owner.text}[{index_}]", owner.node, owner.scope)
    raise NotHandled(f"a subscript of a {type(owner).__name__.lower()}", node)


def item(cx: Context, owner: Tile, index: int, node: ast.AST) -> Value:
    """An item of a tuple parameter: a parameter of its own in the next lowering."""
    name = parameter_of(cx, owner)
    if not 0 <= index < MAX_ITEMS:
        raise NotHandled(f"item {index} of the tuple {name}", node)
    cx.kinds.items[name] = max(cx.kinds.items.get(name, 0), index + 1)
    return Tile(n.Opaque(f"{name}[{index}]", (), UNKNOWN, span=cx.span(node)))


def _of_tuple(cx: Context, owner: Tuple, node: ast.Subscript) -> Value:
    if isinstance(node.slice, ast.Slice):
        parts = [
            None if e is None else integer(ex.lower(cx, e))
            for e in (node.slice.lower, node.slice.upper, node.slice.step)
        ]
        return Tuple(owner.items[slice(*parts)])
    index = integer(ex.lower(cx, node.slice))
    if index is None:
        raise NotHandled("an item of a tuple whose index is not constant", node)
    if not -len(owner.items) <= index < len(owner.items):
        raise NotHandled(f"item {index} of a tuple of {len(owner.items)}", node)
    return owner.items[index]


def _axes(cx: Context, owner: Tile | Pointer, node: ast.Subscript) -> Value:
    """`x[:, None]`: new axes; an axis is kept whole."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    kept = sum(isinstance(p, ast.Slice) for p in parts)
    given = [p for p in parts if not _ellipsis(p)]
    if len(given) != len(parts):
        at = next(i for i, p in enumerate(parts) if _ellipsis(p))
        missing = owner.rank - kept
        parts = [*parts[:at], *[ast.Slice()] * max(missing, 0), *parts[at + 1 :]]
    value: Tile | Pointer = owner
    if not owner.shape:  # of a scalar, new axes alone count
        return replace(owner, shape=(shapes.ONE,) * (len(parts) - kept))
    axis = 0
    for p in parts:
        if isinstance(p, ast.Slice) and p.lower is p.upper is p.step is None:
            axis += 1
            if axis > value.rank:
                raise NotHandled(f"{axis} axes of a tile with {value.rank}", node)
            continue
        index = constant(ex.lower(cx, p)) if not isinstance(p, ast.Slice) else 0
        if isinstance(p, ast.Slice) or (index is not None and axis >= value.rank):
            raise NotHandled("a subscript of a tile that is not a whole axis or a new one", node)
        if isinstance(index, int):
            value = shapes.pick(cx, value, axis, n.Const(index, INT64))
            continue
        value = shapes.expand(cx, value, axis)
        axis += 1
    return value


def _ellipsis(p: ast.expr) -> bool:
    return isinstance(p, ast.Constant) and p.value is Ellipsis


# --- parameters whose uses show parts


def declared(cx: Context, name: str, kinds: Kinds, node: ast.AST, constexpr: bool) -> Value:
    """The value of a parameter, by the kinds that an earlier lowering found."""
    span = cx.span(node)
    if name in kinds.items:
        parts = [declared(cx, f"{name}[{i}]", kinds, node, constexpr) for i in range(kinds.items[name])]
        return Tuple(tuple(parts))
    if name in kinds.fields:
        fields = tuple(sorted(kinds.fields[name]))
        return Tuple(tuple(declared(cx, f"{name}.{f}", kinds, node, constexpr) for f in fields), fields)
    if name in kinds.descriptors:
        return _descriptor(cx, name, kinds.descriptors[name], node)
    if name in kinds.pointers:
        cx.parameter(name, ArrayType(UNKNOWN, 1), span)
        return Pointer(name, n.Const(0, INT32))
    type_ = (
        ops.param_type(cx, name) if constexpr or name in kinds.integers or name in kinds.flags else UNKNOWN
    )
    cx.parameter(name, type_, span, constexpr)
    return Tile(n.Var(name, type_, span), weak=constexpr, roots=(name,))


def _descriptor(cx: Context, name: str, rank: int, node: ast.AST) -> Value:
    span = cx.span(node)
    cx.parameter(name, ArrayType(UNKNOWN, max(rank, 1)), span)
    block: list[n.Expr] = []
    for k in range(rank):
        size = f"{name}.block_shape[{k}]"
        cx.parameter(size, INT32, span, True)
        cx.kinds.integers.add(size)
        block.append(n.Var(size, INT32, span))
    sizes = tuple(n.Extent(name, k, INT32, span) for k in range(rank))
    return Window(Pointer(name, n.Const(0, INT32)), sizes, (), (), tuple(block), "zero")
