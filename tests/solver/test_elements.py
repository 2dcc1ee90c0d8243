"""The point found for a tensor element writes it, and outputs that are written in full or in part."""

from __future__ import annotations

import itertools

import pytest

from gpulint import pipeline
from gpulint.config import Config
from gpulint.contract.clause import Clause
from gpulint.dataflow import analyse
from gpulint.frontend.triton import lower
from gpulint.interp import ConcreteArray, ConcreteLaunch
from gpulint.interp.environment import Environment, environment
from gpulint.interp.machine import run
from gpulint.solver import elements
from gpulint.solver.options import Options
from gpulint.solver.polydiv import divided
from gpulint.solver.setting import Setting
from gpulint.source.kernels import find
from gpulint.source.load import load_text
from gpulint.source.resolve import Project
from gpulint.term import ONE, Scope, Unbound, ge, holds, sym
from gpulint.term.node import Int

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n@triton.jit\n"


def symbol(name: str) -> Int:
    return sym(name, Scope.LAUNCH)


SHAPED = {  # kernel text over (out, n, m, sn, sm, W), the tensor's shape and strides
    "rows": (
        "    r = tl.program_id(0)\n"
        "    c = tl.program_id(1) * B + tl.arange(0, B)\n"
        "    tl.store(out + r * sn + c * sm, 1, mask=c < m)\n"
    ),
    "tile": (
        "    r = tl.program_id(0) * B + tl.arange(0, B)\n"
        "    c = tl.program_id(1) * B + tl.arange(0, B)\n"
        "    mask = (r[:, None] < n) & (c[None, :] < m)\n"
        "    tl.store(out + r[:, None] * sn + c[None, :] * sm, 1, mask=mask)\n"
    ),
    "halves": (
        "    w = tl.cdiv(m, B)\n"
        "    r = tl.program_id(0) // w\n"
        "    c = tl.program_id(0) % w * B + tl.arange(0, B)\n"
        "    tl.store(out + r * sn + c * sm, 1, mask=c < m)\n"
    ),
    "columns": (
        "    r = tl.program_id(0)\n"
        "    for k in range(0, m, B):\n"
        "        c = k + tl.arange(0, B)\n"
        "        tl.store(out + r * sn + c * sm, 1, mask=c < m)\n"
    ),
    "persistent": (
        "    for r in range(tl.program_id(0), n, tl.num_programs(0)):\n"
        "        c = tl.program_id(1) * B + tl.arange(0, B)\n"
        "        tl.store(out + r * sn + c * sm, 1, mask=c < m)\n"
    ),
    "shifted": (
        "    r = tl.program_id(0) + W\n"
        "    c = tl.arange(0, B)\n"
        "    tl.store(out + r * sn + c * sm, 1, mask=(c < m) & (r < n))\n"
    ),
    "tail": (
        "    r = tl.program_id(0)\n"
        "    c = tl.program_id(1) * B + tl.arange(0, B)\n"
        "    tl.store(out + r * sn + c * sm, 1, mask=c + W < m)\n"
    ),
    "other stride": (
        "    r = tl.program_id(0)\n"
        "    c = tl.program_id(1) * B + tl.arange(0, B)\n"
        "    tl.store(out + r * sm + c * sn, 1, mask=c < m)\n"
    ),
}


@pytest.mark.parametrize("name", SHAPED)
def test_what_is_said_to_be_written_is(name: str) -> None:
    text = f"{HEAD}def k(out, n, m, sn, sm, W, B: tl.constexpr):\n{SHAPED[name]}"
    module = load_text(text, "k.py")
    project = Project()
    kernel = lower(find(module, project)[0], project)
    accesses = analyse(kernel)
    s = Setting(kernel, accesses, Options(), [Clause(ge(symbol(x), 1)) for x in ("n", "m")])
    (write,) = [a for a in accesses.accesses if a.mode == "write"]
    element = elements.any_of((symbol("n"), symbol("m")), (symbol("sn"), symbol("sm")))
    claim = elements.reached(s, write, element)
    said = total = 0
    for n, m, packed, shift, grid in itertools.product((1, 3), (1, 2, 5), (0, 1), (0, 1), ((1, 1), (3, 2))):
        sn, sm = (m, 1) if packed else (1, n)
        scalars = {"n": n, "m": m, "sn": sn, "sm": sm, "W": shift, "B": 2}
        launch = ConcreteLaunch((*grid, 1), (1, 1, 1), {"out": ConcreteArray((64,))}, scalars)
        outcome = run(kernel, launch)
        assert outcome.complete
        base = environment(kernel, launch).numbers
        for i, j in itertools.product(range(n), range(m)):
            total += 1
            try:
                if not holds(claim, Environment({**base, "element0": i, "element1": j})):
                    continue
            except (Unbound, ZeroDivisionError):
                continue
            said += 1
            assert (i * sn + j * sm,) in outcome.written.get("out", {}), (scalars, grid, i, j)
    assert said * (20 if name == "other stride" else 5) > total


