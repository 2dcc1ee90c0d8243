"""Builds the scope tree of a module: one pass over the tree, without recursion."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from gpulint.source.model import Binding, FunctionNode, Module, Scope, ScopeNode

MAX_DEPTH = 1000

_LEAVES = frozenset((ast.Name, ast.Constant, ast.Pass, ast.Break, ast.Continue))
_NOT_WALKED = frozenset(
    ("ctx", "op", "ops", "annotation", "returns", "type_comment", "type_params", "kind", "type_ignores")
)
_UNPACKED = {"assign": "unpack"}
_TRY = (ast.Try, getattr(ast, "TryStar", ast.Try))


class TooDeep(Exception):
    """The tree nests deeper than `MAX_DEPTH`."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


def build(module: Module) -> int:
    """Fills the module's scopes, calls and attribute stores; returns the depth of the tree.

    Names declared `global` or `nonlocal` share the list of bindings of the scope they belong to.
    Annotations are not walked. Raises TooDeep.
    """
    return _Builder(module).run()


class _Builder:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.stack: list[tuple[ast.AST, Scope, bool, int]] = []
        self.nonlocals: list[tuple[Scope, str]] = []
        module.scope = Scope(module.tree, module, None)
        module.scopes[module.tree] = module.scope

    def run(self) -> int:
        deepest, row, stack = 0, 1, self.stack
        self.push(self.module.tree.body, self.module.scope, False, 1)
        while stack:
            node, scope, conditional, depth = stack.pop()
            if depth > deepest:
                deepest = depth
                row = getattr(node, "lineno", row)
                if depth > MAX_DEPTH:
                    raise TooDeep(row)
            handler = _HANDLERS.get(type(node))
            if handler is not None:
                handler(self, node, scope, conditional, depth + 1)
            else:
                self.children(node, scope, conditional, depth + 1)
        for inner, name in self.nonlocals:
            _share_nonlocal(inner, name)
        return deepest

    def children(self, node: ast.AST, scope: Scope, conditional: bool, depth: int) -> None:
        stack = self.stack
        for name in _fields(type(node)):
            value = getattr(node, name, None)
            if type(value) is list:
                for child in reversed(value):
                    if type(child) not in _LEAVES and isinstance(child, ast.AST):
                        stack.append((child, scope, conditional, depth))
            elif type(value) not in _LEAVES and isinstance(value, ast.AST):
                stack.append((value, scope, conditional, depth))

    def push(self, nodes: Iterable[ast.AST | None], scope: Scope, conditional: bool, depth: int) -> None:
        """Nodes to visit next, in this order; call it for later parts of a node first."""
        for node in reversed(list(nodes)):
            if node is not None and type(node) not in _LEAVES:
                self.stack.append((node, scope, conditional, depth))

    def bind(self, scope: Scope, binding: Binding) -> None:
        scope.bindings.setdefault(binding.name, []).append(binding)

    def open(self, node: ScopeNode, parent: Scope) -> Scope:
        scope = Scope(node, self.module, parent)
        parent.children.append(scope)
        self.module.scopes[node] = scope
        return scope

    def target(
        self, target: ast.expr, node: ast.AST, kind: str, value: ast.expr | None, scope: Scope, cond: bool
    ) -> None:
        """Binds the names of an assignment target."""
        for name, index in _target_names(target):
            if index is None:
                binding = Binding(name, "other", node, scope, conditional=cond)
            else:
                used = _UNPACKED.get(kind, kind) if index else kind
                binding = Binding(name, used, node, scope, value, index=index, conditional=cond)
            self.bind(scope, binding)

    def assign(self, node: ast.Assign, scope: Scope, cond: bool, depth: int) -> None:
        for target in node.targets:
            if type(target) is ast.Name:
                self.bind(scope, Binding(target.id, "assign", node, scope, node.value, conditional=cond))
            else:
                self.target(target, node, "assign", node.value, scope, cond)
                if isinstance(target, ast.Attribute):
                    self.module.stores.append((target, node.value, scope))
        self.push((*node.targets, node.value), scope, cond, depth)

    def annotated(self, node: ast.AnnAssign, scope: Scope, cond: bool, depth: int) -> None:
        kind = "assign" if node.value is not None else "other"
        self.target(node.target, node, kind, node.value, scope, cond)
        self.push((node.target, node.value), scope, cond, depth)

    def augmented(self, node: ast.AugAssign, scope: Scope, cond: bool, depth: int) -> None:
        self.target(node.target, node, "augmented", node.value, scope, cond)
        self.push((node.target, node.value), scope, cond, depth)

    def call(self, node: ast.Call, scope: Scope, cond: bool, depth: int) -> None:
        self.module.calls.append((node, scope))
        self.children(node, scope, cond, depth)

    def named(self, node: ast.NamedExpr, scope: Scope, cond: bool, depth: int) -> None:
        self.bind(scope, Binding(node.target.id, "assign", node, scope, node.value, conditional=True))
        self.push((node.value,), scope, cond, depth)

    def loop(self, node: ast.For | ast.AsyncFor, scope: Scope, cond: bool, depth: int) -> None:
        self.target(node.target, node, "loop", node.iter, scope, cond)
        self.push((*node.body, *node.orelse), scope, True, depth)
        self.push((node.target, node.iter), scope, cond, depth)

    def comprehension(self, node: ast.comprehension, scope: Scope, cond: bool, depth: int) -> None:
        self.target(node.target, node, "loop", node.iter, scope, True)
        self.push((node.iter, *node.ifs), scope, cond, depth)

    def branch(self, node: ast.If | ast.While, scope: Scope, cond: bool, depth: int) -> None:
        self.push((*node.body, *node.orelse), scope, True, depth)
        self.push((node.test,), scope, cond, depth)

    def attempt(self, node: ast.Try, scope: Scope, cond: bool, depth: int) -> None:
        self.push(node.finalbody, scope, cond, depth)
        self.push((*node.body, *node.handlers, *node.orelse), scope, True, depth)

    def handler(self, node: ast.ExceptHandler, scope: Scope, cond: bool, depth: int) -> None:
        if node.name:
            self.bind(scope, Binding(node.name, "other", node, scope, conditional=True))
        self.push((node.type, *node.body), scope, True, depth)

    def with_(self, node: ast.With | ast.AsyncWith, scope: Scope, cond: bool, depth: int) -> None:
        for item in node.items:
            if item.optional_vars is not None:
                self.target(item.optional_vars, node, "with", item.context_expr, scope, cond)
        self.push((*node.items, *node.body), scope, cond, depth)

    def case(self, node: ast.match_case, scope: Scope, cond: bool, depth: int) -> None:
        self.push((node.pattern, node.guard, *node.body), scope, True, depth)

    def capture(self, node: Any, scope: Scope, cond: bool, depth: int) -> None:
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name
        if name:
            self.bind(scope, Binding(name, "other", node, scope, conditional=True))
        self.children(node, scope, cond, depth)

    def delete(self, node: ast.Delete, scope: Scope, cond: bool, depth: int) -> None:
        for target in node.targets:
            self.target(target, node, "delete", None, scope, cond)
        self.push(node.targets, scope, cond, depth)

    def import_(self, node: ast.Import, scope: Scope, cond: bool, depth: int) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            origin = alias.name if alias.asname else name
            self.bind(scope, Binding(name, "import", node, scope, target=origin, conditional=cond))

    def import_from(self, node: ast.ImportFrom, scope: Scope, cond: bool, depth: int) -> None:
        base = import_base(self.module, node)
        for alias in node.names:
            origin = alias.name if not base else f"{base}{'' if base.endswith('.') else '.'}{alias.name}"
            if alias.name == "*":
                binding = Binding("*", "import", node, scope, target=base, conditional=cond)
            else:
                name = alias.asname or alias.name
                binding = Binding(name, "import", node, scope, target=origin, conditional=cond)
            self.bind(scope, binding)

    def function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope, cond: bool, depth: int
    ) -> None:
        self.bind(scope, Binding(node.name, "function", node, scope, conditional=cond))
        inner = self.open(node, scope)
        self.parameters(node, inner, scope)
        self.push(node.body, inner, False, depth)
        self.push((*node.decorator_list, *_defaults(node.args)), scope, cond, depth)

    def lambda_(self, node: ast.Lambda, scope: Scope, cond: bool, depth: int) -> None:
        inner = self.open(node, scope)
        self.parameters(node, inner, scope)
        self.push((node.body,), inner, False, depth)
        self.push(_defaults(node.args), scope, cond, depth)

    def parameters(self, node: FunctionNode, inner: Scope, outer: Scope) -> None:
        args = node.args
        positional = [*args.posonlyargs, *args.args]
        pad: list[ast.expr | None] = [None] * (len(positional) - len(args.defaults))
        pairs = [*zip(positional, [*pad, *args.defaults], strict=True)]
        pairs += zip(args.kwonlyargs, args.kw_defaults, strict=True)
        pairs += [(arg, None) for arg in (args.vararg, args.kwarg) if arg is not None]
        for arg, default in pairs:
            self.bind(inner, Binding(arg.arg, "param", arg, outer, default))

    def class_(self, node: ast.ClassDef, scope: Scope, cond: bool, depth: int) -> None:
        self.bind(scope, Binding(node.name, "class", node, scope, conditional=cond))
        inner = self.open(node, scope)
        self.push(node.body, inner, False, depth)
        heads = (*node.decorator_list, *node.bases, *(k.value for k in node.keywords))
        self.push(heads, scope, cond, depth)

    def global_(self, node: ast.Global, scope: Scope, cond: bool, depth: int) -> None:
        for name in node.names:
            scope.bindings[name] = self.module.scope.bindings.setdefault(name, [])

    def nonlocal_(self, node: ast.Nonlocal, scope: Scope, cond: bool, depth: int) -> None:
        self.nonlocals.extend((scope, name) for name in node.names)


