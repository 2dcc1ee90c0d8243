"""What names outside a kernel mean: library objects, constants, functions, or nothing that is known."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from functools import lru_cache

from gpulint.frontend.numba import callers, members
from gpulint.frontend.numba.context import Frame
from gpulint.frontend.numba.facts import Facts
from gpulint.frontend.numba.infer import Inference
from gpulint.frontend.numba.overloads import Overloads, implementations
from gpulint.frontend.numba.types import by_name
from gpulint.frontend.numba.values import Choices, DType, Function, Named, Tuple, Unresolved, Value
from gpulint.frontend.shared.decorators import transparent
from gpulint.frontend.shared.syntax import dotted_text, own_returns, text_of
from gpulint.ir import nodes as n
from gpulint.ir.types import BOOL, FLOAT64, INT64, UINT64, UNKNOWN
from gpulint.source import constants
from gpulint.source.model import Binding, FunctionNode, Scope
from gpulint.source.resolve import Project

MAX_HOPS = 12
MAX_CHOICES = 4
MAX_CALLEES = 16  # functions that a factory is given
WRAPPERS = frozenset((
    "cuda.jit", "numba.jit", "numba.njit", "numba.generated_jit", "cuda.declare_device",
    "numba.extending.register_jitable", "functools.wraps", "functools.lru_cache", "functools.cache",
))  # fmt: skip
_ROOTS = {
    "numba": "numba",
    "numpy": "np",
    "cupy": "np",
    "math": "math",
    "operator": "operator",
    "cmath": "cmath",
}
_FLATTENED = ("types", "core", "stubs", "np", "misc", "extending", "cudadecl", "decorators", "device_init")


def canonical(dotted: str) -> str | None:
    """`numba.cuda.grid` as `cuda.grid`, `numpy.sqrt` as `np.sqrt`; None for other libraries."""
    parts = dotted.split(".")
    if "tests" in parts:
        return None
    if parts[:2] == ["numba", "cuda"] or parts[:2] == ["numba_cuda", "cuda"]:
        parts = ["cuda", *(p for p in parts[2:-1] if p not in _FLATTENED), *parts[2:][-1:]]
        return ".".join(parts)
    if parts[:3] == ["numba_cuda", "numba", "cuda"]:
        return canonical(".".join(parts[1:]))
    root = _ROOTS.get(parts[0])
    if root is None:
        return dotted if parts[0] in ("functools", "builtins") else None
    return ".".join([root, *(p for p in parts[1:-1] if p not in _FLATTENED), *parts[1:][-1:]])


def constant(value: constants.Plain) -> Value:
    """A folded host value as a lowering value."""
    if isinstance(value, constants.DType):
        return DType(by_name(value) or UNKNOWN)
    if isinstance(value, tuple):
        return Tuple(tuple(constant(v) for v in value))
    if isinstance(value, bool):
        return n.Const(value, BOOL)
    if isinstance(value, int):
        return n.Const(value, INT64 if value < 2**63 else UINT64)
    return n.Const(value, FLOAT64 if isinstance(value, float) else UNKNOWN)


class World:
    """Resolution with memory, over one project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.inference = Inference(self)
        self._names: dict[tuple[Scope, str], Value] = {}
        self._attributes: dict[ast.Call, ast.Attribute] = {}  # `getattr(x, 'y')` as x.y
        self._hops = 0
        self.overloads = Overloads(self)
        self._active: set[int] = set()  # bindings under evaluation
        self._cut = False  # what was just resolved depends on where it was asked from
        self._given = False  # what was just resolved is what callers and classes in view give
        self._by_view: set[tuple[Scope, str]] = set()

    def facts(self, function: FunctionNode, scope: Scope, tuples: Mapping[str, int] | None = None) -> Facts:
        """What its body says of a function's names; `tuples`: parameters known to be tuples, with lengths."""
        return self.inference.facts(function, scope, tuples or {})

    def name(self, node: ast.expr, scope: Scope) -> Value:
        """What a Name or Attribute chain means in the scope."""
        text = dotted_text(node)
        if text is None:
            return self.value(node, scope)
        key = (scope, text)
        found = self._names.get(key)
        if found is None:
            cut, self._cut = self._cut, False
            given, self._given = self._given, False
            found = self._resolve(node, text, scope)
            if not self._cut:
                self._names[key] = found
            if self._given:
                self._by_view.add(key)
            self._cut, self._given = self._cut or cut, self._given or given
        self._given = self._given or key in self._by_view
        return found

    def by_view(self, node: ast.expr, scope: Scope) -> bool:
        """Whether a name that was resolved is a function that only the source in view makes it."""
        return (scope, dotted_text(node) or "") in self._by_view

    def _resolve(self, node: ast.expr, text: str, scope: Scope) -> Value:
        dotted = self.project.dotted(node, scope)
        named = canonical(dotted) if dotted else None
        if named is not None:
            return Named(named)
        if self._hops >= MAX_HOPS:
            self._cut = True
            return Unresolved(text, node, scope)
        self._hops += 1
        try:
            folded = constants.fold(node, scope, self.project)
            if folded is not None:
                return constant(folded.value)
            return self._defined(node, text, scope)
        finally:
            self._hops -= 1

    def _defined(self, node: ast.expr, text: str, scope: Scope) -> Value:
        found = self.project.definitions(node, scope)
        bindings = [b for b in found if id(b) not in self._active]  # `f = jit(f)` means the f before it
        self._cut = self._cut or len(bindings) < len(found)
        if not bindings:
            if isinstance(node, ast.Name) and not scope.lookup(node.id) and hasattr(builtins, node.id):
                return Named(f"builtins.{node.id}")
            return self._member(text, node, scope)
        options: list[Value] = []
        if len(bindings) > MAX_CHOICES:
            return Unresolved(text, node, scope)
        for b in bindings:
            self._active.add(id(b))
            try:
                option = self._bound(b, text, node, scope)
            finally:
                self._active.discard(id(b))
            if option not in options:
                options.append(option)
        option = _one_of(text, options) or Unresolved(text, node, scope)
        number = isinstance(option, (n.Const, Tuple))
        changes = number and constants.reassigned(node, scope, self.project)
        return Unresolved(text, node, scope) if changes else option

    def _member(self, text: str, node: ast.expr, scope: Scope) -> Value:
        """An attribute of an object: one of the functions that its class gives it."""
        if not isinstance(node, ast.Attribute) or self._hops >= MAX_HOPS or id(node) in self._active:
            self._cut = self._cut or isinstance(node, ast.Attribute)
            return Unresolved(text, node, scope)
        self._active.add(id(node))
        try:
            found = _one_of(text, members.member(self, node, scope))
        finally:
            self._active.discard(id(node))
        if not isinstance(found, (Function, Choices)):
            return Unresolved(text, node, scope)
        self._given = True
        return found

    def _bound(self, b: Binding, text: str, node: ast.expr, scope: Scope) -> Value:
        if b.kind == "function" and isinstance(b.node, ast.FunctionDef):
            inner = b.scope.module.scopes.get(b.node)
            if inner is not None and transparent(self.project, b.node.decorator_list, b.scope):
                return self._implemented(Function(b.node, inner), b.node, scope)
        if b.kind == "import" and b.target:
            named = canonical(b.target)
            return Named(named) if named else Unresolved(text, node, scope)
        if b.kind in ("assign", "unpack") and b.value is not None:
            found = self._item(self.value(b.value, b.scope), b.index, b.scope)
            return Unresolved(text, b.value, b.scope) if isinstance(found, Unresolved) else found
        several = callers.passed(self, b, scope) if b.kind == "param" else self._iterated(b)
        known = _callees(text, several or [])
        self._given = self._given or (known is not None and b.kind == "param")
        return known or Unresolved(text, node, scope)

    def _implemented(self, f: Function, node: ast.FunctionDef, scope: Scope) -> Value:
        """The function, or what is compiled in its place."""
        given = implementations(self.overloads.of(node, f.scope, scope))
        return (_one_of(node.name, list(given)) if given else None) or f

    def _iterated(self, b: Binding) -> list[Value] | None:
        """What a loop over a tuple of known things binds to its variable."""
        found = self.value(b.value, b.scope) if b.kind == "loop" and b.value is not None else None
        return [self._item(v, b.index, b.scope) for v in found.items] if isinstance(found, Tuple) else None

    def _item(self, value: Value, index: tuple[int, ...], scope: Scope) -> Value:
        for i in index:
            if not isinstance(value, Tuple) or not 0 <= i < len(value.items):
                return value if isinstance(value, Unresolved) else Unresolved("", ast.Constant(None), scope)
            value = value.items[i]
        return value

    # --- host expressions

    def value(self, node: ast.expr, scope: Scope) -> Value:
        """What a host expression evaluates to, as far as a kernel can use it."""
        if isinstance(node, (ast.Name, ast.Attribute)) and dotted_text(node) is not None:
            return self.name(node, scope)
        folded = constants.fold(node, scope, self.project)
        if folded is not None:
            return constant(folded.value)
        if isinstance(node, ast.Lambda) and node in scope.module.scopes:
            return Function(node, scope.module.scopes[node])
        if isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) <= 64:
            return Tuple(tuple(self.value(e, scope) for e in node.elts))
        if isinstance(node, ast.IfExp):
            return self._conditional(node, scope)
        if isinstance(node, ast.Attribute):
            return self._member(text_of(node), node, scope)
        if isinstance(node, ast.Call) and self._hops < MAX_HOPS:
            self._hops += 1
            try:
                return self._call(node, scope)
            finally:
                self._hops -= 1
        return Unresolved(text_of(node), node, scope)

    def _conditional(self, node: ast.IfExp, scope: Scope) -> Value:
        test = constants.fold(node.test, scope, self.project)
        if test is not None:
            return self.value(node.body if test.value else node.orelse, scope)
        both = [self.value(node.body, scope), self.value(node.orelse, scope)]
        return _one_of(text_of(node), both) or Unresolved(text_of(node), node, scope)

    def _call(self, node: ast.Call, scope: Scope) -> Value:
        maker = node.func
        while isinstance(maker, ast.Call):
            maker = maker.func
        made = self.value(maker, scope)
        if made == Named("builtins.getattr") and maker is node.func:
            return self._attribute(node, scope)
        if isinstance(made, Named) and made.name in WRAPPERS:
            return self._wrapped(node, scope)
        if not isinstance(made, (Function, Choices)) or maker is not node.func:
            return Unresolved(text_of(node), node, scope)
        options: list[Value] = []
        for f in made.options if isinstance(made, Choices) else (made,):
            if not isinstance(f, Function) or not isinstance(f.node, ast.FunctionDef):
                return Unresolved(text_of(node), node, scope)
            found = self._made(f, f.node, node, scope)
            if found not in options:
                options.append(found)
        return _one_of(text_of(node), options) or Unresolved(text_of(node), node, scope)

    def _attribute(self, node: ast.Call, scope: Scope) -> Value:
        """`getattr(x, 'name')`, with or without a default, of an attribute that is there."""
        name = constants.fold(node.args[1], scope, self.project) if 2 <= len(node.args) <= 3 else None
        if name is None or not isinstance(name.value, str) or node.keywords:
            return Unresolved(text_of(node), node, scope)
        found = self._attributes.setdefault(node, ast.Attribute(node.args[0], name.value, ast.Load()))
        return self.value(ast.copy_location(found, node), scope)

    def _wrapped(self, node: ast.Call, scope: Scope) -> Value:
        for argument in node.args:
            found = self.value(argument, scope)
            if isinstance(found, (Function, Choices)):
                return found
        return Unresolved(text_of(node), node, scope)

    def _made(self, factory: Function, node: ast.FunctionDef, call: ast.Call, scope: Scope) -> Value:
        """The function that a factory returns, its parameters bound to the arguments of the call."""
        results = [s.value for s in own_returns(node) if s.value is not None]
        if not results or len(results) > MAX_CHOICES:
            return Unresolved(text_of(call), call, scope)
        frame = self._factory_frame(factory, node, call, scope)
        options: list[Value] = []
        for result in results:
            found = self.value(result, factory.scope)
            found = _framed(found, factory.scope, frame)
            if found not in options:
                options.append(found)
        return _one_of(text_of(call), options) or Unresolved(text_of(call), call, scope)

    def _factory_frame(self, factory: Function, node: ast.FunctionDef, call: ast.Call, scope: Scope) -> Frame:
        prefix = f"{node.name}:{call.lineno}."
        names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
        names = names[1 if members.bound(factory.scope, call) else 0 :]
        given = dict(zip(names, call.args, strict=False))
        given.update({k.arg: k.value for k in call.keywords if k.arg})
        frame = Frame(node, factory.scope, factory.scope.module, Facts(), prefix)
        for name in (*names, *(a.arg for a in node.args.kwonlyargs)):
            if name in given:
                found = self.value(given[name], scope)
                frame.env[name] = (
                    Unresolved(prefix + name, found.node, found.scope)
                    if isinstance(found, Unresolved)
                    else found
                )
        return frame


