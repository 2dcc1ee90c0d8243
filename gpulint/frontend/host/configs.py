"""What an autotuner and heuristics give a tile kernel: meta-parameters, options, computed constants."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpulint.frontend.host import follow
from gpulint.frontend.host.machine import Frame, Machine, shorten, text_of
from gpulint.frontend.host.state import State
from gpulint.frontend.host.values import (
    NONE,
    Cond,
    Config,
    Const,
    Function,
    Kernel,
    Map,
    Num,
    Ratio,
    Seq,
    Tuner,
    Unknown,
    Value,
    as_int,
)
from gpulint.source.model import KernelSource
from gpulint.term import show

MAX_CONFIGS = 6
OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")
TUNERS = ("autotune", "libtuner", "tuner")


@dataclass
class Variant:
    """One way in which a launch runs: values that the decorators add, and what is not understood."""

    values: dict[str, Value] = field(default_factory=dict)
    options: dict[str, Value] = field(default_factory=dict)
    text: str = ""
    notes: list[str] = field(default_factory=list)


def make(args: Sequence[Value], kw: Mapping[str, Value]) -> Config | None:
    """`triton.Config(kwargs, num_warps=...)`; None when the meta-parameters are not known by name."""
    meta = kw.get("kwargs", args[0] if args else Map(()))
    if not isinstance(meta, Map):
        return None
    pairs = [(k.value, v) for k, v in meta.items if isinstance(k, Const) and isinstance(k.value, str)]
    if len(pairs) != len(meta.items):
        return None
    given = dict(zip(OPTIONS, args[1:], strict=False)) | {k: v for k, v in kw.items() if k in OPTIONS}
    return Config(tuple(pairs), tuple(given.items()))


def tuner(path: str, args: Sequence[Value], kw: Mapping[str, Value]) -> Tuner | None:
    """The decorator that a call of `triton.autotune` or `triton.heuristics` makes; None for other calls."""
    option, name = {
        "triton.autotune": ("autotune", "configs"),
        "triton.heuristics": ("heuristics", "values"),
    }.get(path, ("", ""))
    value = kw.get(name, args[0] if args else None)
    return Tuner(option, value) if option and value is not None else None


def variants(m: Machine, kernel: Kernel) -> list[Variant]:
    """The autotuner's configurations, one for each distinct set of meta-parameters.

    Of more than a few, those with the smallest and the largest blocks are kept. One variant without
    values when the kernel is not tuned; with a note when the configurations are not understood.
    """
    source = kernel.source
    found = [(t.value, "of the launch") for t in kernel.tuners if t.option == "autotune"]
    exprs = [e for e in map(_configs, _calls(source)) if e is not None]
    found += [(outside(m, source, e), f"`{shorten(text_of(e))}`") for e in exprs]
    out = [Variant()]
    for value, text in found:
        out = [_joined(a, b) for a in out for b in _tuned(value, text)][:MAX_CONFIGS]
    return out


def _calls(source: KernelSource) -> list[ast.Call]:
    """The decorators with arguments, outermost first, and those that were recorded as options."""
    marks = [d for d in getattr(source.node, "decorator_list", []) if isinstance(d, ast.Call)]
    given = [e for e in source.options.values() if isinstance(e, ast.Call)]
    return [*marks, *(e for e in given if all(e is not d for d in marks))]


def _name(call: ast.Call) -> str:
    func = call.func
    return str(getattr(func, "attr", getattr(func, "id", "")))


def _configs(call: ast.Call) -> ast.expr | None:
    named = next((k.value for k in call.keywords if k.arg == "configs"), None)
    if named is not None or not _name(call).endswith(TUNERS):
        return named
    return call.args[0] if call.args else None


def _joined(a: Variant, b: Variant) -> Variant:
    text = ", ".join(t for t in (a.text, b.text) if t)
    return Variant({**a.values, **b.values}, {**a.options, **b.options}, text, [*a.notes, *b.notes])


def _tuned(value: Value, text: str) -> list[Variant]:
    items = value.items if isinstance(value, Seq) else ()
    configs = [c for c in items if isinstance(c, Config)]
    if not configs or len(configs) != len(items):
        return [Variant(notes=[f"the configurations {text} are not understood"])]
    distinct: dict[tuple[tuple[str, Value], ...], Config] = {}
    for c in configs:
        distinct.setdefault(c.meta, c)
    kept = list(distinct.values())
    if len(kept) > MAX_CONFIGS:
        order = sorted(range(len(kept)), key=lambda k: (_weight(kept[k]), k))
        ends = {*order[: MAX_CONFIGS // 2], *order[-(MAX_CONFIGS // 2) :]}
        kept = [c for k, c in enumerate(kept) if k in ends]
    return [Variant(dict(c.meta), dict(c.options), _text(c)) for c in kept]


def _weight(c: Config) -> int:
    """The product of the meta-parameters: how much one program works on."""
    known = [as_int(v) for _, v in c.meta]
    return math.prod(max(t.value, 1) for t in known if t is not None and t.value is not None)


def _text(c: Config) -> str:
    return ", ".join(f"{name}={_shown(v)}" for name, v in (*c.meta, *c.options))


def _shown(v: Value) -> str:
    if isinstance(v, Cond):
        return show(v.term)
    term = as_int(v)
    if term is not None:
        return show(term)
    if isinstance(v, Ratio):
        return f"{show(v.num)} / {show(v.den)}"
    return repr(v.value) if isinstance(v, Const) else getattr(v, "name", "...")


def heuristics(m: Machine, s: State, kernel: Kernel, values: dict[str, Value], node: ast.Call) -> list[str]:
    """Adds what `triton.heuristics` computes from the arguments; the answer names what is not understood."""
    notes: list[str] = []
    tables = [(t.value, "of the launch") for t in kernel.tuners if t.option == "heuristics"]
    for call in _calls(kernel.source):
        if not _name(call).endswith("heuristics"):
            continue
        expr = next(
            (k.value for k in call.keywords if k.arg == "values"), call.args[0] if call.args else None
        )
        table = outside(m, kernel.source, expr) if expr is not None else NONE
        tables.append((table, f"`{shorten(text_of(expr or call))}`"))
    for table, text in tables:
        if not isinstance(table, Map):
            notes.append(f"the heuristics {text} are not understood")
            continue
        for key, rule in table.items:
            if isinstance(key, Const) and isinstance(key.value, str):
                values[key.value] = apply_to(m, s, rule, values, node, key.value)
    return notes


def apply_to(
    m: Machine, s: State, rule: Value, values: Mapping[str, Value], node: ast.Call, name: str
) -> Value:
    """`rule(META)` for a function of the arguments by name."""
    if not isinstance(rule, Function):
        return m.opaque(name)
    meta = Map(tuple((Const(k), v) for k, v in values.items()))
    there = ast.copy_location(ast.Constant(None), node)
    call = ast.copy_location(ast.Call(there, [there], []), node)
    value = follow.follow(m, s, rule, [meta], {}, call)
    return (
        m.opaque(name)
        if isinstance(value, Unknown) and not value.free and value.name not in m.notes
        else value
    )


def outside(m: Machine, source: KernelSource, expr: ast.expr) -> Value:
    """The value of an expression of the kernel's decorators or defaults, where the kernel is defined."""
    scope = source.scope.parent or source.scope
    key = (id(expr), "where the kernel is defined")
    if key not in m.globals:
        stub = ast.Lambda(ast.arguments([], [], None, [], [], None, []), expr)
        recording, m.recording = m.recording, False
        steps, m.steps = m.steps, 0
        m.concrete += 1
        m.frames.append(Frame(Function(stub, scope, scope.module)))
        try:
            m.globals[key] = m.eval(State(), expr)
        finally:
            m.frames.pop()
            m.concrete -= 1
            m.recording = recording
            m.steps = steps
    return m.globals[key]


def plain(v: Value) -> bool:
    """Whether a value is one number, truth value, string or None."""
    return isinstance(v, (Num, Cond, Const, Ratio))
