"""Objects of classes in readable source: methods, class attributes, what `__init__` leaves in self."""

from __future__ import annotations

import ast

from gpulint.frontend.host import names
from gpulint.frontend.host.cells import content
from gpulint.frontend.host.descendants import of_instances, settled, stored
from gpulint.frontend.host.elements import lasting
from gpulint.frontend.host.machine import Frame, Machine
from gpulint.frontend.host.state import State
from gpulint.frontend.host.values import Class, Configured, Function, Kernel, Unknown, Value
from gpulint.source.model import Binding, Scope

INITIALISERS = ("__init__", "setUp", "setup_method", "setUpClass")
MAX_BASES = 4


def class_attribute(m: Machine, cls: Class, name: str, bound: Value | None = None) -> Value | None:
    """A method, kernel or class-level constant of the class or its bases in readable source."""
    for owner in line(m, cls):
        scope = owner.module.scopes.get(owner.node)
        bindings = scope.bindings.get(name, []) if scope is not None else []
        if not bindings or scope is None:
            continue
        kernel = m.decorated(bindings[-1].node)
        if kernel is not None:
            return kernel
        node = bindings[-1].node
        if isinstance(node, ast.FunctionDef) and node in owner.module.scopes:
            return _method(m, owner, node, bound)
        wrapped = bindings[-1].value
        if isinstance(wrapped, ast.Call) and m.kernel(wrapped) is not None:
            return m.kernel(wrapped)
        if len(bindings) == 1 and bindings[0].value is not None and bindings[0].kind == "assign":
            return _constant(m, owner, bindings[0], scope)
        return None
    return None


def _constant(m: Machine, owner: Class, b: Binding, scope: Scope) -> Value | None:
    """A class-level constant, where nothing in view gives an object or a subclass another one."""
    if b.value is None or not _plain(b.value) or of_instances(owner.node, b.node):
        return None
    if b.name in m.once(owner.node, stored):
        return None
    value = names.resolve(m, b.value, scope)
    return value if settled(m, owner, b.name, value) else None


def _plain(value: ast.expr) -> bool:
    return isinstance(value, (ast.Constant, ast.Name, ast.Attribute, ast.BinOp, ast.Tuple, ast.UnaryOp))


def _method(m: Machine, owner: Class, node: ast.FunctionDef, bound: Value | None) -> Value | None:
    marks = {getattr(d, "id", getattr(d, "attr", "")) for d in node.decorator_list}
    if marks & {"property", "cached_property"}:
        return None
    inner = owner.module.scopes[node]
    return Function(node, inner, owner.module, {}, None if "staticmethod" in marks else bound)


def line(m: Machine, cls: Class) -> list[Class]:
    """The class and its bases in readable source, nearest first."""
    out: list[Class] = []
    queue = [cls]
    while queue and len(out) < MAX_BASES:
        current = queue.pop(0)
        out.append(current)
        scope = current.module.scopes.get(current.node)
        for base in current.node.bases[:MAX_BASES]:
            for b in m.project.definitions(base, scope.parent) if scope and scope.parent else ():
                if isinstance(b.node, ast.ClassDef) and all(b.node is not c.node for c in out):
                    queue.append(Class(b.node, b.scope.module))
    return out


def class_state(m: Machine, self_value: Unknown, name: str) -> State:
    """The attributes that `__init__` (or a test's set-up) gives an object and no other method changes.

    Parameters of `__init__` stored as they are keep the attribute's name: `self.n`. Sound as long
    as no code out of view assigns the attribute. Empty where `name` cannot be one of them.
    """
    cls = self_value.cls
    assert cls is not None
    key = id(cls.node)
    if key not in m.states:
        owner = next((c for c in line(m, cls) if m.once(c.node, _initialiser) in c.module.scopes), None)
        if owner is None or name not in m.once(owner.node, _stable):
            return State()
        m.states[key] = State()  # attributes met during the run itself are unknown
        m.states[key] = _initial(m, owner, self_value)
    return m.states[key]


