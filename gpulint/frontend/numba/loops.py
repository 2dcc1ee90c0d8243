"""Loops: over ranges, arrays and tuples, while; break, continue and else."""

from __future__ import annotations

import ast
from collections.abc import Callable

from gpulint.frontend.numba import expressions as ex
from gpulint.frontend.numba.assign import store
from gpulint.frontend.numba.attributes import extent
from gpulint.frontend.numba.context import Context, Loop, statement
from gpulint.frontend.numba.merge import Env, after, enter, settle, widen
from gpulint.frontend.numba.statements import body, condition
from gpulint.frontend.numba.subscripts import Place, take
from gpulint.frontend.numba.values import Array, Bounds, Foreign, Iteration, Tuple, Unresolved, Value
from gpulint.frontend.shared.limits import NotHandled
from gpulint.frontend.shared.syntax import bound_names, jumps
from gpulint.ir import nodes as n
from gpulint.ir.types import INT64, UNKNOWN

MAX_UNROLL = 64
ZERO, ONE = n.Const(0, INT64), n.Const(1, INT64)


@statement(ast.For)
def for_(cx: Context, s: ast.For) -> None:
    iterable = _iterable(cx, ex.lower(cx, s.iter), s)
    if isinstance(iterable, Tuple):
        if len(iterable.items) > MAX_UNROLL:
            raise NotHandled(f"a loop over a tuple of more than {MAX_UNROLL} items", s)
        _unrolled(cx, s, iterable)
        return
    with_else(cx, s, lambda label: _counted(cx, s, iterable, label))


def _iterable(cx: Context, value: Value, s: ast.For) -> Tuple | Bounds | Iteration:
    if isinstance(value, (Tuple, Bounds, Iteration)):
        return value
    if isinstance(value, Unresolved):
        from gpulint.frontend.numba.closures import array_closure

        value = array_closure(cx, value, cx.frame.facts.get(value.text).ndim, s)
    if isinstance(value, Array):
        return over(cx, value, s)
    if isinstance(value, Foreign):
        bounds = Bounds(ZERO, cx.opaque("length", (value.held,), INT64, s), ONE, INT64)
        return Iteration(
            bounds, lambda k: Foreign(cx.temp(cx.opaque("item", (value.held, k), UNKNOWN, s), "item"))
        )
    raise NotHandled("a loop over something that is not a range, array or tuple", s.iter)


def over(cx: Context, array: Array, node: ast.AST) -> Iteration:
    """Iteration over the first axis of an array."""
    bounds = Bounds(ZERO, extent(cx, array, 0, node), ONE, INT64)
    deep = (array.type.ndim or 1) > 1
    return Iteration(bounds, lambda i: take(cx, Place(array, (i,), deep), node))


def with_else(cx: Context, s: ast.For | ast.While, run: Callable[[str], None]) -> None:
    """Runs the loop; with an else clause and a break, a break leaves a block around both."""
    if not s.orelse or not jumps(s.body, ast.Break):
        run("")
        if not cx.dead:
            body(cx, s.orelse)
        return
    label = cx.names.unique(f"{cx.frame.prefix}loop")
    start = dict(cx.frame.env)
    loop = Loop(bound_names(s), label)
    with cx.capture() as written:
        enter(cx, loop, cx.span(s))
        run(label)
        body(cx, s.orelse)
        if not cx.dead:
            settle(cx, loop, cx.span(s))
    cx.frame.env, cx.dead = after([cx.frame.env], start), False
    cx.emit(n.Block(label, tuple(written), cx.span(s)))


def _counted(cx: Context, s: ast.For, iterable: Bounds | Iteration, label: str) -> None:
    bounds = iterable.bounds if isinstance(iterable, Iteration) else iterable
    if _empty(bounds):
        return
    plain = isinstance(iterable, Bounds) and isinstance(s.target, ast.Name)
    counter = cx.canonical(s.target.id) if plain and isinstance(s.target, ast.Name) else ""
    counter = counter or cx.names.unique(f"{cx.frame.prefix}k")
    variable = n.Var(counter, bounds.type, cx.span(s.target))

    def once() -> None:
        if plain and isinstance(s.target, ast.Name):
            cx.frame.env[s.target.id] = variable
        else:
            value = iterable.at(variable) if isinstance(iterable, Iteration) else variable
            store(cx, s.target, value, s.target)
        body(cx, s.body)

    written = repeat(cx, Loop(bound_names(s), label), once, s)
    cx.emit(n.For(counter, bounds.start, bounds.stop, bounds.step, tuple(written), bounds.type, cx.span(s)))


def _empty(b: Bounds) -> bool:
    parts = [
        e.value if isinstance(e, n.Const) and isinstance(e.value, int) else None
        for e in (b.start, b.stop, b.step)
    ]
    start, stop, step = parts
    if start is None or stop is None or not step:
        return False
    return len(range(start, stop, step)) == 0