def _one_of(text: str, options: list[Value]) -> Value | None:
    """The only option, or a choice of functions; None when they are of different kinds.

    A name that is None elsewhere (an import that failed, say) can only be called where it is a function.
    """
    if len(options) == 1:
        return options[0]
    options = [o for o in options if o != n.Const(None)]
    flat = [f for o in options for f in (o.options if isinstance(o, Choices) else (o,))]
    functions = [f for f in dict.fromkeys(flat) if isinstance(f, Function)]
    if functions and all(isinstance(f, Function) for f in flat) and len(functions) <= MAX_CALLEES:
        return functions[0] if len(functions) == 1 else Choices(text, tuple(functions))
    return None


def _callees(text: str, options: list[Value]) -> Value | None:
    """A choice of functions, those of libraries among them."""
    known = all(isinstance(o, (Function, Named)) for o in options)
    if not known or not 0 < len(options) <= MAX_CALLEES:
        return None
    return options[0] if len(options) == 1 else Choices(text, tuple(dict.fromkeys(options)))


def _framed(value: Value, scope: Scope, frame: Frame) -> Value:
    """Functions defined in a factory see the arguments of its call."""
    if isinstance(value, Function) and value.frame is None and value.scope.parent is scope:
        return Function(value.node, value.scope, frame)
    if isinstance(value, Tuple):
        return Tuple(tuple(_framed(v, scope, frame) for v in value.items))
    return value


@lru_cache(maxsize=1)
def of(project: Project) -> World:
    """The world of a project, kept while the same project is in use."""
    return World(project)
