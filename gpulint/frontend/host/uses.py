"""How a kernel uses its parameters, as far as its text shows: as arrays or as scalars."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from gpulint.frontend.host.machine import text_of
from gpulint.frontend.host.writes import FunctionNode, stored
from gpulint.source.model import KernelSource

ARRAY = frozenset({"shape", "size", "ndim", "strides", "T", "dtype"})


@dataclass(frozen=True)
class KernelUses:
    arrays: frozenset[str]
    scalars: frozenset[str]
    rank: int = 1  # of the launch, as far as calls such as `cuda.grid(2)` and `threadIdx.y` show
    names: tuple[str, ...] = ()  # of the positional parameters
    stored: frozenset[str] = frozenset()  # those that the kernel may write through

    def kind(self, name: str) -> str:
        """array, scalar, or '' when the text does not say."""
        return "array" if name in self.arrays else "scalar" if name in self.scalars else ""


_cache: dict[int, tuple[KernelSource, KernelUses]] = {}


def uses_of(kernel: KernelSource) -> KernelUses:
    """The uses in the kernel's own body; a parameter that is only handed on has none."""
    known = _cache.get(id(kernel.node))
    if known is None or known[0] is not kernel:
        if len(_cache) > 4096:
            _cache.clear()
        known = (kernel, _scan(kernel.node))
        _cache[id(kernel.node)] = known
    return known[1]


def _scan(node: FunctionNode) -> KernelUses:
    arrays: set[str] = set()
    scalars: set[str] = set()
    for n in ast.walk(node):
        if isinstance(n, ast.Subscript):
            arrays |= _names(n.value)
            scalars |= _names(n.slice)
        elif isinstance(n, ast.Attribute) and n.attr in ARRAY:
            arrays |= _names(n.value)
        elif isinstance(n, ast.Call) and n.args and _takes_array(n.func):
            arrays |= _names(n.args[0])
        elif isinstance(n, ast.Call) and getattr(n.func, "id", "") == "range":
            scalars |= {name for a in n.args for name in _names(a)}
        elif isinstance(n, ast.BinOp):
            scalars |= _names(n.left) | _names(n.right)
        elif isinstance(n, ast.AugAssign):
            scalars |= _names(n.value)
        elif isinstance(n, ast.Compare):
            scalars |= {name for a in (n.left, *n.comparators) for name in _names(a)}
    rank = max(map(_rank, ast.walk(node)))
    names = tuple(a.arg for a in (*node.args.posonlyargs, *node.args.args))
    return KernelUses(frozenset(arrays), frozenset(scalars - arrays), rank, names, stored(node))


def _rank(n: ast.AST) -> int:
    """The dimensions of a launch that the node shows."""
    if isinstance(n, ast.Attribute) and n.attr in ("y", "z"):
        owner = text_of(n.value).rpartition(".")[2]
        return 2 + (n.attr == "z") if owner in ("threadIdx", "blockIdx", "blockDim", "gridDim") else 1
    if isinstance(n, ast.Call) and len(n.args) == 1 and isinstance(n.args[0], ast.Constant):
        given = n.args[0].value
        named = getattr(n.func, "attr", getattr(n.func, "id", "")) in ("grid", "gridsize")
        return given if named and isinstance(given, int) and 1 <= given <= 3 else 1
    return 1


def _takes_array(func: ast.expr) -> bool:
    return getattr(func, "id", "") == "len" or "atomic" in text_of(func)


def _names(expr: ast.expr) -> set[str]:
    if isinstance(expr, ast.Tuple):
        return {name for e in expr.elts for name in _names(e)}
    return {expr.id} if isinstance(expr, ast.Name) else set()
