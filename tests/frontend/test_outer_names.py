"""Names that a kernel takes from around it: known only where nothing else may give them another value."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

NUMBA = """
import sys
from numba import cuda
{before}
@cuda.jit
def k(x):
    i = cuda.grid(1)
    if i < {name}:
        x[i] = 1.0

def run():
    k[1, 128](cuda.device_array(4))
"""
TRITON = """
import sys
import torch
import triton
import triton.language as tl
{before}
@triton.jit
def k(x, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, 1.0, mask=i < {name})

def run():
    k[(1,)](torch.empty(4, device="cuda"), BLOCK=128)
"""
KNOWN = {
    "a constant": ("N = 4", "N"),
    "the same in both branches": ("if sys.argv:\n    N = 4\nelse:\n    N = 4", "N"),
    "a class": ("class P:\n    N = 4", "P.N"),
    "an import of a library before": ("from math import *\nN = 4", "N"),
}
OPEN = {
    "augmented": ("N = 4\nN += 96", "N"),
    "another in the other branch": ("if sys.argv:\n    N = 4\nelse:\n    N = 100", "N"),
    "set by a function": ("N = 4\ndef grow(v):\n    global N\n    N = v", "N"),
    "set in a with": ("N = 4\nwith open('n') as f:\n    N = int(f.read())", "N"),
    "a loop variable": ("N = 4\nfor N in range(200):\n    pass", "N"),
    "an attribute that is set": ("class P:\n    N = 4\nP.N = 100", "P.N"),
    "a wildcard import after it": ("N = 4\nfrom settings import *", "N"),
    "set by name": ("N = 4\nglobals()['N'] = 100", "N"),
    "an import that may fail": ("try:\n    from fast import N\nexcept ImportError:\n    N = 4", "N"),
    "a list that changes": ("S = [4]\nS[0] = 100\nN = S[0]", "N"),
}
FUNCTIONS = {
    "rebound": "{jit}\ndef at(i):\n    return i\n{jit}\ndef twice(i):\n    return i * 2\nat = twice",
    "another in the other branch": "if sys.argv:\n    {jit}\n    def at(i):\n        return i\nelse:\n"
    "    {jit}\n    def at(i):\n        return i * 2",
    "wrapped": "def doubled(fn):\n    {jit}\n    def inner(i):\n        return fn(i) * 2\n    return inner\n"
    "@doubled\n{jit}\ndef at(i):\n    return i",
}
SAME = {
    "one text in both branches": "if sys.argv:\n    {jit}\n    def at(i):\n        return i\nelse:\n"
    "    {jit}\n    def at(i):\n        return i",
    "handed on": "def traced(fn):\n    return fn\n@traced\n{jit}\ndef at(i):\n    return i",
}
CALLS = {
    "@cuda.jit": NUMBA.replace("device_array(4)", "device_array(128)").replace("x[i] =", "x[at(i)] ="),
    "@triton.jit": TRITON.replace("empty(4", "empty(128").replace("x + i", "x + at(i)"),
}


def status(text: str) -> str:
    kernels = pipeline.check_file(text, "k.py", Config()).kernels
    return next(kernel.status for kernel in kernels if kernel.name.split(".")[-1] == "k")


@pytest.mark.parametrize("text", [NUMBA, TRITON], ids=["numba", "triton"])
@pytest.mark.parametrize(("before", "name"), KNOWN.values(), ids=KNOWN)
def test_one_value_is_known(text: str, before: str, name: str) -> None:
    assert status(text.format(before=before, name=name)) == "verified"


@pytest.mark.parametrize("text", [NUMBA, TRITON], ids=["numba", "triton"])
@pytest.mark.parametrize(("before", "name"), OPEN.values(), ids=OPEN)
def test_one_value_of_several_is_not_taken(text: str, before: str, name: str) -> None:
    assert status(text.format(before=before, name=name)) != "verified"


@pytest.mark.parametrize("jit", CALLS)
@pytest.mark.parametrize("before", FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_function_is_the_one_that_is_called(jit: str, before: str) -> None:
    before = before.format(jit=jit.replace("jit", "jit(device=True)") if "cuda" in jit else jit)
    assert status(CALLS[jit].format(before=before, name="128")) != "verified"


@pytest.mark.parametrize("jit", CALLS)
@pytest.mark.parametrize("before", SAME.values(), ids=SAME)
def test_functions_that_do_not_differ_are_one(jit: str, before: str) -> None:
    before = before.format(jit=jit.replace("jit", "jit(device=True)") if "cuda" in jit else jit)
    assert status(CALLS[jit].format(before=before, name="128")) == "verified"


def test_a_tile_kernel_calls_the_one_that_is_compiled() -> None:
    before = (
        "if sys.argv:\n    @triton.jit\n    def at(i):\n        return i\nelse:\n"
        "    def at(*args):\n        raise RuntimeError"
    )
    assert status(CALLS["@triton.jit"].format(before=before, name="128")) == "verified"


@pytest.mark.parametrize("text", [NUMBA, TRITON], ids=["numba", "triton"])
def test_a_factorys_local_is_what_it_is_when_the_kernel_runs(text: str) -> None:
    head, kernel = text.split("{before}")
    kernel, run = kernel.split("def run")
    body = "".join(f"    {line}\n" for line in kernel.format(name="n").splitlines())
    made = f"{head}\ndef make():\n    n = 4\n{body}\n    n = 100\n    return k\n\ndef run{run}"
    assert status(made.replace("    k[", "    make()[")) != "verified"
