"""Joining the locals of two paths, and keeping those that a loop changes in one place."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from gpulint.frontend.triton import shapes
from gpulint.frontend.triton import types as tt
from gpulint.frontend.triton.context import Context, Loop, ranks_of, used
from gpulint.frontend.triton.values import (
    Choice,
    DType,
    Pointer,
    Shape,
    Tile,
    Tuple,
    Unresolved,
    Value,
    Window,
    is_none,
    leaves,
    with_leaves,
)
from gpulint.ir import nodes as n
from gpulint.ir.span import NOWHERE, Span
from gpulint.ir.types import INT64, UNKNOWN, FloatType, Type

Env = dict[str, Value]
Path = tuple[Env, list[n.Stmt], bool]


def conditional(
    cx: Context, condition: Tile, then: Callable[[], None], other: Callable[[], None], node: ast.AST
) -> None:
    """Writes `if condition: then() else: other()`, each on the locals as they are now."""
    e = condition.expr
    if isinstance(e, n.Const):
        (then if e.value else other)()
        return
    before, dead = dict(cx.frame.env), cx.dead
    with cx.capture() as yes:
        cx.frame.env = settled(before, e, True)
        then()
    env_yes, dead_yes = cx.frame.env, cx.dead
    cx.frame.env, cx.dead = settled(before, e, False), dead
    with cx.capture() as no:
        other()
    env_no, dead_no = cx.frame.env, cx.dead
    cx.frame.env = join(cx, (env_yes, yes, dead_yes), (env_no, no, dead_no), condition, node)
    cx.dead = dead_yes and dead_no
    if yes or no:
        cx.emit(n.If(e, tuple(yes), tuple(no), cx.span(node)))


def settled(env: Env, e: n.Expr, holds: bool) -> Env:
    """The locals where the condition is known to hold or not."""
    return {k: _settled(v, e, holds) if isinstance(v, Choice) else v for k, v in env.items()}


def _settled(value: Value, e: n.Expr, holds: bool) -> Value:
    while isinstance(value, Choice):
        known = implied(e, holds, value.condition)
        if known is None:
            return value
        value = value.then if known else value.other
    return value


def implied(e: n.Expr, holds: bool, wanted: n.Expr) -> bool | None:
    """Whether `wanted` is true, given that `e` is `holds`; None where that does not follow."""
    if e == wanted:
        return holds
    if isinstance(wanted, n.Unary) and wanted.op == "not":
        found = implied(e, holds, wanted.operand)
        return None if found is None else not found
    if isinstance(e, n.Unary) and e.op == "not":
        return implied(e.operand, not holds, wanted)
    if isinstance(e, n.Logic) and (e.op == "and") == holds:
        found_ = [implied(part, holds, wanted) for part in e.operands]
        return next((f for f in found_ if f is not None), None)
    return None


def join(cx: Context, a: Path, b: Path, condition: Tile, node: ast.AST) -> Env:
    """The locals after either path; statements that put arrays under one name end both paths."""
    if a[2]:
        return b[0]
    if b[2]:
        return a[0]
    out: Env = {}
    for name in [*a[0], *(k for k in b[0] if k not in a[0])]:
        x, y = a[0].get(name), b[0].get(name)
        if x is None or y is None:
            found = x if x is not None else y
            assert found is not None
            out[name] = placed(cx, name, found)
        else:
            out[name] = (
                x if x is y or x == y else _joined(cx, name, (x, y), (a[1], b[1]), condition, cx.span(node))
            )
    return out


def _joined(
    cx: Context, name: str, both: tuple[Value, Value], out: tuple[list[n.Stmt], list[n.Stmt]],
    condition: Tile, span: Span,
) -> Value:  # fmt: skip
    x, y = both
    if is_none(x) or is_none(y):
        given = y if is_none(x) else x
        if isinstance(given, Tuple) and condition.weak and cx.is_static(condition.expr):
            return _choice(cx, condition, x, y)
        return placed(cx, name, given)
    for u, v in ((x, y), (y, x)):
        if isinstance(u, Pointer) and isinstance(v, Tile) and v.roots:
            cx.kinds.point(v.roots)  # the same local: in the next lowering both are pointers
    if condition.weak and cx.is_static(condition.expr) and _differ(x, y):
        return _choice(cx, condition, x, y)
    if isinstance(x, Choice) or isinstance(y, Choice):
        return x if isinstance(x, Choice) else y
    if isinstance(x, Tile) and isinstance(y, Tile) and x.weak and y.weak and condition.weak:
        chosen = n.Choose(condition.expr, x.expr, y.expr, tt.both_weak("add", x.type, y.type), span)
        chosen = chosen if x.type != y.type else replace(chosen, type=x.type)
        if cx.is_static(chosen):
            return Tile(chosen, shapes.common([x.shape, y.shape]), True, _roots(x, y))
    if isinstance(x, Pointer) and isinstance(y, Pointer) and x.base != y.base:
        x, y = _one_base(cx, name, x, y, out, span)
    if isinstance(x, Window) and isinstance(y, Window) and len(x.block) == len(y.block):
        if x.base.base != y.base.base:
            p, q = _one_base(cx, name, x.base, y.base, out, span)
            x, y = replace(x, base=p), replace(y, base=q)
        if (x.sizes, x.strides) != (y.sizes, y.strides):
            x, y = (spread(cx, name, w, written, span) for w, written in ((x, out[0]), (y, out[1])))
    if isinstance(x, Tuple) and isinstance(y, Tuple) and len(x.items) == len(y.items):
        parts = [
            u if u == v else _joined(cx, f"{name}.{i}", (u, v), out, condition, span)
            for i, (u, v) in enumerate(zip(x.items, y.items, strict=True))
        ]
        return replace(x, items=tuple(parts))
    x, y = (fitted(cx, name, v, w, written, span) for v, w, written in ((x, y, out[0]), (y, x, out[1])))
    return unified(cx, name, x, y)


def _choice(cx: Context, condition: Tile, x: Value, y: Value) -> Choice:
    cx.choices = True
    return Choice(condition.expr, x, y)


def _differ(x: Value, y: Value) -> bool:
    """Whether no one local can hold either value."""
    if isinstance(x, Choice) or isinstance(y, Choice):
        return True
    if isinstance(x, (Tile, Pointer)) and type(x) is type(y):
        return x.rank != y.rank and bool(x.rank) and bool(y.rank)
    if isinstance(x, Tuple) and isinstance(y, Tuple):
        return len(x.items) != len(y.items) or any(
            _differ(u, v) for u, v in zip(x.items, y.items, strict=True)
        )
    return type(x) is not type(y) and not isinstance(x, Unresolved) and not isinstance(y, Unresolved)


def fitted(cx: Context, name: str, value: Value, like: Value, out: list[n.Stmt], span: Span) -> Value:
    """The value over as many axes as `like` has, in the local for that rank, which `out` then writes."""
    if isinstance(value, Window) and isinstance(like, Window):
        spread_already = bool(like.sizes) and like.sizes[0] == n.Var(
            cx.slot(f"{name}.part0", 0), like.sizes[0].type
        )
        same_parts = (value.sizes, value.strides) == (like.sizes, like.strides)
        return value if same_parts or not spread_already else spread(cx, name, value, out, span)
    if not isinstance(value, (Tile, Pointer)) or type(value) is not type(like):
        return value
    shape = like.shape
    if len(shape) <= value.rank:
        return value
    wide = shapes.broadcast(cx, value, shape)
    (_, e), target = leaves(wide)[0], cx.slot(name, len(shape))
    cx.ranks[target] = len(shape)
    cx.defs.setdefault(target, set()).update(used(e))
    out.append(n.Assign(target, e, span))
    return with_leaves(wide, [n.Var(target, e.type)])


def _one_base(
    cx: Context, name: str, x: Pointer, y: Pointer, out: tuple[list[n.Stmt], list[n.Stmt]], span: Span
) -> tuple[Pointer, Pointer]:
    target = cx.names.unique(f"{cx.frame.prefix}{name}.array")
    out[0].append(n.Alias(target, x.base, span))
    out[1].append(n.Alias(target, y.base, span))
    element = x.element if x.element == y.element else UNKNOWN
    recast = x.recast or y.recast
    return replace(x, base=target, element=element, recast=recast), replace(
        y, base=target, element=element, recast=recast
    )


def base_of(value: Value | None) -> str:
    if isinstance(value, Window):
        return value.base.base
    return value.base if isinstance(value, Pointer) else ""


def with_base(value: Value, base: str) -> Value:
    if isinstance(value, Window):
        return replace(value, base=replace(value.base, base=base))
    return replace(value, base=base) if isinstance(value, Pointer) else value


def spread(cx: Context, name: str, w: Window, out: list[n.Stmt], span: Span) -> Window:
    """A block pointer with its extents and strides in locals of the name, which `out` then writes."""
    parts: list[n.Expr] = []
    for i, e in enumerate((*w.sizes, *w.strides)):
        target = cx.slot(f"{name}.part{i}", 0)
        cx.ranks.setdefault(target, 0)
        cx.defs.setdefault(target, set()).update(used(e))
        if not (isinstance(e, n.Var) and e.name == target):
            out.append(n.Assign(target, e, span))
        parts.append(n.Var(target, e.type, span))
    count = len(w.sizes)
    return replace(w, sizes=tuple(parts[:count]), strides=tuple(parts[count:]))


def unified(cx: Context, name: str, x: Value, y: Value) -> Value:
    """One value for both, in the IR locals that the name's bindings write."""
    if isinstance(x, DType) and isinstance(y, DType):
        return DType(UNKNOWN, x.pointer, f"{x.text} or {y.text}")
    if isinstance(x, Unresolved) or isinstance(y, Unresolved):
        return y if isinstance(x, Unresolved) else x
    if is_none(x) or is_none(y):
        return placed(cx, name, y if is_none(x) else x)
    if type(x) is not type(y):
        objects = [v for v in (x, y) if not isinstance(v, Tile)]
        return placed(cx, name, objects[0])
    if isinstance(x, Tuple) and isinstance(y, Tuple):
        if len(x.items) != len(y.items):
            return placed(cx, name, x)
        pairs = enumerate(zip(x.items, y.items, strict=True))
        return replace(
            x, items=tuple(u if u == v else unified(cx, f"{name}.{i}", u, v) for i, (u, v) in pairs)
        )
    types = [_type(u, v) for (_, u), (_, v) in zip(leaves(x), leaves(y), strict=False)]
    ranks = [max(r, q) for r, q in zip(ranks_of(x), ranks_of(y), strict=False)]
    slots = [cx.slot(name + s, r) for (s, _), r in zip(leaves(x), ranks, strict=False)]
    exprs = [n.Var(s, t) for s, t in zip(slots, types, strict=False)]
    if isinstance(x, Tile) and isinstance(y, Tile):
        return Tile(exprs[0], _shape(x.shape, y.shape), x.weak and y.weak, _roots(x, y))
    if isinstance(x, Pointer) and isinstance(y, Pointer):
        return replace(x, offset=exprs[0], shape=_shape(x.shape, y.shape), recast=x.recast or y.recast)
    return with_leaves(x, exprs) if exprs else x


