"""What host code says of the elements of NumPy index arrays, and whose fault a bound that is too weak is."""

from __future__ import annotations

import pytest
from fuzz.sites import decided

from gpulint import pipeline
from gpulint.config import Config
from gpulint.solver.verdict import REFUTED

GATHER = (
    "import numpy as np\nfrom numba import cuda\n\n@cuda.jit\ndef k(x, idx, y):\n    i = cuda.grid(1)\n"
    "    if i < idx.size:\n        y[i] = x[idx[i]]\n\ndef main(x, idx):\n"
    "    assert x.ndim == 1 and idx.ndim == 1\n{said}    y = cuda.device_array(idx.size, np.float32)\n"
    "    k[(idx.size + 63) // 64, 64](cuda.to_device(x), cuda.to_device(idx), y)\n"
)
SCATTER = (
    "import numpy as np\nfrom numba import cuda\n\n@cuda.jit\ndef k(idx, y):\n    i = cuda.grid(1)\n"
    "    if i < idx.size:\n        y[idx[i]] = i\n\ndef main(n):\n    idx = {made}\n"
    "    y = cuda.device_array(n, np.int64)\n    k[(n + 63) // 64, 64](cuda.to_device(idx), y)\n"
)


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("    assert idx.min() >= 0 and idx.max() < x.size\n", "verified"),
        ("    assert idx.min() >= 0 and idx.max() <= x.size\n", "refuted"),
        ("    assert idx.max() < x.size\n", "undecided"),
        ("    assert idx.min() >= 0 and idx.max() < x.size\n    idx[0] = x.size\n", "undecided"),
        ("    idx = np.random.randint(0, x.size, 64)\n", "verified"),
        ("    idx = np.random.randint(0, x.size + 1, 64)\n", "refuted"),
        ("    idx = np.random.randint(x.size, size=64)\n", "verified"),
        ("", "undecided"),
    ],
)
def test_a_gather_is_as_good_as_what_the_host_says_of_its_indices(said: str, status: str) -> None:
    _, result = decided(GATHER.format(said=said))
    assert result.status == status


@pytest.mark.parametrize(
    ("made", "races"), [("np.random.permutation(n)", False), ("np.random.randint(0, n, n)", True)]
)
def test_a_scatter_races_where_indices_may_repeat(made: str, races: bool) -> None:
    _, result = decided(SCATTER.format(made=made))
    assert any(v.kind == REFUTED for v in result.verdicts if v.obligation.property == "disjoint") is races


ROWS = (
    "import torch\nimport triton\nimport triton.language as tl\n\n@triton.jit\n"
    "def k(ids, x, y, D, B: tl.constexpr):\n    t = tl.program_id(0)\n    c = tl.arange(0, B)\n"
    "    v = tl.load(x + tl.load(ids + t) * D + c, mask=c < D)\n    tl.store(y + t * D + c, v, mask=c < D)\n"
    "\ndef main(x, ids):\n    n, D = x.shape\n    x = x.contiguous()\n"
    "    assert ids.ndim == 1 and ids.is_contiguous() and ids.min() >= 0 and ids.max() {bound}\n{between}"
    "    y = torch.empty((ids.numel(), D))\n"
    "    k[(ids.numel(),)](ids, x, y, D, B=triton.next_power_of_2(D))\n"
)


@pytest.mark.parametrize(
    ("bound", "between", "status"),
    [
        ("< n", "", "verified"),
        ("<= n", "", "refuted"),
        ("< n", "    ids[0] = n\n    ids = ids.clone().contiguous()\n", "undecided"),
        ("< n", "    ids.add_(1)\n    ids = ids.clone().contiguous()\n", "undecided"),
    ],
)
def test_a_row_number_is_what_the_host_says_until_it_is_written(
    bound: str, between: str, status: str
) -> None:
    text = ROWS.format(bound=bound, between=between)
    (kernel,) = pipeline.check_file(text, "k.py", Config()).kernels
    assert kernel.status == status
