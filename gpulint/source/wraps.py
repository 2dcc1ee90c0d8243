"""What an expression does to a function: the decorators and calls that compile it for the device."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from gpulint.source.constants import fold
from gpulint.source.dialects import BY_COMPILER, Dialect
from gpulint.source.model import Binding, FunctionNode, Scope
from gpulint.source.resolve import Project

_MAX_DEPTH = 12
Placed = tuple[ast.expr, Scope]  # an expression and the scope that gives its names their meaning


@dataclass(frozen=True)
class Wrap:
    """A decorator of a dialect with what it was given so far.

    `raw`: the compiler itself, which may still take options or the function. `spread` are `*` and
    `**` arguments that are not understood. `owner` is the project's own function whose parameters
    the options may name.
    """

    dialect: Dialect
    raw: bool
    options: Mapping[str, Placed] = field(default_factory=dict)
    spread: tuple[Placed, ...] = ()
    owner: FunctionNode | None = None

    def given(self, args: list[Placed], keywords: list[tuple[str, Placed]], taken: int = 0) -> Wrap:
        """With more arguments; `taken` positional ones came before."""
        options, spread = dict(self.options), list(self.spread)
        for i, placed in enumerate(args, taken):
            if isinstance(placed[0], ast.Starred) or i >= len(self.dialect.positional):
                spread.append(placed)
                break
            options[self.dialect.positional[i]] = placed
        options.update(keywords)
        return replace(self, options=options, spread=tuple(spread))


@dataclass(frozen=True)
class Wrapper:
    """A project's own function around a compiler.

    `direct`: what it does to a function that it takes; `factory`: the decorator that it returns.
    """

    direct: Wrap | None = None
    factory: Wrap | None = None


class Wraps:
    """Recognises compilers, configured decorators and the project's own wrappers around them.

    Left out: options that a wrapper class gives the compiler, and decorators kept in containers.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self._wrappers: dict[FunctionNode, Wrapper] = {}
        self._classes: dict[ast.ClassDef, Wrap | None] = {}

    def decorator(self, expr: ast.expr, scope: Scope, depth: int = 0) -> Wrap | None:
        """What the expression does as a decorator; None when it compiles nothing for a device."""
        if depth > _MAX_DEPTH:
            return None
        if isinstance(expr, (ast.Name, ast.Attribute)):
            return self._named(expr, scope, depth + 1)
        if isinstance(expr, ast.Call):
            return self._configured(expr, scope, depth + 1)
        if isinstance(expr, ast.IfExp):
            body = self.decorator(expr.body, scope, depth + 1)
            return body or self.decorator(expr.orelse, scope, depth + 1)
        if isinstance(expr, ast.Lambda):
            return self._wrapper(expr, scope.module.scopes[expr], depth + 1).direct
        return None

    def compiled(self, call: ast.Call, scope: Scope, depth: int = 0) -> tuple[ast.expr, Wrap] | None:
        """The function expression that the call compiles, and how; None for any other call."""
        first = _first(call)
        if first is None or depth > _MAX_DEPTH:
            return None
        if not isinstance(call.func, ast.Call) and not self.is_function(first, scope, params=True):
            return None
        wrap = self.decorator(call.func, scope, depth + 1)
        if wrap is None:
            return None
        if wrap.raw:
            if not self.is_function(first, scope, params=True):
                return None
            keywords = [k for k in call.keywords if k.value is not first]
            wrap = self._apply(wrap, call.args[1:], keywords, scope, taken=1)
        elif wrap.owner is not None:
            wrap = self._substituted(wrap, call, scope)
        return first, replace(wrap, raw=False)

    def is_function(self, expr: ast.expr, scope: Scope, params: bool = False) -> bool:
        """Whether the expression may name a plain function (a parameter counts if `params`)."""
        if isinstance(expr, ast.Lambda):
            return True
        if isinstance(expr, ast.Attribute) and member(expr, scope):
            return any(b.kind == "function" for b in member(expr, scope))
        kinds = {b.kind for b in self.project.definitions(expr, scope) if not _is_value(b)}
        return bool(kinds & {"function", "assign"}) or (params and bool(kinds & {"param", "loop"}))

    def settled(self, wrap: Wrap, scope: Scope) -> Wrap:
        """The wrap with its own function's defaults, as a bare decorator applies it."""
        nothing = ast.Call(func=ast.Name("_"), args=[], keywords=[])
        return self._substituted(wrap, nothing, scope)

    def device(self, wrap: Wrap) -> bool | None:
        """Whether the wrap makes a device function; None when that is not constant."""
        placed = wrap.options.get("device")
        if placed is None:
            return None if wrap.spread else False
        value = fold(*placed, self.project)
        return bool(value.value) if value is not None else None

    def _named(self, expr: ast.expr, scope: Scope, depth: int) -> Wrap | None:
        dialect = BY_COMPILER.get(self.project.dotted(expr, scope) or "")
        if dialect is not None:
            return Wrap(dialect, raw=True)
        for b in self.project.definitions(expr, scope):
            found: Wrap | None = None
            if b.kind == "assign" and b.value is not None:
                found = self.decorator(b.value, b.scope, depth)
            elif b.kind == "function":
                found = self._function(b, depth).direct
            elif b.kind == "class":
                found = self._class(b, depth)
            if found is not None:
                return found
        return None

    def _class(self, binding: Binding, depth: int) -> Wrap | None:
        """A class that keeps the function it is made with and compiles it in one of its methods."""
        node = binding.node
        inner = binding.scope.module.scopes.get(node)
        if inner is None or not isinstance(node, ast.ClassDef) or depth > _MAX_DEPTH:
            return None
        if node not in self._classes:
            self._classes[node] = None  # what a recursive class sees of itself
            calls = self._kept_calls(inner)
            found = (self.decorator(call.func, scope, depth) for call, scope in calls)
            wrap = next((w for w in found if w is not None), None)
            kept = None if wrap is None else replace(wrap, raw=False, options={}, spread=())
            self._classes[node] = kept
        return self._classes[node]

    def _kept_calls(self, inner: Scope) -> Iterator[tuple[ast.Call, Scope]]:
        """A class's calls that are given the function it was made with: `cuda.jit(...)(self.function)`."""
        assert isinstance(inner.node, ast.ClassDef)
        kept = {attr for f in inner.node.body if getattr(f, "name", "") == "__init__" for attr in _keeps(f)}
        for call, scope in inner.module.calls if kept else ():
            first = _first(call)
            if not isinstance(first, ast.Attribute) or first.attr not in kept:
                continue
            if enclosing_class(first.value, scope) is inner:
                yield call, scope

    def _configured(self, call: ast.Call, scope: Scope, depth: int) -> Wrap | None:
        if self.project.dotted(call.func, scope) == "functools.partial" and call.args:
            inner = self.decorator(call.args[0], scope, depth)
            return self._apply(inner, call.args[1:], call.keywords, scope) if inner else None
        if isinstance(call.func, (ast.Name, ast.Attribute)):
            for b in self.project.definitions(call.func, scope):
                factory = self._function(b, depth).factory if b.kind == "function" else None
                if factory is not None:
                    return self._substituted(factory, call, scope)
        wrap = self.decorator(call.func, scope, depth)
        if wrap is None or not wrap.raw:
            return None
        if call.args and self.is_function(call.args[0], scope):
            return None
        return replace(self._apply(wrap, call.args, call.keywords, scope), raw=False)

    def _apply(
        self, wrap: Wrap, args: list[ast.expr], keywords: list[ast.keyword], scope: Scope, taken: int = 0
    ) -> Wrap:
        named: list[tuple[str, Placed]] = []
        unknown: list[Placed] = []
        for k in keywords:
            if k.arg is not None:
                named.append((k.arg, (k.value, scope)))
                continue
            expanded = self._mapping(k.value, scope)
            if expanded is None:
                unknown.append((k.value, scope))
            else:
                named.extend(expanded)
        wrap = wrap.given([(a, scope) for a in args], named, taken)
        return replace(wrap, spread=(*wrap.spread, *unknown))

    def _mapping(self, expr: ast.expr, scope: Scope, depth: int = 0) -> list[tuple[str, Placed]] | None:
        """The entries of a dict that is spread over keywords, or None when they are not known."""
        if depth > _MAX_DEPTH:
            return None
        if isinstance(expr, ast.Dict):
            keys = [fold(k, scope, self.project) if k is not None else None for k in expr.keys]
            if any(k is None or not isinstance(k.value, str) for k in keys):
                return None
            return [(str(k.value), (v, scope)) for k, v in zip(keys, expr.values, strict=True) if k]
        if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Name) and expr.func.id == "dict":
            plain = not expr.args and all(k.arg for k in expr.keywords)
            return [(k.arg or "", (k.value, scope)) for k in expr.keywords] if plain else None
        if isinstance(expr, ast.IfExp):
            parts = [self._mapping(e, scope, depth + 1) for e in (expr.body, expr.orelse)]
            return None if None in parts else [entry for part in parts if part for entry in part]
        found = self.project.definitions(expr, scope)
        if len(found) == 1 and found[0].kind == "assign" and found[0].value is not None:
            return self._mapping(found[0].value, found[0].scope, depth + 1)
        return None

    def _function(self, binding: Binding, depth: int) -> Wrapper:
        node = binding.node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return Wrapper()
        return self._wrapper(node, binding.scope.module.scopes[node], depth)

    def _wrapper(self, node: FunctionNode, inner: Scope, depth: int) -> Wrapper:
        known = self._wrappers.get(node)
        if known is not None:
            return known
        self._wrappers[node] = Wrapper()  # what a recursive wrapper sees of itself
        direct: Wrap | None = None
        factory: Wrap | None = None
        if "jit" in inner.module.text or "cuda" in inner.module.text:
            for value in returned(node):
                found = self._returns(value, inner, node, depth)
                direct, factory = direct or found.direct, factory or found.factory
        own = [replace(w, owner=node) if w is not None else None for w in (direct, factory)]
        self._wrappers[node] = Wrapper(own[0], own[1])
        return self._wrappers[node]

    def _returns(self, value: ast.expr, inner: Scope, node: FunctionNode, depth: int) -> Wrapper:
        """What returning the value makes of the function."""
        direct: Wrap | None = None
        if depth > _MAX_DEPTH:
            return Wrapper()
        if isinstance(value, ast.IfExp):
            parts = [self._returns(v, inner, node, depth + 1) for v in (value.body, value.orelse)]
            return Wrapper(parts[0].direct or parts[1].direct, parts[0].factory or parts[1].factory)
        if isinstance(value, ast.Call):
            compiled = self.compiled(value, inner, depth)
            if compiled is not None and _is_param(compiled[0], inner, node):
                direct = compiled[1]
        elif isinstance(value, ast.Name):
            held = [b.value for b in inner.bindings.get(value.id, []) if b.kind == "assign" and b.value]
            if held:
                found = [self._returns(v, inner, node, depth + 1) for v in held]
                return Wrapper(
                    next((w.direct for w in found if w.direct), None),
                    next((w.factory for w in found if w.factory), None),
                )
        return Wrapper(direct, self.decorator(value, inner, depth))

    def _substituted(self, wrap: Wrap, call: ast.Call, scope: Scope) -> Wrap:
        """The wrap of a project's own function with the parameters that the call gives it."""
        owner = wrap.owner
        if owner is None:
            return wrap
        given, extra_args, extra = _arguments(owner, call)
        options = {n: self._actual(p, given, owner, scope) for n, p in wrap.options.items()}
        spread: list[Placed] = []
        args: list[ast.expr] = []
        keywords: list[ast.keyword] = []
        for expr, where in wrap.spread:
            name = expr.value if isinstance(expr, ast.Starred) else expr
            own = name.id if isinstance(name, ast.Name) else ""
            if owner.args.vararg is not None and own == owner.args.vararg.arg:
                args = extra_args
            elif owner.args.kwarg is not None and own == owner.args.kwarg.arg:
                keywords = extra
            else:
                spread.append((expr, where))
        out = replace(wrap, options=options, spread=tuple(spread), owner=None)
        return self._apply(out, args, keywords, scope)

    def _actual(
        self, placed: Placed, given: dict[str, ast.expr], owner: FunctionNode, scope: Scope
    ) -> Placed:
        expr, where = placed
        if isinstance(expr, ast.Name) and _is_param(expr, where, owner):
            if expr.id in given:
                return given[expr.id], scope
            default = where.lookup(expr.id)[0]
            if default.value is not None:
                return default.value, default.scope
        return placed


