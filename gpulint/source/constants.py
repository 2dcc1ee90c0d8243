"""Folds host expressions to constants, without running code and within a budget."""

from __future__ import annotations

import ast
import builtins
import math
import operator
from collections.abc import Callable
from typing import Any

from gpulint.source.dialects import canonical
from gpulint.source.dtypes import PYTHON, dtype_name
from gpulint.source.model import Binding, Module, Scope
from gpulint.source.resolve import Project, Reached
from gpulint.source.values import (
    BINARY,
    BUILTINS,
    MATH,
    UNARY,
    DType,
    Plain,
    Value,
    apply,
    bounded,
    cast,
    compare,
    same,
)

__all__ = ["DType", "Plain", "Value", "fold"]

_MAX_DEPTH = 60
_MAX_STEPS = 4000
_LIBRARIES = frozenset({"math", "numpy", "numba", "cupy", "torch", "triton", "typing", "ctypes", "os"})


def fold(expr: ast.expr, scope: Scope, project: Project) -> Value | None:
    """The constant that the expression has whenever it is evaluated, or None when not known.

    A name is known when all its bindings fold to one value; parameters never are. Sound as long
    as no code outside the readable text rebinds the names.
    """
    return _Folder(project).eval(expr, scope, 0)


def reassigned(expr: ast.expr, scope: Scope, project: Project) -> bool:
    """Whether code in the modules concerned may give the name another value than its bindings do.

    An attribute of that name is assigned to anything (`P.N = 8`), globals are set by name, or a wildcard
    import comes later.
    """
    folder, reached = _Folder(project), project.reach(expr, scope)
    if isinstance(expr, ast.Attribute) and folder.rebound(expr.attr, scope, reached):
        return True
    return any(folder.overridden(r.binding) for r in reached if r.binding is not None)


