"""Numba's promotion rules: manual, "Integer typing", current semantics."""

from __future__ import annotations

import pytest

from gpulint.frontend.numba.types import binary, by_name, unify
from gpulint.ir.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT32,
    UINT64,
    UNKNOWN,
    Type,
)


@pytest.mark.parametrize(
    ("op", "a", "b", "result"),
    [
        ("add", INT32, INT32, INT64),
        ("add", UINT32, UINT8, UINT64),
        ("add", UINT32, INT32, INT64),
        ("add", UINT64, INT64, None),
        ("xor", UINT64, INT64, INT64),
        ("shl", INT32, UINT64, INT64),
        ("shr", UINT32, INT64, UINT64),
        ("div", INT64, INT64, FLOAT64),
        ("mul", FLOAT32, INT32, FLOAT64),
        ("mul", FLOAT32, INT16, FLOAT32),
        ("mul", FLOAT32, FLOAT64, FLOAT64),
        ("and", BOOL, BOOL, BOOL),
        ("add", BOOL, BOOL, INT64),
        ("add", UNKNOWN, INT64, UNKNOWN),
        ("mul", UNKNOWN, FLOAT32, UNKNOWN),
    ],
)
def test_binary(op: str, a: Type, b: Type, result: Type | None) -> None:
    assert binary(op, a, b, index=False) == result


def test_unknown_operands_are_integers_in_an_index() -> None:
    assert binary("add", UNKNOWN, INT64, index=True) == INT64
    assert binary("add", UNKNOWN, FLOAT64, index=True) == UNKNOWN


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [
        (INT32, INT64, INT64),
        (UINT8, INT8, INT16),
        (UINT32, INT64, INT64),
        (UINT64, INT64, FLOAT64),
        (INT64, FLOAT64, FLOAT64),
        (BOOL, INT32, INT32),
        (UNKNOWN, INT32, UNKNOWN),
    ],
)
def test_unify(a: Type, b: Type, result: Type) -> None:
    assert unify(a, b) == unify(b, a) == result


def test_names() -> None:
    assert by_name("intp") == INT64
    assert by_name("<i4") == INT32
    assert by_name("something") is None
