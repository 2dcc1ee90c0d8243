"""What callers of a host function keep: how its inputs fit together, and what index arrays hold."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n"
GATHER = """@triton.jit
def gather(x, idx, scale, out, n, D: tl.constexpr, B: tl.constexpr):
    rows = tl.program_id(0) * B + tl.arange(0, B)
    inside = rows < n
    at = tl.load(idx + rows, mask=inside, other=0)
    s = tl.load(scale + rows, mask=inside, other=0.0)
    for d in range(D):
        v = tl.load(x + at * D + d, mask=inside, other=0.0)
        tl.store(out + {place}, v * s, mask={mask})


def run(x, idx, scale):
    n = idx.numel()
    x, idx, scale = x.contiguous(), idx.contiguous(), scale.contiguous()
    {said}
    D = x.shape[1]
    out = torch.zeros((n, D), device=x.device, dtype=x.dtype)
    gather[(triton.cdiv(n, 64),)](x, idx, scale, out, n, D=D, B=64)
    return out
"""


def status(text: str, *lifted: str) -> tuple[str, bool]:
    """The kernel's status, and whether it rests on inputs that fit."""
    (kernel,) = pipeline.check_file(HEAD + text, "kernel.py", Config(no_assume=frozenset(lifted))).kernels
    return kernel.status, "fitting-inputs" in kernel.assumed


def gather(said: str = "pass", place: str = "rows * D + d", mask: str = "inside") -> str:
    return GATHER.format(said=said, place=place, mask=mask)


def test_elements_and_sizes_that_only_callers_know_are_assumed_to_fit() -> None:
    assert status(gather()) == ("verified", True)
    assert status(gather(), "fitting-inputs") == ("undecided", False)


def test_what_the_host_code_checks_is_not_assumed() -> None:
    checked = "assert scale.numel() == n and idx.min() >= 0 and idx.max() < x.shape[0]"
    assert status(gather(checked)) == ("verified", False)


@pytest.mark.parametrize(
    ("said", "place", "mask"),
    [
        ("pass", "rows * D + d", "rows < n + 1"),  # what the host allocates is for the host to fit
        ("pass", "rows * (D + 1) + d", "inside"),
        ("pass", "(rows // 2) * D + d", "inside"),
        ("idx = idx + 1", "rows * D + d", "inside"),  # elements that the host code makes
        ("idx = torch.randint(0, 9, (n,), device=x.device)", "rows * D + d", "inside"),
    ],
)
def test_what_is_wrong_whatever_callers_give_is_not_verified(said: str, place: str, mask: str) -> None:
    assert status(gather(said, place, mask))[0] != "verified"


def test_a_width_is_no_matter_of_inputs_that_fit() -> None:
    assert status(gather(), "int32-sizes")[0] != "verified"


COPY = """from numba import cuda

@cuda.jit
def k(x, y, n):
    i = cuda.grid(1)
    if i {op} n:
        y[{place}] = x[i]


def main(x, y, n):
    k[(n + 64) // 64, 64](x, y, n)
"""


@pytest.mark.parametrize(
    ("op", "place", "fits"), [("<", "i", True), ("<=", "i", False), ("<", "i + 1", False)]
)
def test_inputs_that_must_differ_in_size_do_not_fit(op: str, place: str, fits: bool) -> None:
    text = COPY.format(op=op, place=place)
    (kernel,) = pipeline.check_file(text, "kernel.py", Config()).kernels
    assert kernel.status == ("verified" if fits else "undecided")


def test_what_the_contract_does_not_list_is_not_assumed() -> None:
    """Which size of the launch fits `y` exactly is no clause of the contract."""
    text = (
        "import numpy as np\nfrom numba import cuda\n\n@cuda.jit\ndef k(x, y):\n    i = cuda.grid(1)\n"
        "    cuda.atomic.add(y, i, 1)\n\n\ndef main(n, y):\n    x = cuda.to_device(np.zeros(n))\n"
        "    k[x.size, 1](x, y)\n"
    )
    (kernel,) = pipeline.check_file(text, "kernel.py", Config()).kernels
    assert kernel.status == "undecided"


def test_that_an_index_array_repeats_nothing_is_not_assumed() -> None:
    text = COPY.format(op="<", place="int(x[i])")
    (kernel,) = pipeline.check_file(text, "kernel.py", Config()).kernels
    assert kernel.status != "verified"


@pytest.mark.parametrize("change", ["unseen(s)", "s.update(n=99)"])
def test_a_number_that_other_code_may_have_changed_is_no_input(change: str) -> None:
    text = (
        "import torch\nimport triton\nimport triton.language as tl\nfrom other import unseen\n\n\n"
        "@triton.jit\ndef k(x, n, B: tl.constexpr):\n"
        "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
        "    tl.store(x + i, 1.0, mask=i < n)\n\n\n"
        "def main(a: torch.Tensor):\n    a = a.contiguous()\n    s = {'n': a.numel()}\n"
        f"    {change}\n    n = s['n']\n    k[(triton.cdiv(n, 64),)](a, n, B=64)\n"
    )
    (kernel,) = pipeline.check_file(text, "kernel.py", Config()).kernels
    assert kernel.status != "verified"
