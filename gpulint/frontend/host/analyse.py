"""Finds the launch sites of a module: each function on its own, and as its callers in view use it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gpulint.frontend.host import autograd, documented, tensorparams, torchmethods
from gpulint.frontend.host.access import ARRAY_ATTRIBUTES, ARRAY_METHODS
from gpulint.frontend.host.arrays import says_shape
from gpulint.frontend.host.evaluate import evaluate
from gpulint.frontend.host.machine import Found, Frame, Machine, text_of
from gpulint.frontend.host.names import outside
from gpulint.frontend.host.site import HostArray, LaunchSite
from gpulint.frontend.host.state import State
from gpulint.frontend.host.statements import execute
from gpulint.frontend.host.unfollowed import unfollowed
from gpulint.frontend.host.values import Class, Function, Seq, Unknown, Value, as_int
from gpulint.source.constants import fold
from gpulint.source.model import KernelSource, Module, Scope
from gpulint.source.resolve import Project
from gpulint.term import Bool, Sym, eq, sym

TELLING = ARRAY_ATTRIBUTES | (ARRAY_METHODS - {"copy", "get", "set", "to", "view"})
ALLOCATING = frozenset({"zeros", "ones", "empty", "full", "arange", "device_array", "pinned_array"})
AnyFunction = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass
class Roots:
    """The functions of the module that launch, or call one that does."""

    launching: set[int]
    names: dict[int, str] = field(default_factory=dict)
    nodes: dict[int, ast.FunctionDef | ast.AsyncFunctionDef] = field(default_factory=dict)


def sites(module: Module, project: Project, kernels: Sequence[KernelSource]) -> list[LaunchSite]:
    """The launches in the module's host code of these kernels, in source order.

    A function is analysed with its parameters free, and once more for each of a few callers in
    view. Sites of a private function are left to its callers when every use of it was followed.
    Bounded: at most `MAX_SITES` sites; a launch in a function that is too long to follow is there
    with nothing known of it. `exact` false names in `notes` what was not understood.
    """
    if not kernels:
        return []
    table = {id(k.node): k for k in kernels}
    calls = Counter(id(k.decorator) for k in kernels)  # one that compiles several tells nothing of which
    only = [k for k in kernels if isinstance(k.decorator, ast.Call) and calls[id(k.decorator)] == 1]
    table.update({id(k.decorator): k for k in only})
    m = Machine(module, project, table, evaluate, execute)
    roots = _roots(module, kernels)
    m.launching = set(roots.launching)
    _module_level(m, module)
    for node, cls in _functions(module.tree):
        if id(node) in roots.launching and m.decorated(node) is None:
            _function(m, roots, node, cls)
    return _ordered(m, module, roots)


def _module_level(m: Machine, module: Module) -> None:
    m.begin(0)
    stub = ast.Lambda(ast.arguments([], [], None, [], [], None, []), ast.Constant(None))
    m.frames.append(Frame(Function(stub, module.scope, module)))
    execute(m, State(), module.tree.body)
    m.frames.pop()


def _functions(tree: ast.AST) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, ast.ClassDef | None]]:
    """Functions and methods that no other function encloses."""
    stack: list[tuple[ast.AST, ast.ClassDef | None]] = [(tree, None)]
    while stack:
        node, cls = stack.pop()
        for child in reversed(list(ast.iter_child_nodes(node))):
            if isinstance(child, AnyFunction):
                yield child, cls
            elif not isinstance(child, (ast.expr, ast.Lambda)):
                stack.append((child, child if isinstance(child, ast.ClassDef) else cls))


def _function(
    m: Machine, roots: Roots, node: ast.FunctionDef | ast.AsyncFunctionDef, cls: ast.ClassDef | None
) -> None:
    """Analyses a function with free parameters, then the functions nested in it."""
    scope = m.module.scopes.get(node)
    if scope is None:
        return
    m.begin(id(node))
    owner = Class(cls, m.module) if cls is not None else None
    m.open = tensorparams.given(node) if m.tiles and cls is None else frozenset()
    pending = _run(m, Function(node, scope, m.module), owner)
    exhausted = m.exhausted
    for _ in range(3):
        inner = [f for f in pending if id(f.node) in roots.launching]
        pending = []
        for function in inner:
            m.root, m.steps, m.open = id(function.node), 0, frozenset()
            mark = m.mark()
            deeper = _run(m, function, None)
            pending += deeper
            exhausted |= m.exhausted
            if not deeper:
                m.release(mark)
    if exhausted:
        m.calls = []
        for site in unfollowed(m, node, scope):
            m.record(site)


def _run(m: Machine, function: Function, owner: Class | None) -> list[Function]:
    s = State()
    s.env = parameters(m, function, owner)
    m.usual = tuple(_defaults(m, function, s.env))
    forward = autograd.forward_of(m, function, owner) if m.tiles else None
    if forward is not None:
        env = parameters(m, forward, owner)
        m.usual += tuple(_defaults(m, forward, env))
        autograd.remember(m, s, function, forward, env)
    if m.tiles:
        tensorparams.learn(m, s, function)
        m.sentinels = documented.sentinels(function.node, function.module, m.project)
    m.frames = [Frame(function)]
    assert not isinstance(function.node, ast.Lambda)
    end = execute(m, s, function.node.body)
    frame = m.frames.pop()
    last: Mapping[str, Value] = (
        end.env if end is not None else frame.returns[-1][0].env if frame.returns else {}
    )
    closure = {**function.closure, **last}
    return [replace(f, closure={**f.closure, **closure}) for f in frame.nested]


def parameters(m: Machine, function: Function, owner: Class | None) -> dict[str, Value]:
    """Free unknowns named as the parameters; a default is one possible value and no more."""
    spec = function.node.args
    hints = _hints(function.node, m.tiles)
    env: dict[str, Value] = {}
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    for k, name in enumerate([*names, *(a.arg for a in spec.kwonlyargs)]):
        if k == 0 and owner is not None and not _static(function.node):
            env[name] = replace(m.unknown(name, "state of an object"), kind="object", cls=owner)
            m.notes.pop(name, None)
        else:
            env[name] = m.unknown(name, "", hints.get(name, ""))
            length = _default_length(spec, name)
            if length:
                m.indexed[name] = length
    if spec.vararg is not None:
        env[spec.vararg.arg] = m.unknown(spec.vararg.arg, "")
    if spec.kwarg is not None:
        env[spec.kwarg.arg] = m.unknown(spec.kwarg.arg, "")
    return env


def _defaults(m: Machine, function: Function, env: Mapping[str, Value]) -> Iterator[Bool]:
    """Each number of the function at its default, and each in a short tuple."""
    assert not isinstance(function.node, ast.Lambda)
    spec, scope = function.node.args, function.scope.parent or function.scope
    params = [*spec.posonlyargs, *spec.args]
    pairs = list(zip(params[len(params) - len(spec.defaults) :], spec.defaults, strict=False))
    for arg, default in [*pairs, *zip(spec.kwonlyargs, spec.kw_defaults, strict=False)]:
        given = env.get(arg.arg)
        if default is None or not isinstance(given, Unknown):
            continue
        value = _constant(m, default, scope)
        if type(value) is int and given.kind == "int":
            yield eq(sym(given.name), value)
        elif isinstance(value, tuple) and len(value) <= 3:
            parts = enumerate(value)
            yield from (eq(sym(f"{given.name}[{k}]"), v) for k, v in parts if type(v) is int)


def _constant(m: Machine, default: ast.expr, scope: Scope) -> object:
    """The number, or tuple of numbers, that a default is; None where it is not known for certain."""
    folded = fold(default, scope, m.project)
    if folded is not None or not isinstance(default, (ast.Subscript, ast.Attribute, ast.Name)):
        return folded.value if folded is not None else None
    found = outside(m, default, scope)
    if isinstance(found, Seq):
        return tuple(t.value if (t := as_int(x)) is not None else None for x in found.items)
    term = as_int(found)
    return term.value if term is not None else None


def _default_length(spec: ast.arguments, name: str) -> int:
    """The length of a default that is a short tuple: the parameter is taken as one of that length."""
    params = [*spec.posonlyargs, *spec.args]
    pairs = list(zip(params[len(params) - len(spec.defaults) :], spec.defaults, strict=False))
    for arg, default in [
        *pairs,
        *((a, d) for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=False) if d),
    ]:
        if arg.arg == name and isinstance(default, ast.Tuple) and len(default.elts) <= 3:
            return len(default.elts)
    return 0


def _static(node: ast.AST) -> bool:
    marks = {getattr(d, "id", "") for d in getattr(node, "decorator_list", [])}
    return "staticmethod" in marks


def _hints(node: ast.AST, tiles: bool) -> dict[str, str]:
    """What defaults, annotations and uses say of the parameters' kinds."""
    hints: dict[str, str] = {}
    telling = TELLING | torchmethods.TELLING if tiles else TELLING
    spec = node.args  # type: ignore[attr-defined]
    params = [*spec.posonlyargs, *spec.args]
    pairs = list(zip(params[len(params) - len(spec.defaults) :], spec.defaults, strict=False))
    for arg, default in [*pairs, *zip(spec.kwonlyargs, spec.kw_defaults, strict=False)]:
        value = getattr(default, "value", None) if isinstance(default, ast.Constant) else None
        if isinstance(value, (bool, int, str)):
            hints[arg.arg] = {bool: "bool", int: "int", str: "text"}[type(value)]
        if isinstance(value, float) and tiles:
            hints[arg.arg] = "float"
    for arg in (*params, *spec.kwonlyargs):
        written = text_of(arg.annotation) if arg.annotation is not None and tiles else ""
        if written == "float" or "Tensor" in written:
            single = "[" not in written.replace("Optional[", "")
            hints[arg.arg] = "float" if written == "float" else "array" if single else ""
        if isinstance(arg.annotation, ast.Name) and arg.annotation.id in ("int", "bool", "str"):
            hints[arg.arg] = {"int": "int", "bool": "bool", "str": "text"}[arg.annotation.id]
    for n in ast.walk(node):
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.attr in telling:
            hints[n.value.id] = "array"
    for name in () if tiles else _counts(node):
        hints.setdefault(name, "int")
    return hints


