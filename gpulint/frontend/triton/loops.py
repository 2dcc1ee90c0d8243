"""Loops: over ranges and tuples, while; break, continue and else."""

from __future__ import annotations

import ast
from collections.abc import Callable

from gpulint.frontend.shared.limits import NotHandled
from gpulint.frontend.shared.syntax import bound_names, jumps
from gpulint.frontend.triton import expressions as ex
from gpulint.frontend.triton import types as tt
from gpulint.frontend.triton.context import Context, Loop, statement
from gpulint.frontend.triton.merge import Env, after, base_of, enter, fitted, with_base
from gpulint.frontend.triton.statements import body, condition, store
from gpulint.frontend.triton.values import Bounds, Pointer, Tile, Tuple, Value, Window, integer
from gpulint.frontend.triton.world import literal
from gpulint.ir import nodes as n
from gpulint.ir.types import INT32, IntType, Type

MAX_UNROLL = 64
MAX_STATIC_UNROLL = 8
MAX_ATTEMPTS = 4


@statement(ast.For)
def for_(cx: Context, s: ast.For) -> None:
    iterable = ex.lower(cx, s.iter)
    if isinstance(iterable, Bounds):
        items = _written_out(iterable, s)
        if items is not None:
            _unrolled(cx, s, items)
            return
        _counted(cx, s, iterable)
    elif isinstance(iterable, Tuple):
        if len(iterable.items) > MAX_UNROLL:
            raise NotHandled(f"a loop over a tuple of more than {MAX_UNROLL} items", s)
        _unrolled(cx, s, list(iterable.items))
    else:
        raise NotHandled("a loop over something that is not a range or tuple", s.iter)
    if not cx.dead:
        body(cx, s.orelse)


def _written_out(b: Bounds, s: ast.For) -> list[Value] | None:
    """The values of a short loop over compile-time constants that Triton itself writes out."""
    start, stop, step = integer(b.start), integer(b.stop), integer(b.step)
    if start is None or stop is None or not step or not isinstance(s.target, ast.Name):
        return None
    counters = range(start, stop, step)
    if len(counters) == 0:
        return []
    if not b.static or jumps(s.body) or len(counters) > (MAX_UNROLL if _indexes(s) else MAX_STATIC_UNROLL):
        return None
    return [Tile(literal(i), weak=True) for i in counters]


def _indexes(s: ast.For) -> bool:
    """Whether the counter picks items of tuples, which needs its value."""
    name = s.target.id if isinstance(s.target, ast.Name) else ""
    for e in ast.walk(s):
        if isinstance(e, ast.Subscript) and any(
            isinstance(x, ast.Name) and x.id == name for x in ast.walk(e.slice)
        ):
            return True
    return False


def _counter_type(b: Bounds) -> Type:
    types = [t.type for t in (b.start, b.stop, b.step) if not t.weak]
    found: Type = INT32
    for t in types:
        found = tt.promote(found, t) if isinstance(t, IntType) else found
    return found


def _counted(cx: Context, s: ast.For, b: Bounds) -> None:
    if not isinstance(s.target, ast.Name):
        raise NotHandled("a loop whose counter is not a name", s.target)
    if any(t.shape for t in (b.start, b.stop, b.step)):
        raise NotHandled("a range over tiles", s.iter)
    cx.sink(b.start.expr, b.stop.expr, b.step.expr)
    bounds = [t.expr for t in (b.start, b.stop, b.step)]
    type_ = _counter_type(b)
    counter = cx.slot(s.target.id, 0)
    cx.defs.setdefault(counter, set())
    name = s.target.id

    def once() -> None:
        cx.frame.env[name] = Tile(n.Var(counter, type_, cx.span(s.target)), weak=b.static)
        body(cx, s.body)

    written = repeat(cx, Loop(bound_names(s)), once, s)
    cx.emit(n.For(counter, bounds[0], bounds[1], bounds[2], tuple(written), type_, cx.span(s), b.plain))


