"""Finds the functions that a dialect compiles for the device, and the names the host has for them."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from gpulint.source.branches import flag
from gpulint.source.candidates import Candidates
from gpulint.source.comments import Comments, comments
from gpulint.source.constants import fold
from gpulint.source.declared import declared
from gpulint.source.launchnames import Names
from gpulint.source.model import FunctionNode, KernelSource, Module, Scope
from gpulint.source.resolve import Project
from gpulint.source.tuners import called_by, gives_value, syncs, takes_functions, tuned
from gpulint.source.wraps import Placed, Wrap, Wraps


@dataclass(eq=False)
class _Found:
    """A function with one way of compiling it; `places` are the decorator or calls that do it."""

    node: FunctionNode
    scope: Scope
    wrap: Wrap
    decorator: ast.expr
    names: list[str] = field(default_factory=list)


def find(module: Module, project: Project) -> list[KernelSource]:
    """The kernels and device functions of a module, in source order.

    A function compiled twice in the same way counts once. A function of another readable module
    that this one compiles is listed here, with its own module. Left out: functions that reach the
    compiler from containers or as arguments that other modules pass.
    """
    project.add(module)
    finder = _Finder(module, project)
    finder.decorated()
    finder.wrapped()
    return finder.sources()


class _Finder:
    def __init__(self, module: Module, project: Project) -> None:
        self.module = module
        self.project = project
        self.wraps = Wraps(project)
        self.candidates = Candidates(module, project)
        self.notes: dict[Module, Comments] = {}
        self.uses: tuple[set[str], set[str], set[str]] | None = None
        self.found: dict[object, _Found] = {}
        self.functions: dict[ast.AST, _Found] = {}
        self.calls: dict[ast.Call, list[_Found]] = {}

    def decorated(self) -> None:
        for node, scope in list(self.module.scopes.items()):
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            for decorator in reversed(node.decorator_list):
                outer = scope.parent or scope
                wrap = self.wraps.decorator(decorator, outer)
                if wrap is not None:
                    wrap = self.wraps.settled(wrap, outer)
                    self.functions[node] = self._add(node, scope, wrap, decorator)
                    break

    def wrapped(self) -> None:
        for call, scope in self.module.calls:
            compiled = self.wraps.compiled(call, scope)
            if compiled is None:
                continue
            expr, wrap = compiled
            for inner in self.candidates.scopes(expr, scope):
                if not isinstance(inner.node, (ast.Module, ast.ClassDef)):
                    self.calls.setdefault(call, []).append(self._add(inner.node, inner, wrap, call))

    def sources(self) -> list[KernelSource]:
        if not self.found:
            return []
        for name, held in Names(self.module, self.project, self.functions, self.calls).all():
            if name not in held.names:
                held.names.append(name)
        ordered = sorted(self.found.values(), key=lambda f: (f.node.lineno, f.node.col_offset))
        return [self._source(f) for f in ordered]

    def _add(self, node: FunctionNode, scope: Scope, wrap: Wrap, place: ast.expr) -> _Found:
        key = (node, self.wraps.device(wrap), _meaning(wrap))
        if key not in self.found:
            self.found[key] = _Found(node, scope, wrap, place, [scope.qualname])
        return self.found[key]

    def _source(self, found: _Found) -> KernelSource:
        wrap, scope = found.wrap, found.scope
        given = wrap.dialect.signatures
        options = {
            name: self._portable(placed, scope)
            for name, placed in wrap.options.items()
            if name not in given and name != "device"
        }
        options |= tuned(found.node, scope, wrap.dialect, self.project)
        signatures = [s for name in sorted(given & set(wrap.options)) for s in self._signatures(wrap, name)]
        return KernelSource(
            node=found.node,
            qualname=scope.qualname,
            dialect=wrap.dialect.name,
            module=scope.module,
            scope=scope,
            decorator=found.decorator,
            names=tuple(found.names),
            device=self._device(found),
            signatures=tuple(signatures),
            options=options,
            declared=declared(found.node, scope, self._comments(scope.module), self.project),
        )

    def _device(self, found: _Found) -> bool | None:
        """Where a dialect marks no device functions, they are those that return a value or that kernels
        call.

        So are those of a dialect that does, as long as the mark is not constant; a function that is
        marked as a kernel, returns a value and is only called by kernels is one too, and one that calls
        what it is given.
        """
        marked = None if found.wrap.dialect.tuners else self._marked(found)
        if marked is True or (not found.wrap.dialect.tuners and takes_functions(found.node)):
            return True
        value = gives_value(found.node) and not isinstance(found.node, ast.Lambda)
        called = self._only_called(found, handed=marked is None and not found.wrap.dialect.tuners)
        if found.wrap.dialect.tuners:
            return value or called
        if marked is None:
            return True if value or called or syncs(found.node) else None
        return value and called

    def _marked(self, found: _Found) -> bool | None:
        """What the decorator says, with what the branches around it say of a flag that it is given."""
        marked = self.wraps.device(found.wrap)
        placed = found.wrap.options.get("device")
        if marked is not None or placed is None:
            return marked
        return flag(placed[0], found.decorator, placed[1])

    def _only_called(self, found: _Found, handed: bool = False) -> bool:
        """Whether kernels of the module call the function, and no host code of it launches it.

        Nor hands it on, unless `handed` says that this may be for kernels to call.
        """
        if self.uses is None:
            self.uses = called_by(self.module, [f.node for f in self.found.values()])
        called, launched, passed = self.uses
        launched = launched if handed else launched | passed
        own = {name.rpartition(".")[2] for name in found.names}
        return bool(own & called) and not own & launched

    def _comments(self, module: Module) -> Comments:
        if module not in self.notes:
            self.notes[module] = comments(module)
        return self.notes[module]

    def _signatures(self, wrap: Wrap, name: str) -> list[str | ast.expr]:
        expr, scope = wrap.options[name]
        if isinstance(expr, (ast.Name, ast.Attribute)):
            found = self.project.definitions(expr, scope)
            value = found[0].value if len(found) == 1 and found[0].kind == "assign" else None
            if value is not None:
                expr, scope = value, found[0].scope
        items = expr.elts if isinstance(expr, (ast.List, ast.Tuple)) else [expr]
        out: list[str | ast.expr] = []
        for item in items:
            value_ = fold(item, scope, self.project)
            if value_ is None or value_.is_dtype:
                out.append(item)
            elif isinstance(value_.value, str):
                out.append(value_.value)
        return out

    def _portable(self, placed: Placed, scope: Scope) -> ast.expr:
        """The option's expression; its constant where its names have no meaning at the function."""
        expr, where = placed
        at: Scope | None = scope
        while at is not None and at is not where:
            at = at.parent
        value = fold(expr, where, self.project) if at is None else None
        if value is None or isinstance(value.value, tuple) or value.is_dtype:
            return expr
        return ast.copy_location(ast.Constant(value.value), expr)


def _meaning(wrap: Wrap) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, _dump(expr)) for name, (expr, _) in wrap.options.items()))


def _dump(expr: ast.expr) -> str:
    try:
        return ast.dump(expr)
    except RecursionError:
        return f"{expr.lineno}:{expr.col_offset}"