def _counts(node: ast.AST) -> set[str]:
    """Names that are the whole shape of a new array, and of which no part is taken: `np.zeros(n)`."""
    counts: set[str] = set()
    parted: set[str] = set()
    for n in ast.walk(node):
        if isinstance(n, ast.Call) and n.args and isinstance(n.args[0], ast.Name):
            if isinstance(n.func, ast.Attribute) and n.func.attr in ALLOCATING:
                counts.add(n.args[0].id)
            elif getattr(n.func, "id", "") == "len":
                parted.add(n.args[0].id)
        if isinstance(n, (ast.Subscript, ast.Starred)) and isinstance(n.value, ast.Name):
            parted.add(n.value.id)
    return {name for name in counts - parted if not says_shape(name)}


def _roots(module: Module, kernels: Sequence[KernelSource]) -> Roots:
    """Functions that hold something like a launch or a kernel's name, and their callers, by name."""
    words = {n.rpartition(".")[2] for k in kernels for n in (*k.names, k.qualname)}
    roots = Roots(set())
    called: dict[int, set[str]] = {}
    for f in _uses(module.tree):
        roots.nodes[id(f.node)], roots.names[id(f.node)] = f.node, f.node.name
        called[id(f.node)] = f.names
        if f.launches or f.names & words:
            roots.launching.add(id(f.node))
    stored = [(t.attr, _names_in(value)) for t, value, _ in module.stores]
    for _ in range(4):
        wanted = {roots.names[i] for i in roots.launching} - {"__init__"}
        wanted |= {attr for attr, held in stored if held & (wanted | words)}
        more = {i for i, used in called.items() if used & wanted} - roots.launching
        if not more:
            break
        roots.launching |= more
    return roots


