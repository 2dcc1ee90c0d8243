"""What the text of a host function tells of its tensor parameters before it runs: ranks, layouts."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gpulint.frontend.host.layout import contiguous_literal
from gpulint.frontend.host.machine import Machine
from gpulint.frontend.host.state import State
from gpulint.frontend.host.values import Function, as_array
from gpulint.source.model import Module
from gpulint.term import eq

INDEXED = ("shape",)
CALLED = ("size", "stride")
KEEPING = frozenset({"contiguous", "to", "cuda", "detach", "clone", "float", "half", "bfloat16"})
COUNTING = frozenset({"numel", "nelement"})
RANKED = frozenset({"ndim", "dim", "ndimension"})


def learn(m: Machine, s: State, function: Function) -> None:
    """Assumes the rank that the code's axis numbers name, and the layout that a decorator makes.

    A parameter whose shape is only asked for along numbered axes is taken to have just those axes: a
    code that uses `x.shape[0]` and `x.stride(1)` means a matrix, one that compares `x.shape[:2]` with two
    numbers and asks for `x.shape[-1]` a tensor with three axes. One that asks for `x.numel()` beside
    `x.shape[0]` may mean more. A decorator in readable source that replaces tensors by `.contiguous()` ones
    makes every tensor parameter row-major.
    """
    node = function.node
    for name, rank in _ranks(node).items():
        a = as_array(s.env.get(name))
        if a is not None:
            s.assume(eq(a.ndim, rank))
            m.presumed[a.name] = (
                f"`{a.name}` is taken as a tensor with {rank} axes, those that the code names"
            )
    if any(_makes_contiguous(m, d, function) for d in getattr(node, "decorator_list", [])):
        for v in list(s.env.values()):
            a = as_array(v)
            if a is not None:
                s.assume(contiguous_literal(a))


def given(node: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """The parameters of a function that anyone may call as it stands: public, with no decorator, and with a
    result, which tells an operation from a helper that launches into what its callers made."""
    returns = any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(node))
    if node.name.startswith("_") or node.decorator_list or not returns:
        return frozenset()
    spec = node.args
    return frozenset(a.arg for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs))


def _ranks(node: ast.AST) -> dict[str, int]:
    """One more than the highest axis named, for names whose rank shows in no other way.

    Axes counted from the end come on top where a leading part of the shape is asked for as a whole.
    """
    highest: dict[str, int] = {}
    last: dict[str, int] = {}
    open_: set[str] = set()
    inside: set[int] = set()
    leading = _leading(node)
    for name, axis, attribute in _axes(node):
        inside.add(id(attribute))
        if name in leading and id(attribute) in leading[name]:
            highest[name] = max(highest.get(name, 0), leading[name][id(attribute)])
        elif axis is not None and -8 < axis < 0 and name in leading:
            last[name] = max(last.get(name, 0), -axis)
        elif axis is None or not 0 <= axis < 8:
            open_.add(name)
        else:
            highest[name] = max(highest.get(name, 0), axis + 1)
    open_ |= leading.keys() - last.keys()
    for n in ast.walk(node):
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name):
            bare = n.attr in ("shape", "strides") and id(n) not in inside
            if bare or n.attr in RANKED:
                open_.add(n.value.id)
            if n.attr in COUNTING and highest.get(n.value.id) == 1 and n.value.id not in last:
                open_.add(n.value.id)
    open_ |= _rearranged(node) - _copies(node).keys()
    for copy, name in _copies(node).items():
        if copy in open_:
            open_.add(name)
        elif copy in highest:
            highest[name] = max(highest.get(name, 0), highest[copy])
    return {name: rank + last.get(name, 0) for name, rank in highest.items() if name not in open_}


def _copies(node: ast.AST) -> dict[str, str]:
    """Names that are given once, as a new tensor of the shape of another name: that one's axes are theirs."""
    out: dict[str, str] = {}
    given = [n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    for n in ast.walk(node):
        if not isinstance(n, ast.Assign) or len(n.targets) != 1 or not isinstance(n.targets[0], ast.Name):
            continue
        call, copy = n.value, n.targets[0].id
        func = getattr(call, "func", None)
        made = getattr(func, "attr", getattr(func, "id", "")).endswith("_like")
        like = call.args[0] if made and isinstance(call, ast.Call) and call.args else None
        if isinstance(like, ast.Name) and sum(x.id == copy for x in given) == 1:
            out[copy] = like.id
    return out


def _leading(node: ast.AST) -> dict[str, dict[int, int]]:
    """`x.shape[:k]`: by name, the number of axes by the identity of the attribute."""
    out: dict[str, dict[int, int]] = {}
    for n in ast.walk(node):
        if not isinstance(n, ast.Subscript) or not isinstance(n.slice, ast.Slice):
            continue
        owner, stop = n.value, n.slice.upper
        if not isinstance(owner, ast.Attribute) or owner.attr not in INDEXED:
            continue
        plain = n.slice.lower is None and n.slice.step is None and isinstance(stop, ast.Constant)
        count = stop.value if plain and isinstance(stop, ast.Constant) else None
        if isinstance(owner.value, ast.Name) and isinstance(count, int) and 0 < count < 8:
            out.setdefault(owner.value.id, {})[id(owner)] = count
    return out


def _rearranged(node: ast.AST) -> set[str]:
    """Names that get another value than the same tensor, made contiguous or of another type."""
    out: set[str] = set()
    for n in ast.walk(node):
        if isinstance(n, ast.Assign):
            for target in n.targets:
                pairs = [(target, n.value)]
                if isinstance(target, ast.Tuple):
                    values = _parts(n.value)
                    pairs = list(zip(target.elts, values or [n.value] * len(target.elts), strict=False))
                out |= {t.id for t, v in pairs if isinstance(t, ast.Name) and _same(v) != t.id}
        elif isinstance(n, (ast.AnnAssign, ast.AugAssign, ast.For, ast.NamedExpr)) and isinstance(
            n.target, ast.Name
        ):
            out.add(n.target.id)
    return out


def _parts(value: ast.expr) -> list[ast.expr]:
    """The values of a tuple, or of a comprehension that treats those of a tuple alike."""
    if isinstance(value, (ast.Tuple, ast.List)):
        return value.elts
    if isinstance(value, (ast.GeneratorExp, ast.ListComp)) and len(value.generators) == 1:
        loop = value.generators[0]
        kept = isinstance(loop.target, ast.Name) and _same(value.elt) == loop.target.id
        if kept and isinstance(loop.iter, (ast.Tuple, ast.List)):
            return loop.iter.elts
    return []


def _same(value: ast.expr) -> str:
    """The name whose tensor a value is, with the axes that it had; '' when it is none."""
    while (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in KEEPING
    ):
        value = value.func.value
    return value.id if isinstance(value, ast.Name) else ""


def _axes(node: ast.AST) -> Iterator[tuple[str, int | None, ast.Attribute]]:
    """`x.shape[k]`, `x.size(k)`, `x.stride(k)`: the name, the axis when it is a number, the attribute."""
    for n in ast.walk(node):
        if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Attribute) and n.value.attr in INDEXED:
            owner, index = n.value, n.slice
        elif isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in CALLED:
            owner, index = n.func, n.args[0] if n.args else ast.Constant(None)
        else:
            continue
        if isinstance(owner.value, ast.Name):
            value = _number(index)
            yield owner.value.id, value if isinstance(value, int) else None, owner


def _number(index: ast.expr) -> object:
    """The constant that an index is, a negative one too."""
    if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub):
        value = _number(index.operand)
        return -value if isinstance(value, int) else None
    return index.value if isinstance(index, ast.Constant) else None


def _makes_contiguous(m: Machine, decorator: ast.expr, function: Function) -> bool:
    """Whether a decorator's own code calls `.contiguous()` on what it hands on."""
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    scope = function.scope.parent or function.scope
    for b in m.project.definitions(target, scope)[:4]:
        if isinstance(b.node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _mentions(b.scope.module, b.node):
            return True
    return False


def _mentions(module: Module, node: ast.AST) -> bool:
    return any(isinstance(n, ast.Attribute) and n.attr == "contiguous" for n in ast.walk(node))
