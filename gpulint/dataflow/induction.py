"""Loop-carried values in closed form, and values after a loop.

The value of a header variable is written over the loop's counter k. Exact forms: invariant, additive
(`+= c`), geometric (`*= c`), repeated floor division (`//= d`, `>>= s`), values that come round
(`b = 1 - b`, `a, b = b, a`: see `orbit`), and the value of the previous iteration. Everything else
is an unknown within sound bounds: intervals that the step preserves, and
`init + lo*k <= v <= init + hi*k` when each step adds between lo and hi.
"""

from __future__ import annotations

from typing import cast

from gpulint import term as t
from gpulint.dataflow.between import held
from gpulint.dataflow.graph import LoopInfo, Node
from gpulint.dataflow.orbit import at, orbit
from gpulint.dataflow.signs import limit
from gpulint.dataflow.terms import Opaque, Terms, Value, subst
from gpulint.term import Bool, Int, Sym
from gpulint.term.build import of_atom
from gpulint.term.interval import Interval, bounds, join
from gpulint.term.node import App, Atom, Literal

MAX_RUN = 64  # iterations of a loop that are tried out to count them
MAX_VALUES = 4  # that iterations may set a variable to
MAX_ROUNDS = 4  # in which the bounds of a variable may grow


def close(tr: Terms, symbol: Sym) -> None:
    """Find the closed forms of a header variable and of those of its loop that it needs."""
    import networkx as nx

    loop = tr.graph.loops[tr.graph.nodes[tr.placeholders[symbol]].data]
    needs: nx.DiGraph[Sym] = nx.DiGraph()
    steps: dict[Sym, Int | Bool] = {}
    work = [symbol]
    while work:
        s = work.pop()
        if s in steps or s in tr.closed:
            continue
        tr.open.add(s)
        steps[s] = _latch(tr, s)
        needs.add_node(s)
        for other in _siblings(tr, steps[s], loop):
            needs.add_edge(s, other)
            work.append(other)
    for group in list(nx.strongly_connected_components(needs)):  # operands before users
        members = sorted(group, key=lambda x: x.name)
        _come_round(tr, {s: steps[s] for s in members if s not in tr.closed}, loop)
        for s in members:
            if s not in tr.closed:
                tr.closed[s] = _form(tr, s, steps[s], loop, alone=len(group) == 1)
        _hold_between(tr, {s: steps[s] for s in members if s in steps}, loop)
    tr.open.difference_update(steps)


def _latch(tr: Terms, s: Sym) -> Int | Bool:
    node = tr.graph.nodes[tr.placeholders[s]]
    return tr.boolean(node.inputs[1]) if s.boolean else tr.integer(node.inputs[1])


def _siblings(tr: Terms, term: Int | Bool, loop: LoopInfo) -> list[Sym]:
    """The header variables of this loop in a term."""
    found = [s for s in t.symbols(term) if s in tr.placeholders]
    own = [s for s in found if tr.graph.nodes[tr.placeholders[s]].data == loop.id]
    return sorted(own, key=lambda s: s.name)


def _come_round(tr: Terms, steps: dict[Sym, Int | Bool], loop: LoopInfo) -> None:
    """Close the variables of a cycle of which the values repeat after a few iterations."""
    if any(changes(tr, u, loop) and u not in steps for x in steps.values() for u in t.symbols(x)):
        return
    if not any(s in t.symbols(*steps.values()) for s in steps):
        return
    init = {s: _initial(tr, s) for s in steps}
    round_ = orbit(init, steps)
    if round_ is not None and len(round_) > 1:
        k = tr.counter(loop.id)
        tr.closed.update((s, at([state[s] for state in round_], k)) for s in steps)


def _hold_between(tr: Terms, steps: dict[Sym, Int | Bool], loop: LoopInfo) -> None:
    """Holds unknowns of one cycle to the values that it starts from, as far as iterations keep to them."""
    mine = {s: x for s, x in steps.items() if isinstance(x, Int)}
    if len(mine) < 2 or len(mine) != len(steps) or loop.condition is None:
        return
    init = {s: tr.integer(tr.graph.nodes[tr.placeholders[s]].inputs[0]) for s in mine}
    if any(varies(tr, x, loop) for x in init.values()):
        return
    for s, facts in held(init, mine, tr.boolean(loop.condition)).items():
        out = cast(Int, tr.closed[s])
        if isinstance(out.atom, Sym) and out.atom in tr.names.lossy:
            tr.names.hold(out, cast(Bool, subst(t.and_(*facts), {s: out})))


