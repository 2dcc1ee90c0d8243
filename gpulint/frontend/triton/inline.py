"""Device functions: their bodies in place of the call, locals under names of their own."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from gpulint.frontend.shared.arguments import matched
from gpulint.frontend.shared.limits import NotHandled
from gpulint.frontend.shared.syntax import own_returns, tails
from gpulint.frontend.triton import expressions as ex
from gpulint.frontend.triton.context import MAX_INLINE, Context, Frame, short
from gpulint.frontend.triton.merge import base_of, spread, unified, with_base
from gpulint.frontend.triton.statements import body, unsupported
from gpulint.frontend.triton.values import (
    NONE,
    Function,
    Pointer,
    Tile,
    Tuple,
    Value,
    Window,
    is_none,
    leaves,
)
from gpulint.ir import nodes as n
from gpulint.ir.types import UNKNOWN

RESULT = "return"
CALL = 5  # statements that a call counts for


@dataclass(frozen=True)
class Arguments:
    positional: tuple[Value, ...]
    keywords: dict[str, Value]


def inline(cx: Context, f: Function, given: Arguments, node: ast.AST) -> Value:
    """The value of a call of a device function."""
    name = getattr(f.node, "name", "lambda")
    if f.node in cx.active:
        raise NotHandled(f"recursion through {name}", node)
    if len(cx.active) >= MAX_INLINE:
        raise NotHandled(f"device functions called more than {MAX_INLINE} deep", node)
    if isinstance(f.node, ast.AsyncFunctionDef):
        raise NotHandled("an async function", node)
    cx.count(CALL)
    frame = _frame(cx, f, name, node)
    values = _matched(cx, f, given)
    if values is None:
        raise NotHandled(f"a call of {name} that does not fit its parameters", node)
    saved, depth = cx.frame, cx.depth
    cx.frame, cx.depth = frame, 0
    cx.active.append(f.node)
    try:
        for parameter, value in values.items():
            _bind(cx, frame, parameter, value)
        if isinstance(f.node, ast.Lambda):
            return ex.lower(cx, f.node.body)
        return _body(cx, frame, f.node, node)
    finally:
        cx.active.pop()
        cx.frame, cx.depth = saved, depth


def _frame(cx: Context, f: Function, name: str, node: ast.AST) -> Frame:
    label = cx.names.unique(name)
    frame = Frame(f.node, f.scope, f.scope.module, f"{label}.", label)
    own = cx.frame.module.span(node)
    frame.calls = (own, *cx.frame.calls)
    frame.tails = tails(f.node)
    if isinstance(f.node, ast.FunctionDef):
        returns = own_returns(f.node)
        if len(returns) == 1 and f.node.body and returns[0] is f.node.body[-1]:
            frame.single = returns[0]
    return frame


def _body(cx: Context, frame: Frame, f: ast.FunctionDef, node: ast.AST) -> Value:
    with cx.capture() as written:
        body(cx, f.body)
    cx.dead = False
    if frame.left:
        cx.emit(n.Block(frame.label, tuple(written), frame.calls[0]))
    else:
        cx.out.extend(written)
    if frame.single is not None:
        return _short(cx, frame.returns[0], node) if frame.returns else NONE
    values = [v for v in frame.returns if not is_none(v)]
    if not values:
        return NONE
    out = values[0]
    for v in values[1:]:
        out = out if out == v else unified(cx, RESULT, out, v)
    return out


def _short(cx: Context, value: Value, node: ast.AST) -> Value:
    """The value; a long expression goes into a local, so that nested calls do not multiply it."""
    if isinstance(value, Tile) and not short(value.expr):
        return cx.temp(value, f"{cx.frame.prefix}{RESULT}", cx.span(node))
    if isinstance(value, Tuple):
        return replace(value, items=tuple(_short(cx, v, node) for v in value.items))
    return value


# --- arguments


def _bind(cx: Context, frame: Frame, name: str, value: Value) -> None:
    """An evaluated argument under the name of the parameter; simple ones that stay are substituted."""
    if all(b.kind == "param" for b in frame.scope.bindings.get(name, ())) and _stays(cx, value):
        frame.env[name] = value
    else:
        frame.env[name] = cx.hold(name, value, frame.calls[0])


def _stays(cx: Context, value: Value) -> bool:
    """Whether the value needs no local: it is short, and nothing can change it before the call ends."""
    if isinstance(value, Tile) and value.weak and cx.is_static(value.expr):
        return True
    return all(isinstance(e, (n.Const, n.Var, n.Coord)) for _, e in leaves(value))


def _matched(cx: Context, f: Function, given: Arguments) -> dict[str, Value] | None:
    assert not isinstance(f.node, ast.AsyncFunctionDef)
    outer = f.scope.parent or f.scope
    return matched(f.node.args, given.positional, given.keywords, Tuple, lambda e: cx.world.value(e, outer))


# --- returns


def leave(cx: Context, s: ast.Return) -> None:
    """`return value`, in the kernel or in an inlined function."""
    frame = cx.frame
    if not frame.label:
        if s.value is not None:
            _value(cx, s)
        if s not in frame.tails:
            cx.emit(n.Leave("", cx.span(s)))
        cx.dead = True
        return
    value = _value(cx, s) if s.value is not None else NONE
    if frame.single is s:
        frame.returns.append(value)
        return
    frame.returns.append(cx.hold(RESULT, _shared(cx, value, s), cx.span(s)))
    if s not in frame.tails:
        frame.left = True
        cx.emit(n.Leave(frame.label, cx.span(s)))
    cx.dead = True


def _value(cx: Context, s: ast.Return) -> Value:
    """What is returned; an unknown where that cannot be lowered."""
    assert s.value is not None
    try:
        return ex.lower(cx, s.value)
    except NotHandled as error:
        unsupported(cx, error.reason, s, error.node)
        unknown = Tile(n.Opaque("result", (), UNKNOWN, True, span=cx.span(s)))
        return cx.temp(unknown, f"{cx.frame.prefix}{RESULT}", cx.span(s))


def _shared(cx: Context, value: Value, s: ast.Return) -> Value:
    """A pointer as all returns of the function give it: into an array that has one name for all."""
    if not isinstance(value, (Pointer, Window)):
        return value
    if isinstance(value, Window) and not value.hosted:
        value = spread(cx, RESULT, value, cx.out, cx.span(s))
    target = cx.canonical(f"{RESULT}.array")
    cx.emit(n.Alias(target, base_of(value), cx.span(s)))
    return with_base(value, target)
