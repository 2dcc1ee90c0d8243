"""Calls: launches, functions in readable source, array methods, what is left opaque."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gpulint.frontend.host import arraymethods, arrays, builtin, follow, launches
from gpulint.frontend.host.machine import Machine, text_of
from gpulint.frontend.host.state import State
from gpulint.frontend.host.values import (
    Arr,
    Choice,
    Class,
    Configured,
    Const,
    Dotted,
    DType,
    Function,
    Kernel,
    Map,
    Method,
    Num,
    Ratio,
    Seq,
    ShapeOf,
    Unknown,
    Value,
    as_array,
    as_int,
)
from gpulint.ir.types import INT64
from gpulint.term import add

MAX_ITEMS = 64
TEXT_METHODS = frozenset({"format", "join", "upper", "lower", "strip", "replace", "encode"})


def call(m: Machine, s: State, node: ast.Call) -> Value:
    """The value of a call, with what it does to the state."""
    wrapped = m.kernel(node)
    if wrapped is not None:
        return wrapped
    func = m.eval(s, node.func)
    args = _arguments(m, s, node)
    kw = {k.arg: m.eval(s, k.value) for k in node.keywords if k.arg is not None}
    return apply(m, s, func, args, kw, node)


def _arguments(m: Machine, s: State, node: ast.Call) -> list[Value]:
    out: list[Value] = []
    for a in node.args[:MAX_ITEMS]:
        value = m.eval(s, a)
        if isinstance(a, ast.Starred) and isinstance(value, Seq):
            out.extend(value.items)
        elif isinstance(a, ast.Starred) and isinstance(value, ShapeOf):
            out.append(value)
        else:
            out.append(value)
    return out[:MAX_ITEMS]


def apply(
    m: Machine, s: State, func: Value, args: list[Value], kw: dict[str, Value], node: ast.Call
) -> Value:
    """Applies a value that may be called."""
    if isinstance(func, Configured):
        return launches.launch(m, s, func, args, node)
    if isinstance(func, Choice):
        return _choice(m, s, func, args, kw, node)
    if isinstance(func, Function):
        return follow.follow(m, s, func, args, kw, node)
    if isinstance(func, Class):
        return follow.instantiate(m, s, func, args, kw, node)
    if isinstance(func, DType):
        return builtin.cast(m, s, func, args, text_of(node))
    if isinstance(func, Method):
        found = _method(m, s, func, args, kw, node)
    elif isinstance(func, Dotted):
        found = _dotted(m, s, func.path, args, kw, node)
    else:
        found = None
    if found is not None:
        return found
    _exposed(s, (*args, *kw.values(), *((func.owner,) if isinstance(func, Method) else ())))
    return m.opaque(text_of(node))


def _exposed(s: State, values: Sequence[Value]) -> None:
    """Code that is not understood may fill the arrays that it is given."""
    for v in values:
        if isinstance(v, Arr) and s.touched.get(v.buffer, v.initialised) is False:
            s.touched[v.buffer] = None


def _choice(
    m: Machine, s: State, func: Choice, args: list[Value], kw: dict[str, Value], node: ast.Call
) -> Value:
    """Each of several callables, on a path of its own."""
    for cond, option in func.options:
        path = s.copy().assume(cond)
        if not path.dead and isinstance(option, (Configured, Function)):
            apply(m, path, option, args, kw, node)
    _exposed(s, args)
    return m.opaque(text_of(node))


def _dotted(
    m: Machine, s: State, path: str, args: list[Value], kw: dict[str, Value], node: ast.Call
) -> Value | None:
    text = text_of(node)
    if path.startswith(("numba.cuda.", "numba_cuda.")) and path.rpartition(".")[2].startswith("jit"):
        kernel = next((a for a in args if isinstance(a, Kernel)), None)
        if kernel is None and args and isinstance(args[0], Function):
            kernel = m.kernel(args[0].node)
        return kernel or Dotted("numba.cuda.jit()")
    made = arrays.create(m, s, path, args, kw, text)
    return made if made is not None else builtin.call(m, s, path, args, kw, text)


def _method(
    m: Machine, s: State, func: Method, args: list[Value], kw: dict[str, Value], node: ast.Call
) -> Value | None:
    owner, name, text = func.owner, func.name, text_of(node)
    if isinstance(owner, (Kernel, Choice)):
        if name == "forall":
            return launches.forall(m, s, owner, args, kw, text)
        return owner if name == "specialize" else _configure(owner, name, args, text)
    if isinstance(owner, Unknown) and owner.kind == "" and name == "parse_args":
        return m.unknown(text, "")
    if isinstance(owner, Seq) and isinstance(node.func, ast.Attribute):
        return _list_method(m, s, owner, name, args, node.func)
    if isinstance(owner, Map) and name == "get" and args:
        return next((v for k, v in owner.items if k == args[0]), None)
    if isinstance(owner, Const) and isinstance(owner.value, str) and name in TEXT_METHODS:
        return m.unknown(text, "", "text")
    if isinstance(owner, ShapeOf) and name == "numel":
        return Num(owner.array.size)
    if isinstance(owner, (Num, Ratio)):
        return owner if name == "item" else None
    if isinstance(owner, (Arr, Unknown)):
        if name == "size" and isinstance(owner, (Arr, Unknown)):
            a = as_array(owner)
            axis = as_int(args[0]) if args else None
            return (
                Num(a.extent(axis.value))
                if a is not None and axis is not None and axis.value is not None
                else None
            )
        return arraymethods.method(m, s, owner, name, args, kw, text)
    return None


def _configure(owner: Value, name: str, args: list[Value], text: str) -> Value | None:
    """`kernel.configure(grid, block, stream, shared)`, the long form of the subscript."""
    if name == "configure" and 2 <= len(args) <= 4:
        return Configured(owner, tuple(args), (), text=text)
    return None


def _list_method(
    m: Machine, s: State, owner: Seq, name: str, args: list[Value], func: ast.Attribute
) -> Value | None:
    if name in ("append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse"):
        if isinstance(func.value, ast.Name):
            grown = name == "append" and len(args) == 1 and len(owner.items) < MAX_ITEMS
            new: Value = Seq((*owner.items, args[0])) if grown else m.opaque(func.value.id)
            s.env[func.value.id] = new
        return Const(None) if name != "pop" else None
    if name in ("index", "count"):
        return Num(add(as_int(m.opaque(text_of(func), kind="int")) or 0, 0), INT64)
    return None