def _initial(tr: Terms, s: Sym) -> Int | Bool:
    start = tr.graph.nodes[tr.placeholders[s]].inputs[0]
    return tr.boolean(start) if s.boolean else tr.integer(start)


def _form(tr: Terms, s: Sym, step: Int | Bool, loop: LoopInfo, *, alone: bool) -> Int | Bool:
    node = tr.graph.nodes[tr.placeholders[s]]
    others = [o for o in _siblings(tr, step, loop) if o != s and o in tr.closed]
    known: dict[Atom, Int | Bool] = {o: tr.closed[o] for o in others}
    step = tr.settled(cast(Int, subst(step, known)))
    if isinstance(step, Bool):
        return _condition(tr, node, s, step, loop)
    init = tr.integer(node.inputs[0])
    exact = _exact(tr, s, init, step, loop) if alone else None
    return exact if exact is not None else _bounded(tr, node, s, init, step, loop, alone=alone)


def _condition(tr: Terms, node: Node, s: Sym, step: Bool, loop: LoopInfo) -> Bool:
    if isinstance(step, Literal) and step.atom == s and not step.negated:
        return tr.boolean(node.inputs[0])
    return tr.names.boolean(node.name, node.span, loop.id, lossy=True, lanes=tr.lanes[node.id])


def varies(tr: Terms, term: Int | Bool, loop: LoopInfo) -> bool:
    """Whether the term may differ from one iteration of the loop to the next."""
    return any(changes(tr, s, loop) for s in t.symbols(term))


def changes(tr: Terms, s: Sym, loop: LoopInfo) -> bool:
    """Whether an unknown has a value an iteration of the loop."""
    if s in tr.placeholders:
        return tr.graph.within(tr.graph.nodes[tr.placeholders[s]].data, loop.id)
    if tr.graph.within(tr.names.birth.get(s, -1), loop.id):
        return True
    return any(s == c.atom for i, c in tr.counters.items() if tr.graph.within(i, loop.id))


def _exact(tr: Terms, s: Sym, init: Int, step: Int, loop: LoopInfo) -> Int | None:
    p, k = of_atom(s), tr.counter(loop.id)
    if step == p:
        return init
    change = t.sub(step, p)
    if not varies(tr, change, loop):
        return t.add(init, t.mul(change, k))
    factor = _factor(step, s)
    if factor is not None and not varies(tr, factor, loop):
        return t.mul(init, t.power(factor, k))
    top = step.atom
    if isinstance(top, App) and top.op == "floordiv" and top.args[0] == p:
        divisor = tr.resolve(cast(Int, top.args[1]))
        if divisor.lo is not None and divisor.lo >= 1 and not varies(tr, divisor, loop):
            return t.floordiv(init, t.power(divisor, k))
    return _previous(tr, s, init, step, loop)


def _factor(step: Int, s: Sym) -> Int | None:
    """`step == s * factor` with no `s` in the factor."""
    out = t.ZERO
    for mono, coeff in step.terms:
        if mono.count(s) != 1:
            return None
        part = t.const(coeff)
        for a in mono:
            part = part if a == s else t.mul(part, of_atom(a))
        out = t.add(out, part)
    return out if s not in t.symbols(out) else None


def _previous(tr: Terms, s: Sym, init: Int, step: Int, loop: LoopInfo) -> Int | None:
    """A variable that holds what the previous iteration computed from the counter alone."""
    k = tr.counter(loop.id)
    used = t.symbols(step)
    if s in used or any(u in tr.placeholders and u in tr.open for u in used):
        return None
    probe = t.subst(step, {cast(Sym, k.atom): t.ZERO})
    if varies(tr, probe, loop):
        return None
    before = t.subst(step, {cast(Sym, k.atom): t.sub(k, t.ONE)})
    if t.subst(step, {cast(Sym, k.atom): t.const(-1)}) == init:
        return before
    return t.select(t.le(k, t.ZERO), init, before)


def _bounded(tr: Terms, node: Node, s: Sym, init: Int, step: Int, loop: LoopInfo, *, alone: bool) -> Int:
    """An unknown for the variable, with the bounds that hold in every iteration."""
    change = t.sub(step, of_atom(s))
    own = alone and s not in t.symbols(change)
    lo, hi = (change.lo, change.hi) if own else (None, None)
    if (lo is not None and lo >= 0) or (hi is not None and hi <= 0):
        return _monotone(tr, node, init, (lo, hi), loop)
    kept = _kept(tr, node, s, init, step, loop) if alone else None
    if kept is not None:
        return kept
    low, high = _invariant(s, init, step) if alone else (None, None)
    varying = tr.lanes[node.id]
    out = tr.names.integer(node.name, node.span, loop.id, low, high, lossy=True, lanes=varying)
    size = _modulus(step)
    if size is not None and not varies(tr, size, loop) and _within(init, size):
        divided = _modulus(init) == size and size.lo is not None and size.lo >= 0  # by it, so it is not 0
        inside = t.and_(t.ge(out, 0), t.lt(out, size))
        tr.names.hold(out, inside if divided else t.or_(inside, t.lt(size, 1)))
    return out