def repeat(cx: Context, loop: Loop, once: Callable[[], None], s: ast.stmt) -> list[n.Stmt]:
    """The body of a loop, lowered again where a local turns out to be wider than on entry."""
    entry, place = dict(cx.frame.env), len(cx.out)
    enter(cx, loop)
    for attempt in range(MAX_ATTEMPTS):
        del cx.out[place:]
        _rebase(cx, loop, entry, s)
        _widened(cx, loop, entry, s)
        start, names, slots = dict(cx.frame.env), cx.names.snapshot(), dict(cx.frame.canonical)
        loop.exits.clear()
        cx.frame.loops.append(loop)
        try:
            with cx.capture() as written:
                once()
                if not cx.dead:
                    settle(cx, loop, s)
                    loop.exits.append(cx.frame.env)
        finally:
            cx.frame.loops.pop()
        cx.dead = False
        loop.start = start
        moved = _moved(loop, start)
        cx.frame.env = after(cx, loop.exits, start, loop.names)
        wider = {k: cx.frame.env[k] for k in start}
        if (wider == start and not moved) or attempt == MAX_ATTEMPTS - 1:
            return written
        loop.rebased.update(dict.fromkeys(moved, ""))
        cx.frame.env, cx.frame.canonical = wider, slots
        cx.names.restore(names)
        cx.names.reserve(cx.params)
    raise AssertionError("unreachable")


def _widened(cx: Context, loop: Loop, entry: Env, s: ast.stmt) -> None:
    """Before the loop: values of fewer axes than an iteration leaves, in the locals that hold those."""
    loop.start = dict(cx.frame.env)
    for name in loop.names:
        if name in entry and name in cx.frame.env:
            fitted(cx, name, entry[name], cx.frame.env[name], cx.out, cx.span(s))


def _moved(loop: Loop, start: Env) -> list[str]:
    """The pointers that an iteration leaves in another array than it found them in."""
    out = []
    for name, value in start.items():
        if name in loop.names and name not in loop.rebased and isinstance(value, (Pointer, Window)):
            own = base_of(value)
            if any(
                isinstance(e.get(name), (Pointer, Window)) and base_of(e[name]) != own for e in loop.exits
            ):
                out.append(name)
    return out


def _rebase(cx: Context, loop: Loop, entry: Env, s: ast.stmt) -> None:
    """Before the loop: one name for the array of a pointer that changes its array."""
    for name, target in loop.rebased.items():
        target = target or cx.names.unique(f"{cx.frame.prefix}{name}.array")
        loop.rebased[name] = target
        cx.emit(n.Alias(target, base_of(entry[name]), cx.span(s)))
        cx.frame.env[name] = with_base(cx.frame.env[name], target)


def settle(cx: Context, loop: Loop, s: ast.AST) -> None:
    """At the end of an iteration, or before a jump out: arrays go back under their loop names."""
    for name, target in loop.rebased.items():
        value = cx.frame.env.get(name)
        if target and base_of(value) != target and value is not None:
            cx.emit(n.Alias(target, base_of(value), cx.span(s)))
            cx.frame.env[name] = with_base(value, target)
    for name in loop.names:
        if name in loop.start and name in cx.frame.env:
            cx.frame.env[name] = fitted(cx, name, cx.frame.env[name], loop.start[name], cx.out, cx.span(s))


@statement(ast.While)
def while_(cx: Context, s: ast.While) -> None:
    before: list[n.Stmt] = []
    tests: list[Tile] = []

    def once() -> None:
        with cx.capture() as written:
            tests.append(condition(cx, s.test))
        before[:] = written
        if isinstance(tests[-1].expr, n.Const) and not tests[-1].expr.value:
            cx.dead = True
            return
        passed = dict(cx.frame.env)
        body(cx, s.body)
        cx.frame.loops[-1].exits.append(passed)

    written = repeat(cx, Loop(bound_names(s)), once, s)
    e = tests[-1].expr
    if isinstance(e, n.Const) and not e.value:
        cx.out.extend(before)
        return
    cx.emit(n.While(tuple(before), e, tuple(written), cx.span(s)))
    if not cx.dead:
        body(cx, s.orelse)


def _unrolled(cx: Context, s: ast.For, items: list[Value]) -> None:
    if items and jumps(s.body):
        raise NotHandled("a loop over a tuple that breaks or continues", s)
    for item in items:
        if cx.dead:
            return
        store(cx, s.target, item, s.target)
        body(cx, s.body)
    if not cx.dead:
        body(cx, s.orelse)


# --- jumps


@statement(ast.Break)
def break_(cx: Context, s: ast.Break) -> None:
    _jump(cx, s)
    cx.emit(n.Break(cx.span(s)))
    cx.dead = True


@statement(ast.Continue)
def continue_(cx: Context, s: ast.Continue) -> None:
    _jump(cx, s)
    cx.emit(n.Continue(cx.span(s)))
    cx.dead = True


def _jump(cx: Context, s: ast.stmt) -> None:
    if not cx.frame.loops:
        raise NotHandled("a break or continue outside of a loop", s)
    loop = cx.frame.loops[-1]
    settle(cx, loop, s)
    loop.exits.append(dict(cx.frame.env))
