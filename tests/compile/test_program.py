"""`gpulint.compile` and `gpulint.prepare` on kernels of a running program."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from runtime.fake import FakeDriver, ones

import gpulint
from gpulint.compile.error import CompileError, Unproved

pytest.importorskip("llvmlite")
TEXT = """
import numpy as np
from numba import cuda

WIDTH = 4


@cuda.jit
def scale(x, out):
    i = cuda.grid(1)
    if i < x.size and i < out.size:
        out[i] = x[i] * WIDTH


@cuda.jit
def wrong(x):
    x[cuda.grid(1)] = 1


def make(n):
    @cuda.jit
    def fill(out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = n
    return fill
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A module with kernels, imported with a stand-in for Numba that keeps the function as it does."""

    def jit(function: Callable[..., Any]) -> SimpleNamespace:
        return SimpleNamespace(py_func=function)

    numba = ModuleType("numba")
    numba.cuda = SimpleNamespace(jit=jit)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "numba", numba)
    monkeypatch.setitem(sys.modules, "numpy", ModuleType("numpy"))
    path = tmp_path / "program.py"
    path.write_text(TEXT)
    spec = importlib.util.spec_from_file_location("program", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module


def test_a_kernel_of_the_program_is_compiled(program: ModuleType) -> None:
    made = gpulint.compile(program.scale, signature="float32[::1], float32[::1]", arch="sm_80")
    assert ".target sm_80" in made.ptx
    assert made.name == "scale"


def test_a_factory_gives_its_value(program: ModuleType) -> None:
    first, second = (gpulint.compile(program.make(n), signature="int64[::1]").llvm for n in (3, 77))
    assert "77" in second
    assert first != second


def test_an_unproved_kernel_of_the_program_is_refused(program: ModuleType) -> None:
    with pytest.raises(Unproved, match="in-range"):
        gpulint.compile(program.wrong, signature="float32[::1]")
    with pytest.raises(CompileError, match="is no function"):
        gpulint.compile(3)


def test_a_kernel_is_compiled_for_the_device_and_launched(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = FakeDriver("sm_86")
    monkeypatch.setattr("gpulint.runtime.driver.driver", lambda device: driver)
    launch = gpulint.prepare(program.scale, 2, 32, signature="float32[::1], float32[::1]")
    assert launch.plan.arch == 86
    launch(ones(40), ones(40))
    assert [name for name, *_ in driver.launches] in (["scale"], ["scale__x4"])
