"""What names outside a kernel mean: Triton's objects, constants, functions, or nothing that is known."""

from __future__ import annotations

import ast
import builtins
import math
from functools import lru_cache

from gpulint.frontend.shared.decorators import transparent
from gpulint.frontend.shared.syntax import dotted_text, text_of
from gpulint.frontend.triton.types import NAMES
from gpulint.frontend.triton.values import Class, DType, Function, Named, Tile, Tuple, Unresolved, Value
from gpulint.ir import nodes as n
from gpulint.ir.types import BOOL, FLOAT64, INT64, UINT64, UNKNOWN, IntType
from gpulint.source import constants
from gpulint.source.dtypes import RANGES
from gpulint.source.model import Binding, Scope
from gpulint.source.resolve import Project

MAX_HOPS = 12
_DEFINING = ("assign", "function", "class", "unpack", "import")
_INNER = (
    "language",
    "core",
    "standard",
    "math",
    "semantic",
    "random",
    "tl",
    "extra",
    "cuda",
    "hip",
    "nvidia",
    "libdevice",
)
_LIBRARIES = ("triton", "torch", "math", "numpy", "functools", "os", "sys", "typing", "operator", "builtins")
_FLOATS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}
_WRAPPERS = (
    "triton.jit",
    "triton.heuristics",
    "triton.autotune",
    "triton.constexpr_function",
    "functools.partial",
)


def canonical(dotted: str) -> str | None:
    """`triton.language.core.load` as `tl.load`, libdevice's as `libdevice.exp`; None for no library."""
    parts = dotted.split(".")
    if "libdevice" in parts[:-1] or parts[-1] == "libdevice":
        return ".".join(parts[parts.index("libdevice") :])
    if parts[0] == "tl" or parts[:2] == ["triton", "language"]:
        rest = parts[1:] if parts[0] == "tl" else parts[2:]
        if rest[:1] == ["extra"]:
            return f"extra.{rest[-1]}"
        kept = [p for p in rest[:-1] if p not in _INNER] + rest[-1:]
        return ".".join(["tl", *kept]) if kept else "tl"
    if parts[0] == "triton":
        kept = [
            p for p in parts[1:-1] if p not in ("runtime", "jit", "autotuner", "tools", "experimental")
        ] + parts[1:][-1:]
        return ".".join(["triton", *kept])
    return dotted if parts[0] in _LIBRARIES else None


def _number(v: Value | None) -> bool:
    return isinstance(v, (Tile, Tuple))


def _plain_python(b: Binding) -> bool:
    return isinstance(b.node, ast.FunctionDef) and b.kind == "function" and not b.node.decorator_list


def _alike(a: Value | None, b: Value | None) -> bool:
    """Whether two values are one, or two functions with one text."""
    if a == b:
        return True
    if not isinstance(a, Function) or not isinstance(b, Function) or a.scope.parent is not b.scope.parent:
        return False
    return ast.dump(a.node) == ast.dump(b.node)


def plain(value: constants.Plain) -> Value:
    """A folded host value as a lowering value."""
    if isinstance(value, constants.DType):
        return DType(NAMES.get(value, UNKNOWN), text=value)
    if isinstance(value, tuple):
        return Tuple(tuple(plain(v) for v in value))
    return Tile(literal(value), weak=True)


def literal(value: object) -> n.Const:
    """A Python literal."""
    if isinstance(value, bool):
        return n.Const(value, BOOL)
    if isinstance(value, int):
        return n.Const(value, INT64 if value < 2**63 else UINT64)
    if isinstance(value, float):
        return n.Const(value, FLOAT64)
    return n.Const(value if isinstance(value, str) else None, UNKNOWN)


