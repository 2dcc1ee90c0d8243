from __future__ import annotations

import ast
from typing import Any

import pytest

from gpulint.source.constants import Value, fold
from gpulint.source.load import load_text
from gpulint.source.model import Module
from gpulint.source.resolve import Project

TEXT = """
import enum, math, types
import numpy as np
from math import pi as PI
from numba import cuda, float32 as f4, types as nt
N = 16
M = N * 2 + 1
T = (N, M)
A, (B, C) = 1, T
D, E = T
BIG = 9 ** 9 ** 9
SHIFT = 1 << 10 ** 9
LONG = "a" * 10 ** 9
X = 1
X = 2
Y = 3
Y = 3
if X:
    Q = 5
try:
    R = 1
except Exception:
    R = 2
Z: int
Z = 4
S = 0
S += 1
for I in range(3): pass
P1 = P2
P2 = P1
NS = types.SimpleNamespace(w=7, v=N)
DIRTY = 1
class K:
    W = 4
    V = W * 2
    CHANGED = 1
    if N:
        U = 1
class Color(enum.Enum):
    RED = 1
class Level(enum.IntEnum):
    LOW = 2
K.CHANGED = 2
def dirty():
    global DIRTY
    DIRTY = 2
def factory(p=3):
    q = N
    r = p
NEST = ((0,) * 100,) * 100
"""


def known(expr: str, scope: int | None = None) -> Value | None:
    module = load_text(TEXT, "m.py")
    assert isinstance(module, Module), module
    where = module.scope if scope is None else module.scope.children[scope]
    return fold(ast.parse(expr, mode="eval").body, where, Project())


@pytest.mark.parametrize(
    ("expr", "value"),
    [
        ("N", 16), ("M", 33), ("T", (16, 33)), ("A", 1), ("B", 16), ("C", 33), ("D", 16), ("E", 33),
        ("Y", 3), ("Q", 5), ("Z", 4), ("NS.v", 16), ("K.W", 4), ("K.V", 8), ("Color.RED.value", 1),
        ("Level.LOW", 2), ("T[1]", 33), ("T[-1]", 33), ("T[:1]", (16,)), ("N > 3", True),
        ("1 < N < 5", False), ("5 if N > 2 else X", 5), ("7 if X else 7", 7), ("max(N, 40)", 40),
        ("len(T)", 2), ("int(2.7)", 2), ("math.ceil(5 / 2)", 3), ("-N", -16), ("N // 3", 5),
        ("-7 // 2", -4), ("N << 2", 64), ("'a' + 'b'", "ab"), ("T + (1,)", (16, 33, 1)), ("not N", False),
        ("None", None), ("N and 3", 3), ("0 or N", 16), ("PI", 3.141592653589793), ("3 in T", False),
        ("2 ** 70", 2**70), ("None is None", True), ("divmod(7, 2)", (3, 1)),
    ],
)  # fmt: skip
def test_known(expr: str, value: Any) -> None:
    result = known(expr)
    assert result is not None
    assert result.value == value
    assert type(result.value) is type(value)


@pytest.mark.parametrize(
    "expr",
    [
        "X", "R", "S", "I", "P1", "BIG", "SHIFT", "LONG", "K.CHANGED", "K.U", "DIRTY", "Color.RED", "missing",
        "N / 0", "T[5]", "factory(1)", "np.zeros(3)",
        "cuda.grid(1)", "[1][0]", "(NEST,) * 100", "np.int8(300)",
        "max(N, unknown)", "1 < 'a'", "N if unknown else X", "'%d' % 3", "NS.gone", "math.sqrt(-1)", "N.real",
    ],
)  # fmt: skip
def test_unknown(expr: str) -> None:
    assert known(expr) is None


@pytest.mark.parametrize(
    ("expr", "name"),
    [
        ("f4", "float32"), ("np.float32", "float32"), ("nt.int64", "int64"), ("float", "float64"),
        ("np.byte", "int8"), ("nt.byte", "uint8"), ("np.bool_", "bool"), ("int", "int64"),
    ],
)  # fmt: skip
def test_element_types(expr: str, name: str) -> None:
    result = known(expr)
    assert result is not None and result.is_dtype
    assert result.value == name


def test_a_cast_keeps_its_type() -> None:
    assert known("np.uint32(N)") == Value(16, "uint32")


def test_parameters_are_unknown_and_closures_are_known() -> None:
    factory = -1
    assert known("q", factory) == Value(16)
    assert known("r", factory) is None
    assert known("p", factory) is None


def test_long_alias_chains_end() -> None:
    text = "x0 = 1\n" + "\n".join(f"x{i + 1} = x{i} + x{i}" for i in range(500))
    module = load_text(text, "m.py")
    assert isinstance(module, Module)
    assert fold(ast.parse("x500", mode="eval").body, module.scope, Project()) is None
