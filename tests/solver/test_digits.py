"""Coverage through digits: every element once, and never said of a launch that leaves a gap."""

from __future__ import annotations

import itertools

import pytest

from gpulint import pipeline
from gpulint.config import Config
from gpulint.solver.digits import exact, split
from gpulint.term import ONE, Int, Scope, add, evaluate, holds, mul, sym, symbols

T, V, B = (sym(n, Scope.LAUNCH, 1) for n in ("T", "V", "B"))
Z, Y, X, K, J = (sym(n, Scope.POINT, 0) for n in "zyxkj")


SUBSCRIPTS = [
    (add(mul(mul(Z, T), V), mul(mul(Y, V), 4), mul(K, V), mul(X, 2), J), []),
    (add(mul(Z, T), mul(X, B), J), [B]),
    (add(mul(X, 8), mul(Y, 2), J), []),
    (add(mul(mul(X, B), V), mul(K, V), J), [B]),
]


@pytest.mark.parametrize(("subscript", "sizes"), SUBSCRIPTS)
def test_every_element_has_one_row_of_digits_and_its_point_writes_it(
    subscript: Int, sizes: list[Int]
) -> None:
    found = split(subscript, sizes)
    assert found is not None
    for t, v, b in itertools.product((1, 2, 3), (1, 2, 5), (1, 2, 4)):
        base = {T.atom: t, V.atom: v, B.atom: b}
        digits = [x for x in symbols(found.element) if x.scope is Scope.POINT]
        seen: list[int] = []
        for values in itertools.product(range(12), repeat=len(digits)):
            env = {**base, **dict(zip(digits, values, strict=True))}
            if not all(holds(c, env) for c in found.ranges):
                continue
            element = evaluate(found.element, env)
            point = {x: evaluate(value, env) for x, value in found.point.items()}
            assert evaluate(subscript, {**base, **point}) == element
            seen.append(element)
        assert len(seen) == len(set(seen))
        assert set(range(12)) <= set(seen)


def test_radices_that_are_not_nested_have_no_digits() -> None:
    assert split(add(mul(X, 3), mul(Y, 2)), []) is None
    assert split(add(mul(X, T), mul(Y, T), J), []) is None
    assert split(add(X, ONE), []) is None


def test_a_division_that_leaves_something_over_is_none() -> None:
    assert exact(mul(T, V), V) == T
    assert exact(add(mul(T, V), ONE), V) is None


HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n"
TILE = """@triton.jit
def fill(y, T, V, BT: tl.constexpr, BV: tl.constexpr):
    i_v, i_t, i_b = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    o_t = i_t * BT + tl.arange(0, BT)
    o_v = i_v * BV + tl.arange(0, BV)
    m = (o_t < {rows})[:, None] & (o_v < V)[None, :]
    tl.store(y + (i_b * T + o_t)[:, None] * V + o_v[None, :], 1.0, mask=m)


def run(x):
    B, T, V = x.shape
    y = torch.empty((B, T, V), device=x.device, dtype=torch.float32)
    grid = ({columns}, triton.cdiv(T, 16), {batches})
    fill[grid](y, T, V, BT=16, BV=32)
    return y
"""
FINE = {"rows": "T", "columns": "triton.cdiv(V, 32)", "batches": "B"}


def check(text: str, **options: object) -> tuple[str, set[str]]:
    report = pipeline.check_file(HEAD + text, "kernel.py", Config(**options))  # type: ignore[arg-type]
    (kernel,) = report.kernels
    return kernel.status, {f.code for f in report.findings if f.severity != "info"}


def test_a_tiled_output_in_three_axes_is_covered() -> None:
    assert check(TILE.format(**FINE)) == ("verified", set())


@pytest.mark.parametrize(
    "change",
    [
        {"columns": "V // 32"}, {"columns": "triton.cdiv(V, 32) - 1"}, {"rows": "T - 1"},
        {"batches": "max(B - 1, 1)"}, {"columns": "triton.cdiv(V, 64)"}, {"batches": "1"},
    ],
    ids=str,
)  # fmt: skip
def test_a_gap_is_never_covered(change: dict[str, str]) -> None:
    assert check(TILE.format(**{**FINE, **change}))[0] != "verified"


ONE_BLOCK = """@triton.jit
def total(x, out, T, V, BV: tl.constexpr):
    i_v, i_t = tl.program_id(0), tl.program_id(1)
    o = i_v * BV + tl.arange(0, BV)
    s = tl.sum(tl.load(x + i_t * V + o, mask=o < V, other=0.0), axis=0)
    tl.store(out + i_t, s)


def run(x):
    T, V = x.shape
    x = x.contiguous()
    out = torch.empty((T,), device=x.device, dtype=torch.float32)
    BV = {block}
    total[(triton.cdiv(V, BV), T)](x, out, T, V, BV=BV)
    return out
"""


@pytest.mark.parametrize(
    ("block", "fine"),
    [
        ("triton.next_power_of_2(V)", True), ("max(triton.next_power_of_2(V), 16)", True),
        ("min(triton.next_power_of_2(V), 64)", False), ("64", False),
    ],
)  # fmt: skip
def test_a_block_as_long_as_the_axis_makes_one_program_of_it(block: str, fine: bool) -> None:
    status, codes = check(ONE_BLOCK.format(block=block))
    assert (status == "verified") is fine
    assert ("GL301" in codes) is not fine