def _kept(tr: Terms, node: Node, s: Sym, init: Int, step: Int, loop: LoopInfo) -> Int | None:
    """A variable that an iteration either keeps or sets to a value of its counter: `if x[k] < low: best = k`.

    By induction it is what it was before the loop, or what the last iteration `j < k` that set it gave. Which
    one that is stays unknown, -1 standing for none, and so does whether its condition held.
    """
    k = tr.counter(loop.id)
    values = [v for v in _leaves(step) if v != of_atom(s)]
    if len(values) > MAX_VALUES or not any(cast(Sym, k.atom) in t.symbols(v) for v in values):
        return None
    if any(changes(tr, u, loop) and u != k.atom for v in values for u in t.symbols(v)):
        return None
    varying, out = tr.lanes[node.id], init
    for value in values:
        name = f"round that set {node.name}"
        j = tr.names.integer(name, node.span, loop.id, -1, None, lossy=True, lanes=varying)
        tr.names.hold(j, t.lt(j, k))
        out = t.select(t.ge(j, 0), t.subst(value, {cast(Sym, k.atom): j}), out)
    return out


def _leaves(x: Int) -> list[Int]:
    """What a choice may give, each once."""
    top = x.atom
    if not isinstance(top, App) or top.op != "select":
        return [x]
    return list(dict.fromkeys((*_leaves(cast(Int, top.args[1])), *_leaves(cast(Int, top.args[2])))))


def _modulus(x: Int) -> Int | None:
    top = x.atom
    return cast(Int, top.args[1]) if isinstance(top, App) and top.op == "mod" else None


def _within(x: Int, size: Int) -> bool:
    """Whether `0 <= x < size` for a size of at least one."""
    return _modulus(x) == size or x == t.ZERO


def _monotone(tr: Terms, node: Node, init: Int, change: Interval, loop: LoopInfo) -> Int:
    """`init + d`, where each iteration so far added to d something within `change`."""
    lo, hi = change
    up = lo is not None and lo >= 0
    name = node.name if init == t.ZERO else f"change of {node.name}"
    low, high = (0, None) if up else (None, 0)
    varying = tr.lanes[node.id]
    d = tr.names.integer(name, node.span, loop.id, low, high, lossy=True, lanes=varying)
    k = tr.counter(loop.id)
    facts = [] if hi is None else [t.le(d, t.mul(t.const(hi), k))]
    facts += [] if lo is None else [t.ge(d, t.mul(t.const(lo), k))]
    tr.names.hold(d, t.and_(*facts))
    return t.add(init, d)


def _invariant(s: Sym, init: Int, step: Int) -> Interval:
    """Inclusive bounds that `init` meets and `step` preserves."""
    span: Interval = (init.lo, init.hi)
    for _ in range(MAX_ROUNDS):
        grown = join(span, bounds(step, {s: span}))
        if grown == span:
            return span
        span = grown
    whole = join((init.lo, init.hi), (step.lo, step.hi))
    lo = whole[0]
    if lo is None and init.lo is not None:
        below = bounds(step, {s: (init.lo, None)})[0]
        lo = init.lo if below is not None and below >= init.lo else None
    hi = whole[1]
    if hi is None and init.hi is not None:
        above = bounds(step, {s: (lo, init.hi)})[1]
        hi = init.hi if above is not None and above <= init.hi else None
    return lo, hi


# --- after the loop ------------------------------------------------------------------------------


def count(tr: Terms, loop: LoopInfo) -> Int:
    """The number of iterations, if no jump leaves the loop: a term, or an unknown."""
    if loop.id not in tr.counts:
        known = _range_count(tr, loop) if loop.bounds is not None else _while_count(tr, loop)
        if known is None:
            name = f"{loop.name or 'loop'}.count"
            known = tr.names.integer(name, loop.span, loop.parent, 0, lossy=True)
        tr.counts[loop.id] = known
    return tr.counts[loop.id]


def _range_count(tr: Terms, loop: LoopInfo) -> Int | None:
    assert loop.bounds is not None
    start, stop, step = (tr.integer(i) for i in loop.bounds)
    sign = tr.resolve(step)
    if sign.lo is not None and sign.lo >= 1:
        span = t.sub(stop, start)
        return t.maximum(t.ZERO, limit(span) if step == t.ONE else t.cdiv(span, step))
    if sign.hi is not None and sign.hi <= -1:
        return t.maximum(t.ZERO, t.cdiv(t.sub(start, stop), t.neg(step)))
    return None


