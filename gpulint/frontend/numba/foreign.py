"""Functions of other languages: what their declared signature says they can reach."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from gpulint.frontend.numba.types import by_name
from gpulint.frontend.numba.values import Unresolved, Value
from gpulint.source.constants import fold
from gpulint.source.model import Scope

if TYPE_CHECKING:
    from gpulint.frontend.numba.world import World

_SIGNATURE = re.compile(r"\s*(\w+)\s*\(([\w\s,]*)\)\s*")


def numbers_only(world: World, value: Value) -> bool:
    """Whether it is a declared device function that takes and gives numbers alone: no memory is in its reach.

    (Device code that keeps global state of its own is outside of the arrays that kernels are given.)
    """
    if not isinstance(value, Unresolved) or not isinstance(value.node, ast.Call):
        return False
    call = value.node
    dotted = world.project.dotted(call.func, value.scope) or ""
    if dotted.rpartition(".")[2] != "declare_device":
        return False
    named = [k.value for k in call.keywords if k.arg == "sig"]
    given = named[0] if named else call.args[1] if len(call.args) > 1 else None
    return given is not None and _scalar(world, given, value.scope)


def _scalar(world: World, signature: ast.expr, scope: Scope) -> bool:
    if isinstance(signature, (ast.Name, ast.Attribute)):
        found = world.project.definitions(signature, scope)
        value = found[0].value if len(found) == 1 and found[0].kind == "assign" else None
        if value is not None and not isinstance(value, (ast.Name, ast.Attribute)):
            return _scalar(world, value, found[0].scope)
    folded = fold(signature, scope, world.project)
    if folded is not None and isinstance(folded.value, str):
        match = _SIGNATURE.fullmatch(folded.value)
        names = [match[1], *filter(None, (p.strip() for p in match[2].split(",")))] if match else [""]
        return all(name == "void" or by_name(name) is not None for name in names)
    if not isinstance(signature, ast.Call) or signature.keywords:
        return False
    return all(_number(e) for e in (signature.func, *signature.args))


def _number(e: ast.expr) -> bool:
    last = e.attr if isinstance(e, ast.Attribute) else getattr(e, "id", "")
    return last in ("void", "none") or by_name(last) is not None