def test_an_element_of_a_row_walked_as_one_number() -> None:
    n, m = symbol("n"), symbol("m")
    assert divided(n * m * 6, m * 2) == n * 3
    assert divided(n * m + n, n) == m + ONE
    assert divided(n * m + ONE, n) is None
    assert divided(n * 3, n * 2) is None


HOST = """

def run(x{more}):
    m, n = x.shape
    {before}
    out = {made}
    k[{grid}](x, out, m, n, out.stride(0), out.stride(1), {block})
    return out
"""
KERNEL = """def k(x, out, m, n, sm, sn, B: tl.constexpr):
    r = tl.program_id(0)
{body}"""
ONE_BLOCK = "    c = tl.arange(0, B)\n    tl.store(out + r * sm + c * sn, 0.0, mask=c < n)\n"
LOOP = (
    "    for k in range(0, n, B):\n        c = k + tl.arange(0, B)\n"
    "        tl.store(out + r * sm + c * sn, 0.0, mask=c < n)\n"
)
PERSISTENT = (
    "    for t in range(r, m * tl.cdiv(n, B), tl.num_programs(0)):\n"
    "        c = t % tl.cdiv(n, B) * B + tl.arange(0, B)\n"
    "        tl.store(out + t // tl.cdiv(n, B) * sm + c * sn, 0.0, mask=c < n)\n"
)
NEXT = "triton.next_power_of_2(n)"
RAISE = f"if {NEXT} > 512:\n        raise ValueError(n)"
MADE = "torch.empty((m, n), device=x.device)"


def codes(body: str, block: str, before: str = "pass", made: str = MADE, grid: str = "(m,)") -> set[str]:
    host = HOST.format(before=before, made=made, grid=grid, block=block, more="")
    report = pipeline.check_file(HEAD + KERNEL.format(body=body) + host, "kernel.py", Config())
    covered = {f.code for f in report.findings if f.property == "covered"}
    return covered | {f.code for f in report.findings if f.severity != "info"}


@pytest.mark.parametrize(
    ("body", "block", "more"),
    [
        (ONE_BLOCK, NEXT, {}),
        (ONE_BLOCK, f"min(512, {NEXT})", {"before": RAISE}),
        (LOOP, f"min(512, {NEXT})", {}),
        (LOOP, f"min(512, {NEXT})", {"made": "torch.empty_like(x)"}),
        (PERSISTENT, "64", {"grid": "(min(8, m),)"}),
        (ONE_BLOCK, f"min(512, {NEXT})", {"made": "torch.zeros((m, n), device=x.device)"}),
    ],
)
def test_outputs_written_in_full(body: str, block: str, more: dict[str, str]) -> None:
    assert codes(body, block, **more) == set()


@pytest.mark.parametrize(
    ("body", "block", "more"),
    [
        (ONE_BLOCK, f"min(512, {NEXT})", {}),
        (ONE_BLOCK, "128", {}),
        (ONE_BLOCK, f"512 if {NEXT} > 512 else {NEXT}", {}),
        (ONE_BLOCK, f"min(512, {NEXT})", {"before": RAISE.replace("512", "1024")}),
        (ONE_BLOCK.replace("c < n", "c + 1 < n"), NEXT, {}),
        (LOOP.replace("range(0, n, B)", "range(B, n, B)"), "64", {}),
    ],
)
def test_outputs_with_a_gap(body: str, block: str, more: dict[str, str]) -> None:
    assert "GL602" in codes(body, block, **more)
