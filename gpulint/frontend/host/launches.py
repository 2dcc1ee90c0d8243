"""Launch configurations and launches."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gpulint.frontend.host.elements import exposed
from gpulint.frontend.host.machine import Machine, shorten, text_of
from gpulint.frontend.host.ranks import extents, known_ranks, links
from gpulint.frontend.host.site import FORALL_BLOCK, Argument, HostArray, LaunchSite, Other, Scalar
from gpulint.frontend.host.state import State
from gpulint.frontend.host.tensors import bounds
from gpulint.frontend.host.uses import KernelUses, uses_of
from gpulint.frontend.host.values import (
    NONE,
    Arr,
    Choice,
    Cond,
    Configured,
    Const,
    Kernel,
    Num,
    Ratio,
    Seq,
    Unknown,
    Value,
    as_array,
    as_int,
)
from gpulint.ir.span import Span
from gpulint.ir.types import BOOL, FLOAT64, UNKNOWN
from gpulint.term import ONE, Bool, Int, bool_sym, cdiv, const, ge, select, sym
from gpulint.term import symbols as symbols_of

LEAST_TPB, MAX_TPB = 32, 1024  # that a driver gives a launch by itself: whole warps


def configure(m: Machine, s: State, kernel: Value, node: ast.Subscript) -> Value:
    """`kernel[grid, block, stream, shared]`."""
    text = text_of(node)
    exprs = _elements(s, node.slice)
    if isinstance(kernel, Choice) and not any(isinstance(v, Kernel) for _, v in kernel.options):
        return m.opaque(text)
    value = m.eval(s, node.slice)
    if isinstance(value, Seq) and 2 <= len(value.items) <= 4:
        return Configured(kernel, value.items, exprs, text=text)
    if isinstance(value, Unknown):
        parts = tuple(m.part(value, f"[{k}]") for k in range(2))
        return Configured(kernel, parts if value.kind == "" else None, (), text=text)
    return Configured(kernel, None, (), text=text)


def _elements(s: State, node: ast.expr) -> tuple[ast.expr | None, ...]:
    """The expressions of the configuration, through one name."""
    if isinstance(node, ast.Name):
        node = s.defs.get(node.id, node)
    if isinstance(node, ast.Tuple):
        return tuple(s.defs.get(e.id, e) if isinstance(e, ast.Name) else e for e in node.elts)
    return ()


def forall(
    m: Machine, s: State, kernel: Value, args: Sequence[Value], kw: dict[str, Value], text: str
) -> Value:
    """`kernel.forall(n, tpb, stream, sharedmem)`: blocks enough for n threads."""
    count = as_int(kw.get("ntasks", args[0] if args else None))
    if count is None:
        return m.opaque(text)
    tpb = kw.get("tpb", args[1] if len(args) > 1 else None)
    block = as_int(tpb) if tpb is not None and tpb != NONE else None
    if block is None or block.value == 0:
        block = sym(m.namer.unique(f"{text}.{FORALL_BLOCK}"), lo=LEAST_TPB, hi=MAX_TPB)
    shared = kw.get("sharedmem", args[3] if len(args) > 3 else Num(ONE * 0))
    return Configured(kernel, (Num(cdiv(count, block)), Num(block), NONE, shared), (), True, text)


def launch(m: Machine, s: State, config: Configured, args: Sequence[Value], node: ast.Call) -> Value:
    """Records a launch site for each kernel that the configuration may hold."""
    options = config.kernel.options if isinstance(config.kernel, Choice) else ((ONE_TRUE, config.kernel),)
    for cond, kernel in options:
        if isinstance(kernel, Kernel) and kernel.source.device is not True:
            path = s.copy() if cond != ONE_TRUE else s
            if cond != ONE_TRUE:
                path.assume(cond)
            if not path.dead:
                m.record(site_of(m, path, config, kernel, args, node))
    written(s, config.kernel, args, {})
    return NONE


ONE_TRUE: Bool = ge(ONE, ONE)


def written(s: State, kernel: Value, args: Sequence[Value], kw: Mapping[str, Value]) -> None:
    """A kernel may fill what it is given; it changes the elements of what it stores through."""
    options = [k for _, k in kernel.options] if isinstance(kernel, Choice) else [kernel]
    for k in options:
        names = uses_of(k.source).names if isinstance(k, Kernel) else ()
        given = [*zip(names, args, strict=False), *kw.items(), *(("", v) for v in args[len(names) :])]
        for name, v in given:
            if not isinstance(k, Kernel) or name not in names or name in uses_of(k.source).stored:
                exposed(s, v)


def site_of(
    m: Machine, s: State, config: Configured, kernel: Kernel, args: Sequence[Value], node: ast.Call
) -> LaunchSite:
    elements = config.elements or (NONE, NONE)
    rank = uses_of(kernel.source).rank
    elements = tuple(as_tuple(m, e, rank if k < 2 else 1) for k, e in enumerate(elements))
    grid, block = dims(elements[0]), dims(elements[1])
    notes: list[str] = []
    for what, value, sizes in (("grid", elements[0], grid), ("block", elements[1], block)):
        if sizes is None:
            notes.append(f"the {what} of `{shorten(config.text)}` is not known")
        elif isinstance(value, Unknown) and value.kind == "":
            notes.append(f"`{value.name}` is taken as one number")
    arguments, more = bind(m, s, kernel, args, node)
    notes += more
    if m.expecting:
        notes.append("the launch is expected to fail")
    shared = as_int(elements[3]) if len(elements) > 3 else const(0) if config.elements else None
    positive = [ge(t, 1) for t in (*(grid or ()), *(block or ())) if t.lo is None or t.lo < 1]
    facts = [f for f in (*s.facts, *positive) if symbols_of(f)]
    arguments, linked = _ranked(arguments, facts, (*(grid or ()), *(block or ())))
    parts = [*(grid or ()), *(block or ()), *facts, *terms(arguments), *((shared,) if shared else ())]
    why = m.why(sym.name for sym in symbols_of(*parts))
    why += m.why(a.name for a in arguments.values() if isinstance(a, HostArray) and a.shape is None)
    inexact = [n for n in notes if "taken as" not in n]
    source = kernel.source
    function = m.frames[-1].function if m.frames else None
    return LaunchSite(
        source.qualname, m.span(node), grid, block, arguments,
        (*relevant(facts, arguments, grid, block), *linked),
        shared, span_of(m, config, 0, node), span_of(m, config, 1, node), config.forall,
        not inexact and not why, tuple(dict.fromkeys((*notes, *why))),
        function.scope.qualname if function is not None else "",
        source.module.filename, getattr(source.node, "lineno", 0),
        ranked=not any(isinstance(v, Unknown) and v.kind == "" for v in elements[:2]),
    )  # fmt: skip


def as_tuple(m: Machine, v: Value, rank: int = 1) -> Value:
    """An unknown that the code indexes elsewhere is a tuple; so is the size of a launch of higher rank."""
    if not isinstance(v, Unknown):
        return v
    count = min(m.indexed.get(v.name, 0), 3)
    if not count and v.kind == "" and rank > 1:
        count = rank
    return Seq(tuple(m.part(v, f"[{k}]") for k in range(count))) if count else v


def dims(v: Value) -> tuple[Int, ...] | None:
    if isinstance(v, Seq):
        terms = [as_int(i) for i in v.items]
        known = tuple(t for t in terms if t is not None)
        return known if 1 <= len(known) <= 3 and len(known) == len(terms) else None
    if isinstance(v, (Num, Unknown, Cond)):
        term = as_int(v)
        return None if term is None else (term,)
    return None


def span_of(m: Machine, config: Configured, index: int, node: ast.Call) -> Span | None:
    if config.forall:
        return m.span(node.func)
    expr = config.exprs[index] if index < len(config.exprs) else None
    return m.span(expr) if expr is not None and hasattr(expr, "lineno") else None


def bind(
    m: Machine, s: State, kernel: Kernel, args: Sequence[Value], node: ast.Call
) -> tuple[dict[str, Argument], list[str]]:
    """Arguments by the kernel's parameter names."""
    spec = kernel.source.node.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    notes = []
    if any(isinstance(a, ast.Starred) for a in node.args) and len(args) != len(names):
        notes.append("the arguments are spread from a sequence of unknown length")
        args = ()
    elif len(args) != len(names) and spec.vararg is None:
        notes.append(f"{len(args)} arguments are given for {len(names)} parameters")
    uses = uses_of(kernel.source)
    exprs: list[ast.expr | None] = list(node.args) if len(node.args) == len(args) else [None] * len(args)
    if spec.vararg is not None:
        names += [f"{spec.vararg.arg}[{k}]" for k in range(len(args) - len(names))]
    out: dict[str, Argument] = {}
    for name, v, e in zip(names, args, exprs, strict=False):
        out.update(_parts(m, s, v, e, uses, name))
    return out, notes