def _type(a: n.Expr, b: n.Expr) -> Type:
    """The type of a local that holds either: literals give way to run-time values."""
    if a.type == b.type:
        return a.type
    for x, y in ((a, b), (b, a)):
        widens = x.type == INT64 and isinstance(y.type, FloatType)
        if isinstance(x, n.Const) and not isinstance(y, n.Const) and not widens:
            return y.type
    return tt.promote(a.type, b.type)


def _shape(a: Shape, b: Shape) -> Shape:
    """The shape of a local that holds either: a scalar counts as a tile of equal elements."""
    if len(a) != len(b):
        return a if len(a) > len(b) else b
    return a if shapes.same(a, b) else shapes.common([a, b])


def _roots(x: Tile, y: Tile) -> tuple[str, ...]:
    return tuple(dict.fromkeys(x.roots + y.roots))


def placed(cx: Context, name: str, value: Value) -> Value:
    """The value in the IR locals of the name; compile-time values stay."""
    if isinstance(value, Tile) and value.weak and cx.is_static(value.expr):
        return value
    return in_slots(cx, name, value)


def in_slots(cx: Context, name: str, value: Value) -> Value:
    """The value read from the IR locals of the name."""
    found = list(zip(leaves(value), ranks_of(value), strict=True))
    if not found:
        return value
    return with_leaves(value, [n.Var(cx.slot(name + s, r), e.type) for (s, e), r in found])


