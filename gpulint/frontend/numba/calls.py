"""Calls: dispatch to library functions, device functions, conversions, or the unknown."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from gpulint.frontend.numba import conditions as cond
from gpulint.frontend.numba import expressions as ex
from gpulint.frontend.numba import operators as ops
from gpulint.frontend.numba.context import Context, expression
from gpulint.frontend.numba.facts import Fact
from gpulint.frontend.numba.foreign import numbers_only
from gpulint.frontend.numba.inline import Arguments, call, name_of
from gpulint.frontend.numba.statements import arrays_of
from gpulint.frontend.numba.subscripts import Place, hold, place, promote, take
from gpulint.frontend.numba.types import by_name
from gpulint.frontend.numba.values import (
    SCALARS,
    Array,
    Choices,
    DType,
    Foreign,
    Function,
    Method,
    Named,
    Record,
    Tuple,
    Value,
)
from gpulint.frontend.shared.limits import NotHandled
from gpulint.frontend.shared.syntax import text_of
from gpulint.ir import nodes as n
from gpulint.ir.types import BOOL, UNKNOWN

Intrinsic = Callable[[Context, ast.Call, Arguments], Value]
INTRINSICS: dict[str, Intrinsic] = {}
PREFIXES: dict[str, Callable[[str], Intrinsic]] = {}
INDEXED: dict[str, frozenset[int]] = {}  # arguments that are indices, by function
_ALL = frozenset(range(8))


def intrinsic(*names: str, indexed: Iterable[int] = ()) -> Callable[[Intrinsic], Intrinsic]:
    """Registers the lowering of library functions; `indexed` are arguments that can only be integers."""

    def register(handler: Intrinsic) -> Intrinsic:
        for name in names:
            INTRINSICS[name] = handler
            if indexed:
                INDEXED[name] = frozenset(indexed)
        return handler

    return register


@expression(ast.Call)
def lower_call(cx: Context, node: ast.Call) -> Value:
    callee = ex.lower(cx, node.func)
    if isinstance(callee, Named):
        return _library(cx, callee.name, node)
    if isinstance(callee, Choices) and any(isinstance(o, Named) for o in callee.options):
        return _either(cx, callee, node)
    if isinstance(callee, (Function, Choices)):
        return call(cx, callee, arguments(cx, node, _facts(cx, callee)), node)
    if isinstance(callee, DType):
        given = arguments(cx, node)
        return ops.cast(cx, one(cx, given, node), callee.type, node)
    if isinstance(callee, Method):
        from gpulint.frontend.numba.methods import method

        return method(cx, callee, node)
    if numbers_only(cx.world, callee):
        operands = scalars(cx, arguments(cx, node), node)
        cx.emit(n.Effect(f"call of {text_of(node.func)}", operands, cx.span(node)))
        return Foreign(cx.fresh(text_of(node.func), UNKNOWN, node))
    return unknown(cx, node)


def _either(cx: Context, callee: Choices, node: ast.Call) -> Value:
    """A call of one of several functions, some of a library."""
    first, *rest = callee.options
    if isinstance(first, Choices):
        return _either(cx, Choices(callee.name, (*first.options, *rest)), node)

    def this() -> Value:
        if isinstance(first, Named):
            return _library(cx, first.name, node)
        assert isinstance(first, Function)
        return call(cx, first, arguments(cx, node, _facts(cx, first)), node)

    if not rest:
        return this()
    chosen = cx.opaque(f"{callee.name} is {name_of(first)}", (), BOOL, node)
    return cond.choose(cx, chosen, this, lambda: _either(cx, Choices(callee.name, tuple(rest)), node), node)


def _facts(cx: Context, callee: Function | Choices) -> dict[int | str, Fact]:
    """What the parameters of a device function are used as."""
    f = callee if isinstance(callee, Function) else callee.options[0]
    if not isinstance(f, Function) or isinstance(f.node, ast.AsyncFunctionDef):
        return {}
    facts = cx.world.facts(f.node, f.scope)
    names = [a.arg for a in (*f.node.args.posonlyargs, *f.node.args.args)]
    out: dict[int | str, Fact] = {i: facts.get(name) for i, name in enumerate(names)}
    out.update({name: facts.get(name) for name in names})
    return out


def arguments(
    cx: Context,
    node: ast.Call,
    facts: dict[int | str, Fact] | None = None,
    indexed: frozenset[int] = frozenset(),
) -> Arguments:
    """The evaluated arguments, stars spread."""
    positional: list[Value] = []
    for e in node.args:
        if isinstance(e, ast.Starred):
            value = ex.lower(cx, e.value)
            if not isinstance(value, Tuple):
                raise NotHandled("unpacking of arguments whose number is not known", e)
            positional.extend(value.items)
        else:
            at = len(positional)
            positional.append(_argument(cx, e, (facts or {}).get(at), at in indexed))
    keywords: dict[str, Value] = {}
    for k in node.keywords:
        if k.arg is None:
            raise NotHandled("a call with ** arguments", k.value)
        keywords[k.arg] = _argument(cx, k.value, (facts or {}).get(k.arg), bool(indexed))
    return Arguments(tuple(positional), keywords)


def _argument(cx: Context, e: ast.expr, fact: Fact | None, indexed: bool) -> Value:
    if fact is not None and fact.record and not fact.array and isinstance(e, ast.Subscript):
        found = place(cx, e)
        if isinstance(found, Place) and not found.view and not found.array.field:
            return Record(found.array.name, found.array, hold(cx, found.subscripts))
        return take(cx, found, e) if isinstance(found, Place) else found
    saved = cx.index
    cx.index = int(indexed or (fact is not None and fact.index))
    try:
        return ex.lower(cx, e)
    finally:
        cx.index = saved


_TRANSPARENT = frozenset(
    (
        "builtins.min",
        "builtins.max",
        "builtins.abs",
        "builtins.divmod",
        "builtins.sum",
        "cuda.selp",
        "np.minimum",
        "np.maximum",
    )
)  # fmt: skip  (an integer result has integer arguments)
_TYPED = frozenset(("np", "numba", "builtins", "cuda"))


def _library(cx: Context, name: str, node: ast.Call) -> Value:
    handler = INTRINSICS.get(name) or INTRINSICS.get(f"numba.{name.removeprefix('cuda.')}")
    owner, _, last = name.rpartition(".")
    if handler is None and (owner in _TYPED or owner.startswith("cuda.")) and by_name(last) is not None:
        return _conversion(cx, last, node)
    if handler is None:
        handler = next((make(name) for prefix, make in PREFIXES.items() if name.startswith(prefix)), None)
    if handler is None:
        return unknown(cx, node)
    indexed = INDEXED.get(name) or (_ALL if name in _TRANSPARENT and cx.index else frozenset())
    return handler(cx, node, arguments(cx, node, None, indexed))


def _conversion(cx: Context, name: str, node: ast.Call) -> Value:
    """`np.int32(x)`, `numba.float64(x)`."""
    type_ = by_name(name) or UNKNOWN
    given = arguments(cx, node)
    if not given.positional:
        return ops.cast(cx, ops.number(0), type_, node)
    if type_ == UNKNOWN:
        return cx.opaque(name, scalars(cx, given, node), UNKNOWN, node)
    return ops.cast(cx, one(cx, given, node), type_, node)


def one(cx: Context, given: Arguments, node: ast.AST) -> n.Expr:
    """The first argument as a scalar."""
    if not given.positional:
        raise NotHandled("a call without its argument", node)
    return ops.scalar(cx, given.positional[0], node)


def scalars(cx: Context, given: Arguments, node: ast.AST) -> tuple[n.Expr, ...]:
    return tuple(ops.scalar(cx, v, node) for v in given.positional)


def unknown(cx: Context, node: ast.Call, given: Arguments | None = None) -> Value:
    """A call of something that is not known: it may touch the arrays that it is given.

    Parameters of the kernel that no use tells to be arrays are taken for numbers, which is an option
    `number` of the kernel: the verdict then rests on it.
    """
    given = given if given is not None else arguments(cx, node)
    values = (*given.positional, *given.keywords.values())
    touched = tuple(dict.fromkeys(name for v in values for name in _touched(v)))
    what = f"call of {text_of(node.func)}, which is not known"
    hidden = any(isinstance(e, ast.Starred) for e in node.args)  # `*args`, of which not all may be known
    if touched or hidden or any(isinstance(v, Function) for v in values):
        cx.emit(n.Unsupported(what, touched, (), cx.span(node)))
    else:
        cx.assumes("number", (v.name for v in values if isinstance(v, n.Var) and _maybe_array(cx, v)))
        operands = tuple(v for v in values if isinstance(v, SCALARS))
        cx.emit(n.Effect(what, operands, cx.span(node)))
    return Foreign(cx.fresh(text_of(node.func), UNKNOWN, node))


def _maybe_array(cx: Context, value: n.Var) -> bool:
    """Whether it is a parameter of which no use tells what it is."""
    unknown = value.type == UNKNOWN and value.name in cx.params
    return unknown and not cx.kernel.get(value.name).number


def _touched(value: Value) -> Iterable[str]:
    if isinstance(value, Record) and value.array is not None:
        return (value.array.name,)
    if isinstance(value, Method):
        return _touched(value.owner)
    return arrays_of(value)


def given_array(cx: Context, value: Value, rank: int | None, node: ast.AST) -> Array:
    """An array argument; a global one becomes a parameter."""
    from gpulint.frontend.numba.closures import array_closure
    from gpulint.frontend.numba.values import Unresolved

    if isinstance(value, Unresolved):
        value = array_closure(cx, value, rank, node)
    if isinstance(value, n.Var) and value.name in cx.params:
        value = promote(cx, value, rank)
    if not isinstance(value, Array):
        raise NotHandled("a number where an array is needed", node)
    return value
