"""Element types that launches give: a Triton kernel's loaded integers at their real widths.

The type of a tensor's elements is not in a Triton kernel's source. Where every launch in view passes
integers of one type for a pointer, loads from it get that type, and the arithmetic on them the type
that Triton's promotion gives, as if the source had said so. What stays unknown stays as it is, and so
does what a conversion in the source fixes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, cast

from gpulint.frontend.host.site import HostArray, LaunchSite
from gpulint.frontend.triton.types import NAMES, meet, promote
from gpulint.ir import nodes as n
from gpulint.ir.types import ArrayType, IntType, Type, Unknown

ROUNDS = 3  # loop-carried types settle in two
_ARITHMETIC = ("add", "sub", "mul", "truncdiv", "truncmod", "min", "max", "and", "or", "xor")
_EXPRS = n.Expr.__args__  # type: ignore[attr-defined]
_STMTS = n.Stmt.__args__  # type: ignore[attr-defined]


def elements(kernel: n.Kernel, sites: Sequence[LaunchSite]) -> dict[str, IntType]:
    """The integer element types of pointers on which all launch sites agree."""
    out: dict[str, IntType] = {}
    for p in kernel.params:
        if not p.is_array or not isinstance(cast(ArrayType, p.type).element, Unknown):
            continue
        given = [s.arguments.get(p.name) for s in sites]
        types = {NAMES.get(a.dtype) if isinstance(a, HostArray) else None for a in given}
        only = types.pop() if len(types) == 1 else None
        if isinstance(only, IntType):
            out[p.name] = only
    return out


def retype(kernel: n.Kernel, given: Mapping[str, IntType]) -> n.Kernel:
    """The kernel with loads from the given pointers, and what is computed from them, typed."""
    if not given:
        return kernel
    work = _Retyper(given, frozenset(p.name for p in kernel.params if p.constexpr))
    body = kernel.body
    for _ in range(ROUNDS):
        body = work.rebuilt(body)
    params = tuple(
        dataclasses.replace(p, type=dataclasses.replace(p.type, element=given[p.name]))
        if p.name in given and isinstance(p.type, ArrayType)
        else p
        for p in kernel.params
    )
    return dataclasses.replace(kernel, params=params, body=body)


class _Retyper:
    def __init__(self, given: Mapping[str, IntType], constexprs: frozenset[str]) -> None:
        self.given, self.constexprs = given, constexprs
        self.locals: dict[str, Type] = {}

    def rebuilt(self, value: Any) -> Any:
        """A node, or a tuple of nodes, with its parts typed first."""
        if isinstance(value, tuple):
            return tuple(self.rebuilt(v) for v in value)
        if not isinstance(value, (*_EXPRS, *_STMTS)):
            return value
        return self._node(value)

    def _node(self, value: Any) -> Any:
        changed = {}
        for f in dataclasses.fields(value):
            if f.name in ("span", "type"):
                continue
            old = getattr(value, f.name)
            new = self.rebuilt(old)
            if new is not old and new != old:
                changed[f.name] = new
        out = dataclasses.replace(value, **changed) if changed else value
        return self._typed(out)

    def _typed(self, node: Any) -> Any:
        if isinstance(node, n.Load):
            if node.array in self.given and isinstance(node.type, Unknown):
                node = dataclasses.replace(node, type=self.given[node.array])
            self.locals[node.target] = node.type
            return node
        if isinstance(node, n.Assign):
            self.locals[node.target] = _type(node.value)
            return node
        new = self._result(node)
        return node if new is None else dataclasses.replace(node, type=new)

    def _result(self, node: Any) -> Type | None:
        """The type that an expression of unknown type has now, or None."""
        if not isinstance(node, _EXPRS) or not isinstance(_type(node), Unknown):
            return None
        found: Type | None = None
        if isinstance(node, n.Var):
            found = self.locals.get(node.name)
        elif isinstance(node, (n.Relane, n.Unary)):
            found = _type(node.operand)
        elif isinstance(node, n.Binary) and node.op in _ARITHMETIC:
            found = self._meet(node.left, node.right)
        elif isinstance(node, n.Choose):
            found = self._meet(node.then, node.other)
        return found if isinstance(found, IntType) else None

    def _meet(self, a: n.Expr, b: n.Expr) -> Type:
        left, right = _type(a), _type(b)
        if self._compile_time(a) and not self._compile_time(b):
            return meet(left, right, getattr(a, "value", None))
        if self._compile_time(b) and not self._compile_time(a):
            return meet(right, left, getattr(b, "value", None))
        return promote(left, right)

    def _compile_time(self, e: n.Expr) -> bool:
        if isinstance(e, n.Const):
            return True
        return isinstance(e, n.Var) and e.name in self.constexprs


def _type(e: Any) -> Type:
    return cast(Type, e.type)