def _parts(
    m: Machine, s: State, v: Value, expr: ast.expr | None, uses: KernelUses, name: str
) -> Iterator[tuple[str, Argument]]:
    """An argument and, of a tuple, its items as arguments `name[0]`, ... of their own."""
    if not isinstance(v, Seq):
        yield name, argument(m, s, v, expr, uses, name)
        return
    yield name, Other(shorten(text_of(expr)) if expr is not None else name, items=len(v.items))
    written = expr.elts if isinstance(expr, (ast.Tuple, ast.List)) else ()
    for k, item in enumerate(v.items):
        own = written[k] if len(written) == len(v.items) else None
        yield from _parts(m, s, item, own, uses, f"{name}[{k}]")


def argument(m: Machine, s: State, v: Value, expr: ast.expr | None, uses: KernelUses, name: str) -> Argument:
    """One argument as the site shows it."""
    text = shorten(text_of(expr)) if expr is not None else name
    if isinstance(v, Unknown):
        return _unknown(m, s, v, uses.kind(name), text)
    if isinstance(v, Arr):
        return host_array(s, v, text if isinstance(expr, (ast.Name, ast.Attribute)) else v.name)
    if isinstance(v, Num):
        if uses.kind(name) == "array":
            return host_array(s, Arr(text, None, text, m.opaque(text).name), text)
        return Scalar(v.term, v.type)
    if isinstance(v, Cond):
        return Scalar(select(v.term, 1, 0), BOOL)
    if isinstance(v, Ratio):
        return Scalar(None, FLOAT64)
    if isinstance(v, Const) and isinstance(v.value, float):
        return Scalar(None, FLOAT64, v.value)
    return Other(text)


