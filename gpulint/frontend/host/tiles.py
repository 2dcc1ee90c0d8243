"""Launches of tile kernels: `kernel[grid](...)`, `kernel.run(..., grid=grid)`; one site a configuration."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gpulint.frontend.host import configs, launches
from gpulint.frontend.host.configs import OPTIONS, Variant
from gpulint.frontend.host.layout import SAME, divided, rank_links
from gpulint.frontend.host.machine import Machine, shorten, text_of
from gpulint.frontend.host.site import Argument, HostArray, LaunchSite, Other, Scalar
from gpulint.frontend.host.state import State
from gpulint.frontend.host.tensors import tensor
from gpulint.frontend.host.values import (
    NONE,
    Arr,
    Choice,
    Cond,
    Configured,
    Const,
    Dotted,
    DType,
    Function,
    Kernel,
    Map,
    Num,
    Ratio,
    Seq,
    Unknown,
    Value,
    as_array,
    as_int,
)
from gpulint.ir.types import BOOL, FLOAT64, UNKNOWN
from gpulint.source.model import KernelSource
from gpulint.term import FALSE, ONE, TRUE, Bool, Cmp, Int, Literal, Sym, bool_sym, ge, select, subst
from gpulint.term import symbols as symbols_of
from gpulint.term.build import of_atom

ONES = (ONE, ONE, ONE)


def is_tile(v: Value) -> bool:
    """Whether a launch of the value is that of a tile kernel."""
    if isinstance(v, Choice):
        return any(is_tile(o) for _, o in v.options)
    return isinstance(v, Kernel) and v.source.dialect != "numba"


def configure(m: Machine, s: State, kernel: Value, node: ast.Subscript) -> Value:
    """`kernel[grid]`."""
    expr: ast.expr = node.slice
    grid = m.eval(s, expr)
    if isinstance(expr, ast.Name):
        expr = s.defs.get(expr.id, expr)
    return Configured(kernel, (grid,), (expr,), text=text_of(node), tile=True)


def run(
    m: Machine, s: State, kernel: Value, args: list[Value], kw: dict[str, Value], node: ast.Call
) -> Value:
    """`kernel.run(..., grid=grid)`; a warm-up compiles and launches nothing."""
    if kw.get("warmup") == Cond(TRUE) or "grid" not in kw:
        return m.opaque(text_of(node))
    expr = next((k.value for k in node.keywords if k.arg == "grid"), None)
    config = Configured(kernel, (kw["grid"],), (expr,), text=text_of(node.func), tile=True)
    return launch(m, s, config, args, kw, node)


def launch(
    m: Machine, s: State, config: Configured, args: Sequence[Value], kw: Mapping[str, Value], node: ast.Call
) -> Value:
    """Records a site for each kernel and configuration that may run here."""
    options = config.kernel.options if isinstance(config.kernel, Choice) else ((TRUE, config.kernel),)
    for cond, kernel in options:
        if not isinstance(kernel, Kernel):
            continue
        path = s.copy() if cond != TRUE else s
        if cond != TRUE:
            path.assume(cond)
        if not path.dead:
            for variant in configs.variants(m, kernel):
                for site in _sites(m, path.copy(), config, kernel, args, dict(kw), node, variant):
                    m.record(site)
    launches.written(s, config.kernel, args, kw)
    return NONE


def _sites(
    m: Machine, s: State, config: Configured, kernel: Kernel, args: Sequence[Value],
    kw: dict[str, Value], node: ast.Call, variant: Variant,
) -> list[LaunchSite]:  # fmt: skip
    source = kernel.source
    given = _given(m, s, source, args, kw, node)
    given.notes += variant.notes
    given.values.update(variant.values)
    _missing(m, s, source, given)
    given.notes += configs.heuristics(m, s, kernel, given.values, node)
    options = {k: v for k, v in {**variant.options, **kw}.items() if k in OPTIONS}
    out = []
    for path, grid in _grids(m, s, config.elements[0] if config.elements else NONE, given, node):
        out.append(_site(m, path, config, source, given, grid, options, node, variant.text))
    return out


@dataclass
class _Given:
    """The arguments by parameter, the expressions that gave them, and what is not understood."""

    values: dict[str, Value]
    exprs: dict[str, ast.expr]
    notes: list[str]
    spread: bool = False


def _params(source: KernelSource) -> list[ast.arg]:
    spec = source.node.args
    return [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]


def _given(
    m: Machine, s: State, source: KernelSource, args: Sequence[Value], kw: dict[str, Value], node: ast.Call
) -> _Given:
    names = [a.arg for a in _params(source)]
    notes: list[str] = []
    spread = any(k.arg is None and f"**{text_of(k.value)}" in kw for k in node.keywords)
    starred = any(isinstance(a, ast.Starred) for a in node.args)
    if starred and len(args) == len(node.args):  # a spread sequence is one value still
        spread, args = True, args[: next(i for i, a in enumerate(node.args) if isinstance(a, ast.Starred))]
    if len(args) > len(names) and source.node.args.vararg is None:
        notes.append(f"{len(args)} arguments are given for {len(names)} parameters")
    values = dict(zip(names, args, strict=False))
    exprs: dict[str, ast.expr] = {}
    if not starred:
        exprs.update(zip(names, node.args, strict=False))
    exprs.update({k.arg: k.value for k in node.keywords if k.arg in names})
    values.update({k: v for k, v in kw.items() if k in names})
    if spread:
        notes.append("the arguments are spread from a value that is not known")
    return _Given(values, exprs, notes, spread)


def _missing(m: Machine, s: State, source: KernelSource, given: _Given) -> None:
    """Defaults, and free unknowns for what nothing gives; a meta-parameter is at least one."""
    spec = source.node.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    pairs = list(zip(names[len(names) - len(spec.defaults) :], spec.defaults, strict=False))
    pairs += [(a.arg, d) for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=False) if d is not None]
    defaults = dict(pairs)
    for arg in _params(source):
        if arg.arg in given.values:
            continue
        if arg.arg in defaults and not given.spread:
            given.values[arg.arg] = configs.outside(m, source, defaults[arg.arg])
            continue
        free = m.unknown(arg.arg, f"nothing in view gives `{arg.arg}` a value")
        given.values[arg.arg] = free
        if is_constexpr(arg):
            s.assume(ge(as_int(free) or ONE, 1))


def is_constexpr(arg: ast.arg) -> bool:
    return arg.annotation is not None and "constexpr" in text_of(arg.annotation)


def _grids(m: Machine, s: State, v: Value, given: _Given, node: ast.Call) -> list[tuple[State, Value]]:
    """The grid on each path: a function is called with the arguments by name."""
    if isinstance(v, Choice):
        out = []
        for cond, option in v.options:
            path = s.copy().assume(cond)
            out += _grids(m, path, option, given, node) if not path.dead else []
        return out
    if isinstance(v, Function):
        v = configs.apply_to(m, s, v, given.values, node, "grid")
        if isinstance(v, Choice):
            return [(s, NONE)]
    return [(s, v)] if not s.dead else []


def _site(
    m: Machine, s: State, config: Configured, source: KernelSource, given: _Given, grid: Value,
    options: Mapping[str, Value], node: ast.Call, text: str,
) -> LaunchSite:  # fmt: skip
    grid = launches.as_tuple(m, grid)
    dims = launches.dims(grid)
    notes = list(given.notes)
    if dims is None:
        notes.append(f"the grid of `{shorten(config.text)}` is not known")
    elif isinstance(grid, Unknown) and grid.kind == "":
        notes.append(f"`{grid.name}` is taken as one number")
    if m.expecting:
        notes.append("the launch is expected to fail")
    order = [a for a in _params(source) if a.arg in given.values]
    arguments = {a.arg: argument(m, s, given.values[a.arg], given.exprs.get(a.arg), a) for a in order}
    work = _Terms(s, arguments, dims, {k: t for k, v in options.items() if (t := as_int(v)) is not None})
    why = m.why(work.names())
    why += m.why(a.name for a in work.arguments.values() if isinstance(a, HostArray) and a.shape is None)
    presumed = _presumed(m, work)
    notes += presumed
    inexact = [n for n in notes if "taken as" not in n]
    function = m.frames[-1].function if m.frames else None
    return LaunchSite(
        source.qualname, m.span(node), work.dims, ONES, work.arguments, work.facts(), None,
        launches.span_of(m, config, 0, node), None, False, not inexact and not why,
        tuple(dict.fromkeys((*notes, *why))), function.scope.qualname if function is not None else "",
        source.module.filename, getattr(source.node, "lineno", 0),
        ranked=not (isinstance(grid, Unknown) and grid.kind == ""), axes_named=bool(presumed), open=m.open,
        options=work.options, config=text,
        usual=tuple(subst(f, work.links) for f in m.usual),
        option_spans={k.arg: m.span(k.value) for k in node.keywords if k.arg in OPTIONS},
    )  # fmt: skip


def _presumed(m: Machine, work: _Terms) -> list[str]:
    """What is taken for granted of the arrays that the launch speaks of."""
    used = {v.name for v in symbols_of(*work.all())}
    return [
        why for name, why in m.presumed.items() if any(n == name or n.startswith(f"{name}.") for n in used)
    ]


def argument(m: Machine, s: State, v: Value, expr: ast.expr | None, param: ast.arg) -> Argument:
    """One argument as the site shows it."""
    text = shorten(text_of(expr)) if expr is not None else param.arg
    if isinstance(v, Arr):
        return tensor(m, s, v, text if isinstance(expr, (ast.Name, ast.Attribute)) else v.name)
    if isinstance(v, Unknown):
        return _unknown(m, s, v, text, param)
    if isinstance(v, Num):
        return Scalar(v.term, v.type)
    if isinstance(v, Cond):
        return Scalar(select(v.term, 1, 0), BOOL)
    if isinstance(v, Ratio):
        return Scalar(None, FLOAT64)
    if isinstance(v, Const) and isinstance(v.value, float):
        return Scalar(None, FLOAT64, v.value)
    if v == NONE:
        return Other(text, TRUE, True)
    if isinstance(v, (Const, DType, Dotted, Function, Kernel)):
        return Other(text, FALSE, True)
    return Other(text, FALSE if isinstance(v, (Seq, Map)) else None)


def _unknown(m: Machine, s: State, v: Unknown, text: str, param: ast.arg) -> Argument:
    none = m.literal(f"{v.name} is None")
    if v.kind == "float":
        return Scalar(None, FLOAT64)
    if v.kind == "text":
        return Other(text, none, v.free)
    if v.kind == "bool":
        return Scalar(select(bool_sym(v.name), 1, 0), BOOL)
    if v.kind == "int" or (is_constexpr(param) and v.kind == ""):
        return Scalar(as_int(v), UNKNOWN)
    array = as_array(v)
    if array is None:
        return Other(text)
    made = replace(tensor(m, s, array, v.name), none=none)
    return made if v.kind == "array" else replace(made, scalar=as_int(v))


TERMS = ("span", "low", "high", "first", "last")  # of an argument


class _Terms:
    """The terms of one site, with the names of one quantity made one: rank-free extents, strides that
    a fact gives."""

    def __init__(
        self, s: State, arguments: dict[str, Argument], dims: tuple[Int, ...] | None, options: dict[str, Int]
    ) -> None:
        self.links = rank_links(s.facts)
        self.links.update(_stride_values([subst(f, self.links) for f in s.facts]))
        spoken: list[Int | Bool] = [*launches.terms(arguments), *(dims or ()), *s.facts]
        used = {v.name for t in spoken for v in symbols_of(_linked(t, self.links))}
        sizes = divided(used)
        self.links = {**sizes, **{k: subst(t, sizes) for k, t in self.links.items()}}
        self.arguments = {k: self._argument(a) for k, a in arguments.items()}
        self.dims = None if dims is None else tuple(subst(t, self.links) for t in dims)
        self.options = {k: subst(t, self.links) for k, t in options.items()}
        positive = [ge(t, 1) for t in self.dims or () if t.lo is None or t.lo < 1]
        self.known = [f for f in (*(subst(f, self.links) for f in s.facts), *positive) if _tells(f)]
        for v in sorted(symbols_of(*self.all()), key=lambda v: v.order):
            if ".stride(" in v.name and v.lo is None:
                self.known.append(ge(of_atom(v), 0))

    def _argument(self, a: Argument) -> Argument:
        if isinstance(a, Scalar):
            return replace(a, term=subst(a.term, self.links)) if a.term is not None else a
        if isinstance(a, Other):
            return a
        shape, strides = self._each(a.shape), self._each(a.strides)
        one = {k: subst(t, self.links) for k in TERMS if (t := getattr(a, k)) is not None}
        return replace(a, shape=shape, strides=strides, **one)

    def _each(self, terms: tuple[Int, ...] | None) -> tuple[Int, ...] | None:
        return None if terms is None else tuple(subst(t, self.links) for t in terms)

    def names(self) -> set[str]:
        """The names that the launch depends on: of its own terms, of facts about those, and of conditions
        that speak of the same things by name."""
        own = symbols_of(
            *(self.dims or ()), *launches.terms(self.arguments), *self.options.values(), *self.facts()
        )
        names = {v.name for v in own}
        roots = {w for name in names for w in _words(name)}
        others = {v.name for v in symbols_of(*self.known)} - names
        return names | {name for name in others if _words(name) & roots}

    def all(self) -> list[Int | Bool]:
        """Every term of the site."""
        return [*(self.dims or ()), *self.known, *launches.terms(self.arguments), *self.options.values()]

    def facts(self) -> tuple[Bool, ...]:
        return launches.relevant(self.known, self.arguments, self.dims, None)


def _tells(f: Bool) -> bool:
    """Whether a fact says something that the terms do not say by themselves."""
    names = symbols_of(f)
    return bool(names) and not (isinstance(f, Literal) and any(SAME in v.name for v in names))


def _linked(t: Int | Bool, links: Mapping[Sym, Int]) -> Int | Bool:
    if isinstance(t, Int):
        return subst(t, links)
    return subst(t, links)


def _words(name: str) -> set[str]:
    """The variables that a name speaks of: `f(x.shape[0], n)` of f, x and n."""
    return set(re.findall(r"(?<![\w.])[A-Za-z_]\w*", name))


def _stride_values(facts: Sequence[Bool]) -> dict[Sym, Int]:
    """Strides that an equation gives by other terms: `x.stride(1) == 1`."""
    out: dict[Sym, Int] = {}
    for f in facts:
        if not isinstance(f, Cmp) or f.op != "eq":
            continue
        for mono, coeff in f.poly.terms:
            v = mono[0] if len(mono) == 1 else None
            if not isinstance(v, Sym) or ".stride(" not in v.name or abs(coeff) != 1 or v in out:
                continue
            rest = of_atom(v) - f.poly * coeff
            if v not in symbols_of(rest) and not any(".stride(" in u.name for u in symbols_of(rest)):
                out[v] = rest
                break
    return out
