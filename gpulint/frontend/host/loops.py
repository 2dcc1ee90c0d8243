"""Loops: the body is run for one iteration that stands for all."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from gpulint.frontend.host.cells import GROWING, covers, is_cell, lost_all
from gpulint.frontend.host.elements import EVERYTHING
from gpulint.frontend.host.evaluate import condition, spelled
from gpulint.frontend.host.machine import Machine, text_of
from gpulint.frontend.host.memories import among
from gpulint.frontend.host.rounds import entered
from gpulint.frontend.host.state import State, agreed, merge
from gpulint.frontend.host.stores import bind_target
from gpulint.frontend.host.values import (
    Arr,
    Num,
    Range,
    Seq,
    Unknown,
    Value,
    as_array,
    memories,
)
from gpulint.term import TRUE, Bool, Int, add, eq, ge, lt, mul, not_, or_, sub, sym

MAX_UNROLL = 8
MAX_CONFIG_LOOP = 24  # of loops that list an autotuner's configurations
MAX_NESTED = 2  # loops within each other for which what stays the same is looked for
TRANSPARENT = frozenset({"tqdm", "trange", "reversed", "sorted", "list", "tuple", "iter", "set", "track"})
Prepare = Callable[[State], None]


def assigned(body: Iterable[ast.AST]) -> set[str]:
    """The names that the statements may give another value."""
    out: set[str] = set()
    for top in body:
        known = _assigned.get(id(top))
        if known is None or known[0] is not top:
            if len(_assigned) > 20_000:
                _assigned.clear()
            known = (top, frozenset(_stores(top)))
            _assigned[id(top)] = known
        out |= known[1]
    return out


_assigned: dict[int, tuple[ast.AST, frozenset[str]]] = {}


def _stores(top: ast.AST) -> set[str]:
    out: set[str] = set()
    for n in ast.walk(top):
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            out.add(n.name)
        elif isinstance(n, (ast.MatchAs, ast.MatchStar)):
            out |= {n.name} if n.name else set()
        else:
            out |= _changed(n)
    return out


def _changed(n: ast.AST) -> set[str]:
    """The name that a node binds, or whose list it changes."""
    if isinstance(n, ast.Name):
        return {n.id} if isinstance(n.ctx, (ast.Store, ast.Del)) else set()
    owner: ast.expr | None = None
    if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in GROWING:
        owner = n.func.value
    elif isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store):
        owner = n.value
    return {owner.id} if isinstance(owner, ast.Name) else set()


def forget(m: Machine, s: State, names: Iterable[str]) -> State:
    """The state when nothing is known of these names any more."""
    every = memories(*s.env.values())
    for name in sorted(names):
        if name in s.env:
            s.env[name] = widen(m, name, s.env[name], None, every)
            s.defs.pop(name, None)
    for buffer, known in list(s.touched.items()):
        s.touched[buffer] = known if known is True else None
    s.changed |= {EVERYTHING}
    lost_all(s)
    return s


def widen(m: Machine, name: str, old: Value, new: Value | None, others: tuple[str, ...] = ()) -> Value:
    """A value that stands for what the name holds in any iteration; an array may lie in `others` too."""
    why = f"`{name}` changes in a loop"
    either = tuple(dict.fromkeys((*memories(old, new), *others)))
    if isinstance(old, Num) and (new is None or isinstance(new, Num)):
        return m.unknown(name, why, "int")
    if isinstance(old, Arr) and isinstance(new, Arr) and _alike(old, new):
        buffer = m.namer.unique(f"{name}@loop")
        both = agreed(old, new)
        return replace(
            both, buffer=buffer, fresh=False, whole=old.whole and new.whole, initialised=None, sharing=either
        )
    found = m.unknown(name, why)
    if isinstance(old, Arr) or isinstance(new, Arr):
        return Arr(found.name, None, found.name, found.name, sharing=either)
    return replace(found, sharing=either)


def _alike(a: Arr, b: Arr) -> bool:
    return a.shape == b.shape and (a.shape is not None or a.shape_of == b.shape_of) and a.dtype == b.dtype


def _stable(
    m: Machine,
    s: State,
    ends: Sequence[State],
    names: set[str],
    widened: list[Value],
    contents: dict[str, Value],
) -> State:
    """The state at the start of any iteration, from the first one and what iterations end with.

    `widened` are the values that stand for any iteration already, `contents` those of cells: such a one
    keeps its name when it comes to stand for more, as nothing else in the state goes by it.
    """
    out = s.copy()
    out.changed = out.changed.union(*(end.changed for end in ends))
    for end in ends:
        for buffer in end.touched:
            before = out.touched.get(buffer, ...)
            out.touched[buffer] = before if before is end.touched[buffer] else None
        for key, value in end.heap.items():
            if key in s.heap and s.heap[key] != value:
                out.heap[key] = widen(m, key, s.heap[key], value)
        out.moved |= end.moved
        for key, value in end.cells.items():
            if key in s.cells and s.cells[key] != value and not covers(s.cells[key], value):
                first = s.cells[key]
                found = first if contents.get(key) == first else m.opaque(key, "changes in a loop")
                out.cells[key] = contents[key] = among(found, first, value)
            elif key not in s.cells and not is_cell(key):
                out.cells[key] = contents[key] = among(m.opaque(key, "changes in a loop"), value)
        moved = [n for n in names if n in s.env and end.env.get(n) != s.env[n]]
        if _permuted(s, end, moved):
            continue
        for name in moved:
            old, new = s.env[name], end.env.get(name)
            if out.env[name] == old and not (old in widened and _covers(old, new)):
                out.env[name] = widen(m, name, old, new)
                widened.append(out.env[name])
                out.defs.pop(name, None)
    return out


def _covers(old: Value, new: Value | None) -> bool:
    """Whether an unknown of any iteration stands for this value as well."""
    if not set(memories(new)) <= set(memories(old)):
        return False
    if isinstance(old, Arr) and old.buffer != old.name:  # else nothing is said of its shape
        return isinstance(new, Arr) and _alike(old, new)
    if isinstance(old, Unknown) and old.kind == "int":
        return isinstance(new, Num) or (isinstance(new, Unknown) and new.kind == "int")
    return True


def _permuted(s: State, end: State, moved: list[str]) -> bool:
    """Whether buffers only trade places: then any iteration looks like the first, names apart."""
    old = [s.env[n] for n in moved]
    new = [end.env.get(n) for n in moved]
    if len(moved) < 2 or not all(isinstance(v, Arr) for v in (*old, *new)):
        return False
    first = old[0]
    assert isinstance(first, Arr)
    buffers = sorted(v.buffer for v in old if isinstance(v, Arr))
    same = buffers == sorted(v.buffer for v in new if isinstance(v, Arr))
    return same and all(isinstance(v, Arr) and _alike(first, v) for v in (*old, *new))


def _repeat(
    m: Machine, s: State, body: Sequence[ast.stmt], targets: set[str], prepare: Prepare
) -> tuple[State, list[State], list[State]]:
    """Runs the body: the state at the start of any iteration, how iterations end, how they break off."""
    names = assigned(body) | targets
    depth = len(m.frames[-1].breaks) if m.frames else 0
    start = s
    if depth < MAX_NESTED:
        recording, m.recording = m.recording, False
        widened: list[Value] = []
        contents: dict[str, Value] = {}
        for _ in range(3):
            mark = m.mark()
            ends, breaks = _once(m, start, body, prepare)
            later = m.mark()
            m.release(mark)
            fixed = _stable(m, start, ends, names, widened, contents)
            if _same(fixed, start):
                if not recording and (fixed.touched, fixed.moved) == (start.touched, start.moved):
                    m.release(later)  # another run would come to the same: nothing is noted in it
                    return fixed, ends, breaks
                start = fixed
                break
            start = fixed
        else:
            start = forget(m, start, names)
        m.recording = recording
    else:
        start = forget(m, s.copy(), names)
    ends, breaks = _once(m, start, body, prepare)
    return start, ends, breaks


def _same(a: State, b: State) -> bool:
    return (a.env, a.heap, a.changed, a.cells) == (b.env, b.heap, b.changed, b.cells)


def _once(
    m: Machine, s: State, body: Sequence[ast.stmt], prepare: Prepare
) -> tuple[list[State], list[State]]:
    state = s.copy()
    prepare(state)
    if state.dead:
        return [], []
    left: list[State] = []
    if m.frames:
        m.frames[-1].breaks.append(left)
    end = m.execute(m, state, body)
    if m.frames:
        m.frames[-1].breaks.pop()
    return ([end] if end is not None else []), left


def _after(m: Machine, start: State, ends: list[State], breaks: list[State], names: set[str]) -> State:
    """After the loop: what any iteration starts with, and what the last one may have set."""
    out = start.copy()
    out.changed = out.changed.union(*(end.changed for end in (*ends, *breaks)))
    for end in (*ends, *breaks):
        for name in names:
            if name not in out.env and name in end.env:
                out.env[name] = end.env[name]
            elif name in out.env and name in end.env and end.env[name] != out.env[name] and end in breaks:
                out.env[name] = widen(m, name, out.env[name], end.env[name])
        for buffer, known in end.touched.items():
            if out.touched.get(buffer, ...) is not known:
                out.touched[buffer] = None
        for key, value in end.heap.items():
            if out.heap.get(key) != value:
                out.heap[key] = widen(m, key, value, None)
        out.moved |= end.moved
        for key, value in end.cells.items():
            if key in out.cells and out.cells[key] != value:
                out.cells[key] = among(m.opaque(key, "changes in a loop"), out.cells[key], value)
            out.cells.setdefault(key, value)
    return out


def while_loop(m: Machine, s: State, node: ast.While) -> State | None:
    """`while`: the test holds in the body, and no longer after a loop without break."""

    def prepare(state: State) -> None:
        state.assume(condition(m, state, node.test))

    m.loops.append(entered(s, node, len(m.namer.order)))
    start, ends, breaks = _repeat(m, s, node.body, set(), prepare)
    m.loops.pop()
    out = _after(m, start, ends, breaks, assigned(node.body))
    always = condition(m, out, node.test) == TRUE
    if always and not breaks:
        return None
    if not breaks:
        out.assume(not_(condition(m, out, node.test)))
    return m.execute(m, out, node.orelse) if not always else out


def for_loop(m: Machine, s: State, node: ast.For) -> State | None:
    """`for`: the variable is a symbol with its range, or each of a few values in turn."""
    source = m.eval(s, _inner(node.iter))
    targets = assigned([node.target])
    if isinstance(source, Seq) and len(source.items) <= MAX_UNROLL and not _numbers(source):
        return _unrolled(m, s, node, source.items)
    items = spelled(m, source) if m.concrete else None
    if items is not None and len(items) <= MAX_CONFIG_LOOP:
        return _unrolled(m, s, node, items)

    loop = entered(s, node, len(m.namer.order))

    def prepare(state: State) -> None:
        loop.counter = None
        _iterate(m, state, node.target, node.iter, source)

    m.loops.append(loop)
    start, ends, breaks = _repeat(m, s, node.body, targets, prepare)
    m.loops.pop()
    out = _after(m, start, ends, breaks, assigned(node.body) | targets)
    return m.execute(m, out, node.orelse)


def _numbers(source: Seq) -> bool:
    return bool(source.items) and all(isinstance(i, Num) for i in source.items)


def _unrolled(m: Machine, s: State, node: ast.For, items: Sequence[Value]) -> State | None:
    state: State | None = s
    left: list[State] = []
    for item in items:
        if state is None:
            break
        bind_target(m, state, node.target, item, text_of(node.iter))
        if m.frames:
            m.frames[-1].breaks.append(left)
        state = m.execute(m, state, node.body)
        if m.frames:
            m.frames[-1].breaks.pop()
    for other in left:
        state = other if state is None else merge(None, state, other, m.named)
    return state


def _inner(expr: ast.expr) -> ast.expr:
    """The iterable within progress bars and copies."""
    while isinstance(expr, ast.Call) and expr.args and not isinstance(expr.args[0], ast.Starred):
        name = getattr(expr.func, "id", getattr(expr.func, "attr", ""))
        if name not in TRANSPARENT:
            break
        expr = expr.args[0]
    return expr


def _iterate(m: Machine, s: State, target: ast.expr, expr: ast.expr, source: Value) -> None:
    """Binds the target to one element that stands for all."""
    func = getattr(expr.func, "id", "") if isinstance(expr, ast.Call) else ""
    if isinstance(expr, ast.Call) and isinstance(target, ast.Tuple) and expr.args:
        if func == "enumerate" and len(target.elts) == 2:
            index = m.unknown(text_of(target.elts[0]), "", "int").name
            bind_target(m, s, target.elts[0], Num(sym(index, lo=0)), index)
            _iterate(m, s, target.elts[1], expr.args[0], m.eval(s, expr.args[0]))
            return
        if func == "zip" and len(target.elts) == len(expr.args):
            for t, e in zip(target.elts, expr.args, strict=False):
                _iterate(m, s, t, e, m.eval(s, e))
            return
    bind_target(m, s, target, _one(m, s, text_of(target), source, text_of(expr)), text_of(expr))


def _one(m: Machine, s: State, name: str, source: Value, text: str) -> Value:
    if isinstance(source, Range):
        return _counter(m, s, name, source)
    if isinstance(source, Seq) and _numbers(source):
        term = sym(m.namer.unique(name))
        s.assume(or_(*(eq(term, i.term) for i in source.items if isinstance(i, Num))))
        return Num(term)
    array = as_array(source) if isinstance(source, Arr) else None
    if array is not None:
        return among(m.opaque(f"{name} of {text}", "is data"), array)
    free = isinstance(source, Unknown) and source.free
    return among(m.unknown(name, "" if free else f"`{name}` comes from `{text}`"), source)


def _counter(m: Machine, s: State, name: str, r: Range) -> Value:
    """`range`: start + k * step, within the bounds."""
    if r.step.value == 1:
        low = r.start.lo
        term: Int = sym(m.namer.unique(name), lo=low)
        for fact in (ge(term, r.start), lt(term, r.stop)):
            s.assume(fact)
        _counts(m, term)
        return Num(term)
    trip = sym(m.namer.unique(f"{name} trip"), lo=0)
    term = add(r.start, mul(trip, r.step))
    for fact in _within(term, r):
        s.assume(fact)
    _counts(m, trip)
    return Num(term)


def _counts(m: Machine, counter: Int) -> None:
    """Says which symbol counts the rounds of the innermost loop."""
    if m.loops and m.loops[-1].whole:
        m.loops[-1].counter = counter


def _within(term: Int, r: Range) -> list[Bool]:
    """What holds in a round: where the stop is not below the start, only a positive step makes one."""
    if r.step.value is not None:
        return [lt(term, r.stop) if r.step.value > 0 else lt(r.stop, term)]
    length = sub(r.stop, r.start)
    if length.lo is not None and length.lo >= 0:
        return [ge(r.step, 1), lt(term, r.stop)]
    return [or_(not_(ge(r.step, 1)), lt(term, r.stop))]
