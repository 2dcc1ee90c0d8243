from __future__ import annotations

import subprocess
import sys

import pytest

from gpulint.source.prefilter import dialects


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("from numba import cuda", "numba"),
        ("@cuda.jit\ndef k(x): pass", "numba"),
        ("from .kernels import k\nk[g, b](x)", "numba"),
        ("from .kernels import k\nk[\n  g, b\n](x)", "numba"),
        ("from .kernels import k\nk.forall(n)(x)", "numba"),
        ("from .wrap import device_jit\n@device_jit\ndef f(x): pass", "numba"),
        ("import triton", "triton"),
        ("from .kernels import k\nk[grid](x)", "triton"),
        ("import cuda.tile as ct", "cutile"),
        ("from cuda import tile", "cutile"),
        ("from .kernels import k, ct\nct.launch(s, g, k, ())", "cutile"),
    ],
)
def test_marked(text: str, dialect: str) -> None:
    assert dialect in dialects(text)


@pytest.mark.parametrize(
    "text",
    [
        "x = 1",
        "a[i] = b[j]",
        "# see [the page](https://x.org)",
        "def f(x):\n  return x[0]",
        "@property\ndef x(): pass",
    ],
)
def test_dismissed(text: str) -> None:
    assert dialects(text) == frozenset()


def test_reading_a_file_needs_no_heavy_library() -> None:
    code = "import sys, gpulint.source.prefilter; print(sorted({'ast', 'z3', 'libcst'} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
