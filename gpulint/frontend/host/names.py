"""Names that are not locals: enclosing functions, module globals, other modules, builtins."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence

from gpulint.frontend.host.cells import changes
from gpulint.frontend.host.closures import captured
from gpulint.frontend.host.elements import lasting
from gpulint.frontend.host.machine import Frame, Machine
from gpulint.frontend.host.state import State
from gpulint.frontend.host.values import (
    Choice,
    Class,
    Const,
    Dotted,
    DType,
    Function,
    Kernel,
    Map,
    Num,
    Seq,
    Unknown,
    Value,
    number,
    truthy,
)
from gpulint.source import constants
from gpulint.source.model import Binding, Scope
from gpulint.term import TRUE, select


def lookup(m: Machine, node: ast.Name) -> Value:
    """The value of a name that the locals of the running function do not hold."""
    function = m.frames[-1].function if m.frames else None
    seen = captured(m, function, node.id) if function is not None else None
    if seen is not None:
        return seen
    scope = function.scope if function is not None else m.module.scope
    if node.id == "__name__":
        return Const("__main__")  # the launches of a script are those that it makes when it is run
    key = (id(scope.module), node.id)
    if key not in m.globals:
        m.notes[f"{node.id} (cyclic)"] = f"`{node.id}` refers to itself"
        m.globals[key] = Unknown(f"{node.id} (cyclic)")
        m.globals[key] = resolve(m, node, scope)
    return m.globals[key]


def resolve(m: Machine, expr: ast.expr, scope: Scope) -> Value:
    """What a name or attribute chain means, from the definitions that the project reaches."""
    bindings = m.project.definitions(expr, scope)
    kernel = _compiled(m, bindings) if m.tiles and len(bindings) > 1 else None
    if kernel is not None:
        return kernel
    values = [v for v in (_binding(m, b) for b in bindings[:8]) if v is not None]
    if values and len(values) == len(bindings) and (len(values) == 1 or all(map(_callable, values))):
        return values[0] if len(values) == 1 else Choice(tuple((TRUE, v) for v in values))
    constant = constants.fold(expr, scope, m.project)
    if constant is not None:
        return plain(constant.value)
    dotted = m.project.dotted(expr, scope)
    if dotted is not None:
        return Dotted(dotted)
    if isinstance(expr, ast.Name) and not bindings and hasattr(builtins, expr.id):
        return Dotted(f"builtins.{expr.id}")
    text = ast.unparse(expr)
    if m.tiles and 1 < len(values) == len(bindings) and all(isinstance(v, Num) for v in values):
        return _one_of(m, [v for v in values if isinstance(v, Num)], text)
    return m.opaque(text, "is a global that is not constant")


def _compiled(m: Machine, bindings: Sequence[Binding]) -> Value | None:
    """The kernel behind a name that is bound again: `k = triton.jit(k)`, `k = autotune(...)(k)`."""
    first = bindings[0]
    if any(b.scope is not first.scope or b.conditional for b in bindings):
        return None
    home = first.scope.qualname
    name = f"{home}.{first.name}" if home else first.name
    found = [k for k in m.kernels.values() if k.module is first.scope.module and name in k.names]
    nodes = {id(k.node) for k in found}
    return Kernel(found[0]) if len(nodes) == 1 else None


def _one_of(m: Machine, values: list[Num], text: str) -> Value:
    """A global number that is set in one of a few places."""
    out = values[-1].term
    for k, v in enumerate(values[:-1]):
        out = select(m.literal(f"{text} has value {k + 1} of {len(values)}"), v.term, out)
    return Num(out)


def _callable(v: Value) -> bool:
    return isinstance(v, (Kernel, Function))


def _binding(m: Machine, b: Binding) -> Value | None:
    kernel = m.decorated(b.node)
    if kernel is not None:
        return kernel
    if isinstance(b.node, (ast.FunctionDef, ast.AsyncFunctionDef)) and b.kind == "function":
        inner = b.scope.module.scopes.get(b.node)
        return Function(b.node, inner, b.scope.module) if inner is not None else None
    if isinstance(b.node, ast.ClassDef) and b.kind == "class":
        return Class(b.node, b.scope.module)
    if b.kind == "import" and b.target:
        return Dotted(b.target)
    if b.kind in ("assign", "unpack") and b.value is not None:
        return _assigned(m, b)
    return None


def _assigned(m: Machine, b: Binding) -> Value | None:
    """The value of a global that is assigned once; its expression is evaluated in its module."""
    assert b.value is not None
    alone = len(b.scope.bindings.get(b.name, ())) == 1
    plain_number = m.tiles and isinstance(b.value, (ast.Constant, ast.BinOp, ast.UnaryOp))
    if not (alone or plain_number) or not isinstance(b.scope.node, ast.Module):
        return None
    value = outside(m, b.value, b.scope)
    if isinstance(value, (Seq, Map)) and b.name in m.once(b.scope.module.tree, changes):
        return m.opaque(b.name, "is changed in place")
    for index in b.index:
        if not isinstance(value, Seq) or index >= len(value.items):
            return m.opaque(b.name, "is a global that is not constant")
        value = value.items[index]
    return value


def outside(m: Machine, expr: ast.expr, scope: Scope) -> Value:
    """The value of an expression of a module, or of a function's defaults, in the scope that it stands in."""
    stub = ast.Lambda(ast.arguments([], [], None, [], [], None, []), expr)
    recording, m.recording = m.recording, False
    m.frames.append(Frame(Function(stub, scope, scope.module)))
    try:
        return lasting(m.eval(State(), expr))
    finally:
        m.frames.pop()
        m.recording = recording


def plain(value: object) -> Value:
    """A folded constant as an abstract value."""
    if isinstance(value, constants.DType):
        return DType(str(value))
    if isinstance(value, bool):
        return truthy(value)
    if isinstance(value, int):
        return number(value)
    if isinstance(value, tuple):
        return Seq(tuple(plain(v) for v in value[:64]))
    return Const(value)
