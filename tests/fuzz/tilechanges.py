"""What makes a right Triton kernel wrong: one change each, as changes of its syntax tree.

A change yields for each place of a node an action that makes it there (`mutants.Change`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

Actions = Iterator[Callable[[], None]]
MEMORY = ("tl.load", "tl.store")


def _called(node: ast.AST) -> str:
    return ast.unparse(node.func) if isinstance(node, ast.Call) else ""


def _memory(node: ast.AST) -> ast.Call | None:
    name = _called(node)
    return node if isinstance(node, ast.Call) and (name in MEMORY or name.startswith("tl.atomic_")) else None


def _without(call: ast.Call, name: str) -> Actions:
    for k in call.keywords:
        if k.arg == name:
            yield lambda k=k: call.keywords.remove(k)  # type: ignore[misc]


def mask_dropped(node: ast.AST) -> Actions:
    call = _memory(node)
    if call is not None:
        yield from _without(call, "mask")
        yield from _without(call, "boundary_check")


def other_dropped(node: ast.AST) -> Actions:
    call = _memory(node)
    if call is not None:
        yield from _without(call, "other")


def mask_axis_swapped(node: ast.AST) -> Actions:
    """`(rows < M)[:, None] & (cols < N)[None, :]` with the two limits exchanged."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd)):
        return
    sides = [_comparison(side) for side in (node.left, node.right)]
    left, right = sides
    if left is not None and right is not None:
        a, b = left.comparators, right.comparators
        if ast.unparse(a[0]) != ast.unparse(b[0]):

            def swap() -> None:
                a[0], b[0] = b[0], a[0]

            yield swap


def _comparison(node: ast.expr) -> ast.Compare | None:
    while isinstance(node, ast.Subscript):
        node = node.value
    return node if isinstance(node, ast.Compare) and len(node.comparators) == 1 else None


def pid_dropped(node: ast.AST) -> Actions:
    """The number of the program plays no part: every program is the first."""
    if isinstance(node, ast.Assign) and _called(node.value) == "tl.program_id":
        yield lambda: setattr(node, "value", ast.copy_location(ast.Constant(0), node.value))


def stride_swapped(node: ast.AST) -> Actions:
    """`rows[:, None] * s + cols[None, :] * t`: the strides exchanged; a lone one moves to the other axis."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)):
        return
    left, right = _strided(node.left), node.right
    if left is None or not _lanes(left.left) or not (_lanes(right) or _strided(right)):
        return
    other = _strided(right)
    if other is not None:

        def swap() -> None:
            left.right, other.right = other.right, left.right

        yield swap
    else:

        def move() -> None:
            node.right = ast.copy_location(ast.BinOp(right, ast.Mult(), left.right), right)
            holder = node.left
            if holder is left:
                node.left = left.left
            else:
                assert isinstance(holder, ast.BinOp)
                holder.right = left.left

        yield move


def _strided(node: ast.expr) -> ast.BinOp | None:
    """`lanes * stride`, alone or last in a sum with a base pointer."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        node = node.right
    return (
        node if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and _lanes(node.left) else None
    )


def _lanes(node: ast.expr) -> bool:
    """An expression along one axis of a tile: `x[:, None]`."""
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple)


def relation_loosened(node: ast.AST) -> Actions:
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Lt):
        yield lambda: node.ops.__setitem__(0, ast.LtE())


def tile_halved(node: ast.AST) -> Actions:
    """`pid * BLOCK` with half the size: neighbours overlap."""
    product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
    size = node.right if isinstance(node, ast.BinOp) and product else None
    if isinstance(size, ast.Name) and size.id.isupper() and len(size.id) > 1:
        half = ast.BinOp(size, ast.FloorDiv(), ast.Constant(2))
        yield lambda: setattr(node, "right", ast.copy_location(half, size))


def atomic_plain(node: ast.AST) -> Actions:
    if isinstance(node, ast.Expr) and _called(node.value).startswith("tl.atomic_"):
        call = node.value
        assert isinstance(call, ast.Call)
        yield lambda: setattr(call, "func", ast.copy_location(ast.parse("tl.store", mode="eval").body, call))


CHANGES = {
    "mask-dropped": mask_dropped, "other-dropped": other_dropped, "mask-axis-swapped": mask_axis_swapped,
    "pid-dropped": pid_dropped, "stride-swapped": stride_swapped, "relation-loosened": relation_loosened,
    "tile-halved": tile_halved, "atomic-plain": atomic_plain,
}  # fmt: skip