def _while_count(tr: Terms, loop: LoopInfo) -> Int | None:
    """`while A + B*k <= 0` with B >= 1 runs max(0, -A // B + 1) times."""
    assert loop.condition is not None
    condition = inner(tr, tr.boolean(loop.condition), loop)
    run = _run(condition, cast(Sym, tr.counter(loop.id).atom))
    if run is not None:
        return t.const(run)
    if not isinstance(condition, t.Cmp) or condition.op != "le":
        return None
    k = cast(Sym, tr.counter(loop.id).atom)
    rest = t.subst(condition.poly, {k: t.ZERO})
    slope = t.sub(t.subst(condition.poly, {k: t.ONE}), rest)
    linear = t.add(rest, t.mul(slope, of_atom(k))) == condition.poly
    sign = tr.resolve(slope)
    if not linear or sign.lo is None or sign.lo < 1 or varies(tr, rest, loop) or varies(tr, slope, loop):
        return None
    return t.maximum(t.ZERO, t.add(t.floordiv(t.neg(rest), slope), t.ONE))


def _run(condition: Int | Bool, k: Sym) -> int | None:
    """How often a loop runs whose condition hangs on its counter alone, if not too often."""
    if t.symbols(condition) != {k}:
        return None
    for i in range(MAX_RUN):
        now = subst(condition, {k: t.const(i)})
        if now == t.FALSE:
            return i
        if now != t.TRUE:
            return None
    return None


def inner(tr: Terms, term: t.Int | t.Bool, loop: LoopInfo) -> Int | Bool:
    """The term with this loop's header variables in closed form."""
    used = _siblings(tr, term, loop)
    for s in used:
        if s not in tr.closed and s not in tr.open:
            close(tr, s)
    return tr.settled(cast(Int, subst(term, {s: tr.closed[s] for s in used if s in tr.closed})))


def after(tr: Terms, loop_id: int, source: int, how: str) -> Value:
    """A value of the loop seen from behind it: `eta` when its condition failed, `exit` after a jump."""
    loop = tr.graph.loops[loop_id]
    value = tr.value(source)
    if isinstance(value, Opaque):
        if value.name is None:
            return value
        return Opaque(value.name, tuple(cast(Int, _leave(tr, a, loop, how)) for a in value.args))
    return _leave(tr, value, loop, how)


def _leave(tr: Terms, term: Int | Bool, loop: LoopInfo, how: str) -> Int | Bool:
    term = inner(tr, term, loop)
    inside = [s for s in t.symbols(term) if changes(tr, s, loop)]
    return subst(term, {s: _outside(tr, s, loop, how) for s in sorted(inside, key=lambda s: s.name)})


def _outside(tr: Terms, s: Sym, loop: LoopInfo, how: str) -> Int | Bool:
    """What an unknown of the loop is called once the loop is over."""
    if s == tr.counter(loop.id).atom and how == "eta":
        return count(tr, loop)
    key = (loop.id, how, s)
    if key not in tr.exits:
        name = f"{s.name.lstrip('$')} at the {'end' if how == 'eta' else 'exit'}"
        if s.boolean:
            tr.exits[key] = tr.names.boolean(name, loop.span, loop.parent, lossy=True)
        else:
            made = tr.names.integer(name, loop.span, loop.parent, s.lo, s.hi, lossy=True)
            tr.exits[key] = made
            if s in tr.names.side:
                fact = _leave(tr, tr.names.side[s], loop, how)
                tr.names.hold(made, cast(Bool, fact))
    return tr.exits[key]


def last(tr: Terms, node: Node) -> Value:
    """The variable of a range loop after it: its last value, or what it was when nothing ran."""
    prior = tr.integer(node.inputs[0])
    start, stop, step = (tr.integer(i) for i in node.inputs[1:])
    sign = tr.resolve(step)
    if sign.lo is not None and sign.lo >= 1:
        ran, span, size = t.gt(stop, start), t.sub(stop, start), step
    elif sign.hi is not None and sign.hi <= -1:
        ran, span, size = t.lt(stop, start), t.sub(start, stop), t.neg(step)
    else:
        return tr.names.integer(node.name, node.span, node.loop, lossy=True)
    whole = t.floordiv(t.sub(span, t.ONE), size)
    return t.select(ran, t.add(start, t.mul(step, whole)), prior)


__all__ = ["after", "close", "count", "inner", "last", "varies"]