class _Folder:
    def __init__(self, project: Project) -> None:
        self.project = project
        self.steps = 0
        self.active: set[int] = set()

    def eval(self, expr: ast.expr, scope: Scope, depth: int) -> Value | None:
        self.steps += 1
        if depth > _MAX_DEPTH or self.steps > _MAX_STEPS:
            return None
        handler = _HANDLERS.get(type(expr))
        return handler(self, expr, scope, depth + 1) if handler else None

    def constant(self, expr: ast.Constant, scope: Scope, depth: int) -> Value | None:
        value = expr.value
        return Value(value) if value is None or isinstance(value, (int, float, str)) else None

    def name(self, expr: ast.expr, scope: Scope, depth: int) -> Value | None:
        reached = self.project.reach(expr, scope)
        if not reached:
            known = isinstance(expr, ast.Name) and not scope.lookup(expr.id)
            return Value(DType(PYTHON[expr.id])) if known and expr.id in PYTHON else None  # type: ignore[attr-defined]
        if isinstance(expr, ast.Attribute) and self.rebound(expr.attr, scope, reached):
            return None
        result: Value | None = None
        for r in reached:
            if r.binding is not None and _declares_only(r.binding):
                continue
            value = self.reached(r, depth)
            if value is None or (result is not None and not same(value, result)):
                return None
            result = value
        return result

    def rebound(self, attribute: str, scope: Scope, reached: tuple[Reached, ...]) -> bool:
        """Whether some `x.attribute = ...` in the modules concerned may change the value."""
        modules = {scope.module, *(r.binding.scope.module for r in reached if r.binding)}
        return any(attribute in _stored(module, self.project) for module in modules)

    def reached(self, r: Reached, depth: int) -> Value | None:
        if r.external:
            return _external(".".join((r.dotted or "", *r.rest)))
        if r.binding is None or id(r.binding) in self.active:
            return None
        self.active.add(id(r.binding))
        try:
            return self.binding(r.binding, r.rest, depth)
        finally:
            self.active.discard(id(r.binding))

    def binding(self, b: Binding, rest: tuple[str, ...], depth: int) -> Value | None:
        in_class = isinstance(b.scope.node, ast.ClassDef)
        if self.overridden(b):
            return None
        if b.value is None or (b.conditional and (in_class or hasattr(builtins, b.name))):
            return None
        enum = self.enum(b.scope) if in_class else ""
        if enum == "Enum":
            rest, opaque = rest[1:], rest[:1] != ("value",)
            if opaque:
                return None
        if rest:
            return self.namespace(b, rest, depth)
        if b.kind == "assign":
            return self.eval(b.value, b.scope, depth)
        return self.unpacked(b, depth) if b.kind == "unpack" else None

    def overridden(self, b: Binding) -> bool:
        """Whether a global may get another value by name, or by a wildcard import that comes later."""
        if b.scope.parent is not None:
            return False
        if _by_name(b.scope.module):
            return True
        for star in b.scope.bindings.get("*", []):
            if getattr(star.node, "lineno", 0) < getattr(b.node, "lineno", 0):
                continue
            module = self.project.module_of(star.target, b.scope.module)
            if module is not None and b.name in module.scope.bindings:
                return True
            if module is None and star.target.partition(".")[0] not in _LIBRARIES:
                return True
        return False

    def unpacked(self, b: Binding, depth: int) -> Value | None:
        expr, index = b.value, b.index
        while index and isinstance(expr, (ast.Tuple, ast.List)):
            if index[0] >= len(expr.elts) or any(isinstance(e, ast.Starred) for e in expr.elts):
                return None
            expr, index = expr.elts[index[0]], index[1:]
        value = self.eval(expr, b.scope, depth) if expr is not None else None
        for i in index:
            if value is None or not isinstance(value.value, tuple) or i >= len(value.value):
                return None
            value = Value(value.value[i])
        return value

    def namespace(self, b: Binding, rest: tuple[str, ...], depth: int) -> Value | None:
        """An attribute of `types.SimpleNamespace(a=1, ...)`."""
        call = b.value
        if b.kind != "assign" or len(rest) != 1 or not isinstance(call, ast.Call):
            return None
        if self.project.dotted(call.func, b.scope) != "types.SimpleNamespace" or call.args:
            return None
        given = [k.value for k in call.keywords if k.arg == rest[0]]
        return self.eval(given[0], b.scope, depth) if given else None

    def enum(self, scope: Scope) -> str:
        """ "Enum" when members are objects, "IntEnum" when they are ints, "" for other classes."""
        node = scope.node
        bases = node.bases if isinstance(node, ast.ClassDef) and scope.parent else []
        names = {self.project.dotted(base, scope.parent) for base in bases if scope.parent}
        if names & {"enum.Enum", "enum.Flag"}:
            return "Enum"
        return "IntEnum" if names & {"enum.IntEnum", "enum.IntFlag"} else ""

    def tuple_(self, expr: ast.Tuple, scope: Scope, depth: int) -> Value | None:
        values = self.all(expr.elts, scope, depth)
        return Value(tuple(v.value for v in values)) if values is not None else None

    def all(self, exprs: list[ast.expr], scope: Scope, depth: int) -> list[Value] | None:
        out: list[Value] = []
        for expr in exprs:
            value = self.eval(expr, scope, depth)
            if value is None:
                return None
            out.append(value)
        return out

    def binary(self, expr: ast.BinOp, scope: Scope, depth: int) -> Value | None:
        values = self.all([expr.left, expr.right], scope, depth)
        if values is None:
            return None
        left, right = values[0].value, values[1].value
        function = BINARY.get(type(expr.op))
        return apply(function, left, right) if function and bounded(expr.op, left, right) else None

    def unary(self, expr: ast.UnaryOp, scope: Scope, depth: int) -> Value | None:
        value = self.eval(expr.operand, scope, depth)
        if value is None or (isinstance(value.value, DType)):
            return None
        return apply(UNARY[type(expr.op)], value.value)

    def boolean(self, expr: ast.BoolOp, scope: Scope, depth: int) -> Value | None:
        stops = isinstance(expr.op, ast.Or)
        value: Value | None = None
        for part in expr.values:
            value = self.eval(part, scope, depth)
            if value is None or bool(value.value) == stops:
                return value
        return value

    def compare(self, expr: ast.Compare, scope: Scope, depth: int) -> Value | None:
        values = self.all([expr.left, *expr.comparators], scope, depth)
        if values is None:
            return None
        for op, left, right in zip(expr.ops, values, values[1:], strict=False):
            result = compare(op, left.value, right.value)
            if result is None or not result.value:
                return result
        return Value(True)

    def choice(self, expr: ast.IfExp, scope: Scope, depth: int) -> Value | None:
        test = self.eval(expr.test, scope, depth)
        if test is not None:
            return self.eval(expr.body if test.value else expr.orelse, scope, depth)
        values = self.all([expr.body, expr.orelse], scope, depth)
        return values[0] if values is not None and same(values[0], values[1]) else None

    def named(self, expr: ast.NamedExpr, scope: Scope, depth: int) -> Value | None:
        return self.eval(expr.value, scope, depth)

    def subscript(self, expr: ast.Subscript, scope: Scope, depth: int) -> Value | None:
        base = self.eval(expr.value, scope, depth)
        if base is None or isinstance(base.value, DType) or not isinstance(base.value, (tuple, str)):
            return None
        index = expr.slice
        if not isinstance(index, ast.Slice):
            at = self.eval(index, scope, depth)
            return apply(operator.getitem, base.value, at.value) if at is not None else None
        parts: list[Any] = []
        for part in (index.lower, index.upper, index.step):
            value = Value(None) if part is None else self.eval(part, scope, depth)
            if value is None:
                return None
            parts.append(value.value)
        return apply(operator.getitem, base.value, slice(*parts))

    def call(self, expr: ast.Call, scope: Scope, depth: int) -> Value | None:
        function = self.function(expr.func, scope)
        if function is None or expr.keywords:
            return None
        values = self.all(expr.args, scope, depth)
        if values is None or any(isinstance(v.value, DType) for v in values):
            return None
        if isinstance(function, str):
            return cast(function, values[0].value) if len(values) == 1 else None
        return apply(function, *(v.value for v in values))

    def function(self, func: ast.expr, scope: Scope) -> Callable[..., Any] | str | None:
        """The foldable function that is called, or the name of the element type that casts."""
        if isinstance(func, ast.Name) and not self.project.reach(func, scope):
            return BUILTINS.get(func.id) if not scope.lookup(func.id) else None
        dotted = self.project.dotted(func, scope)
        if dotted is None or len(self.project.reach(func, scope)) != 1:
            return None
        home, _, name = dotted.rpartition(".")
        return dtype_name(dotted) or (MATH.get(name) if home == "math" else None)


