"""The checker finds what is malformed, and nothing else."""

from __future__ import annotations

import pytest

from gpulint.ir import nodes as n
from gpulint.ir.check import check
from gpulint.ir.span import NOWHERE
from gpulint.ir.types import INT64, ArrayType

ZERO = n.Const(0, INT64)
X = n.Param("x", ArrayType(INT64, 1))
M = n.Param("m", INT64)


def kernel(*body: n.Stmt, params: tuple[n.Param, ...] = (X, M)) -> n.Kernel:
    return n.Kernel("k", "k", "numba", params, body, NOWHERE, NOWHERE)


def test_a_sound_kernel() -> None:
    loop = n.For("i", ZERO, n.Var("m"), ZERO, (n.Store("x", (n.Var("i"),), n.Var("i")), n.Break()), INT64)
    carried = n.While((), n.Var("m"), (n.If(n.Var("m"), (n.Assign("b", n.Var("a")),)), n.Assign("a", ZERO)))
    block = n.Block("f", (n.Leave("f"),))
    assert check(kernel(loop, carried, block, n.Leave())) == []


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ((n.Assign("a", n.Var("b")),), "local not defined: b"),
        ((n.Store("y", (ZERO,), ZERO),), "array not defined: y"),
        ((n.Store("m", (ZERO,), ZERO),), "array not defined: m"),
        ((n.Assign("a", n.Extent("y", 0, INT64)),), "array not defined: y"),
        ((n.Unsupported("r", ("y",)),), "array not defined: y"),
        ((n.Leave("f"),), "leave without block: f"),
        ((n.Break(),), "outside a loop: break"),
        ((n.While((n.Continue(),), ZERO, ()),), "outside a loop: continue"),
        ((n.Assign("a", n.Binary("plus", ZERO, ZERO, INT64)),), "operator of Binary: plus"),
        ((n.Barrier("warps"),), "kind of Barrier: warps"),
        ((n.Load("a", "x", ("i",), INT64),), "subscripts of Load: str"),  # type: ignore[arg-type]
        ((n.Assign("a", 3),), "value of Assign: int"),  # type: ignore[arg-type]
        ((n.Alloc("a", INT64, (ZERO,)),), f"type of Alloc: {INT64!r}"),  # type: ignore[arg-type]
        ((n.Block("f", (3,)),), "body of Block holds something that is not a statement"),  # type: ignore[arg-type]
    ],
)
def test_problems(body: tuple[n.Stmt, ...], problem: str) -> None:
    assert problem in check(kernel(*body))


def test_a_parameter_twice() -> None:
    assert check(kernel(params=(M, M))) == ["parameter twice: m"]
