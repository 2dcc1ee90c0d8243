"""What is the caller's to keep is not held against a launch; what no caller can keep is."""

from __future__ import annotations

from fuzz.sites import decided

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