def import_base(module: Module, node: ast.ImportFrom) -> str:
    """The absolute dotted name that `from BASE import` names; leading dots stay where a relative
    import climbs above the topmost known package."""
    own = node.module or ""
    if not node.level:
        return own
    parts = [p for p in module.name.split(".") if p]
    is_package = module.path is not None and module.path.stem == "__init__"
    drop = node.level - (1 if is_package else 0)
    if drop > len(parts):
        return "." * node.level + own
    return ".".join([*parts[: len(parts) - drop], *([own] if own else [])])


def _target_names(target: ast.expr) -> Iterator[tuple[str, tuple[int, ...] | None]]:
    """Names of a target with their index path; None where a starred element hides the index."""
    todo: list[tuple[ast.expr, tuple[int, ...] | None]] = [(target, ())]
    while todo:
        node, index = todo.pop()
        if isinstance(node, ast.Name):
            yield node.id, index
        elif isinstance(node, ast.Starred):
            todo.append((node.value, None))
        elif isinstance(node, (ast.Tuple, ast.List)):
            starred = next((i for i, e in enumerate(node.elts) if isinstance(e, ast.Starred)), len(node.elts))
            inner = [
                (e, None if index is None or i >= starred else (*index, i)) for i, e in enumerate(node.elts)
            ]
            todo.extend(reversed(inner))


