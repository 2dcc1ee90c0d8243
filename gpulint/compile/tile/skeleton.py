"""What Triton's compiler gets to see: the functions that were proved, and what their names stand for.

The user's module is never imported. Each function that the kernel leads to is cut out of its file and stands
in a module of its own file's, at its own rows; every name that it takes from outside is bound to what the
lowering took it for: an object of a library, a constant, another such function. So what is compiled is what
was proved. A name that is none of these is an error.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpulint.compile.error import CompileError
from gpulint.compile.tile.cutting import Dropped, cut
from gpulint.frontend.shared.syntax import dotted_text
from gpulint.frontend.triton import world as worlds
from gpulint.frontend.triton.values import DType, Function, Named, Tile, Tuple, Value
from gpulint.ir import nodes as n
from gpulint.source.model import KernelSource, Module, Scope
from gpulint.source.resolve import Project

LIBRARIES = ("triton", "math")
MAX_FUNCTIONS = 500
_FUNCTION = "constexpr_function"
HINT = "kernels may use Triton, math, constants and functions that the source in view gives"


@dataclass
class Part:
    """The functions of one file. `names`: what each outer name stands for, by how it is written there.

    A meaning is `["library", dotted]`, `["builtin", name]`, `["constant", value]`, `["dtype", name]` or
    `["function", file, name]`.
    """

    module: Module
    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    names: dict[str, list[Any]] = field(default_factory=dict)
    foldable: set[str] = field(default_factory=set)  # functions that run when the kernel is compiled


@dataclass(frozen=True)
class Skeleton:
    """The files that hold the functions, the kernel's first."""

    parts: Mapping[str, Part]
    kernel: str

    def plain(self, dropped: Dropped = frozenset()) -> list[dict[str, Any]]:
        """What the compiling process reads, as JSON. `dropped`: arguments of calls to leave out."""
        return [
            {
                "file": Path(name).name, "key": name, "names": p.names, "functions": list(p.functions),
                "foldable": sorted(p.foldable), "text": cut(p.module, list(p.functions.values()), dropped),
            }
            for name, p in self.parts.items()
        ]  # fmt: skip


def skeleton(source: KernelSource, project: Project) -> Skeleton:
    """The functions that a kernel leads to. Raises CompileError."""
    if not isinstance(source.node, ast.FunctionDef):
        raise CompileError("a lambda or async function is not compiled")
    work = _Collector(project)
    work.add(source.node, source.scope)
    while work.todo:
        work.look(*work.todo.pop())
    return Skeleton(work.parts, source.node.name)


class _Collector:
    def __init__(self, project: Project) -> None:
        self.world = worlds.of(project)
        self.project = project
        self.parts: dict[str, Part] = {}
        self.todo: list[tuple[ast.FunctionDef, Scope]] = []
        self.count = 0

    def add(self, node: ast.FunctionDef, scope: Scope) -> None:
        """Take a function in, once."""
        part = self.parts.setdefault(scope.module.filename, Part(scope.module))
        known = part.functions.get(node.name)
        if known is node:
            return
        self.count += 1
        if known is not None or self.count > MAX_FUNCTIONS:
            why = "two functions of one name" if known is not None else "too many functions"
            raise CompileError(f"`{node.name}`: {why} in what the kernel uses", scope.module.span(node))
        part.functions[node.name] = node
        if any(_decorator(self.project, d, scope).endswith(f".{_FUNCTION}") for d in node.decorator_list):
            part.foldable.add(node.name)
        self.todo.append((node, scope))

    def look(self, node: ast.FunctionDef, scope: Scope) -> None:
        """Settle every outer name of a function."""
        part = self.parts[scope.module.filename]
        for chain, required in _chains(node, scope):
            text = dotted_text(chain)
            assert text is not None
            found = self.meaning(chain, text, scope)
            if found is None:
                if required:
                    at = scope.module.span(chain)
                    raise CompileError(f"`{text}` is not known where the kernel is compiled", at, HINT)
                continue
            name, meaning = found
            if part.names.setdefault(name, meaning) != meaning:
                raise CompileError(f"`{name}` means different things", scope.module.span(chain))

    def meaning(self, chain: ast.expr, text: str, scope: Scope) -> tuple[str, list[Any]] | None:
        """The part of a chain that is bound, and to what; None where that is not known."""
        root = _root(chain)
        library = self.project.dotted(root, scope)
        if library is not None and library.partition(".")[0] in LIBRARIES:
            return root.id, ["library", library]
        node: ast.expr = chain
        while True:
            found = self._plain(self.world.name(node, scope), node, scope)
            if found is not None:
                name = dotted_text(node)
                assert name is not None
                return name, found
            if not isinstance(node, ast.Attribute):
                return None
            node = node.value

    def _plain(self, v: Value, node: ast.expr, scope: Scope) -> list[Any] | None:
        if isinstance(v, Function) and isinstance(v.node, ast.FunctionDef):
            self.add(v.node, v.scope)
            return ["function", v.scope.module.filename, v.node.name]
        if isinstance(v, Named):
            if v.name.startswith("builtins."):
                return ["builtin", v.name.removeprefix("builtins.")]
            dotted = self.project.dotted(node, scope) or ""
            return ["library", dotted] if dotted.partition(".")[0] in LIBRARIES else None
        if isinstance(v, DType):
            return ["dtype", v.text]
        value = constant_of(v)
        return None if value is ... else ["constant", value]


def constant_of(v: Value) -> Any:
    """The Python value of a constant; `...` for anything else."""
    if isinstance(v, Tile) and isinstance(v.expr, n.Const):
        return v.expr.value
    if isinstance(v, Tuple) and not v.names:
        items = [constant_of(x) for x in v.items]
        return ... if any(x is ... for x in items) else items
    return ...


def _decorator(project: Project, node: ast.expr, scope: Scope) -> str:
    outer = scope.parent or scope
    return project.dotted(node.func if isinstance(node, ast.Call) else node, outer) or ""


def _chains(node: ast.FunctionDef, scope: Scope) -> Iterator[tuple[ast.expr, bool]]:
    """The dotted names from outside that a function reads; whether they must be known.

    Annotations of parameters need not be: they are text to the compiler, `constexpr` apart.
    """
    own = set(scope.bindings)
    for annotation in (a.annotation for a in (*node.args.args, *node.args.kwonlyargs) if a.annotation):
        yield from ((c, False) for c in _names(annotation, own))
    for part in (*node.args.defaults, *(d for d in node.args.kw_defaults if d), *node.body):
        yield from ((c, True) for c in _names(part, own))


def _names(tree: ast.AST, own: set[str]) -> Iterator[ast.expr]:
    """The longest dotted names of a tree whose first name is not a local."""
    stack = [tree]
    while stack:
        x = stack.pop()
        if isinstance(x, (ast.Name, ast.Attribute)) and dotted_text(x) is not None:
            if _root(x).id not in own:
                yield x
            continue
        stack.extend(ast.iter_child_nodes(x))


def _root(chain: ast.expr) -> ast.Name:
    """The first name of a dotted name."""
    while isinstance(chain, ast.Attribute):
        chain = chain.value
    assert isinstance(chain, ast.Name)
    return chain
