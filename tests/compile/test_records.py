"""Arrays of records: layout, what is loaded from where, and what is refused."""

from __future__ import annotations

import ast
import ctypes
import re
from pathlib import Path

import pytest
from compile.compiled import compiled
from hypothesis import given
from hypothesis import strategies as st

from gpulint._compiling import prove
from gpulint.compile.error import CompileError
from gpulint.compile.records import Record, of_text, read
from gpulint.compile.signature import ArraySpec, parse, text_of
from gpulint.ir.types import BOOL, FLOAT32, FLOAT64, INT8, INT32, INT64, UINT16

TYPES = st.sampled_from([BOOL, INT8, UINT16, INT32, INT64, FLOAT32, FLOAT64])
MOVE = """
@gpulint.contract(requires=["a.size >= n"])
@cuda.jit
def k(a, n):
    i = cuda.grid(1)
    if i < n:
        a[i].speed = a[i].place * 2
        a[i].hits += 1
"""
COPY = """
@cuda.jit
def k(a, b):
    i = cuda.grid(1)
    if i < a.size and i < b.size:
        a[i] = b[i]
"""
KIND = "record(place=float64, hits=int32, speed=float32)[::1], int64"


def record(*types: object, align: bool = False) -> Record:
    return Record(tuple((f"f{k}", t) for k, t in enumerate(types)), align)  # type: ignore[misc]


def test_fields_are_packed_as_numpy_packs_them() -> None:
    r = record(INT8, FLOAT64, UINT16, BOOL)
    assert (r.size, dict(r.offsets), r.alignment) == (12, {"f0": 0, "f1": 1, "f2": 9, "f3": 11}, 4)
    assert [r.aligned(name) for name, _ in r.fields] == [1, 1, 1, 1]


def test_aligned_fields_are_laid_out_as_in_c() -> None:
    r = record(INT8, FLOAT64, UINT16, BOOL, align=True)
    assert (r.size, dict(r.offsets), r.alignment) == (24, {"f0": 0, "f1": 8, "f2": 16, "f3": 18}, 8)
    assert r.gaps == (0, 7, 0, 0, 5)
    assert [r.aligned(name) for name, _ in r.fields] == [1, 8, 2, 1]


@given(st.lists(TYPES, min_size=1, max_size=6))
def test_aligned_records_are_those_of_the_c_compiler(types: list[object]) -> None:
    kinds = {
        BOOL: ctypes.c_bool, INT8: ctypes.c_int8, UINT16: ctypes.c_uint16, INT32: ctypes.c_int32,
        INT64: ctypes.c_int64, FLOAT32: ctypes.c_float, FLOAT64: ctypes.c_double,
    }  # fmt: skip
    fields = [(f"f{k}", kinds[t]) for k, t in enumerate(types)]  # type: ignore[index]
    c = type("C", (ctypes.Structure,), {"_fields_": fields})
    r = record(*types, align=True)
    assert r.size == ctypes.sizeof(c)
    assert all(at == getattr(c, name).offset for name, at in r.offsets.items())


@given(st.lists(TYPES, min_size=1, max_size=6), st.integers(0, 9), st.booleans())
def test_a_field_is_as_aligned_as_is_said(types: list[object], k: int, align: bool) -> None:
    r = record(*types, align=align)
    for name, _ in r.fields:
        assert (k * r.size + r.offsets[name]) % r.aligned(name) == 0
    assert k * r.size % r.alignment == 0


@given(st.lists(TYPES, min_size=1, max_size=6), st.booleans())
def test_a_record_is_read_back_as_it_is_written(types: list[object], align: bool) -> None:
    r = record(*types, align=align)
    assert of_text(str(r)) == r
    (spec,) = parse(f"{r}[:, ::1]")
    assert text_of((spec,)) == f"void({r}[:, ::1])"


@pytest.mark.parametrize(
    "text",
    [
        "record()",
        "record(align=True)",
        "record(a=record(b=int8), align=True)",
        "record(a=record())",
        "record(a=complex64)",
        "record(a=b.c)",
        "record(int32)",
        "record(**x)",
    ],
)
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(CompileError):
        read(ast.parse(text, mode="eval").body)
    assert of_text(text) is None


def test_fields_are_loaded_and_stored_at_their_offsets(tmp_path: Path) -> None:
    pytest.importorskip("llvmlite")
    ptx = compiled(tmp_path, MOVE, KIND).ptx
    assert re.search(r"(mad\.lo\.s64|mul\.wide\.u32) .*, 16[,;]|shl\.b64 .*, 4;", ptx)
    places = re.findall(r"(ld|st)\.global\.(\S+)\s.*?\[%rd\d+(\+\d+)?\]", ptx)
    both = [("st", "v2.b32", "+8")]  # neighbours at a multiple of 8 bytes are one store
    assert places == [("ld", "b64", ""), ("ld", "b32", "+8"), *both]


