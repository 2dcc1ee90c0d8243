"""Small launches of the kernels at the edges of their contracts, with random contents."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from signatures import SIGNATURES

from gpulint.compile.signature import ArraySpec, parse
from gpulint.ir.types import FloatType


@dataclass(frozen=True)
class Case:
    """One launch: `shapes` of the arrays and `numbers` by parameter name."""

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shapes: dict[str, tuple[int, ...]]
    numbers: dict[str, float] = field(default_factory=dict)


def _flat(kernel: str, names: tuple[str, ...], **numbers: float) -> Iterator[Case]:
    """Lengths around multiples of the block and of a vector, with a grid that just covers them."""
    for n in (1, 3, 4, 5, 31, 32, 33, 127, 128, 129, 257):
        block = 32 if n < 64 else 128
        yield Case(kernel, (-(-n // block), 1, 1), (block, 1, 1), dict.fromkeys(names, (n,)), numbers)
    yield Case(kernel, (9, 1, 1), (32, 1, 1), {a: (100 + k,) for k, a in enumerate(names)}, numbers)
    yield Case(kernel, (1, 1, 1), (32, 1, 1), dict.fromkeys(names, (100,)), numbers)  # covers a part only


def cases() -> Iterator[Case]:
    """All of them, in a fixed order."""
    yield from _flat("vector_add", ("x", "y", "out"))
    yield from _flat("saxpy", ("x", "y"), a=2.5)
    yield from _flat("scale", ("x", "out"), a=-1.5)
    yield from _flat("gelu", ("x", "out"))
    yield from _flat("halves", ("x", "out"))
    for n in (1, 33, 70):
        yield Case("integers", (3, 1, 1), (32, 1, 1), {"x": (n,), "y": (n,), "out": (n, 12)})
        yield Case("polynomial", (3, 1, 1), (32, 1, 1), {"c": (min(n, 4),), "x": (n,), "out": (n,)})
        yield Case("histogram", (2, 1, 1), (32, 1, 1), {"values": (n,), "counts": (7,)})
    for rows, cols in ((1, 1), (16, 16), (17, 5), (33, 40)):
        tiles = (-(-cols // 16), -(-rows // 16), 1)
        yield Case("tile_transpose", tiles, (16, 16, 1), {"a": (rows, cols), "out": (cols, rows)})
        yield Case("strided", (5, 5, 1), (8, 8, 1), {"a": (rows, cols), "out": (rows, cols)})
        yield Case("softmax", (2, 1, 1), (32, 1, 1), {"scores": (rows, cols), "out": (rows, cols)})
        shapes = {"a": (rows, 9), "b": (9, cols), "c": (rows, cols)}
        yield Case("matmul", (3, 3, 1), (16, 16, 1), shapes)
    for n in (1, 127, 128, 200):
        yield Case("block_sums", (2, 1, 1), (128, 1, 1), {"x": (n,), "out": (2,)})
        yield Case("warp_sums", (4, 1, 1), (64, 1, 1), {"x": (n,), "out": (1,)})
        yield Case("votes", (3, 1, 1), (64, 1, 1), {"x": (n,), "out": (3,)})


OUTPUTS = frozenset(("out", "counts", "c"))


def contents(case: Case, names: list[str]) -> dict[str, list[Any]]:
    """Random elements of every array, the same in every run: small integers but zero, floats in eighths."""
    draw = random.Random(repr(case))
    out: dict[str, list[Any]] = {}
    for name, spec in zip(names, parse(SIGNATURES[case.kernel]), strict=True):
        if isinstance(spec, ArraySpec):
            count = math.prod(case.shapes[name])
            if isinstance(spec.element, FloatType):
                out[name] = [draw.randint(-24, 24) / 8 for _ in range(count)]
            else:
                out[name] = [draw.choice([-1, 1]) * draw.randint(1, 9) for _ in range(count)]
    if case.kernel == "histogram":
        out["counts"] = [0] * case.shapes["counts"][0]
    if case.kernel == "warp_sums":
        out["out"] = [0.0]
    return out
