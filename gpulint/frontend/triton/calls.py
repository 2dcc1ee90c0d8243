"""Calls: library functions by their names, methods, device functions, conversions, what is not known."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gpulint.frontend.shared.limits import NotHandled
from gpulint.frontend.triton import expressions as ex
from gpulint.frontend.triton import operators as ops
from gpulint.frontend.triton import shapes
from gpulint.frontend.triton.context import Context, expression
from gpulint.frontend.triton.inline import Arguments, inline
from gpulint.frontend.triton.statements import arrays_of
from gpulint.frontend.triton.values import (
    NONE,
    Choice,
    Class,
    DType,
    Function,
    Method,
    Named,
    Tile,
    Tuple,
    Unresolved,
    Value,
    Window,
    is_none,
)
from gpulint.ir import nodes as n
from gpulint.ir.types import BOOL, INT32, UNKNOWN, BoolType, FloatType, IntType


@dataclass(frozen=True)
class Given:
    """The arguments of a library function by the names of its parameters."""

    of: dict[str, Value]
    rest: tuple[Value, ...] = ()

    def get(self, name: str) -> Value:
        """The argument; None where it is not given."""
        return self.of.get(name, NONE)

    def has(self, name: str) -> bool:
        return not is_none(self.get(name))


Follows = tuple[int, ...]  # see `ir.nodes.Opaque.follows`
Intrinsic = Callable[[Context, Given, ast.AST], Value]
INTRINSICS: dict[str, tuple[tuple[str, ...], Intrinsic]] = {}


def intrinsic(names: str, params: str = "") -> Callable[[Intrinsic], Intrinsic]:
    """Registers a library function under its canonical names, with the names of its parameters in order."""

    def register(handler: Intrinsic) -> Intrinsic:
        for name in names.split():
            INTRINSICS[name] = (tuple(params.split()), handler)
        return handler

    return register


@expression(ast.Call)
def call(cx: Context, node: ast.Call) -> Value:
    function = ex.lower(cx, node.func)
    return chosen(cx, function, arguments(cx, node), node)


def chosen(cx: Context, function: Value, given: Arguments, node: ast.AST) -> Value:
    """The call, for each alternative of an argument that is one of two values."""
    names = tuple(given.keywords)
    owner = function.owner if isinstance(function, Method) else function

    def run(values: list[Value]) -> Value:
        count = len(values) - len(names)
        again = Arguments(tuple(values[1:count]), dict(zip(names, values[count:], strict=True)))
        to = replace(function, owner=values[0]) if isinstance(function, Method) else values[0]
        return chosen(cx, to, again, node)

    values = (owner, *given.positional, *given.keywords.values())
    if isinstance(function, Function):
        values = tuple(NONE if isinstance(v, Choice) else v for v in values)  # a branch inside may settle it
    either = ex.lifted(cx, values, run, node)
    return either if either is not None else apply(cx, function, given, node)


def arguments(cx: Context, node: ast.Call) -> Arguments:
    positional: list[Value] = []
    for a in node.args:
        if isinstance(a, ast.Starred):
            value = ex.lower(cx, a.value)
            if not isinstance(value, Tuple):
                raise NotHandled("an argument list whose length is not known", a)
            positional.extend(value.items)
        else:
            positional.append(ex.lower(cx, a))
    keywords: dict[str, Value] = {}
    for k in node.keywords:
        if k.arg is None:
            raise NotHandled("keyword arguments from a mapping", k.value)
        keywords[k.arg] = ex.lower(cx, k.value)
    return Arguments(tuple(positional), keywords)


def apply(cx: Context, function: Value, given: Arguments, node: ast.AST) -> Value:
    """The value of a call."""
    if isinstance(function, Named):
        return named(cx, function.name, given, node)
    if isinstance(function, Method):
        return _method(cx, function, given, node)
    if isinstance(function, Function):
        return inline(cx, function, given, node)
    if isinstance(function, Class):
        items = dict(zip(function.fields, given.positional, strict=False)) | given.keywords
        return Tuple(tuple(items.values()), tuple(items))
    if isinstance(function, DType) and given.positional:
        return ops.cast(cx, ops.tile(cx, given.positional[0], node), function.type, node)
    return unknown(cx, _text(function), given, node)


def _text(function: Value) -> str:
    if isinstance(function, Unresolved):
        return function.text
    return ops.describe(function)


def named(cx: Context, name: str, given: Arguments, node: ast.AST) -> Value:
    """A call of a library function."""
    found = INTRINSICS.get(name)
    if found is None and name.startswith("tl."):
        found = INTRINSICS.get(name.replace("tl._experimental_", "tl.").replace("tl.experimental.", "tl."))
    if found is None:
        return unknown(cx, name, given, node)
    params, handler = found
    bound = dict(zip(params, given.positional, strict=False)) | given.keywords
    return handler(cx, Given(bound, given.positional[len(params) :]), node)


def _method(cx: Context, m: Method, given: Arguments, node: ast.AST) -> Value:
    if isinstance(m.owner, DType):
        return _of_type(cx, m.owner, m.name, node)
    if isinstance(m.owner, Window):
        name = f"descriptor.{m.name}"
        if name in INTRINSICS:
            return named(cx, name, Arguments((m.owner, *given.positional), given.keywords), node)
    if (
        isinstance(m.owner, Tile)
        and isinstance(m.owner.expr, n.Const)
        and isinstance(m.owner.expr.value, str)
    ):
        return Tile(n.Opaque(f"{m.owner.expr.value!r}.{m.name}", (), BOOL, span=cx.span(node)), weak=True)
    if isinstance(m.owner, Tile) and len(m.owner.roots) == 1 and m.owner.roots[0] in cx.kinds.descriptors:
        return _descriptor_use(cx, m.owner, m.name, given, node)
    return named(cx, f"tl.{m.name}", Arguments((m.owner, *given.positional), given.keywords), node)


def _descriptor_use(cx: Context, owner: Tile, name: str, given: Arguments, node: ast.AST) -> Value:
    """A use that shows how many axes a descriptor of the host has."""
    at = given.positional or tuple(given.keywords.values())
    for v in at:
        if isinstance(v, Tuple):
            cx.kinds.descriptors[owner.roots[0]] = len(v.items)
    return Tile(n.Opaque(f"descriptor.{name}", (), UNKNOWN, True, span=cx.span(node)))


def _of_type(cx: Context, owner: DType, name: str, node: ast.AST) -> Value:
    """`dtype.is_fp16()` and the like: known where the type is."""
    known: bool | None = None
    if not isinstance(owner.type, type(UNKNOWN)):
        known = {
            "is_floating": isinstance(owner.type, FloatType), "is_int": isinstance(owner.type, IntType),
            "is_int1": isinstance(owner.type, BoolType), "is_bool": isinstance(owner.type, BoolType),
            "is_fp32": owner.type == FloatType(32), "is_fp64": owner.type == FloatType(64),
        }.get(name)  # fmt: skip
    if known is not None:
        return Tile(n.Const(known, BOOL), weak=True)
    return Tile(n.Opaque(f"{owner.text}.{name}", (), BOOL, span=cx.span(node)), weak=True)


def unknown(cx: Context, name: str, given: Arguments, node: ast.AST) -> Value:
    """A function that is not known: a new value for each element of its arguments.

    One that gets a pointer may read or write anything there.
    """
    values = [*given.positional, *given.keywords.values()]
    arrays = tuple(dict.fromkeys(a for v in values for a in arrays_of(v)))
    if arrays:
        cx.emit(n.Unsupported(f"a call of {name}, which is not known", arrays, (), cx.span(node)))
    tiles = [v for v in values if isinstance(v, Tile) and not is_none(v)]
    weak = bool(tiles) and all(t.weak for t in tiles)
    if weak and not arrays:
        e = n.Opaque(name, tuple(t.expr for t in tiles), UNKNOWN, span=cx.span(node))
        return Tile(e, weak=True)
    return fresh(cx, name, tiles, UNKNOWN, node)


def fresh(
    cx: Context, name: str, tiles: list[Tile], type_: n.ValueType, node: ast.AST,
    shape: tuple[n.Expr, ...] | None = None, follows: Sequence[Follows] = (),
) -> Tile:  # fmt: skip
    """A new unknown in a local of its own, over the common shape of the tiles unless another is given.

    The operands are those of its tiles that are locals: what it is made of, not how. `follows`: as in
    `ir.nodes.Opaque`, for each tile; with no shape given, element by element.
    """
    if shape is None:
        shape = shapes.common([t.shape for t in tiles]) if tiles else ()
        follows = follows or [_aligned(t, len(shape)) for t in tiles]
    held = [cx.temp(t, "t", cx.span(node)) for t in tiles]
    operands = tuple(t.expr for t in held if isinstance(t.expr, n.Var))
    own = tuple(f for t, f in zip(held, follows, strict=False) if isinstance(t.expr, n.Var))
    last = name.rpartition(".")[2]
    e = n.Opaque(name.removeprefix("tl."), operands, type_, True, len(shape), cx.span(node), own)
    return cx.temp(Tile(e, shape), last, cx.span(node))


def _aligned(t: Tile, rank: int) -> Follows:
    """A tile taken element by element, as it broadcasts to a rank."""
    extra = rank - t.rank
    return tuple(n.EVERY if shapes.is_one(s) else k + extra for k, s in enumerate(t.shape))


def sizes(cx: Context, value: Value, node: ast.AST) -> tuple[n.Expr, ...]:
    """A shape given as a tuple or a number."""
    items = value.items if isinstance(value, Tuple) else (value,)
    out = []
    for v in items:
        t = ops.tile(cx, v, node)
        if isinstance(t.expr, n.Var) and t.type == UNKNOWN and t.expr.name in cx.params:
            cx.kinds.integers.add(t.expr.name)
            t = Tile(n.Var(t.expr.name, INT32, t.expr.span), weak=True)
        cx.sink(t.expr)
        out.append(t.expr)
    return tuple(out)