# --- loops


def enter(cx: Context, loop: Loop) -> None:
    """Before a loop: what its body binds is no longer known, and lives under one name."""
    env = cx.frame.env
    for name in loop.names:
        if name in env:
            env[name] = entered(cx, name, env[name])


def entered(cx: Context, name: str, value: Value) -> Value:
    """The value as a run-time one in the IR locals of the name."""
    from gpulint.frontend.triton.operators import strong

    if isinstance(value, Tuple):
        return replace(value, items=tuple(entered(cx, f"{name}.{i}", v) for i, v in enumerate(value.items)))
    if isinstance(value, Tile):
        if is_none(value):
            return value
        value = strong(value)
        return replace(value, expr=n.Var(cx.slot(name, value.rank), value.type))
    return in_slots(cx, name, value)


def after(cx: Context, envs: Iterable[Env], start: Env, names: Sequence[str]) -> Env:
    """The locals after a loop: those before it, widened by what its iterations leave."""
    out = dict(start)
    for env in envs:
        for name, value in env.items():
            if name not in out:
                out[name] = placed(cx, name, value)
            elif name in names:
                out[name] = widen(cx, name, out[name], value)
    return out


def widen(cx: Context, name: str, x: Value, y: Value) -> Value:
    """The loop's value `x` of a local, made wide enough for `y`."""
    if x is y or x == y:
        return x
    if isinstance(x, Tile) and isinstance(y, Tile) and y.weak and not is_none(x) and not is_none(y):
        y = entered(cx, name, y)
    if isinstance(x, Tuple) and isinstance(y, Tuple) and len(x.items) == len(y.items):
        pairs = enumerate(zip(x.items, y.items, strict=True))
        return replace(x, items=tuple(widen(cx, f"{name}.{i}", u, v) for i, (u, v) in pairs))
    if isinstance(x, (Pointer, Window)) and type(x) is type(y):
        px, py = (v if isinstance(v, Pointer) else v.base for v in (x, y))
        if px.base != py.base:
            return x
        if isinstance(x, Window) and isinstance(y, Window) and (x.sizes, x.strides) != (y.sizes, y.strides):
            found = spread(cx, name, x, [], NOWHERE)
            return with_leaves(found, [e for _, e in leaves(unified(cx, name, x, y))])
    return unified(cx, name, x, y)
