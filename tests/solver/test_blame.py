"""What is the caller's to keep is not held against a launch; what no caller can keep is."""

from __future__ import annotations

from fuzz.sites import decided

from gpulint import pipeline
from gpulint.config import Config

HEAD = "import numpy as np\nfrom numba import cuda\n\n@cuda.jit\n"
ROWS = (
    HEAD + "def k(p, y):\n    r = cuda.grid(1)\n    if r < y.size:\n        y[r] = p[r + 1] - p[r]\n"
    "def main(m):\n    y = cuda.device_array({rows}, np.int32)\n    offsets = cuda.to_device(m.indptr)\n"
    "    k[({rows} + 63) // 64, 64](offsets, y)\n"
)
SWAPPED = (
    HEAD + "def k(a, b):\n    i, j = cuda.grid(2)\n    if i < a.shape[1] and j < a.shape[0]:\n"
    "        b[i, j] = a[i, j]\n"
    "def main(x, y):\n{equal}    a = cuda.to_device(x)\n    b = cuda.to_device(y)\n"
    "    k[((x.shape[0] + 7) // 8, (x.shape[1] + 7) // 8), (8, 8)](a, b)\n"
)


def statuses(text: str) -> set[str]:
    _, result = decided(text)
    return {v.kind for v in result.verdicts if v.obligation.property == "in-range"}


def test_one_more_offset_than_rows_is_a_relation_of_the_callers() -> None:
    assert "refuted" not in statuses(ROWS.format(rows="m.shape[0]"))


def test_one_more_offset_than_offsets_is_no_relation() -> None:
    assert "refuted" in statuses(ROWS.format(rows="m.indptr.size"))


def test_inputs_that_the_host_equates_are_one_input() -> None:
    _, result = decided(SWAPPED.format(equal="    assert x.shape == y.shape\n"))
    refuted = {v.obligation.span for v in result.verdicts if v.kind == "refuted"}
    assert len(refuted) == 2  # the load and the store


FLAT = (
    "import torch\nimport triton\nimport triton.language as tl\n\n@triton.jit\n"
    "def k(x, y, n, B: tl.constexpr):\n    i = tl.program_id(0) * B + tl.arange(0, B)\n"
    "    v = tl.load(x + i, mask=i < n, other=0.0)\n    tl.store(y + i, v, mask=i < n)\n\n"
    "def main(x, y):\n    assert x.shape[:2] == y.shape[:2] and x.ndim > 2\n    a, b, _ = y.shape\n"
    "    n = a * b * x.shape[-1]\n    x, y = x.contiguous(), torch.empty(n)\n"
    "    k[(triton.cdiv(n, 64),)](x, y, n, B=64)\n"
)


def test_the_rank_that_ties_a_size_to_extents_is_the_callers() -> None:
    (result,) = pipeline.check_file(FLAT, "k.py", Config()).kernels
    assert result.status == "verified" and "fitting-inputs" in result.assumed
    lifted = Config(no_assume=frozenset({"fitting-inputs"}))
    (result,) = pipeline.check_file(FLAT, "k.py", lifted).kernels
    assert result.status == "undecided"


MADE = (
    HEAD + "def k(a, b):\n    i, j = cuda.grid(2)\n    if i < {rows} and j < {columns}:\n"
    "        b[i, j] = a[i, j]\n"
    "def main(n, m, few):\n    a = cuda.device_array((n, m), np.int32)\n"
    "    b = cuda.device_array((n, {width}), np.int32)\n"
    "    k[((n + 7) // 8, (m + 7) // 8), (8, 8)](a, b)\n"
)


def test_axes_of_an_allocation_that_are_taken_for_each_other_are_the_launchs_own() -> None:
    assert "refuted" in statuses(MADE.format(rows="a.shape[1]", columns="a.shape[0]", width="m"))
    assert statuses(MADE.format(rows="a.shape[0]", columns="a.shape[1]", width="m")) <= {
        "proved",
        "proved-under",
    }


def test_a_number_that_no_axis_of_the_array_has_is_the_callers_to_choose() -> None:
    _, result = decided(MADE.format(rows="a.shape[0]", columns="b.shape[1]", width="few"))
    assert result.status == "undecided" and [x.status for x in result.sites] == ["undecided"]


def places(text: str) -> set[str]:
    """The verdicts on the accesses of a tile kernel."""
    (kernel,) = pipeline.check_file(text, "k.py", Config()).kernels
    return {o.verdict for o in kernel.obligations if o.property == "in-range"}


CHUNKS = (
    "import torch\nimport triton\nimport triton.language as tl\n\n@triton.jit\n"
    "def k(x, y, n, C, B: tl.constexpr):\n    c = tl.arange(0, B)\n    i = tl.program_id(0) * C + c\n"
    "    v = tl.load(x + i, mask=(c < C) & ({which} < n), other=0.0)\n"
    "    tl.store(y + i, v, mask=(c < C) & (i < n))\n\n"
    "def main(x, {chunk}):\n    n, x = x.numel(), x.contiguous()\n    assert chunk >= 1\n"
    "    y = torch.empty(n, device=x.device)\n"
    "    k[(triton.cdiv(n, chunk),)](x, y, n, chunk, B=triton.next_power_of_2(chunk))\n    return y\n"
)


def test_a_block_that_leaves_a_tail_is_nothing_that_callers_keep() -> None:
    assert "refuted" in places(CHUNKS.format(which="c", chunk="chunk=64"))
    for chunk, which, fine in (("chunk", "c", False), ("chunk", "i", True), ("chunk=64", "i", True)):
        text = CHUNKS.format(which=which, chunk=chunk)
        (kernel,) = pipeline.check_file(text, "k.py", Config()).kernels
        assert (kernel.status == "verified") is fine


def test_what_the_host_equates_with_one_input_is_that_input() -> None:
    text = (
        "import torch\nimport triton\nimport triton.language as tl\n\n@triton.jit\n"
        "def k(x, w, y, n, s: tl.constexpr, B: tl.constexpr):\n"
        "    c = tl.arange(0, B)\n    row = tl.program_id(0)\n"
        "    v = tl.load(x + row * n + c, mask=c < n, other=0.0) * tl.load(w + c{mask})\n"
        "    tl.store(y + row * n + c, v, mask=c < n)\n\n"
        "def main(x, w):\n    m, n = x.shape\n    assert w.shape == (n,)\n"
        "    x, w = x.contiguous(), w.contiguous()\n    y = torch.empty_like(x)\n"
        "    k[(m,)](x, w, y, n, s=1, B=triton.next_power_of_2(n))\n    return y\n"
    )
    assert "refuted" in places(text.format(mask=""))
    assert "refuted" not in places(text.format(mask=", mask=c < n, other=0.0"))
