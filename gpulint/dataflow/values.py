"""The value of each kind of graph node, from the values of its inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from gpulint import term as t
from gpulint.dataflow import arith, counters, exchanges
from gpulint.dataflow.graph import Event, Graph, Node
from gpulint.dataflow.induction import after, last
from gpulint.dataflow.lanes import moved
from gpulint.dataflow.terms import Opaque, Terms, Value
from gpulint.dataflow.views import extent, locate, size
from gpulint.ir import symbols
from gpulint.ir.collectives import BALLOTS, WARP
from gpulint.ir.nodes import Param
from gpulint.ir.printer import type_name
from gpulint.ir.types import UNKNOWN, BoolType, IntType
from gpulint.term import Bool, Int, Scope, Sym
from gpulint.term.node import Literal

COUNTS = ("popc", "clz", "ffs")  # of the bits of an integer
MAX_OPAQUE = 300  # characters of the name of an opaque function


def compute(tr: Terms, node: Node) -> Value:
    """The value of a node whose inputs have theirs."""
    return _COMPUTE[node.kind](tr, node)


def _const(tr: Terms, node: Node) -> Value:
    if isinstance(node.data, bool):
        return t.TRUE if node.data else t.FALSE
    if isinstance(node.data, int) and tr.integral[node.id]:
        return t.const(node.data)
    return Opaque(repr(node.data))


def _param(tr: Terms, node: Node) -> Value:
    if isinstance(node.type, BoolType):
        return t.bool_sym(node.name)
    if not tr.integral[node.id]:
        return Opaque(node.name)
    return symbols.scalar(node.data) if isinstance(node.data, Param) else symbols.param(node.name)


def _coord(tr: Terms, node: Node) -> Value:
    if node.op == "warp_size":
        return t.const(32)
    if node.op == "lane":
        return t.mod(symbols.thread(0), t.const(32)) if tr.flat else t.sym("laneid", Scope.POINT, 0, 31)
    return symbols.coordinate(node.op, node.data)


def _extent(tr: Terms, node: Node) -> Value:
    places, axis, _, _ = node.data
    ways = [extent(tr, p, axis, node.path) for p in places]
    if None not in ways and all(w == ways[0] for w in ways):
        return cast(Int, ways[0])
    return tr.names.integer(f"{node.data[3]}.shape[{axis}]", node.span, node.loop, 0, lossy=True)


def _size(tr: Terms, node: Node) -> Value:
    places = node.data[0]
    ways = [size(tr, p, node.path) for p in places]
    if None not in ways and all(w == ways[0] for w in ways):
        return cast(Int, ways[0])
    return tr.names.integer(f"{node.data[3]}.size", node.span, node.loop, 0, lossy=True)


def _stride(tr: Terms, node: Node) -> Value:
    places, axis, unit, name = node.data
    if len(places) == 1 and not places[0].steps and places[0].known:
        return symbols.stride(places[0].base, axis, unit)
    return tr.names.integer(f"{name}.strides[{axis}]", node.span, node.loop, lossy=True)


def _op(tr: Terms, node: Node) -> Value:
    if isinstance(node.type, BoolType) and node.op in ("and", "or", "xor"):
        sides = [tr.boolean(i) for i in node.inputs]
        return _logic(node.op, sides)
    if not tr.integral[node.id]:
        return opaque(tr, node)
    given = [tr.integer(i) for i in node.inputs]
    if len(given) == 1:
        out = arith.unary(node.op, given[0], node.type)
    else:
        out = arith.binary(node.op, given[0], given[1], node.type)
    if out is not None:
        return out
    lo, hi = (node.type.lo, node.type.hi) if isinstance(node.type, IntType) else (None, None)
    return t.fn(node.op, *given, lo=lo, hi=hi)


def _logic(op: str, sides: Sequence[Bool]) -> Bool:
    a, b = sides
    if op == "and":
        return t.and_(a, b)
    return t.or_(a, b) if op == "or" else t.or_(t.and_(a, t.not_(b)), t.and_(t.not_(a), b))


def _compare(tr: Terms, node: Node) -> Value:
    left, right = node.inputs
    if tr.integral[left] and tr.integral[right]:
        a, b = tr.value(left), tr.value(right)
        if isinstance(a, Bool) and isinstance(b, Bool) and node.op in ("eq", "ne"):
            differ = _logic("xor", (a, b))
            return differ if node.op == "ne" else t.not_(differ)
        return arith.compare(node.op, tr.integer(left), tr.integer(right))
    value = opaque(tr, node)
    return tr.as_bool(node, value)


def _junction(tr: Terms, node: Node) -> Value:
    parts = [tr.boolean(i) for i in node.inputs]
    return t.and_(*parts) if node.kind == "and" else t.or_(*parts)


def _not(tr: Terms, node: Node) -> Value:
    return t.not_(tr.boolean(node.inputs[0]))


def _unknown(tr: Terms, node: Node) -> Value:
    return tr.names.boolean("left early", node.span, node.loop, lossy=True)


def _gamma(tr: Terms, node: Node) -> Value:
    c, x, y = node.inputs
    unknown = tr.graph.nodes[c].kind == "unknown"
    name = f"{node.name or 'choice'} (line {node.span.row})"
    left = f"left early, {name}"
    condition = tr.names.boolean(left, None, node.loop, lossy=True) if unknown else tr.boolean(c)
    a, b = tr.value(x), tr.value(y)
    if isinstance(a, Bool) and isinstance(b, Bool):
        return arith.choose_bool(condition, a, b)
    if not tr.integral[node.id]:
        return a if a == b else Opaque(None)
    p, q = tr.integer(x), tr.integer(y)
    out = arith.choose(condition, p, q)
    if out is not None:
        return out
    tr.note(f"the value of {name} is one of too many")
    lo, hi = _join(p, q)
    return tr.names.integer(name, None, node.loop, lo, hi, lossy=True, lanes=tr.lanes[node.id])


def _join(p: Int, q: Int) -> tuple[int | None, int | None]:
    lo = None if p.lo is None or q.lo is None else min(p.lo, q.lo)
    hi = None if p.hi is None or q.hi is None else max(p.hi, q.hi)
    return lo, hi


def _cast(tr: Terms, node: Node) -> Value:
    inner = tr.value(node.inputs[0])
    if isinstance(node.type, BoolType):
        return tr.boolean(node.inputs[0])
    if isinstance(node.type, IntType) and tr.integral[node.inputs[0]]:
        value = inner if isinstance(inner, Int) else tr.integer(node.inputs[0])
        return t.mod(value, t.const(node.type.hi + 1)) if bits_kept(tr.graph, node) else value
    return opaque(tr, node)


def bits_kept(graph: Graph, cast: Node) -> bool:
    """Whether a cast takes the lanes of a ballot or a match, a signed integer, for an unsigned one."""
    of, to = graph.nodes[cast.inputs[0]], cast.type
    lanes = of.kind == "fresh" and of.op in BALLOTS and isinstance(to, IntType)
    return lanes and isinstance(to, IntType) and to.lo == 0 and to.bits == WARP


def _mu(tr: Terms, node: Node) -> Value:
    start = tr.value(node.inputs[0])
    if not tr.integral[node.id]:
        return Opaque(None)
    name = f"${node.name}{node.id}"
    made: Value
    if isinstance(start, Bool) and _boolish(tr, node):
        made = t.bool_sym(name, Scope.LOOP)
        symbol = cast(Literal, made).atom
    else:
        made = t.sym(name, Scope.LOOP)
        symbol = made.atom
    tr.placeholders[cast(Sym, symbol)] = node.id
    return made


def _boolish(tr: Terms, mu: Node) -> bool:
    """Whether only conditions flow into a header variable."""
    seen: set[int] = set()
    stack = list(mu.inputs)
    while stack:
        i = stack.pop()
        if i in seen:
            continue
        seen.add(i)
        node = tr.graph.nodes[i]
        if node.kind in ("gamma", "mu", "eta", "exit"):
            stack.extend(node.inputs[1:] if node.kind == "gamma" else node.inputs)
        elif not (node.kind in _CONDITIONS or isinstance(node.type, BoolType) or isinstance(node.data, bool)):
            return False
    return True


_CONDITIONS = {"compare", "and", "or", "not", "inrange"}


def _index(tr: Terms, node: Node) -> Value:
    start, _, step = (tr.integer(i) for i in node.inputs)
    return t.add(start, t.mul(step, tr.counter(node.data)))


def _inrange(tr: Terms, node: Node) -> Value:
    start, stop, step = (tr.integer(i) for i in node.inputs)
    v = t.add(start, t.mul(step, tr.counter(node.data)))
    sign = tr.resolve(step)
    if sign.lo is not None and sign.lo >= 1:
        return t.lt(v, stop)
    if sign.hi is not None and sign.hi <= -1:
        return t.gt(v, stop)
    return t.or_(t.and_(t.gt(step, 0), t.lt(v, stop)), t.and_(t.lt(step, 0), t.gt(v, stop)))


def _after(tr: Terms, node: Node) -> Value:
    return after(tr, node.data, node.inputs[0], node.kind)


def _last(tr: Terms, node: Node) -> Value:
    return last(tr, node)


def _load(tr: Terms, node: Node) -> Value:
    event: Event = node.data
    value = _loaded(tr, node, event)
    if event.mask is None or (value is not None and tr.boolean(event.mask) == t.TRUE):
        return _unread(tr, node) if value is None else value
    return _masked(tr, node, event, value)


def _masked(tr: Terms, node: Node, event: Event, value: Value | None) -> Value:
    """What a masked load gives: `other` on the lanes that it does not read, or anything."""
    assert event.mask is not None
    if not isinstance(value, (Int, Bool)):
        return _unread(tr, node)
    mask = tr.boolean(event.mask)
    rest = _unread(tr, node) if event.other is None else tr.value(event.other)
    if isinstance(value, Bool):
        return arith.choose_bool(mask, value, rest if isinstance(rest, Bool) else tr.as_bool(node, rest))
    out = arith.choose(mask, value, rest) if isinstance(rest, Int) else None
    return _unread(tr, node) if out is None else out


def _unread(tr: Terms, node: Node) -> Value:
    """Something that a load gives, of which nothing is known."""
    if not tr.integral[node.id]:
        return Opaque(None)
    if isinstance(node.type, BoolType):
        return tr.names.boolean(tr.label(node), None, node.loop, lanes=tr.lanes[node.id])
    return _kept(tr, node, tr.label(node))


def _loaded(tr: Terms, node: Node, event: Event) -> Value | None:
    """The element as a function of its place; None when it is none."""
    found = _element(tr, node, event)
    if found is None:
        return None
    name, subscripts = found
    if isinstance(node.type, BoolType):
        return t.bool_app(name, *subscripts)
    if not tr.integral[node.id]:
        return Opaque(f"{name}[{', '.join('_' for _ in subscripts)}]", subscripts)
    lo, hi = (node.type.lo, node.type.hi) if isinstance(node.type, IntType) else (None, None)
    return t.load(name, subscripts, lo, hi)


def _element(tr: Terms, node: Node, event: Event) -> tuple[str, tuple[Int, ...]] | None:
    """The array and subscripts of a load from an array that the kernel does not write."""
    if len(event.arrays) != 1 or event.arrays[0].base in tr.written or not event.arrays[0].known:
        return None
    base = tr.graph.bases[event.arrays[0].base]
    if not base.is_param and base.space != "const":
        return None
    found = locate(tr, event.arrays[0], event.subscripts, event.path, wraps=_wraps(event))
    if found is None:
        return None
    field = getattr(event.stmt, "field", "")
    return (f"{base.name}.{field}" if field else base.name), found.subscripts


def _wraps(event: Event) -> bool:
    return bool(getattr(event.stmt, "negative_wraps", True))


def _lane(tr: Terms, node: Node) -> Value:
    return symbols.lane(node.data)


def _relane(tr: Terms, node: Node) -> Value:
    value = tr.value(node.inputs[0])
    if not tr.lanes[node.inputs[0]]:
        return value
    there = tuple(tr.integer(i) for i in node.inputs[1:])
    if isinstance(value, Opaque):
        return Opaque(value.name, tuple(moved(a, there) for a in value.args))
    return cast(Value, moved(cast(Int, value), there))


def _result(tr: Terms, node: Node) -> Value:
    if not tr.integral[node.id]:
        return Opaque(None)
    handed = counters.found(tr, node)
    found = _kept(tr, node, f"{node.op} (line {node.span.row})") if handed is None else handed
    if node.data.kind == "atomic":
        tr.handed |= t.symbols(found) & tr.names.birth.keys()
    return found


def _kept(tr: Terms, node: Node, name: str) -> Int:
    """An unknown that is read from memory, within what is written there."""
    event: Event | None = node.data
    places = event.arrays if event is not None and event.kind in ("load", "atomic") else ()
    if len(places) != 1:
        return tr.unknown(node, name)
    return tr.unknown(node, name, within=counters.bounds(tr, places[0].base))


def _fresh(tr: Terms, node: Node) -> Value:
    name = f"{node.name or node.op or 'value'} (line {node.span.row})"
    if node.op == "undefined":
        name = f"{node.name} before it is assigned"
    if isinstance(node.type, BoolType):
        return tr.names.boolean(name, None, node.loop, lanes=tr.lanes[node.id])
    if not tr.integral[node.id] and node.op != "undefined":
        return Opaque(None)
    handed = exchanges.received(tr, node)
    if handed is not None:
        return handed
    out = tr.unknown(node, name)
    exchanges.note_ballot(tr, node, out)
    return out


def _opaque(tr: Terms, node: Node) -> Value:
    if node.op == NEXT_POWER and len(node.inputs) == 1:
        return t.fn(NEXT_POWER, tr.integer(node.inputs[0]), lo=0)  # the host's function is the same
    value = opaque(tr, node)
    if isinstance(node.type, BoolType):
        return tr.as_bool(node, value)
    if node.op in COUNTS and value.name is not None:
        return _counted(value.name, value.args, tr.graph.nodes[node.inputs[0]].type)
    return tr.as_int(node, value) if isinstance(node.type, IntType) else value


def _counted(name: str, args: tuple[Int, ...], given: object) -> Int:
    """A count of bits. Those of a signed integer of 32 bits are those of what it is modulo 2**32."""
    bits = given.bits if isinstance(given, IntType) else 64
    if len(args) != 1:
        return t.fn(name, *args, lo=0, hi=bits)
    x = arith.low_bits(args[0], WARP)
    fits = x.lo is not None and x.hi is not None and x.lo >= -(2 ** (WARP - 1)) and x.hi < 2**WARP
    if x != args[0] and fits and (bits <= WARP or not name.startswith("clz")):
        return t.fn(name, x, lo=0, hi=WARP)
    wide = bits > WARP and (args[0].lo is None or args[0].lo < 0)
    return t.fn(f"{name}:{bits}" if wide else name, *args, lo=0, hi=bits)


def opaque(tr: Terms, node: Node) -> Opaque:
    """The node as a function of the integers that it depends on, when it is one."""
    parts: list[str] = []
    args: list[Int] = []
    for i in node.inputs:
        value = tr.value(i)
        if isinstance(value, Int) and value.value is not None:
            parts.append(str(value.value))
        elif isinstance(value, Opaque):
            if value.name is None:
                return value
            parts.append(value.name)
            args.extend(value.args)
        else:
            parts.append("_")
            args.append(tr.integer(i))
    kept = "" if node.type == UNKNOWN or node.kind not in ("op", "cast") else f":{type_name(node.type)}"
    name = f"{node.op or node.kind}{kept}({', '.join(parts)})"
    return Opaque(name, tuple(args)) if len(name) <= MAX_OPAQUE else Opaque(None)


NEXT_POWER = "next_power_of_2"

_COMPUTE: dict[str, Callable[[Terms, Node], Value]] = {
    "const": _const, "param": _param, "coord": _coord, "extent": _extent, "size": _size, "stride": _stride,
    "op": _op, "compare": _compare, "and": _junction, "or": _junction, "not": _not, "unknown": _unknown,
    "gamma": _gamma, "cast": _cast, "mu": _mu, "index": _index, "inrange": _inrange, "eta": _after,
    "lane": _lane, "relane": _relane,
    "exit": _after, "last": _last, "load": _load, "result": _result, "fresh": _fresh, "opaque": _opaque,
}  # fmt: skip
