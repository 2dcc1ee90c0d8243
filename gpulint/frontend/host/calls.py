"""Calls: launches, functions in readable source, array methods, what is left opaque."""

from __future__ import annotations

import ast
from dataclasses import replace

from gpulint.frontend.host import (
    access,
    arraymethods,
    arrays,
    autograd,
    builtin,
    configs,
    every,
    follow,
    launches,
    records,
    tiles,
    torchcalls,
    torchmethods,
)
from gpulint.frontend.host.cells import GROWING, LEAVING, READING, lost, put
from gpulint.frontend.host.elements import exposed, touch
from gpulint.frontend.host.inplace import RESHAPING, reshaped
from gpulint.frontend.host.machine import Machine, text_of
from gpulint.frontend.host.memories import CHOOSING, TAKING, among
from gpulint.frontend.host.state import State
from gpulint.frontend.host.values import (
    Arr,
    Choice,
    Class,
    Cond,
    Configured,
    Const,
    Dotted,
    DType,
    Every,
    Function,
    Kernel,
    Map,
    Method,
    Num,
    Ratio,
    Seq,
    ShapeOf,
    Tuner,
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
    func = _callee(m, s, node.func)
    whole = m.tiles and isinstance(func, Dotted) and func.path in ("torch.all", "numpy.all")
    if whole and len(node.args) == 1:
        found = every.every(m, s, node.args[0])
        if found is not None:
            return Cond(found.term)
    if isinstance(func, Unknown) and isinstance(node.func, ast.Attribute):
        func = _method_of(m, s, func, node.func)
    args = _arguments(m, s, node)
    return apply(m, s, func, args, _keywords(m, s, node), node)


def _callee(m: Machine, s: State, node: ast.expr) -> Value:
    """What is called; a method of a tensor stays one where its name is an attribute of other things."""
    if m.tiles and isinstance(node, ast.Attribute) and torchmethods.is_method(node.attr):
        found = every.every(m, s, node.value) if node.attr == "all" else None
        owner = found if found is not None else m.eval(s, node.value)
        if isinstance(owner, Arr) or (isinstance(owner, Unknown) and owner.cls is None):
            return Method(owner, node.attr)
        if isinstance(owner, Every):
            return Method(owner, node.attr)
        return access.attribute(m, s, owner, node.attr, node)
    return m.eval(s, node)


def _method_of(m: Machine, s: State, func: Unknown, node: ast.Attribute) -> Value:
    """A method that is not known, with what it is called on: it may change that."""
    owner = m.eval(s, node.value)
    return Method(owner, node.attr) if isinstance(owner, Unknown) else func


def _keywords(m: Machine, s: State, node: ast.Call) -> dict[str, Value]:
    """Keyword arguments; a spread dictionary of unknown keys stands under its text."""
    out: dict[str, Value] = {}
    for k in node.keywords:
        value = m.eval(s, k.value)
        if k.arg is not None:
            out[k.arg] = value
        elif isinstance(value, Map) and all(_text(n) for n, _ in value.items):
            out.update({str(n.value): v for n, v in value.items if isinstance(n, Const)})
        elif m.tiles:
            out[f"**{text_of(k.value)}"] = value
    return out


def _text(v: Value) -> bool:
    return isinstance(v, Const) and isinstance(v.value, str)


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
    out = as_array(kw["out"]) if "out" in kw else None
    if out is not None:
        touch(s, out)
    if isinstance(func, Configured):
        return (
            tiles.launch(m, s, func, args, kw, node) if func.tile else launches.launch(m, s, func, args, node)
        )
    if isinstance(func, Choice):
        return _choice(m, s, func, args, kw, node)
    if isinstance(func, Function):
        return follow.follow(m, s, func, args, kw, node)
    if isinstance(func, Class):
        return follow.instantiate(m, s, func, args, kw, node)
    if isinstance(func, Tuner) and len(args) == 1 and isinstance(args[0], Kernel) and tiles.is_tile(args[0]):
        return replace(args[0], tuners=(func, *args[0].tuners))
    if isinstance(func, DType):
        return builtin.cast(m, s, func, args, text_of(node))
    found: Value | None = None
    if isinstance(func, Method) and func.name in RESHAPING and reshaped(m, s, func.owner):
        found = m.opaque(text_of(node))
    elif isinstance(func, Method):
        found = _method(m, s, func, args, kw, node)
    elif isinstance(func, Dotted):
        found = _dotted(m, s, func.path, args, kw, node)
    if found is not None:
        return found
    if m.tiles and autograd.save(s, func, args, node):
        return Const(None)
    given = (*args, *kw.values(), *((func.owner,) if isinstance(func, Method) else ()))
    for v in given:
        exposed(s, v)
        if not _leaves(func):
            lost(s, v)
    return among(m.opaque(text_of(node)), *_chosen_from(func, given))


def _leaves(func: Value) -> bool:
    """Whether a function that is not followed leaves lists and objects as they are."""
    if isinstance(func, Dotted):
        return func.path.partition(".")[0] in LEAVING
    return isinstance(func, Method) and func.name in READING


def _chosen_from(func: Value, given: tuple[Value, ...]) -> tuple[Value, ...]:
    """What the result may be, or be taken out of; nothing for functions that nobody knows."""
    if isinstance(func, Dotted):
        return given if func.path.partition(".")[0] in CHOOSING else ()
    if isinstance(func, Method):
        return given if isinstance(func.owner, (Seq, Map)) or func.name in TAKING else ()
    owner, _, name = func.name.rpartition(".") if isinstance(func, Unknown) else ("", "", "")
    return (Unknown(owner), *given) if name in TAKING else ()


def _choice(
    m: Machine, s: State, func: Choice, args: list[Value], kw: dict[str, Value], node: ast.Call
) -> Value:
    """Each of several callables, on a path of its own."""
    for cond, option in func.options:
        path = s.copy().assume(cond)
        if not path.dead and isinstance(option, (Configured, Function)):
            apply(m, path, option, args, kw, node)
    for v in (*args, *kw.values()):
        exposed(s, v)
        lost(s, v)
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
    last = path.rpartition(".")[2]
    if last == "Config" and path.startswith("triton."):
        return configs.make(args, kw)
    if last in ("wrap_triton", "capture_triton", "constexpr") and args:
        return args[0]
    tuner = configs.tuner(path, args, kw) if m.tiles else None
    if tuner is not None:
        return tuner
    made = torchcalls.call(m, s, path, args, kw, text) if m.tiles else None
    if made is None:
        made = records.described(path, args, kw) or arrays.create(m, s, path, args, kw, text)
    return made if made is not None else builtin.call(m, s, path, args, kw, text)


def _method(
    m: Machine, s: State, func: Method, args: list[Value], kw: dict[str, Value], node: ast.Call
) -> Value | None:
    owner, name, text = func.owner, func.name, text_of(node)
    if isinstance(owner, (Kernel, Choice)):
        if tiles.is_tile(owner):
            return tiles.run(m, s, owner, args, kw, node) if name == "run" else None
        if name == "forall":
            return launches.forall(m, s, owner, args, kw, text)
        return owner if name == "specialize" else _configure(owner, name, args, text)
    if isinstance(owner, Unknown) and owner.kind == "" and name == "parse_args":
        return m.unknown(text, "")
    if m.tiles and isinstance(owner, Unknown) and owner.free and name == "get" and owner.kind == "":
        return m.unknown(text, "")
    if isinstance(owner, Seq) and isinstance(node.func, ast.Attribute):
        return _list_method(m, s, owner, name, args, node.func)
    if isinstance(owner, Map) and name == "get" and args:
        return next((v for k, v in owner.items if k == args[0]), None)
    if isinstance(owner, Const) and isinstance(owner.value, str) and name in TEXT_METHODS:
        return m.unknown(text, "", "text")
    if isinstance(owner, ShapeOf) and name == "numel":
        return Num(owner.numel)
    if isinstance(owner, (Num, Ratio)):
        return owner if name == "item" else None
    if isinstance(owner, Every):
        return Cond(owner.term) if name == "all" else owner if name in ("item", "cpu") else None
    if m.tiles and isinstance(owner, (Arr, Unknown)):
        if isinstance(owner, Unknown) and any(_text(a) for a in args):
            return None  # a string's method
        return torchmethods.method(m, s, owner, name, args, kw, text)
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
    if name in GROWING:
        grown = name == "append" and len(args) == 1 and len(owner.items) < MAX_ITEMS
        changed = among(m.opaque(text_of(func.value)), owner, *args)
        new: Value = Seq((*owner.items, args[0])) if grown else changed
        if not put(s, owner, new) and isinstance(func.value, ast.Name):
            s.env[func.value.id] = new
        return Const(None) if name != "pop" else None
    if name in ("index", "count"):
        return Num(add(as_int(m.opaque(text_of(func), kind="int")) or 0, 0), INT64)
    return None
