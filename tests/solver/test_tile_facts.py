"""What a compiled tile kernel tells of its sizes: powers of two, so many elements, no block past 2**31."""

from __future__ import annotations

import itertools

import pytest
from tiles import arange, kernel, load, store, v, when, x

from gpulint import pipeline
from gpulint.config import Config
from gpulint.ir import nodes as n
from gpulint.ir import symbols as names
from gpulint.ir.tiles import shapes
from gpulint.solver.tilefacts import facts
from gpulint.term import Scope, cdiv, holds, sym, symbols

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n"


def test_blocks_of_a_power_of_two_end_at_two_to_the_31() -> None:
    k = kernel(store("out", arange(v("BLOCK"))))
    block, total = names.scalar(next(p for p in k.params if p.name == "BLOCK")), sym("n", Scope.LAUNCH, 1)
    (claim,) = [f for f in facts(k, lambda t: t, (cdiv(total, block),)) if symbols(f)]
    for power, size in itertools.product(range(21), (1, 5, 2**31 - 1, 2**31, 2**31 + 1)):
        assert holds(claim, {block.atom: 1 << power, total.atom: size})
    assert not holds(claim, {block.atom: 1000, total.atom: 2**31 - 1})


def test_a_tile_under_a_compile_time_branch_may_never_be_made() -> None:
    body = store("out", arange(v("A")), lanes=(v("A"),))
    maybe = when(x(v("FLAG")).same(1), load("t", "y", arange(v("B")), lanes=(v("B"),)))
    found = {e.name for shape in shapes(kernel(body, maybe)) for e in shape if isinstance(e, n.Var)}
    assert found == {"A"}


UNROLLED = """@triton.jit
def k(x, out, K, V, B: tl.constexpr, REPS: tl.constexpr):
    i = tl.program_id(0).to(tl.int64)
    a, b = tl.arange(0, B), tl.arange(0, B)
    tl.store(out + i * K * V + a, 0.0, mask=a * V < K)
    {setup}
    for _ in {loop}:
        mask = (a[:, None] < K) & (b[None, :] < V)
        at = i * K * V + a[:, None] * V + b[None, :]
        tl.store(out + at, tl.load(x + at, mask=mask), mask=mask)


def run(x, reps):
    n, K, V = x.shape
    x = x.contiguous()
    out = torch.zeros_like(x)
    k[(n,)](x, out, K, V, B=triton.next_power_of_2(max(K, V)), REPS={reps})
    return out
"""


@pytest.mark.parametrize(
    ("setup", "loop", "reps", "made"),
    [
        ("pass", "tl.static_range(REPS)", "0", False),
        ("pass", "tl.static_range(REPS)", "reps", False),
        ("n = REPS // 2", "tl.static_range(n)", "reps", False),
        ("pass", "tl.static_range(2)", "reps", True),
        ("pass", "range(K)", "reps", True),
        ("n = tl.cdiv(K, B)", "range(n)", "reps", True),
        ("n = tl.load(x).to(tl.int32)", "range(n)", "reps", True),
    ],
)
def test_a_tile_in_an_unrolled_loop_may_never_be_made(setup: str, loop: str, reps: str, made: bool) -> None:
    """Where the tile is made for certain, `a * V` fits 32 bits for every lane; else a launch breaks it."""
    text = HEAD + UNROLLED.format(setup=setup, loop=loop, reps=reps)
    report = pipeline.check_file(text, "kernel.py", Config())
    assert ("GL401" in {f.code for f in report.findings}) is not made


DEQUANT = """@triton.jit
def dequant(x, y, M, N, BLOCK: tl.constexpr):
    offs_m = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    offs_n = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    offs = offs_m[:, None]{cast} * N + offs_n[None, :]
    mask = (offs_m[:, None] < M) & (offs_n[None, :] < N)
    tl.store(y + offs, tl.load(x + offs, mask=mask), mask=mask)


def run(x, block=128):
    M, N = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    dequant[(triton.cdiv(M, block), triton.cdiv(N, block))](x, y, M, N, BLOCK=block)
    return y
"""


@pytest.mark.parametrize(("cast", "expected"), [(".to(tl.int64)", "verified"), ("", "refuted")])
def test_rows_times_columns_of_a_large_matrix(cast: str, expected: str) -> None:
    config = Config(no_assume=frozenset({"int32-sizes"}))
    report = pipeline.check_file(HEAD + DEQUANT.format(cast=cast), "kernel.py", config)
    assert report.kernels[0].status == expected
