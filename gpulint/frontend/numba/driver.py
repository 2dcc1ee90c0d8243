"""Kernel source to kernel IR."""

from __future__ import annotations

import ast

from gpulint.frontend.numba import attributes, builtin, calls, intrinsics, loops, subscripts  # noqa: F401
from gpulint.frontend.numba import expressions as ex
from gpulint.frontend.numba import world as worlds
from gpulint.frontend.numba.attributes import field_type
from gpulint.frontend.numba.context import Context, Frame
from gpulint.frontend.numba.signature import ParamType, parameter_types
from gpulint.frontend.numba.statements import body, unsupported
from gpulint.frontend.numba.values import Array, Record, Tuple, Value
from gpulint.frontend.shared.limits import NotHandled, TooLarge, deep_recursion
from gpulint.frontend.shared.spans import header_span
from gpulint.frontend.shared.syntax import tails, text_of
from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.ir.types import INT64, UNKNOWN, ArrayType
from gpulint.source import constants
from gpulint.source.model import KernelSource
from gpulint.source.resolve import Project


def lower(source: KernelSource, project: Project) -> n.Kernel:
    """The kernel, device functions inlined.

    What is not handled is an `Unsupported` statement in its place; a kernel past a limit is one such
    statement that may touch every array. Options of kind `closure` name the parameters that stand for values
    of enclosing scopes, `number` and `function` what is taken for granted; `rank` is the launch rank that
    `cuda.grid(n)` implies.
    """
    world = worlds.of(project)
    facts = world.facts(source.node, source.scope, source.tuples)
    frame = Frame(source.node, source.scope, source.module, facts)
    frame.tails = tails(source.node)
    cx = Context(world, frame)
    cx.fast = _fast(source, project)
    with deep_recursion():
        try:
            _parameters(cx, source)
            cx.arrays.update(name for name, p in cx.params.items() if p.is_array)
            cx.active.append(source.node)
            _body(cx, source)
            _promoted(cx, source)
        except (TooLarge, RecursionError) as error:
            _given_up(cx, source, str(error) if isinstance(error, TooLarge) else "code nested too deeply")
    return _kernel(cx, source, project)


def _body(cx: Context, source: KernelSource) -> None:
    node = source.node
    if isinstance(node, ast.Lambda):
        try:
            ex.lower(cx, node.body)
        except NotHandled as error:
            unsupported(cx, error.reason, node.body, error.node)
    elif isinstance(node, ast.AsyncFunctionDef):
        unsupported(cx, "an async function", node)
    else:
        body(cx, node.body)


def _promoted(cx: Context, source: KernelSource) -> None:
    """Gives up what was handed to unknown functions as a number, and later shown to be an array."""
    for option in [o for o in cx.options if o[0] == "number" and o[1] in cx.promoted]:
        cx.options.remove(option)
        reason = f"{option[1]}, an array, given to a function that is not known"
        cx.emit(n.Unsupported(reason, (option[1],), (), header_span(source)))


def _given_up(cx: Context, source: KernelSource, reason: str) -> None:
    arrays = tuple(name for name, p in cx.params.items() if p.is_array)
    cx.prelude, cx.out = [], [n.Unsupported(reason, arrays, (), header_span(source))]


# --- parameters


def _parameters(cx: Context, source: KernelSource) -> None:
    args = source.node.args
    names = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    types = parameter_types(source.signatures, len(names), source.scope, cx.world)
    cx.names.reserve(a.arg for a in names)
    for a, type_ in zip(names, types, strict=False):
        cx.frame.env[a.arg] = _parameter(cx, a, type_)
        cx.frame.canonical[a.arg] = a.arg
    if args.vararg is not None:
        cx.frame.env[args.vararg.arg] = _items(cx, args.vararg.arg, args.vararg)
    cx.names.reserve(name for name in source.scope.bindings if name not in cx.params)
    for name in source.scope.bindings:
        cx.frame.canonical.setdefault(name, name)


def _parameter(cx: Context, a: ast.arg, given: ParamType) -> Value:
    fact, span = cx.frame.facts.get(a.arg), cx.span(a)
    if isinstance(given, ArrayType):
        ndim = given.ndim if given.ndim is not None else fact.ndim
        type_ = ArrayType(given.element, ndim)
        cx.params[a.arg] = n.Param(a.arg, type_, span)
        return Array(a.arg, type_)
    if given is not None and not fact.array:
        cx.params[a.arg] = n.Param(a.arg, given, span)
        return n.Var(a.arg, given, span)
    if fact.items and given is None:
        return _items(cx, a.arg, a)
    if fact.array and not _plain_record(cx, a.arg):
        type_ = ArrayType(UNKNOWN, fact.ndim)
        cx.params[a.arg] = n.Param(a.arg, type_, span)
        return Array(a.arg, type_)
    if fact.record:
        return _record(cx, a.arg, span)
    scalar = INT64 if fact.index else UNKNOWN
    cx.params[a.arg] = n.Param(a.arg, scalar, span)
    return n.Var(a.arg, scalar, span)


def _plain_record(cx: Context, name: str) -> bool:
    """Whether an 'array' is one by an attribute alone that a record may have too (`p.size`)."""
    fact = cx.frame.facts.get(name)
    return fact.record and bool(fact.fields) and not fact.rank and fact.exact is None


def _record(cx: Context, name: str, span: Span) -> Record:
    for path, fact in cx.frame.facts.of.items():
        if path.startswith(f"{name}.") and not fact.record:
            type_ = field_type(fact)
            cx.params[path] = n.Param(path, type_, span)
            cx.names.reserve((path,))
            cx.fields[path] = Array(path, type_) if isinstance(type_, ArrayType) else n.Var(path, type_)
    return Record(name)


def _items(cx: Context, base: str, a: ast.arg) -> Tuple:
    """`*args` and tuple parameters: as many parameters `args[i]` as the body names."""
    items: list[Value] = []
    for i in range(cx.frame.facts.get(base).items):
        name = f"{base}[{i}]"
        fact = cx.frame.facts.get(name)
        if fact.items:
            items.append(_items(cx, name, a))
            continue
        type_ = ArrayType(UNKNOWN, fact.ndim) if fact.array else INT64 if fact.index else UNKNOWN
        cx.params[name] = n.Param(name, type_, cx.span(a))
        items.append(Array(name, type_) if isinstance(type_, ArrayType) else n.Var(name, type_, cx.span(a)))
    return Tuple(tuple(items))


# --- the whole


def _fast(source: KernelSource, project: Project) -> bool:
    """Whether the kernel may be compiled with fast-math."""
    given = source.options.get("fastmath")
    if given is None:
        return False
    folded = constants.fold(given, source.scope.parent or source.scope, project)
    return folded is None or bool(folded.value)


def _options(cx: Context, source: KernelSource, project: Project) -> tuple[tuple[str, str], ...]:
    out: list[tuple[str, str]] = []
    for name, value in source.options.items():
        folded = constants.fold(value, source.scope.parent or source.scope, project)
        out.append((name, str(folded.value) if folded is not None else text_of(value)))
    if cx.rank:
        out.append(("rank", str(cx.rank)))
    return (*out, *cx.options)


def _kernel(cx: Context, source: KernelSource, project: Project) -> n.Kernel:
    return n.Kernel(
        source.names[0].rpartition(".")[2] if source.names else source.qualname.rpartition(".")[2],
        source.qualname,
        "numba",
        tuple(cx.params.values()),
        (*cx.prelude, *cx.out),
        source.module.span(source.node),
        header_span(source),
        source.declared,
        _options(cx, source, project),
    )