class World:
    """Resolution with memory, over one project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._names: dict[tuple[Scope, str], Value] = {}
        self._hops = 0

    def name(self, node: ast.expr, scope: Scope) -> Value:
        """What a Name or Attribute chain means in the scope."""
        text = dotted_text(node)
        if text is None:
            return self.value(node, scope)
        key = (scope, text)
        found = self._names.get(key)
        if found is None:
            found = self._names[key] = self._resolve(node, text, scope)
        return found

    def _resolve(self, node: ast.expr, text: str, scope: Scope) -> Value:
        if isinstance(node, ast.Name) and not scope.lookup(node.id) and hasattr(builtins, node.id):
            return _library(f"builtins.{node.id}")
        dotted = self.project.dotted(node, scope)
        named = canonical(dotted) if dotted else None
        if named is not None:
            return _library(named)
        if self._hops >= MAX_HOPS:
            return Unresolved(text, node, scope)
        self._hops += 1
        try:
            folded = constants.fold(node, scope, self.project)
            return plain(folded.value) if folded is not None else self._defined(node, text, scope)
        finally:
            self._hops -= 1

    def _defined(self, node: ast.expr, text: str, scope: Scope) -> Value:
        bindings = self.project.definitions(node, scope)
        if not bindings:
            if isinstance(node, ast.Name) and not scope.lookup(node.id) and hasattr(builtins, node.id):
                return _library(f"builtins.{node.id}")
            return Unresolved(text, node, scope)
        found = self._agreed(bindings)
        if found is None or (_number(found) and constants.reassigned(node, scope, self.project)):
            return Unresolved(text, node, scope)
        return found

    def _agreed(self, bindings: list[Binding]) -> Value | None:
        """What all bindings of a name give, or the last one does where they follow each other in one module.

        None where it hangs on a branch, a loop or a function which of several it is. A function of which
        nothing is known (an import that cannot be read) gives way to one in view, and so does one that is
        not compiled: no kernel can call that.
        """
        compiled = [b for b in bindings if not _plain_python(b)] or bindings
        values = [(b, self._bound(b)) for b in compiled]
        known = [(b, v) for b, v in values if v is not None or b.kind != "import"]
        if known and all(_alike(v, known[0][1]) for _, v in known):
            return known[0][1] if len(known) == len(values) or not _number(known[0][1]) else None
        last, value = values[-1]
        home = last.scope.module.scope
        straight = all(b.scope is home and not b.conditional and b.kind in _DEFINING for b in compiled)
        return value if straight else None

    def _bound(self, b: Binding) -> Value | None:
        if b.kind == "function" and isinstance(b.node, ast.FunctionDef):
            inner = b.scope.module.scopes.get(b.node)
            plain_call = transparent(self.project, b.node.decorator_list, b.scope)
            return Function(b.node, inner) if inner is not None and plain_call else None
        if b.kind == "class" and isinstance(b.node, ast.ClassDef):
            return Class(b.name, class_fields(b.node))
        if b.kind == "import" and b.target:
            named = canonical(b.target)
            return _library(named) if named else None
        if b.kind in ("assign", "unpack") and b.value is not None:
            found = self.value(b.value, b.scope)
            for i in b.index:
                if not isinstance(found, Tuple) or not 0 <= i < len(found.items):
                    return None
                found = found.items[i]
            return None if isinstance(found, Unresolved) else found
        return None

    # --- host expressions

    def value(self, node: ast.expr, scope: Scope) -> Value:
        """What a host expression evaluates to, as far as a kernel can use it."""
        if isinstance(node, (ast.Name, ast.Attribute)) and dotted_text(node) is not None:
            return self.name(node, scope)
        folded = constants.fold(node, scope, self.project)
        if folded is not None:
            return plain(folded.value)
        if isinstance(node, ast.Lambda) and node in scope.module.scopes:
            return Function(node, scope.module.scopes[node])
        if isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) <= 64:
            return Tuple(tuple(self.value(e, scope) for e in node.elts))
        if isinstance(node, ast.Call) and self._hops < MAX_HOPS:
            self._hops += 1
            try:
                return self._call(node, scope)
            finally:
                self._hops -= 1
        return Unresolved(text_of(node), node, scope)

    def _call(self, node: ast.Call, scope: Scope) -> Value:
        maker = node.func
        while isinstance(maker, ast.Call):
            maker = maker.func
        made = self.value(maker, scope)
        name = made.name if isinstance(made, Named) else ""
        if name == "tl.constexpr" and len(node.args) == 1:
            return self.value(node.args[0], scope)
        if name == "builtins.float" and len(node.args) == 1:
            text = constants.fold(node.args[0], scope, self.project)
            if text is not None and str(text.value).strip("+-").lower() in ("inf", "nan"):
                return Tile(literal(float(str(text.value))), weak=True)
        if name in _WRAPPERS:
            for argument in node.args:
                found = self.value(argument, scope)
                if isinstance(found, Function):
                    return found
        return Unresolved(text_of(node), node, scope)


def _library(name: str) -> Value:
    """A library's object; element types and floating constants are known as such."""
    home, _, last = name.rpartition(".")
    if home in ("tl", "torch", "numpy") and last in NAMES:
        return DType(NAMES[last], text=last)
    if home in ("math", "numpy") and last in _FLOATS:
        return Tile(literal(_FLOATS[last]), weak=True)
    return Named(name)


def limit(type_: object, which: str) -> int | None:
    """`min` or `max` of an integer type."""
    if not isinstance(type_, IntType) or which not in ("min", "max"):
        return None
    low, high = RANGES[f"{'' if type_.signed else 'u'}int{type_.bits}"]
    return low if which == "min" else high


def class_fields(node: ast.ClassDef) -> tuple[str, ...]:
    """The annotated fields of a named tuple or aggregate."""
    return tuple(
        s.target.id for s in node.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)
    )


@lru_cache(maxsize=1)
def of(project: Project) -> World:
    """The world of a project, kept while the same project is in use."""
    return World(project)
