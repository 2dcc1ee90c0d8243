"""Kernels of tests through proof and compilation."""

from __future__ import annotations

import textwrap
from pathlib import Path

from gpulint._compiling import prove
from gpulint.compile.artifact import Artifact, make

PRELUDE = "import math\nimport gpulint\nimport numba\nimport numpy as np\nfrom numba import cuda\n\n\n"
COPY = """
@gpulint.contract(requires=["x.size == out.size"])
@cuda.jit
def copy(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i]
"""


def compiled(folder: Path, text: str, signature: str = "", ptx: bool = True, arch: str = "sm_90") -> Artifact:
    """The only kernel of a module, compiled."""
    path = folder / "k.py"
    path.write_text(PRELUDE + textwrap.dedent(text), encoding="utf-8")
    return make(prove(path, "", signature), arch, ptx=ptx)