def returned(node: FunctionNode) -> Iterator[ast.expr]:
    """The values that a function returns, those of nested functions left out."""
    if isinstance(node, ast.Lambda):
        yield node.body
        return
    todo: list[ast.AST] = list(reversed(node.body))
    while todo:
        item = todo.pop()
        if isinstance(item, ast.Return) and item.value is not None:
            yield item.value
        elif isinstance(item, (ast.stmt, ast.ExceptHandler, ast.match_case)) and not isinstance(
            item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        ):
            todo.extend(reversed(list(ast.iter_child_nodes(item))))


def enclosing_class(expr: ast.expr, scope: Scope) -> Scope | None:
    """The class scope that `self` or `cls` (the first parameter of a method) stands for."""
    if not isinstance(expr, ast.Name):
        return None
    at: Scope | None = scope
    while at is not None and expr.id not in at.bindings:
        at = at.parent
    if at is None or at.parent is None or not isinstance(at.parent.node, ast.ClassDef):
        return None
    if not isinstance(at.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    first = [*at.node.args.posonlyargs, *at.node.args.args][:1]
    return at.parent if first and first[0].arg == expr.id else None


def member(expr: ast.Attribute, scope: Scope) -> list[Binding]:
    """The bindings in the class that `self.name` or `cls.name` reaches."""
    owner = enclosing_class(expr.value, scope)
    return owner.bindings.get(expr.attr, []) if owner is not None else []


def _first(call: ast.Call) -> ast.expr | None:
    if call.args:
        return None if isinstance(call.args[0], ast.Starred) else call.args[0]
    named = [k.value for k in call.keywords if k.arg in ("func_or_sig", "func", "fn", "f")]
    return named[0] if named else None


def _keeps(init: ast.stmt) -> Iterator[str]:
    """The attributes that `__init__(self, function)` keeps its first argument in."""
    if not isinstance(init, ast.FunctionDef) or len(init.args.args) < 2:
        return
    own, function = init.args.args[0].arg, init.args.args[1].arg
    for s in ast.walk(init):
        if isinstance(s, ast.Assign) and isinstance(s.value, ast.Name) and s.value.id == function:
            for t in s.targets:
                if isinstance(t, ast.Attribute) and isinstance(t.value, ast.Name) and t.value.id == own:
                    yield t.attr


def _is_value(binding: Binding) -> bool:
    return binding.kind == "assign" and not isinstance(binding.value, ast.Lambda)


def _is_param(expr: ast.expr, scope: Scope, owner: FunctionNode) -> bool:
    if not isinstance(expr, ast.Name):
        return False
    found = scope.lookup(expr.id)
    own = scope.module.scopes[owner].bindings.get(expr.id)
    return bool(found) and found is own and found[0].kind == "param"


def _arguments(
    owner: FunctionNode, call: ast.Call
) -> tuple[dict[str, ast.expr], list[ast.expr], list[ast.keyword]]:
    """Arguments by parameter, and those that go to `*args` and `**kwargs`."""
    names = [a.arg for a in (*owner.args.posonlyargs, *owner.args.args)]
    known = {*names, *(a.arg for a in owner.args.kwonlyargs)}
    given = dict(zip(names, call.args, strict=False))
    given |= {k.arg: k.value for k in call.keywords if k.arg in known and k.arg is not None}
    extra = [k for k in call.keywords if k.arg not in known]
    return given, call.args[len(names) :], extra
