"""Barriers that are said to be met by all threads of a block are, in every small run."""

from __future__ import annotations

import pytest
from fuzz import barriers
from fuzz.launches import brute, launches
from kernels import kernel

from gpulint.dataflow import analyse
from gpulint.ir.nodes import Kernel
from gpulint.solver import convergence
from gpulint.solver.options import Options
from gpulint.solver.setting import Setting
from gpulint.solver.verdict import PROVED


def all_proved(k: Kernel) -> bool:
    s = Setting(k, analyse(k), Options())
    return all(convergence.again(s, o).kind == PROVED for o in convergence.obligations(s))


@pytest.mark.parametrize("batch", range(3))
def test_threads_of_a_proved_kernel_never_diverge(batch: int) -> None:
    proved = 0
    for seed in range(batch * 40, batch * 40 + 40):
        program = barriers.seeded(f"convergence/{seed}")
        k = kernel(program.text)
        if not all_proved(k):
            continue
        proved += 1
        for launch, outcome in brute(k, launches(program, 6, empty=False)):
            if not outcome.of("out-of-range"):
                assert not outcome.of("divergence"), f"seed {seed}: {launch}\n{program.text}"
    assert proved > 10


BODY = "@cuda.jit\ndef k(x, n):\n    t = cuda.threadIdx.x\n"
UNIFORM = [
    "if n > 2:\n        cuda.syncthreads()",
    "if cuda.blockIdx.x == 0:\n        cuda.syncthreads()",
    "for q in range(n):\n        cuda.syncthreads()",
    "w = cuda.blockDim.x // 2\n    while w > 0:\n        cuda.syncthreads()\n        w //= 2",
    "if t < cuda.blockDim.x:\n        cuda.syncthreads()",
    "if cuda.blockIdx.x > n:\n        return\n    cuda.syncthreads()",
    "for q in range(n):\n        if q == 2:\n            break\n        cuda.syncthreads()",
]
DIVERGENT = [
    "if t == 0:\n        cuda.syncthreads()",
    "if t < n:\n        cuda.syncthreads()",
    "for q in range(t):\n        cuda.syncthreads()",
    "if t > n:\n        return\n    cuda.syncthreads()",
    "for q in range(n):\n        if t == q:\n            break\n        cuda.syncthreads()",
    "for q in range(n):\n        if t == q:\n            continue\n        cuda.syncthreads()",
    "for q in range(t, n, cuda.blockDim.x):\n        cuda.syncthreads()",
    "w = t\n    while w > 0:\n        cuda.syncthreads()\n        w //= 2",
]


@pytest.mark.parametrize("body", DIVERGENT)
def test_a_divergent_barrier_is_not_proved(body: str) -> None:
    assert not all_proved(kernel(f"{BODY}    {body}\n    x[cuda.grid(1)] = 1\n"))


@pytest.mark.parametrize("body", UNIFORM)
def test_a_uniform_barrier_is_proved(body: str) -> None:
    assert all_proved(kernel(f"{BODY}    {body}\n    x[cuda.grid(1)] = 1\n"))