def _names_in(node: ast.AST) -> set[str]:
    return {
        n.id if isinstance(n, ast.Name) else n.attr
        for n in ast.walk(node)
        if isinstance(n, (ast.Name, ast.Attribute))
    }


@dataclass
class _Uses:
    """A function with the names and attributes in it, and whether it holds something like a launch."""

    node: ast.FunctionDef | ast.AsyncFunctionDef
    outer: _Uses | None
    names: set[str] = field(default_factory=set)
    launches: bool = False


def _uses(tree: ast.Module) -> list[_Uses]:
    """All functions; what is in a nested one is in those around it too."""
    found: list[_Uses] = []
    stack: list[tuple[ast.AST, _Uses | None]] = [(tree, None)]
    while stack:
        node, within = stack.pop()
        if isinstance(node, AnyFunction):
            within = _Uses(node, within)
            found.append(within)
        elif within is not None:
            _note(within, node)
        stack += [(child, within) for child in ast.iter_child_nodes(node)]
    for f in reversed(found):
        if f.outer is not None:
            f.outer.names |= f.names
            f.outer.launches |= f.launches
    return found


def _note(f: _Uses, n: ast.AST) -> None:
    if isinstance(n, ast.Name):
        f.names.add(n.id)
    elif isinstance(n, ast.Attribute):
        f.names.add(n.attr)
        f.launches |= n.attr == "forall"
    elif isinstance(n, ast.Call):
        f.launches |= isinstance(n.func, ast.Subscript)