def _external(dotted: str) -> Value | None:
    dotted = canonical(dotted)
    dtype = dtype_name(dotted)
    if dtype is not None:
        return Value(DType(dtype))
    home, _, name = dotted.rpartition(".")
    if home in ("math", "numpy") and name in ("pi", "e", "inf", "nan"):
        return Value(getattr(math, name))
    return None


def _declares_only(b: Binding) -> bool:
    return isinstance(b.node, ast.AnnAssign) and b.node.value is None


def _by_name(module: Module) -> bool:
    """Whether the module sets its globals by name: `globals()["N"] = 8`."""
    return "globals()" in module.text and any(
        isinstance(n, (ast.Subscript, ast.Attribute))
        and isinstance(n.value, ast.Call)
        and getattr(n.value.func, "id", "") == "globals"
        and (isinstance(n, ast.Attribute) or not isinstance(n.ctx, ast.Load))
        for n in ast.walk(module.tree)
    )


def _stored(module: Module, project: Project) -> frozenset[str]:
    """The attribute names that a module assigns on anything (and deletes)."""
    known = project.attribute_stores.get(module)
    if known is None:
        nodes = ast.walk(module.tree)
        known = frozenset(
            n.attr for n in nodes if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)
        )
        project.attribute_stores[module] = known
    return known


_HANDLERS: dict[type[ast.expr], Callable[[_Folder, Any, Scope, int], Value | None]] = {
    ast.Constant: _Folder.constant,
    ast.Name: _Folder.name,
    ast.Attribute: _Folder.name,
    ast.Tuple: _Folder.tuple_,
    ast.BinOp: _Folder.binary,
    ast.UnaryOp: _Folder.unary,
    ast.BoolOp: _Folder.boolean,
    ast.Compare: _Folder.compare,
    ast.IfExp: _Folder.choice,
    ast.NamedExpr: _Folder.named,
    ast.Subscript: _Folder.subscript,
    ast.Call: _Folder.call,
}
