"""Joining the locals of two paths, and keeping those that a loop changes in one place."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from gpulint.frontend.numba import types as nt
from gpulint.frontend.numba.context import Context, Loop
from gpulint.frontend.numba.values import SCALARS, Array, Choices, Foreign, Function, Tuple, Value
from gpulint.frontend.shared.limits import NotHandled
from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.ir.types import BOOL, ArrayType
from gpulint.ir.walk import walk

Env = dict[str, Value]


def conditional(
    cx: Context, condition: n.Expr, then: Callable[[], None], other: Callable[[], None], node: ast.AST
) -> None:
    """Writes `if condition: then() else: other()`, each on the locals as they are now."""
    if isinstance(condition, n.Const):
        (then if condition.value else other)()
        return
    before, dead = dict(cx.frame.env), cx.dead
    settled = _settled_by_the_host(cx, condition)
    cx.settled += settled
    try:
        with cx.capture() as yes:
            then()
        env_yes, dead_yes = cx.frame.env, cx.dead
        cx.frame.env, cx.dead = dict(before), dead
        with cx.capture() as no:
            other()
    except NotHandled:
        cx.frame.env, cx.dead = before, dead
        raise
    finally:
        cx.settled -= settled
    env_no, dead_no = cx.frame.env, cx.dead
    paths = (env_yes, yes, dead_yes), (env_no, no, dead_no)
    cx.frame.env = join(cx, *_typed(cx, *paths, settled, node), cx.span(node))
    cx.dead = dead_yes and dead_no
    if _dropped(yes) and _dropped(no):
        cx.emit(n.Unsupported("no branch fits the types of the parameters", (), (), cx.span(node)))
    if yes or no:
        cx.emit(n.If(condition, tuple(yes), tuple(no), cx.span(node)))


def _settled_by_the_host(cx: Context, condition: n.Expr) -> bool:
    """Whether the condition is one of values of the enclosing scopes alone, which are constants to Numba."""
    closures = {name for kind, name in cx.options if kind == "closure"}
    leaves = [e for e in walk(condition) if not isinstance(e, (n.Const, n.Compare, n.Logic, n.Unary))]
    return bool(leaves) and all(isinstance(e, n.Var) and e.name in closures for e in leaves)


def _dropped(path: list[n.Stmt]) -> bool:
    """Whether a path is one that Numba drops, or would have to."""
    last = path[-1] if path else None
    return isinstance(last, n.Assume) and last.condition == n.Const(False, BOOL)


Path = tuple[Env, list[n.Stmt], bool]


def _typed(cx: Context, a: Path, b: Path, settled: bool, node: ast.AST) -> tuple[Path, Path]:
    """The two paths, of which Numba drops one where both leave tuples of different lengths in a name.

    Which one stays is known where the tuple is all subscripts of a parameter, whose number of axes is that
    of the longer one: launches that give it fewer axes compile another kernel, of which nothing is said.
    """
    for name in (k for k in a[0] if k in b[0] and not (a[2] or b[2])):
        x, y = a[0][name], b[0][name]
        if not isinstance(x, Tuple) or not isinstance(y, Tuple) or len(x.items) == len(y.items):
            continue
        shorter = a if len(x.items) < len(y.items) else b
        if settled and name in cx.frame.facts.points:
            shorter[1].append(n.Assume(n.Const(False, BOOL), cx.span(node)))
            ended = (shorter[0], shorter[1], True)
            return (ended, b) if shorter is a else (a, ended)
        text = f"tuples of {len(x.items)} and {len(y.items)} items in {name}"
        shorter[1].append(n.Unsupported(text, (), (), cx.span(node)))
    return a, b


def join(cx: Context, a: Path, b: Path, span: Span) -> Env:
    """The locals after either path; statements that put arrays under one name end both paths."""
    if a[2]:
        return b[0]
    if b[2]:
        return a[0]
    out: Env = {}
    for name in [*a[0], *(k for k in b[0] if k not in a[0])]:
        x, y = a[0].get(name), b[0].get(name)
        if x is None or y is None:
            out[name] = _alone(cx, name, x if x is not None else y)
        else:
            out[name] = x if x is y or x == y else _joined(cx, name, x, y, (a[1], b[1]), span)
    return out


def _alone(cx: Context, name: str, value: Value | None) -> Value:
    """A local that one path alone binds keeps no constant: on the other it is undefined."""
    assert value is not None
    return value


def _joined(
    cx: Context, name: str, x: Value, y: Value, out: tuple[list[n.Stmt], list[n.Stmt]], span: Span
) -> Value:
    x, y = (v.held if isinstance(v, Foreign) and type(x) is not type(y) else v for v in (x, y))
    if isinstance(x, SCALARS) and isinstance(y, SCALARS):
        if _is_none(x) != _is_none(y):
            return _place(cx, name, y if _is_none(x) else x)
        return n.Var(cx.canonical(name), nt.unify(x.type, y.type))
    if isinstance(x, Tuple) and isinstance(y, Tuple) and len(x.items) == len(y.items):
        parts = [
            u if u == v else _joined(cx, f"{name}.{i}", u, v, out, span)
            for i, (u, v) in enumerate(zip(x.items, y.items, strict=False))
        ]
        return Tuple(tuple(parts))
    if isinstance(x, Array) and isinstance(y, Array):
        target = cx.array_name(name)
        out[0].append(n.Alias(target, x.name, span))
        out[1].append(n.Alias(target, y.name, span))
        return Array(target, _either(x.type, y.type))
    if isinstance(x, (Function, Choices)) and isinstance(y, (Function, Choices)):
        options = [o for v in (x, y) for o in (v.options if isinstance(v, Choices) else (v,))]
        return Choices(name, tuple(dict.fromkeys(options)))
    return y if isinstance(x, SCALARS) else x  # None or a number beside an object: the object


def _place(cx: Context, name: str, value: n.Expr) -> n.Expr:
    return n.Var(cx.canonical(name), value.type)


def _is_none(e: n.Expr) -> bool:
    return isinstance(e, n.Const) and e.value is None


def _either(a: ArrayType, b: ArrayType) -> ArrayType:
    """The type of one of two arrays; a rank that they do not share is open."""
    element = a.element if a.element == b.element else nt.unify(a.element, b.element)
    return ArrayType(
        element, a.ndim if a.ndim == b.ndim else None, a.space if a.space == b.space else "global"
    )


# --- loops


def enter(cx: Context, loop: Loop, span: Span) -> None:
    """Before a loop: what its body binds is no longer known, and lives under one name."""
    env = cx.frame.env
    for name in loop.names:
        if name in env:
            env[name] = _entered(cx, loop, name, env[name], span)


def _entered(cx: Context, loop: Loop, name: str, value: Value, span: Span) -> Value:
    if isinstance(value, Tuple):
        return Tuple(tuple(_entered(cx, loop, f"{name}.{i}", v, span) for i, v in enumerate(value.items)))
    if isinstance(value, Array):
        target = loop.aliases[name] = cx.array_name(name)
        cx.emit(n.Alias(target, value.name, span))
        return Array(target, value.type)
    return _place(cx, name, value) if isinstance(value, SCALARS) else value


def settle(cx: Context, loop: Loop, span: Span) -> None:
    """At the end of an iteration, or before a jump out: arrays go back under their loop names."""
    moves: list[tuple[str, Array]] = []
    for name in loop.names:
        if name in cx.frame.env:
            cx.frame.env[name] = _settled(cx, loop, name, cx.frame.env[name], moves)
    targets = {target for target, _ in moves}
    held = {source.name: source.name for _, source in moves}
    for name in held:
        if name in targets:
            held[name] = cx.names.unique(name)
            cx.emit(n.Alias(held[name], name, span))
    for target, source in moves:
        cx.emit(n.Alias(target, held[source.name], span))


def _settled(cx: Context, loop: Loop, name: str, value: Value, moves: list[tuple[str, Array]]) -> Value:
    if isinstance(value, Tuple):
        return Tuple(tuple(_settled(cx, loop, f"{name}.{i}", v, moves) for i, v in enumerate(value.items)))
    if isinstance(value, Array) and name in loop.aliases:
        if value.name != loop.aliases[name]:
            moves.append((loop.aliases[name], value))
        return Array(loop.aliases[name], value.type)
    return _place(cx, name, value) if isinstance(value, SCALARS) else value


def after(envs: Iterable[Env], start: Env) -> Env:
    """The locals after a loop: those before it, widened by what its iterations leave."""
    out = dict(start)
    for env in envs:
        for name, value in env.items():
            out[name] = widen(out[name], value) if name in out else value
    return out


def widen(x: Value, y: Value) -> Value:
    """One value for both, under the name that both share."""
    if x is y or x == y:
        return x
    if isinstance(x, Foreign) != isinstance(y, Foreign):
        x, y = (v.held if isinstance(v, Foreign) else v for v in (x, y))
    if isinstance(x, n.Var) and isinstance(y, n.Var) and x.name == y.name:
        return n.Var(x.name, nt.unify(x.type, y.type))
    if isinstance(x, Tuple) and isinstance(y, Tuple) and len(x.items) == len(y.items):
        return Tuple(tuple(widen(u, v) for u, v in zip(x.items, y.items, strict=False)))
    if isinstance(x, Array) and isinstance(y, Array) and x.name == y.name:
        return Array(x.name, _either(x.type, y.type))
    return x if isinstance(x, (n.Var, Array)) else y