def _unknown(m: Machine, s: State, v: Unknown, kind: str, text: str) -> Argument:
    if v.kind == "text":
        return Other(text)
    if v.kind in ("int", "bool") or (kind == "scalar" and v.kind != "array"):
        return Scalar(as_int(v) if v.kind != "bool" else select(bool_sym(v.name), 1, 0), UNKNOWN)
    array = as_array(v)
    if array is None:  # an object
        return Other(text)
    made = host_array(s, array, v.name)
    return made if kind == "array" or v.kind == "array" else replace(made, scalar=as_int(v))


def host_array(s: State, a: Arr, text: str) -> HostArray:
    name = text if a.shape is not None else a.shape_of or a.name
    literal = bool_sym(f"{a.shape_of or a.name}.flags.c_contiguous")
    contiguous = True if literal in s.facts and a.whole else a.contiguous
    initialised = s.touched.get(a.buffer, a.initialised)
    low, high = bounds(s, a)
    return HostArray(
        name, a.shape, a.buffer, a.fresh, a.whole, initialised, contiguous, a.dtype, sharing=a.sharing,
        low=low, high=high, injective=a.injective, sorted=a.sorted, start=a.start,
    )  # fmt: skip


def _ranked(
    arguments: dict[str, Argument], facts: Sequence[Bool], sizes: Sequence[Int]
) -> tuple[dict[str, Argument], list[Bool]]:
    """Gives arrays the shapes that facts on their rank fix."""
    ranks = known_ranks(facts)
    used = symbols_of(*facts, *sizes, *terms(arguments))
    out: dict[str, Argument] = {}
    more: dict[Bool, None] = {}
    for param, a in arguments.items():
        if isinstance(a, HostArray) and a.shape is None and 0 < ranks.get(a.name, 0) <= 8:
            more.update(dict.fromkeys(links(a.name, ranks[a.name], used)))
            a = replace(a, shape=extents(a.name, ranks[a.name]))
        out[param] = a
    known = set(facts)
    return out, [f for f in more if f not in known]


def terms(arguments: dict[str, Argument]) -> list[Int]:
    out: list[Int] = []
    for a in arguments.values():
        if isinstance(a, Scalar) and a.term is not None:
            out.append(a.term)
        if isinstance(a, HostArray):
            out.extend(a.shape or ())
            out.extend(a.strides or ())
            out.extend(t for t in (a.span, a.low, a.high, a.start) if t is not None)
    return out


def relevant(
    facts: Sequence[Bool],
    arguments: dict[str, Argument],
    grid: tuple[Int, ...] | None,
    block: tuple[Int, ...] | None,
) -> tuple[Bool, ...]:
    """The facts that are connected with the launch through the symbols they mention."""
    known = {s.name for s in symbols_of(*terms(arguments), *(grid or ()), *(block or ()))}
    arrays = tuple(
        f"{a.name}.{part}"
        for a in arguments.values()
        if isinstance(a, HostArray)
        for part in ("size", "shape[", "ndim", "stride(")
    )
    kept: dict[int, Bool] = {}
    named = [(k, f, {s.name for s in symbols_of(f)}) for k, f in enumerate(facts)]
    while True:
        more = [t for t in named if t[0] not in kept and (t[2] & known or _about(t[2], arrays))]
        if not more:
            return tuple(dict.fromkeys(kept[k] for k in sorted(kept)))
        for k, fact, names in more:
            kept[k] = fact
            known |= names


def _about(names: set[str], arrays: tuple[str, ...]) -> bool:
    """Whether a condition is on the extents of an array that is passed."""
    return any(n.startswith(arrays) for n in names) if arrays else False