def repeat(cx: Context, loop: Loop, once: Callable[[], None], s: ast.stmt) -> list[n.Stmt]:
    """The body of a loop, lowered again where a local turns out to be wider than on entry."""
    enter(cx, loop, cx.span(s))
    for attempt in range(3):
        start, names, slots = dict(cx.frame.env), cx.names.snapshot(), dict(cx.frame.canonical)
        loop.exits.clear()
        cx.frame.loops.append(loop)
        try:
            with cx.capture() as written:
                once()
                if not cx.dead:
                    settle(cx, loop, cx.span(s))
                    loop.exits.append(cx.frame.env)
        finally:
            cx.frame.loops.pop()
        cx.dead = False
        cx.frame.env = after(loop.exits, start)
        wider = {k: widen(v, cx.frame.env[k]) for k, v in start.items()}
        if wider == start or attempt == 2:
            return written
        cx.frame.env, cx.frame.canonical = wider, slots
        cx.names.restore(names)
        cx.names.reserve(cx.params)
    raise AssertionError("unreachable")


@statement(ast.While)
def while_(cx: Context, s: ast.While) -> None:
    with_else(cx, s, lambda label: _while(cx, s, label))


def _while(cx: Context, s: ast.While, label: str) -> None:
    before: list[n.Stmt] = []
    tests: list[n.Expr] = []

    def once() -> None:
        with cx.capture() as written:
            tests.append(condition(cx, s.test))
        before[:] = written
        if isinstance(tests[-1], n.Const) and not tests[-1].value:
            cx.dead = True
            return
        passed = dict(cx.frame.env)
        body(cx, s.body)
        cx.frame.loops[-1].exits.append(passed)

    written = repeat(cx, Loop(bound_names(s), label), once, s)
    test = tests[-1]
    if isinstance(test, n.Const) and not test.value:
        cx.out.extend(before)
        return
    cx.emit(n.While(tuple(before), test, tuple(written), cx.span(s)))
    endless = isinstance(test, n.Const) and not jumps(s.body, ast.Break)
    cx.dead = endless


# --- loops written out


def _unrolled(cx: Context, s: ast.For, items: Tuple) -> None:
    if not jumps(s.body, ast.Break) and not jumps(s.body, ast.Continue):
        for item in items.items:
            if cx.dead:
                return
            store(cx, s.target, item, s.target)
            body(cx, s.body)
        if not cx.dead:
            body(cx, s.orelse)
        return
    label = cx.names.unique(f"{cx.frame.prefix}loop")
    outer = Loop(bound_names(s), label)
    enter(cx, outer, cx.span(s))
    start = dict(cx.frame.env)
    envs: list[Env] = []
    with cx.capture() as written:
        for item in items.items:
            _one_round(cx, s, item, outer, label)
            envs.append(cx.frame.env)
        body(cx, s.orelse)
        if not cx.dead:
            settle(cx, outer, cx.span(s))
        envs.append(cx.frame.env)
    cx.dead = False
    cx.frame.env = after([*envs, *outer.exits], start)
    cx.emit(n.Block(label, tuple(written), cx.span(s)))


def _one_round(cx: Context, s: ast.For, item: Value, outer: Loop, label: str) -> None:
    """One written-out iteration: `continue` leaves its block, `break` the block around all."""
    own = cx.names.unique(f"{label}.round")
    loop = Loop(outer.names, label, own, outer.aliases)
    start = dict(cx.frame.env)
    cx.frame.loops.append(loop)
    try:
        with cx.capture() as written:
            store(cx, s.target, item, s.target)
            body(cx, s.body)
            if not cx.dead:
                settle(cx, loop, cx.span(s))
                loop.exits.append(cx.frame.env)
    finally:
        cx.frame.loops.pop()
    cx.dead = False
    cx.frame.env = after(loop.exits, start)
    cx.emit(n.Block(own, tuple(written), cx.span(s)))


# --- jumps


@statement(ast.Break)
def break_(cx: Context, s: ast.Break) -> None:
    loop = _jump(cx, s)
    cx.emit(n.Leave(loop.break_label, cx.span(s)) if loop.break_label else n.Break(cx.span(s)))
    cx.dead = True


@statement(ast.Continue)
def continue_(cx: Context, s: ast.Continue) -> None:
    loop = _jump(cx, s)
    cx.emit(n.Leave(loop.continue_label, cx.span(s)) if loop.continue_label else n.Continue(cx.span(s)))
    cx.dead = True


def _jump(cx: Context, s: ast.stmt) -> Loop:
    if not cx.frame.loops:
        raise NotHandled("a break or continue outside of a loop", s)
    loop = cx.frame.loops[-1]
    settle(cx, loop, cx.span(s))
    loop.exits.append(dict(cx.frame.env))
    return loop