def _ordered(m: Machine, module: Module, roots: Roots) -> list[LaunchSite]:
    """Sites in source order, without those that say no more than others, or that callers replace."""
    covered = {
        r for r in {f.root for f in m.found} if r in roots.nodes and _all_seen(m, module, roots.nodes[r])
    }
    out: list[LaunchSite] = []
    seen: set[object] = set()
    for f in sorted(m.found, key=_place):
        if f.root in covered and any(
            c is not f and c.site.span == f.site.span and c.root != f.root for c in m.found
        ):
            continue
        key = _content(f.site)
        if key not in seen:
            seen.add(key)
            out.append(replace(f.site, forwarded=_forwarded(f, m.found)))
    return out


def _forwarded(f: Found, found: Sequence[Found]) -> bool:
    """Whether grid and block are parameters, passed on as they are, and callers in view say what they are.

    What is launched on which arrays is then decided by the callers, each of which is a site of its own.
    """
    sizes = (*(f.site.grid or ()), *(f.site.block or ()))
    passed = (isinstance(t.atom, Sym) and t.atom.name.isidentifier() for t in sizes)
    return (
        bool(sizes)
        and not f.calls
        and all(passed)
        and any(c.site.span == f.site.span and c.calls for c in found)
    )


def _place(f: Found) -> tuple[object, ...]:
    span = f.site.span
    return (span.filename, span.row, span.column, len(f.calls))


def _content(site: LaunchSite) -> object:
    arguments = tuple(
        (k, replace(v, buffer="") if isinstance(v, HostArray) else v) for k, v in site.arguments.items()
    )
    return (
        site.kernel,
        site.kernel_row,
        site.span,
        site.grid,
        site.block,
        arguments,
        site.facts,
        site.shared_bytes,
    )


def _all_seen(m: Machine, module: Module, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a private function is used in calls only, all of which were followed."""
    scope = module.scopes.get(node)
    nested = scope is not None and scope.parent is not None and isinstance(scope.parent.node, AnyFunction)
    if not nested and (not node.name.startswith("_") or node.name.startswith("__")):
        return False
    uses = [n for n in ast.walk(module.tree) if _mentions(n, node.name)]
    calls = {id(n.func): id(n) for n in ast.walk(module.tree) if isinstance(n, ast.Call)}
    return bool(uses) and all(calls.get(id(u)) in m.inlined for u in uses)


def _mentions(n: ast.AST, name: str) -> bool:
    if isinstance(n, ast.Name):
        return n.id == name and isinstance(n.ctx, ast.Load)
    return isinstance(n, ast.Attribute) and n.attr == name
