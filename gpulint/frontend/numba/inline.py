"""Device functions: their bodies in place of the call, locals under names of their own."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from gpulint.frontend.numba import conditions as cond
from gpulint.frontend.numba import expressions as ex
from gpulint.frontend.numba.context import MAX_INLINE, Context, Frame
from gpulint.frontend.numba.merge import widen
from gpulint.frontend.numba.values import SCALARS, Array, Choices, Function, Named, Tuple, Unresolved, Value
from gpulint.frontend.shared.arguments import matched
from gpulint.frontend.shared.limits import NotHandled
from gpulint.frontend.shared.syntax import own_returns, tails
from gpulint.ir import nodes as n
from gpulint.ir.types import BOOL, UNKNOWN
from gpulint.source.model import FunctionNode

NONE = n.Const(None)
RESULT = "return"


@dataclass(frozen=True)
class Arguments:
    positional: tuple[Value, ...]
    keywords: dict[str, Value]


def call(cx: Context, callee: Function | Choices, given: Arguments, node: ast.Call) -> Value:
    """The value of a call of a device function."""
    if isinstance(callee, Function):
        return _inline(cx, callee, given, node)
    first, *rest = callee.options
    if not rest:
        return call(cx, _callable(first), given, node)
    chosen = cx.opaque(f"{callee.name} is {name_of(first)}", (), BOOL, node)
    others = Choices(callee.name, tuple(rest))
    return cond.choose(
        cx,
        chosen,
        lambda: call(cx, _callable(first), given, node),
        lambda: call(cx, others, given, node),
        node,
    )


def _callable(value: Value) -> Function | Choices:
    assert isinstance(value, (Function, Choices))
    return value


def name_of(value: Value) -> str:
    """A function by name and line."""
    if isinstance(value, Named):
        return value.name
    node = value.node if isinstance(value, Function) else None
    return f"{getattr(node, 'name', '<lambda>')}@{getattr(node, 'lineno', 0)}"


def _inline(cx: Context, f: Function, given: Arguments, node: ast.Call) -> Value:
    name = getattr(f.node, "name", "lambda")
    if f.node in cx.active and _numeric(f.node) and all(isinstance(v, SCALARS) for v in given.positional):
        return cx.fresh(name, UNKNOWN, node)
    if f.node in cx.active:
        raise NotHandled(f"recursion through {name}", node)
    if len(cx.active) >= MAX_INLINE:
        raise NotHandled(f"device functions called more than {MAX_INLINE} deep", node)
    if isinstance(f.node, ast.AsyncFunctionDef):
        raise NotHandled("an async function", node)
    frame = _frame(cx, f, name, node)
    if not _bind_parameters(cx, frame, f.node, given, node):
        from gpulint.frontend.numba.calls import unknown

        return unknown(cx, node, given)
    saved, index, depth = cx.frame, cx.index, cx.depth
    cx.frame, cx.index, cx.depth = frame, 0, 0
    cx.active.append(f.node)
    try:
        if isinstance(f.node, ast.Lambda):
            cx.index = index
            return ex.lower(cx, f.node.body)
        return _body(cx, frame, f.node, node)
    finally:
        cx.active.pop()
        cx.frame, cx.index, cx.depth = saved, index, depth


def _numeric(f: FunctionNode) -> bool:
    """Whether a function computes with numbers alone: it names no element, attribute or other function.

    What calls of itself do is then nothing but a value (or the end of the thread).
    """
    own = getattr(f, "name", "")
    body = [f.body] if isinstance(f, ast.Lambda) else f.body
    inner = [e for s in body for e in ast.walk(s) if not isinstance(s, ast.Raise)]
    raised = {id(e) for s in inner if isinstance(s, ast.Raise) for e in ast.walk(s)}
    left = [e for e in inner if id(e) not in raised]
    calls = [e for e in left if isinstance(e, ast.Call)]
    return not any(
        isinstance(e, (ast.Subscript, ast.Attribute, ast.Lambda, ast.FunctionDef)) for e in left
    ) and all(isinstance(c.func, ast.Name) and c.func.id == own for c in calls)


def _frame(cx: Context, f: Function, name: str, node: ast.Call) -> Frame:

    label = cx.names.unique(name)
    frame = Frame(
        f.node, f.scope, f.scope.module, cx.world.facts(f.node, f.scope), f"{label}.", label, f.frame
    )
    frame.calls = (cx.span(node),) if not cx.frame.calls else (cx.frame.module.span(node), *cx.frame.calls)
    frame.tails = tails(f.node)
    if isinstance(f.node, ast.FunctionDef):
        returns = own_returns(f.node)
        if len(returns) == 1 and f.node.body and returns[0] is f.node.body[-1]:
            frame.single = returns[0]
    return frame


def _body(cx: Context, frame: Frame, f: ast.FunctionDef, node: ast.Call) -> Value:
    from gpulint.frontend.numba.statements import body

    with cx.capture() as written:
        body(cx, f.body)
    cx.dead = False
    if frame.left:
        cx.emit(n.Block(frame.label, tuple(written), frame.calls[0]))
    else:
        cx.out.extend(written)
    if frame.single is not None:
        return frame.returns[0] if frame.returns else NONE
    return _result(cx, frame, node)


def _result(cx: Context, frame: Frame, node: ast.Call) -> Value:
    values = [v for v in frame.returns if v != NONE]
    if not values:
        return NONE
    out = values[0]
    for v in values[1:]:
        if type(v) is not type(out):
            raise NotHandled("a function that returns values of different kinds", node)
        out = widen(out, v)
    return out


# --- arguments


def _bind_parameters(
    cx: Context, frame: Frame, f: ast.FunctionDef | ast.Lambda, given: Arguments, node: ast.Call
) -> bool:
    """Evaluated arguments under the names of the parameters; simple ones that stay are substituted."""
    values = _matched(cx, frame, f, given)
    if values is None:
        return False
    saved = cx.frame
    cx.frame = frame
    try:
        for name, value in values.items():
            _bind_parameter(cx, frame, name, value, node)
    finally:
        cx.frame = saved
    return True


def _bind_parameter(cx: Context, frame: Frame, name: str, value: Value, node: ast.AST) -> None:
    if all(b.kind == "param" for b in frame.scope.bindings.get(name, ())) and _stays(value):
        frame.env[name] = value
    elif isinstance(value, (Tuple, *SCALARS)):
        frame.env[name] = cx.hold(name, value, frame.calls[0])
    else:
        frame.env[name] = value


def _stays(value: Value) -> bool:
    """Whether the value needs no local: it is short and nothing can change it meanwhile."""
    if isinstance(value, Tuple):
        return all(_stays(v) for v in value.items)
    return isinstance(value, (n.Const, n.Var, n.Coord, n.Extent, n.Size)) or not isinstance(value, SCALARS)


def _matched(
    cx: Context, frame: Frame, f: ast.FunctionDef | ast.Lambda, given: Arguments
) -> dict[str, Value] | None:
    outer = frame.scope.parent or frame.scope
    return matched(f.args, given.positional, given.keywords, Tuple, lambda e: cx.world.value(e, outer))


# --- returns


def leave(cx: Context, s: ast.Return) -> None:
    """`return value`, in the kernel or in an inlined function."""
    frame = cx.frame
    if not frame.label:
        if s.value is not None:
            ex.lower(cx, s.value)
        if s not in frame.tails:
            cx.emit(n.Leave("", cx.span(s)))
        cx.dead = True
        return
    value = ex.lower(cx, s.value) if s.value is not None else NONE
    if frame.single is s:
        frame.returns.append(value)
        return
    frame.returns.append(_returned(cx, value, s))
    if s not in frame.tails:
        frame.left = True
        cx.emit(n.Leave(frame.label, cx.span(s)))
    cx.dead = True


def _returned(cx: Context, value: Value, s: ast.Return, name: str = RESULT) -> Value:
    """The value in the places that all returns of the function share."""
    if isinstance(value, Tuple):
        return Tuple(tuple(_returned(cx, v, s, f"{name}.{i}") for i, v in enumerate(value.items)))
    if isinstance(value, Unresolved):
        from gpulint.frontend.numba import operators as ops

        value = ops.scalar(cx, value, s)
    if isinstance(value, Array):
        target = cx.canonical(name)
        cx.emit(n.Alias(target, value.name, cx.span(s)))
        return Array(target, value.type, value.field)
    if isinstance(value, SCALARS) and value != NONE:
        cx.hold(name, value, cx.span(s))
        return n.Var(cx.canonical(name), value.type)
    return value
