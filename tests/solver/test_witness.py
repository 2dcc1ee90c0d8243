"""What a witness tells is enough to run it again, and within the standing assumptions."""

from __future__ import annotations

from fuzz.expressions import ArrayParam
from fuzz.generate import Program
from fuzz.refuted import unfounded
from fuzz.sites import decided as sited
from kernels import kernel

from gpulint import pipeline
from gpulint.config import Config
from gpulint.dataflow import analyse
from gpulint.ir.nodes import Kernel
from gpulint.ir.symbols import size
from gpulint.solver import space
from gpulint.solver.decide import decide
from gpulint.solver.options import Options
from gpulint.solver.verdict import REFUTED, KernelResult
from gpulint.term import ge

HEAD = "import numba\nfrom numba import cuda\n\n\n@cuda.jit\n"


def decided(body: str) -> tuple[Kernel, KernelResult, Program]:
    """A kernel of two flat arrays and a number."""
    text = f"{HEAD}def k(x, y, n):\n    i = cuda.grid(1)\n{body}"
    arrays = (ArrayParam("x", 1, "data", "float32"), ArrayParam("y", 1, "data", "int32"))
    k = kernel(text)
    return k, decide(k, analyse(k), (), Options()), Program(text, 1, arrays, ("n",))


SIZE_ONLY = "    if i < y.size:\n        x[n + i // 2] = i\n"


def test_an_array_that_is_only_asked_for_its_size_is_named_in_the_witness() -> None:
    k, result, program = decided(SIZE_ONLY)
    races = [v for v in result.verdicts if v.obligation.property == "disjoint" and v.kind == REFUTED]
    assert races and all(v.witness is not None and "y.size" in v.witness.params for v in races)
    assert not unfounded(result, k, program)


def test_an_array_that_is_only_asked_for_its_size_is_not_empty() -> None:
    k, _, _ = decided(SIZE_ONLY)
    assert ge(size("y", 1), 1) in space.launch_facts(k, analyse(k), Options())
    assert ge(size("y", 1), 1) not in space.launch_facts(k, analyse(k), Options(assume=frozenset()))


def test_the_violation_shown_is_that_of_the_access_itself() -> None:
    k, result, program = decided(
        "    if i < n:\n        x[i + n] = y[i]\n        y[i] = x[i // 3] + x[i + 2]\n"
    )
    for v in result.verdicts:
        if v.kind == REFUTED and v.witness is not None and v.obligation.access is not None:
            assert v.witness.array == v.obligation.access.array.name
    assert any(v.kind == REFUTED for v in result.verdicts)
    assert not unfounded(result, k, program)


BINS = (
    HEAD + "def k(x, bins, low, width):\n    i = cuda.grid(1)\n    if i < x.size:\n"
    "        b = int((x[i] - low) / width)\n        if 0 <= b < bins.size:\n            bins[b] += 1\n"
    "def main(h):\n    x = cuda.to_device(h)\n    bins = cuda.to_device(np.zeros(8, np.int32))\n"
    "    k[(x.size + 63) // 64, 64](x, bins, 0.0, 0.5)\n"
)
WARP = (
    HEAD + "def k(x, y):\n    s = cuda.shared.array(32, numba.int32)\n    t = cuda.threadIdx.x\n"
    "    s[t] = x[t]\n"
    "    cuda.syncwarp()\n    if t < 16:\n        s[t] += s[t + 8]\n    y[cuda.blockIdx.x * 32 + t] = s[t]\n"
    "def main(h):\n    n = h.size // 32\n    y = cuda.device_array(n * 32, np.int32)\n"
    "    k[n, 32](cuda.to_device(h), y)\n"
)


def at_sites(text: str) -> KernelResult:
    return sited(text.replace("import numba\n", "import numba\nimport numpy as np\n"))[1]


def test_a_replay_is_run_with_the_floats_of_the_launch() -> None:
    result = at_sites(BINS)
    races = [v for v in result.verdicts if v.obligation.property == "disjoint"]
    assert races and all(v.kind == REFUTED and v.witness is not None for v in races)
    assert all("width" not in v.witness.params for v in races if v.witness is not None)


def test_a_witness_whose_conditions_leave_the_grid_open_is_a_launch() -> None:
    result = at_sites(WARP)
    races = [v for v in result.verdicts if v.obligation.property == "disjoint" and v.kind == REFUTED]
    assert races and all(v.witness is not None and v.witness.grid[0] >= 1 for v in races)


GROUPED = """import torch
import triton
import triton.language as tl


@triton.jit
def k(x, sx, y, n, m, BM: tl.constexpr, BN: tl.constexpr, G: tl.constexpr):
    pid = tl.program_id(0)
    per = G * tl.cdiv(m, BN)
    first = pid // per * G
    size = min(tl.cdiv(n, BM) - first, G)
    rm = (first + (pid % per) % size) * BM + tl.arange(0, BM)
    rn = (pid % per) // size * BN + tl.arange(0, BN)
    mask = (rm[:, None] < n) & (rn[None, :] < m)
    v = tl.load(x + rm[:, None] * sx + rn[None, :], mask=mask, other=0)
    tl.store(y + rm[:, None] + rn[None, :] * m, v, mask=mask)


def main(a: torch.Tensor):
    n = a.shape[0]
    m = a.shape[1]
    y = torch.zeros((n * m,), device="cuda", dtype=torch.float32)
    k[(triton.cdiv(n, 4) * triton.cdiv(m, 4),)](a, a.stride(0), y, n, m, BM=4, BN=4, G=2)
"""


def test_sizes_of_a_race_are_small_where_z3_begins_with_large_ones() -> None:
    report = pipeline.check_file(GROUPED, "kernel.py", Config())
    (race,) = (f for f in report.findings if f.code == "GL301")
    assert race.witness is not None and max(race.witness.params.values()) <= 16
