"""What reading a file gives the frontends: modules, lexical scopes, bindings and kernel sources.

Data only; `discover`, `parse`, `resolve`, `constants` and `kernels` make and answer these.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Union

from gpulint.ir.span import Span
from gpulint.source.values import Plain

FunctionNode = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda]
ScopeNode = Union[ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda]


@dataclass
class Binding:
    """One place that gives a name its meaning.

    `kind`: import, assign, function, class, param, loop (for target), with, augmented, unpack
    (element `index` of a tuple assignment), delete, other. Comprehension targets are loops of the enclosing
    scope. `scope` is where `value` is evaluated: for a name declared `global` it is not the scope
    that holds the binding. `value` is the expression assigned, iterated or
    defaulted. `target` is the dotted origin of an import (`numba.cuda.jit`). `conditional`: under
    an `if`, `try` or loop.
    """

    name: str
    kind: str
    node: ast.AST
    scope: Scope
    value: ast.expr | None = None
    target: str = ""
    index: tuple[int, ...] = ()
    conditional: bool = False


@dataclass(eq=False)
class Scope:
    """A lexical scope. `lookup` follows Python's rules (class scopes are not seen from functions)."""

    node: ScopeNode
    module: Module
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    children: list[Scope] = field(default_factory=list)

    @property
    def qualname(self) -> str:
        """Dotted, without `<locals>`: '' for a module, `Class.method`, `make.kernel`."""
        if self.parent is None:
            return ""
        own = getattr(self.node, "name", "<lambda>")
        outer = self.parent.qualname
        return f"{outer}.{own}" if outer else own

    def lookup(self, name: str) -> list[Binding]:
        """All bindings of the name in the innermost scope that has it; empty when none has."""
        scope: Scope | None = self
        first = True
        while scope is not None:
            if name in scope.bindings and (first or not isinstance(scope.node, ast.ClassDef)):
                return scope.bindings[name]
            scope, first = scope.parent, False
        return []


@dataclass(eq=False)
class Module:
    """One parsed file. `filename` is shown to users; `name` is the dotted name within its package."""

    path: Path | None
    filename: str
    text: str
    lines: list[str]
    tree: ast.Module
    name: str = ""
    scope: Scope = field(init=False)
    scopes: dict[ast.AST, Scope] = field(default_factory=dict)  # by the node that opens the scope
    depth: int = 0  # how deep the tree nests: what a recursive walk of it needs
    calls: list[tuple[ast.Call, Scope]] = field(default_factory=list)  # every call, outer ones first
    stores: list[tuple[ast.Attribute, ast.expr, Scope]] = field(default_factory=list)  # `a.b = value`

    def span(self, node: ast.AST) -> Span:
        """The node's exact range; `ast` counts bytes, spans count characters."""
        row, end_row = node.lineno, node.end_lineno or node.lineno  # type: ignore[attr-defined]
        return Span(
            self.filename, row, self._column(row, node.col_offset),  # type: ignore[attr-defined]
            end_row, self._column(end_row, node.end_col_offset or 0),  # type: ignore[attr-defined]
        )  # fmt: skip

    def _column(self, row: int, offset: int) -> int:
        line = self.lines[row - 1] if 0 < row <= len(self.lines) else ""
        return offset if line.isascii() else len(line.encode()[:offset].decode(errors="replace"))


@dataclass(eq=False)
class KernelSource:
    """A function that a dialect compiles for the device, as found in the source.

    `scope` is the function's own scope. `decorator` is the decorator expression or the call that
    wraps the function (`cuda.jit(device=flag)(fn)`). `names`: dotted names under which the host
    knows the compiled object (`kernel`, `Class.kernel`, `make.k`), the function's own first.
    `device` is True for a device function, None when it hangs on a value that is not constant.
    `signatures` are the eager signatures as written (strings or expressions). `options` are the
    other keyword arguments. `declared` are contract clauses given by decorator or comment. `tuples` are
    parameters for which every launch in view gives a tuple, with its length. `given`: compile-time values of
    parameters, which then are none; `wide`: integer parameters of 64 bits; `asserted`: that assertions in the
    kernel hold, which nothing checks when it runs. All three of Triton kernels, where they are compiled.
    """

    node: FunctionNode
    qualname: str
    dialect: str
    module: Module
    scope: Scope
    decorator: ast.expr
    names: tuple[str, ...]
    device: bool | None
    signatures: tuple[Union[str, ast.expr], ...] = ()
    options: dict[str, ast.expr] = field(default_factory=dict)
    declared: tuple[tuple[str, Span], ...] = ()
    tuples: Mapping[str, int] = field(default_factory=dict)
    given: Mapping[str, Plain] = field(default_factory=dict)
    wide: frozenset[str] = frozenset()
    asserted: bool = True


@dataclass(frozen=True)
class SourceError:
    """A file that cannot be read or parsed: one clear diagnostic."""

    filename: str
    message: str
    row: int = 1
    column: int = 0
