"""Tensors of unknown strides: races asked of indices, since elements have places of their own."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n"
COPY = """@triton.jit
def copy(x, y, M, N, x0, x1, y0, y1, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    cols = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    inside = (rows[:, None] < M) & (cols[None, :] < N)
    v = tl.load(x + rows[:, None] * x0 + cols[None, :] * x1, mask=inside, other=0.0)
    tl.store(y + {offset}, v, mask={mask})


def run(x{more}):
    M, N = x.shape
    {made}
    grid = (triton.cdiv(M, 32), triton.cdiv(N, 32))
    copy[grid](x, y, M, N, x.stride(0), x.stride(1), y.stride(0), y.stride(1), BM=32, BN=32)
    return y
"""
OFFSET = "rows[:, None] * y0 + cols[None, :] * y1"
LIKE = "y = torch.empty_like(x)"


def status(text: str, **options: object) -> tuple[str, bool]:
    """The kernel's status, and whether it rests on what callers do as a rule."""
    report = pipeline.check_file(HEAD + text, "kernel.py", Config(**options))  # type: ignore[arg-type]
    (kernel,) = report.kernels
    return kernel.status, "usual-inputs" in kernel.assumed


def copy(offset: str = OFFSET, mask: str = "inside", made: str = LIKE, more: str = "") -> str:
    return COPY.format(offset=offset, mask=mask, made=made, more=more)


def test_an_allocation_of_any_strides_has_a_place_for_each_element() -> None:
    assert status(copy()) == ("verified", False)
    assert status(copy(made="y = torch.empty_like(x.t()).t()")) == ("verified", False)


@pytest.mark.parametrize(
    ("offset", "mask"),
    [
        (OFFSET, "rows[:, None] < M"),
        ("rows[:, None] * y0 + cols[None, :] * y0", "inside"),
        ("cols[None, :] * y0 + rows[:, None] * y1", "inside"),
        ("rows[:, None] * y0 + cols[None, :]", "inside"),
        ("rows[:, None] * y0 + cols[None, :] * y1 // 2", "inside"),
        ("rows[:, None] // 2 * y0 + cols[None, :] * y1", "inside"),
    ],
)
def test_indices_that_are_not_those_of_an_element_prove_nothing(offset: str, mask: str) -> None:
    assert status(copy(offset, mask))[0] != "verified"


def test_an_expanded_allocation_has_elements_at_one_place() -> None:
    assert status(copy(made="y = torch.empty(N, device=x.device).expand(M, N)"))[0] != "verified"


def test_a_tensor_of_the_caller_is_taken_to_be_no_expanded_one() -> None:
    given = copy(made="assert y.shape == (M, N)", more=", y")
    assert status(given) == ("verified", True)
    assert status(given, no_assume=frozenset({"usual-inputs"}))[0] == "undecided"


def test_a_stride_of_one_is_told_by_the_host() -> None:
    given = copy("rows[:, None] * y0 + cols[None, :]", made="{}", more=", y")
    assert status(given.format("assert y.shape == (M, N) and y.stride(1) == 1"))[0] == "verified"
    assert status(given.format("assert y.shape == (M, N)"))[0] != "verified"
