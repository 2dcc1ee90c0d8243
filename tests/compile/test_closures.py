"""Values of enclosing scopes."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from compile.compiled import PRELUDE

from gpulint._compiling import _value, prove
from gpulint.compile.artifact import make
from gpulint.compile.closures import constant, read
from gpulint.compile.error import CompileError, Unproved
from gpulint.ir.types import BOOL, FLOAT32, FLOAT64, INT64, UINT8

FACTORY = """
def make(width, scale):
    @gpulint.contract(block=(64, 1, 1), requires=["x.size == out.size"])
    @cuda.jit
    def k(x, out):
        part = cuda.shared.array(width * 2, numba.float32)
        t = cuda.threadIdx.x
        i = cuda.grid(1)
        part[t] = x[i] if i < x.size else 0
        cuda.syncthreads()
        if i < out.size:
            out[i] = part[t] * scale
    return k
"""
F = "float32[::1], float32[::1]"


@pytest.fixture
def factory(tmp_path: Path) -> Path:
    path = tmp_path / "k.py"
    path.write_text(PRELUDE + FACTORY)
    return path


def test_a_missing_value_is_asked_for(factory: Path) -> None:
    with pytest.raises(CompileError, match="--set scale=VALUE"):
        prove(factory, "make.k", F, values=dict([read("width=32")]).get)


def test_the_proof_is_for_the_value(factory: Path) -> None:
    values = dict(map(read, ("width=32", "scale=float32(2.5)")))
    proved = prove(factory, "make.k", F, values=values.get)
    assert proved.result.status == "verified"
    assert "[64 x float]" in make(proved, ptx=False).llvm
    narrow = prove(factory, "make.k", F, values=(values | dict([read("width=31")])).get)
    with pytest.raises(Unproved, match="in-range"):
        make(narrow, ptx=False)


@pytest.mark.parametrize(
    ("text", "value", "type_"),
    [("n=3", 3, INT64), ("a.b = -1.5", -1.5, FLOAT64), ("f=float32(2)", 2, FLOAT32), ("t=True", True, BOOL)],
)
def test_values_of_the_command_line(text: str, value: Any, type_: Any) -> None:
    name, found = read(text)
    assert (name, found.value, found.type) == (text.partition("=")[0].strip(), value, type_)


@pytest.mark.parametrize("text", ["n", "=3", "n=x", "n='a'", "n=[1]", "n=" + "(" * 500])
def test_what_is_no_value_is_refused(text: str) -> None:
    with pytest.raises(CompileError):
        read(text)


@dataclasses.dataclass
class Scalar:
    """A number of NumPy in what matters here."""

    dtype: str
    held: Any
    shape: tuple[int, ...] = ()

    def item(self) -> Any:
        return self.held


def test_numbers_of_a_program_keep_their_types() -> None:
    found = constant(Scalar("uint8", 7))
    assert found is not None
    assert (found.value, found.type) == (7, UINT8)
    assert constant(Scalar("uint8", 7, (1,))) is None
    assert constant("7") is None


def test_names_of_a_function_are_looked_up_where_it_was_made() -> None:
    class Holder:
        deep = 4

    width, holder = 3, Holder

    def f() -> object:
        return width, holder, BOOL

    for name, wanted in (
        ("width", 3),
        ("holder.deep", 4),
        ("holder.none", None),
        ("BOOL", None),
        ("x", None),
    ):
        found = _value(f, name)
        assert (None if found is None else found.value) == wanted
