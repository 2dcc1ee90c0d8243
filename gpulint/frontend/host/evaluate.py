"""Expressions: from host Python AST to abstract values."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from gpulint.frontend.host import access, builtin, calls, names
from gpulint.frontend.host.broadcast import elementwise
from gpulint.frontend.host.cells import content, made
from gpulint.frontend.host.closures import shared
from gpulint.frontend.host.elements import current
from gpulint.frontend.host.layout import ranked
from gpulint.frontend.host.machine import Machine, text_of
from gpulint.frontend.host.memories import mentioned
from gpulint.frontend.host.operators import binary, compare, truth, unary
from gpulint.frontend.host.state import State, merge_values
from gpulint.frontend.host.values import (
    Arr,
    Bounds,
    Cond,
    Const,
    Function,
    Map,
    Range,
    Seq,
    ShapeOf,
    Unknown,
    Value,
    as_int,
    number,
    truthy,
)
from gpulint.term import FALSE, TRUE, Bool, and_, not_, or_

MAX_ITEMS = 64
MAX_CONFIGS = 1024
ELEMENTWISE = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


def evaluate(m: Machine, s: State, node: ast.expr) -> Value:
    """The abstract value of an expression; never raises, an unknown when it is not understood."""
    handler = HANDLERS.get(type(node))
    value = handler(m, s, node) if handler is not None else _visit(m, s, node)
    value = current(m, s, content(m, s, made(m, s, value, node)))
    return ranked(s.facts, value) if m.tiles and isinstance(value, (Arr, Unknown)) else value


def condition(m: Machine, s: State, node: ast.expr) -> Bool:
    """The condition that the expression is true."""
    return truth(m, m.eval(s, node), text_of(node))


def _visit(m: Machine, s: State, node: ast.expr) -> Value:
    """What is not understood: its parts are not looked into."""
    return mentioned(s, m.opaque(text_of(node)), node)


def _constant(m: Machine, s: State, node: ast.Constant) -> Value:
    v = node.value
    if isinstance(v, bool):
        return truthy(v)
    return number(v) if isinstance(v, int) and v.bit_length() <= 128 else Const(v)


def _name(m: Machine, s: State, node: ast.Name) -> Value:
    if node.id not in s.env:
        return names.lookup(m, node)
    function = m.frames[-1].function if m.frames else None
    if function is not None and node.id in m.once(function.node, shared):
        return m.opaque(node.id, "is assigned by a nested function")
    return s.env[node.id]


def _sequence(m: Machine, s: State, node: ast.Tuple | ast.List | ast.Set) -> Value:
    items: list[Value] = []
    for part in node.elts[:MAX_ITEMS]:
        if isinstance(part, ast.Starred):
            inner = m.eval(s, part.value)
            if isinstance(inner, ShapeOf) and m.tiles and part is node.elts[0]:
                return _with_tail(m, s, inner, node)
            if not isinstance(inner, Seq):
                return mentioned(s, m.opaque(text_of(node)), node)
            items.extend(inner.items)
        else:
            items.append(m.eval(s, part))
    return Seq(tuple(items)) if len(node.elts) <= MAX_ITEMS else mentioned(s, m.opaque(text_of(node)), node)


def _with_tail(m: Machine, s: State, lead: ShapeOf, node: ast.Tuple | ast.List | ast.Set) -> Value:
    """`(*x.shape[:-1], n)`."""
    tail = [as_int(m.eval(s, e)) for e in node.elts[1:9] if not isinstance(e, ast.Starred)]
    known = tuple(t for t in tail if t is not None)
    if len(known) != len(node.elts) - 1:
        return m.opaque(text_of(node))
    return replace(lead, tail=(*lead.tail, *known))


def _dict(m: Machine, s: State, node: ast.Dict) -> Value:
    parts: list[tuple[tuple[Value, Value], ...]] = []
    for key, value in list(zip(node.keys, node.values, strict=False))[:MAX_ITEMS]:
        k = m.eval(s, key) if key is not None else None
        v = m.eval(s, value)
        if k is not None:
            parts.append(((k, v),))
        elif m.tiles and isinstance(v, Map):
            parts.append(v.items)
        else:
            return mentioned(s, m.opaque(text_of(node)), node)
    if None not in node.keys:
        return Map(tuple(item for part in parts for item in part))
    return builtin.overlaid(*parts) or mentioned(s, m.opaque(text_of(node)), node)


def _attribute(m: Machine, s: State, node: ast.Attribute) -> Value:
    return access.attribute(m, s, m.eval(s, node.value), node.attr, node)


def _subscript(m: Machine, s: State, node: ast.Subscript) -> Value:
    return access.subscript(m, s, m.eval(s, node.value), node)


def _slice(m: Machine, s: State, node: ast.Slice) -> Value:
    parts = (node.lower, node.upper, node.step)
    return Bounds(*(None if p is None else m.eval(s, p) for p in parts))


def _binary(m: Machine, s: State, node: ast.BinOp) -> Value:
    left, right = m.eval(s, node.left), m.eval(s, node.right)
    if isinstance(left, Const) and isinstance(left.value, str):
        return m.unknown(text_of(node), "", "text")
    return binary(m, node.op, left, right, text_of(node))


def _unary(m: Machine, s: State, node: ast.UnaryOp) -> Value:
    return unary(m, node.op, m.eval(s, node.operand), text_of(node))


def _compare(m: Machine, s: State, node: ast.Compare) -> Value:
    parts = []
    left = m.eval(s, node.left)
    if m.tiles and len(node.ops) == 1 and isinstance(node.ops[0], ELEMENTWISE):
        right = m.eval(s, node.comparators[0])
        if isinstance(left, Arr) or isinstance(right, Arr):
            return elementwise(m, (left, right), text_of(node))
        return Cond(compare(m, node.ops[0], left, right, text_of(node)))
    for op, other in zip(node.ops, node.comparators, strict=False):
        right = m.eval(s, other)
        text = text_of(ast.Compare(node.left, [op], [other])) if len(node.ops) == 1 else text_of(node)
        parts.append(compare(m, op, left, right, text))
        left = right
    return Cond(and_(*parts))


def _boolean(m: Machine, s: State, node: ast.BoolOp) -> Value:
    """`and` and `or` as conditions; `x or default` keeps the value where that is known."""
    first = m.eval(s, node.values[0])
    if isinstance(node.op, ast.Or) and len(node.values) == 2 and not isinstance(first, Cond):
        taken = truth(m, first, text_of(node.values[0]))
        other = m.eval(s, node.values[1])
        if not isinstance(other, Cond):
            return first if taken == TRUE else merge_values(taken, first, other, text_of(node), m.named)
        return Cond(or_(taken, other.term))
    conds = [truth(m, first, text_of(node.values[0]))]
    conds += [condition(m, s, v) for v in node.values[1:]]
    return Cond((and_ if isinstance(node.op, ast.And) else or_)(*conds))


def _if_expression(m: Machine, s: State, node: ast.IfExp) -> Value:
    cond = condition(m, s, node.test)
    if cond == TRUE:
        return m.eval(s, node.body)
    if not_(cond) == TRUE:
        return m.eval(s, node.orelse)
    yes, no = m.eval(s, node.body), m.eval(s, node.orelse)
    if m.concrete and isinstance(yes, Seq) and isinstance(no, Seq):
        return Seq((*yes.items, *(v for v in no.items if v not in yes.items)))
    return merge_values(cond, yes, no, text_of(node), m.named)


def _named(m: Machine, s: State, node: ast.NamedExpr) -> Value:
    value = m.eval(s, node.value)
    s.env[node.target.id] = value
    s.defs[node.target.id] = node.value
    return value


def _lambda(m: Machine, s: State, node: ast.Lambda) -> Value:
    kernel = m.kernel(node)
    scope = m.here.scopes.get(node)
    if kernel is not None or scope is None:
        return kernel or m.opaque(text_of(node))
    return Function(node, scope, m.here, dict(s.env))


def _text(m: Machine, s: State, node: ast.JoinedStr) -> Value:
    return m.unknown(text_of(node), "", "text")


def _comprehension(
    m: Machine, s: State, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
) -> Value:
    """The elements when they come from short sequences; a lone unknown otherwise."""
    states = [s.copy()]
    for gen in node.generators:
        states = _iterated(m, states, gen)
        if not states:
            return mentioned(s, m.opaque(text_of(node)), node)
    if isinstance(node, ast.DictComp):
        return Map(tuple((m.eval(t, node.key), m.eval(t, node.value)) for t in states))
    if isinstance(node, ast.SetComp):
        return mentioned(s, m.opaque(text_of(node)), node)
    return Seq(tuple(m.eval(t, node.elt) for t in states))


def _iterated(m: Machine, states: list[State], gen: ast.comprehension) -> list[State]:
    """The states of one `for` of a comprehension; none when its elements are not known one by one."""
    from gpulint.frontend.host.stores import bind_target

    out: list[State] = []
    limit = MAX_CONFIGS if m.concrete else MAX_ITEMS
    for state in states:
        items = spelled(m, m.eval(state, gen.iter))
        if items is None or len(out) + len(items) > limit:
            return []
        for item in items:
            inner = state.copy()
            bind_target(m, inner, gen.target, item, text_of(gen.iter))
            conds = [condition(m, inner, c) for c in gen.ifs]
            if not m.concrete and any(c not in (TRUE, FALSE) for c in conds):
                return []
            if all(c != FALSE for c in conds):  # a configuration that may be left out counts
                out.append(inner)
    return out


def spelled(m: Machine, v: Value) -> tuple[Value, ...] | None:
    """The elements of a sequence or of a range of numbers, when each is known."""
    if isinstance(v, Seq):
        return v.items
    if isinstance(v, Range) and m.tiles:
        parts = [t.value for t in (v.start, v.stop, v.step)]
        if all(p is not None for p in parts) and parts[2]:
            return tuple(number(k) for k in range(*(p for p in parts if p is not None))[: MAX_ITEMS + 1])
    return None


def _call(m: Machine, s: State, node: ast.Call) -> Value:
    return calls.call(m, s, node)


def _starred(m: Machine, s: State, node: ast.Starred) -> Value:
    return m.eval(s, node.value)


HANDLERS: dict[type, Callable[..., Value]] = {
    ast.Constant: _constant, ast.Name: _name, ast.Tuple: _sequence, ast.List: _sequence,
    ast.Dict: _dict, ast.Attribute: _attribute, ast.Subscript: _subscript, ast.Slice: _slice,
    ast.BinOp: _binary, ast.UnaryOp: _unary, ast.Compare: _compare, ast.BoolOp: _boolean,
    ast.IfExp: _if_expression, ast.NamedExpr: _named, ast.Lambda: _lambda, ast.JoinedStr: _text,
    ast.ListComp: _comprehension, ast.SetComp: _comprehension, ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension, ast.Call: _call, ast.Starred: _starred,
}  # fmt: skip
