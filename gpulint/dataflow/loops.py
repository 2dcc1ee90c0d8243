"""Loops of the graph: header variables (mu), exits (eta) and the arrays that a loop rebinds."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gpulint.dataflow.exprs import arrays, lower
from gpulint.dataflow.flow import Env, State, union
from gpulint.dataflow.graph import ArrayValue, LoopInfo, Place
from gpulint.ir import nodes as n
from gpulint.ir.types import BOOL
from gpulint.ir.walk import statements

Walk = Callable[[State, Iterable[n.Stmt]], None]
_REBINDS = (n.View, n.Alias, n.Alloc)


def _open(st: State, kind: str, s: n.For | n.While) -> LoopInfo:
    parent = st.loops[-1] if st.loops else -1
    loop = LoopInfo(len(st.graph.loops), kind, parent, st.path, s.span)
    loop.first = len(st.graph.nodes)
    st.graph.loops.append(loop)
    return loop


def for_loop(st: State, s: n.For, walk: Walk) -> None:
    """`for target in range(start, stop, step)`."""
    bounds = (lower(st, s.start), lower(st, s.stop), lower(st, s.step))
    loop = _open(st, "for", s)
    loop.name, loop.bounds = s.target, bounds
    prior = st.env.get(s.target)

    def header() -> int:
        st.env[s.target] = st.node("index", bounds, data=loop.id, type=s.type, span=s.span, name=s.target)
        return st.node("inrange", bounds, data=loop.id, type=BOOL, span=s.span)

    def after(env: Env) -> None:
        rebound = loop.mus.get(s.target)
        if rebound is not None:  # the body assigns it as well
            env[s.target] = st.node("eta", (rebound,), data=loop.id, name=s.target, span=s.span)
            return
        old = prior if isinstance(prior, int) else st.undefined(s.target)
        env[s.target] = st.node("last", (old, *bounds), data=loop.id, type=s.type, name=s.target)

    _run(st, loop, s, s.body, header, lambda: walk(st, s.body), after)


def while_loop(st: State, s: n.While, walk: Walk) -> None:
    """`while condition`, its statements `before` run at each test."""
    loop = _open(st, "while", s)

    def header() -> int:
        outer, st.repeats = st.repeats, True
        walk(st, s.before)
        condition = lower(st, s.condition)
        st.repeats = outer
        return condition

    _run(st, loop, s, (*s.before, *s.body), header, lambda: walk(st, s.body), lambda env: None)


def _run(st: State, loop: LoopInfo, s: n.For | n.While, body: tuple[n.Stmt, ...], header: Callable[[], int],
         run: Callable[[], None], after: Callable[[Env], None]) -> None:  # fmt: skip
    outside = st.open("break")
    st.loops.append(loop.id)
    st.enter()
    before = dict(st.env)
    _carry(st, loop, body)
    loop.condition = header()
    at_test = dict(st.env)
    reached = st.live and st.truth(loop.condition) is not True
    if st.live:
        st.path = (*st.path, loop.condition)
        repeats, st.repeats = st.repeats, False
        inside = st.open("continue")
        run()
        st.close(inside)
        st.repeats = repeats
    _latch(st, loop)
    st.leave()
    st.loops.pop()
    loop.last = len(st.graph.nodes)
    _finish(st, loop, before, at_test, after)
    st.live, st.path = reached, outside.path
    if loop.kind == "while" and reached and not loop.broken:
        failed = st.node("eta", (loop.condition,), data=loop.id, type=BOOL, span=loop.span)
        ended = st.negate(failed)
        st.graph.exits.add(ended)
        st.path = (*st.path, ended)
    st.close(outside)


def _carry(st: State, loop: LoopInfo, body: tuple[n.Stmt, ...]) -> None:
    """Give every name that the body assigns its value at the loop's header."""
    stmts = list(statements(body))
    rebound = [s for s in stmts if isinstance(s, _REBINDS)]
    names: dict[str, None] = {}
    for s in stmts:
        names.update(dict.fromkeys(s.targets if isinstance(s, n.Unsupported) else [getattr(s, "target", "")]))
    header: Env = {}
    for name in names:
        old = st.env.get(name)
        if isinstance(old, tuple):
            header[name] = _rebinding(st, name, rebound)
        elif name and not any(s.target == name for s in rebound):
            start = st.undefined(name) if old is None else old
            type = st.graph.nodes[start].type
            loop.mus[name] = st.node("mu", (start,), data=loop.id, name=name, type=type, span=loop.span)
            header[name] = loop.mus[name]
    st.env.update(header)


def _rebinding(st: State, name: str, rebound: list[n.View | n.Alias | n.Alloc]) -> ArrayValue:
    """What an array name may stand for at the header of a loop that rebinds it."""
    seen, stack = {name}, [name]
    views = False
    while stack:
        top = stack.pop()
        for s in rebound:
            if s.target == top and not isinstance(s, n.Alloc):
                views |= isinstance(s, n.View)
                if s.array not in seen:
                    seen.add(s.array)
                    stack.append(s.array)
    out: ArrayValue = ()
    for name in sorted(seen):
        out = union(out, arrays(st, name))
    return tuple(dict.fromkeys(Place(p.base, (), False) for p in out)) if views else out


def _latch(st: State, loop: LoopInfo) -> None:
    """Close the cycle; a body that never comes round again keeps the header's values."""
    for name, mu in loop.mus.items():
        node = st.graph.nodes[mu]
        value = st.env.get(name)
        back = value if st.live and isinstance(value, int) else mu
        node.inputs = (node.inputs[0], back)


def _finish(st: State, loop: LoopInfo, before: Env, at_test: Env, after: Callable[[Env], None]) -> None:
    """The environment once the loop's condition fails."""
    env = dict(before)
    for name, value in at_test.items():
        if isinstance(value, tuple):
            stays = all(i < loop.first for p in value for i in p.nodes)
            env[name] = value if stays else tuple(Place(p.base, (), False) for p in value)
        elif value >= loop.first:
            node = st.graph.nodes[value]
            env[name] = st.node("eta", (value,), data=loop.id, type=node.type, name=name, span=loop.span)
    after(env)
    st.env = env