NESTED = "record(pos=record(x=float32, y=float32), hits=int32)"


def test_records_within_records_are_read_and_written() -> None:
    (spec,) = parse(f"{NESTED}[::1]")
    assert isinstance(spec, ArraySpec) and spec.record is not None
    assert dict(spec.record.offsets) == {"pos.x": 0, "pos.y": 4, "hits": 8} and spec.size == 12
    assert str(spec) == f"{NESTED}[::1]"
    deep = "record(a=record(b=record(c=int8, d=int16), e=int8), f=int64)"
    assert str(of_text(deep)) == deep


def test_fields_of_records_within_are_loaded_from_their_places(tmp_path: Path) -> None:
    pytest.importorskip("llvmlite")
    text = """
        @cuda.jit
        def k(a):
            i = cuda.grid(1)
            if i < a.size:
                a[i].pos.y = a[i]["pos"]["x"]
                a[i]["hits"] += 1
    """
    ptx = compiled(tmp_path, text, f"{NESTED}[::1]").ptx
    places = re.findall(r"(ld|st)\.global\.(\S+)\s.*?\[%rd\d+(\+\d+)?\]", ptx)
    assert sorted(places) == [
        ("ld", "b32", ""),
        ("ld", "b32", "+8"),
        ("st", "b32", "+4"),
        ("st", "b32", "+8"),
    ]


def test_aligned_fields_are_loaded_from_their_places(tmp_path: Path) -> None:
    pytest.importorskip("llvmlite")
    kind = "record(hits=int8, place=float64, speed=float32, align=True)[::1], int64"
    ptx = compiled(tmp_path, MOVE, kind).ptx
    assert re.search(r"(mad\.lo\.s64|mul\.wide\.u32|mul\.lo\.s64) .*, 24[,;]", ptx)
    places = re.findall(r"(ld|st)\.global\.(\S+)\s.*?\[%rd\d+(\+\d+)?\]", ptx)
    assert sorted(places) == [("ld", "b64", "+8"), ("ld", "b8", ""), ("st", "b32", "+16"), ("st", "b8", "")]


@pytest.mark.parametrize(
    ("text", "signature", "said"),
    [
        (MOVE, KIND.replace("speed", "pace"), "no field `speed`"),
        (MOVE, "float64[::1], int64", "fields of `a` are not known"),
        (COPY,
         "record(x=int32)[::1], record(x=int32)[::1]", "as a whole"),
    ],
)  # fmt: skip
def test_other_uses_are_refused(tmp_path: Path, text: str, signature: str, said: str) -> None:
    with pytest.raises(CompileError, match=said):
        compiled(tmp_path, text, signature, ptx=False)


@pytest.mark.parametrize("align", [False, True])
def test_the_fields_are_those_of_the_launch_in_view(tmp_path: Path, align: bool) -> None:
    path = tmp_path / "k.py"
    launch = (
        "\n\ndef run(n):\n    a = cuda.to_device(np.zeros(n, dtype=KIND))\n    k[(n + 63) // 64, 64](a, n)\n"
    )
    head = "import gpulint\nimport numpy as np\nfrom numba import cuda\n"
    kind = "KIND = np.dtype([('place', np.float64), ('hits', 'i4'), ('speed', np.float32)]{})\n"
    kind = kind.format(", align=True" if align else "")
    path.write_text(head + kind + MOVE + launch)
    wanted = KIND.replace(")", ", align=True)") if align else KIND
    assert text_of(prove(path, "").signature) == f"void({wanted})"


def test_records_within_may_come_from_the_launch_in_view(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text(
        "import numpy as np\nfrom numba import cuda\n"
        "POINT = np.dtype([('x', np.float32), ('y', 'f4')])\n"
        "KIND = np.dtype([('pos', POINT), ('hits', np.int32)])\n"
        "@cuda.jit\ndef k(a):\n    i = cuda.grid(1)\n    if i < a.size:\n        a[i].pos.x = 1.0\n\n"
        "def run(n):\n    a = cuda.to_device(np.zeros(n, dtype=KIND))\n    k[(n + 63) // 64, 64](a)\n"
    )
    assert text_of(prove(path, "").signature) == f"void({NESTED}[::1])"