def _defaults(args: ast.arguments) -> tuple[ast.expr | None, ...]:
    return (*args.defaults, *args.kw_defaults)


def _share_nonlocal(inner: Scope, name: str) -> None:
    outer = inner.parent
    while outer is not None and (isinstance(outer.node, ast.ClassDef) or name not in outer.bindings):
        outer = outer.parent
    if outer is None or outer.parent is None:
        return
    own = inner.bindings.get(name, [])
    shared = outer.bindings[name]
    if own is not shared:
        for binding in own:
            binding.conditional = True
        shared.extend(own)
        inner.bindings[name] = shared


_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}


def _fields(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields that can hold children worth visiting, last first."""
    known = _FIELDS.get(kind)
    if known is None:
        known = tuple(f for f in reversed(kind._fields) if f not in _NOT_WALKED)
        _FIELDS[kind] = known
    return known


_HANDLERS: dict[type[ast.AST], Callable[[_Builder, Any, Scope, bool, int], None]] = {
    ast.Call: _Builder.call,
    ast.Assign: _Builder.assign,
    ast.AnnAssign: _Builder.annotated,
    ast.AugAssign: _Builder.augmented,
    ast.NamedExpr: _Builder.named,
    ast.For: _Builder.loop,
    ast.AsyncFor: _Builder.loop,
    ast.comprehension: _Builder.comprehension,
    ast.If: _Builder.branch,
    ast.While: _Builder.branch,
    **dict.fromkeys(_TRY, _Builder.attempt),
    ast.ExceptHandler: _Builder.handler,
    ast.With: _Builder.with_,
    ast.AsyncWith: _Builder.with_,
    ast.match_case: _Builder.case,
    ast.MatchAs: _Builder.capture,
    ast.MatchStar: _Builder.capture,
    ast.MatchMapping: _Builder.capture,
    ast.Delete: _Builder.delete,
    ast.Import: _Builder.import_,
    ast.ImportFrom: _Builder.import_from,
    ast.FunctionDef: _Builder.function,
    ast.AsyncFunctionDef: _Builder.function,
    ast.Lambda: _Builder.lambda_,
    ast.ClassDef: _Builder.class_,
    ast.Global: _Builder.global_,
    ast.Nonlocal: _Builder.nonlocal_,
}