def _initialiser(cls: ast.AST) -> ast.FunctionDef | None:
    assert isinstance(cls, ast.ClassDef)
    return next((n for n in cls.body if isinstance(n, ast.FunctionDef) and n.name in INITIALISERS), None)


def configured(m: Machine, self_value: Unknown, name: str) -> Value | None:
    """A kernel, configured or not, that a single statement of another method than `__init__` keeps in self.

    As sound as `class_state`; what else such a statement keeps hangs on when it ran.
    """
    cls = self_value.cls
    assert cls is not None
    key = (id(cls.node), f"self.{name}")
    if key not in m.globals:
        m.globals[key] = self_value  # what an attribute that is made of itself sees
        found = _kept(m, cls, self_value, name)
        m.globals[key] = found if isinstance(found, (Configured, Kernel)) else self_value
    value = m.globals[key]
    return value if value is not self_value else None


def _kept(m: Machine, cls: Class, self_value: Unknown, name: str) -> Value | None:
    """The value of the only assignment to the attribute, evaluated in its method."""
    stores = [(t, v, s) for t, v, s in cls.module.stores if t.attr == name and _within(s, cls)]
    if len(stores) != 1:
        return None
    _, value, scope = stores[0]
    method = scope.node
    if not isinstance(method, ast.FunctionDef) or method.name in INITIALISERS or not method.args.args:
        return None
    s = State()
    s.env[method.args.args[0].arg] = self_value
    recording, m.recording = m.recording, False
    m.frames.append(Frame(Function(method, scope, cls.module)))
    try:
        return m.eval(s, value)
    finally:
        m.frames.pop()
        m.recording = recording


def _within(scope: Scope, cls: Class) -> bool:
    return scope.parent is not None and scope.parent.node is cls.node


def _initial(m: Machine, owner: Class, self_value: Unknown) -> State:
    init, stable = m.once(owner.node, _initialiser), m.once(owner.node, _stable)
    assert init is not None
    function = Function(init, owner.module.scopes[init], owner.module)
    named = {v.id: f"{self_value.name}.{attr}" for attr, v in stable.items() if isinstance(v, ast.Name)}
    params = [a.arg for a in (*init.args.posonlyargs, *init.args.args, *init.args.kwonlyargs)]
    s = State()
    for name in params[1:]:
        s.env[name] = m.unknown(named.get(name, f"{owner.node.name}.{name}"), "")
    if params:
        s.env[params[0]] = self_value
    recording, m.recording = m.recording, False
    m.frames.append(Frame(function))
    try:
        end = m.execute(m, s, init.body) or State()
    finally:
        m.frames.pop()
        m.recording = recording
    kept = {f"{self_value.name}.{attr}": attr for attr in stable}
    found = {k: content(m, end, v) for k, v in end.heap.items() if k in kept}
    lines = [owner, *([self_value.cls] if self_value.cls not in (None, owner) else [])]
    return State(
        heap={k: lasting(v) for k, v in found.items() if all(settled(m, c, kept[k], v) for c in lines)}
    )


def _stable(cls: ast.AST) -> dict[str, ast.expr]:
    """Attributes of self that are assigned once, in the initialiser, with what is assigned."""
    init = _initialiser(cls)
    assert init is not None
    stores: dict[str, int] = {}
    values: dict[str, ast.expr] = {}
    inside = {id(n) for n in ast.walk(init)}
    for node in ast.walk(cls):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, (ast.Store, ast.Del)):
            stores[node.attr] = stores.get(node.attr, 0) + (1 if id(node) in inside else 100)
        if isinstance(node, ast.Assign) and id(node) in inside:
            for target in node.targets:
                if isinstance(target, ast.Attribute):
                    values[target.attr] = node.value
    return {a: values.get(a, ast.Constant(None)) for a, n in stores.items() if n == 1}
