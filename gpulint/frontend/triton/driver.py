"""Kernel source to kernel IR: lowered again until the kinds of the parameters no longer change."""

from __future__ import annotations

import ast

from gpulint.frontend.shared.limits import TooLarge, deep_recursion
from gpulint.frontend.shared.spans import header_span
from gpulint.frontend.shared.syntax import tails, text_of
from gpulint.frontend.triton import (  # noqa: F401
    attributes,
    autotune,
    calls,
    grid,
    loops,
    memory,
    opaque,
    products,
    tiles,
    windows,
)
from gpulint.frontend.triton import world as worlds
from gpulint.frontend.triton.context import Context, Frame
from gpulint.frontend.triton.kinds import Kinds
from gpulint.frontend.triton.statements import body, unsupported
from gpulint.ir import nodes as n
from gpulint.ir.tiles import sized
from gpulint.source import constants
from gpulint.source.model import KernelSource
from gpulint.source.resolve import Project

MAX_ROUNDS = 8


def lower(source: KernelSource, project: Project) -> n.Kernel:
    """The kernel, device functions inlined, for one element of each tile.

    What is not handled is an `Unsupported` statement in its place; a kernel past a limit is one such
    statement that may touch every array. Options of kind `closure` name the constexpr parameters that stand
    for globals.
    """
    world = worlds.of(project)
    kinds = Kinds(wide=source.wide, asserted=source.asserted)
    with deep_recursion():
        for _ in range(MAX_ROUNDS):
            before = kinds.state()
            cx = _round(source, world, kinds)
            _learn(cx, kinds)
            if kinds.state() == before or cx.given_up:
                break
    return sized(_kernel(cx, source, project))


def _round(source: KernelSource, world: worlds.World, kinds: Kinds) -> Context:
    frame = Frame(source.node, source.scope, source.module)
    frame.tails = tails(source.node)
    cx = Context(world, frame, kinds)
    try:
        _parameters(cx, source)
        cx.active.append(source.node)
        if isinstance(source.node, (ast.Lambda, ast.AsyncFunctionDef)):
            unsupported(cx, "a lambda or async function as a kernel", source.node)
        else:
            body(cx, source.node.body)
    except (TooLarge, RecursionError) as error:
        arrays = tuple(name for name, p in cx.params.items() if p.is_array)
        cx.given_up = True
        reason = str(error) if isinstance(error, TooLarge) else "code nested too deeply"
        cx.out = [n.Unsupported(reason, arrays, (), header_span(source))]
    return cx


def _parameters(cx: Context, source: KernelSource) -> None:
    args = source.node.args
    names = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    cx.names.reserve(a.arg for a in names)
    bindings = source.scope.bindings
    for a in names:
        if a.arg in source.given:
            value = worlds.plain(source.given[a.arg])
        else:
            value = attributes.declared(cx, a.arg, cx.kinds, a, is_constexpr(cx, a.annotation))
        if all(b.kind == "param" for b in bindings.get(a.arg, ())):
            cx.frame.env[a.arg] = value
            cx.frame.canonical[a.arg] = a.arg
        else:
            cx.frame.env[a.arg] = cx.hold(a.arg, value, cx.span(a))
    if args.vararg is not None:
        cx.frame.env[args.vararg.arg] = attributes.declared(cx, args.vararg.arg, cx.kinds, args.vararg, False)
    cx.names.reserve(name for name in bindings if name not in cx.params and name not in cx.frame.canonical)
    for name in bindings:
        cx.frame.canonical.setdefault(name, name)


def is_constexpr(cx: Context, annotation: ast.expr | None) -> bool:
    """Whether an annotation is `tl.constexpr`, under any of its names or as a string."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value.rpartition(".")[2] == "constexpr"
    if isinstance(annotation, ast.Subscript):
        annotation = annotation.value
    if isinstance(annotation, ast.BinOp):
        return is_constexpr(cx, annotation.left) or is_constexpr(cx, annotation.right)
    text = annotation.attr if isinstance(annotation, ast.Attribute) else getattr(annotation, "id", "")
    if text == "constexpr":
        return True
    scope = cx.frame.scope.parent or cx.frame.scope
    return annotation is not None and cx.world.project.dotted(annotation, scope) in (
        "triton.language.constexpr", "triton.language.core.constexpr",
    )  # fmt: skip


def _learn(cx: Context, kinds: Kinds) -> None:
    """The parameters that flow into addresses, masks, bounds and conditions are integers."""
    seen: set[str] = set()
    todo = list(cx.sinks)
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo.extend(cx.defs.get(name, ()))
    for name, p in cx.params.items():
        if name in seen and not p.is_array and name not in kinds.texts:
            kinds.integers.add(name)
    kinds.integers -= kinds.pointers


# --- the whole


def _options(cx: Context, source: KernelSource, project: Project) -> tuple[tuple[str, str], ...]:
    out: list[tuple[str, str]] = []
    for name, value in source.options.items():
        folded = constants.fold(value, source.scope.parent or source.scope, project)
        out.append((name, str(folded.value) if folded is not None else text_of(value)))
    tuner = source.options.get("autotune")
    tuning = autotune.facts(tuner, source.module.tree) if tuner is not None else ()
    return (*out, *tuning, *cx.options)


def _kernel(cx: Context, source: KernelSource, project: Project) -> n.Kernel:
    return n.Kernel(
        source.names[0].rpartition(".")[2] if source.names else source.qualname.rpartition(".")[2],
        source.qualname,
        "triton",
        tuple(cx.params.values()),
        tuple(cx.out),
        source.module.span(source.node),
        header_span(source),
        source.declared,
        _options(cx, source, project),
    )
