"""Barriers that may go: without one that is named, every small run is still free of races."""

from __future__ import annotations

import dataclasses

import pytest
from fuzz import barriers
from fuzz.launches import brute, launches
from kernels import kernel

from gpulint.dataflow import analyse
from gpulint.ir import nodes as n
from gpulint.ir.walk import statements
from gpulint.solver import superfluous
from gpulint.solver.decide import decide
from gpulint.solver.options import Options
from gpulint.solver.setting import Setting

HEAD = (
    "@cuda.jit\ndef k(x, m):\n    s = cuda.shared.array(64, np.float32)\n"
    "    t = cuda.threadIdx.x\n    b = cuda.blockIdx.x\n"
)


def rows(body: str) -> list[int]:
    """The lines of the body whose barriers may go."""
    text = HEAD + "".join(f"    {line}\n" for line in body.split("\n"))
    return [b.span.row for b in found(kernel("import numpy as np\nfrom numba import cuda\n" + text))[1]]


def found(k: n.Kernel) -> tuple[bool, list[n.Barrier]]:
    accesses = analyse(k)
    r = decide(k, accesses, (), Options())
    if r.status != "verified":
        return False, []
    return True, superfluous.barriers(Setting(k, accesses, Options(), r.inferred))


def without(body: tuple[n.Stmt, ...], gone: set[int]) -> tuple[n.Stmt, ...]:
    out = []
    for x in body:
        parts = {f.name: getattr(x, f.name) for f in dataclasses.fields(x)}
        nested = {k: v for k, v in parts.items() if k in ("body", "then", "other", "before")}
        inner = {k: without(v, gone) for k, v in nested.items() if isinstance(v, tuple)}
        if id(x) not in gone:
            out.append(dataclasses.replace(x, **inner))
    return tuple(out)


@pytest.mark.parametrize("batch", range(3))
def test_without_them_no_small_run_has_a_race(batch: int) -> None:
    for seed in range(batch * 25, batch * 25 + 25):
        program = barriers.seeded(f"superfluous/{seed}")
        k = kernel(program.text)
        proved, gone = found(k)
        if not proved or not gone:
            continue
        less = dataclasses.replace(k, body=without(k.body, {id(b) for b in gone}))
        assert len(list(statements(less.body))) < len(list(statements(k.body)))
        for (launch, whole), (_, part) in zip(
            brute(k, runs := launches(program, 6)), brute(less, runs), strict=True
        ):
            assert whole.violations or not part.violations, f"seed {seed}, {launch}\n{program.text}"


ROUNDS = (
    "for j in range(m):\n    s[t] = x[b, t]\n    cuda.syncthreads()\n    x[b, t] = s[cuda.blockDim.x - 1 - t]"
)
REVERSE = "s[t] = x[b, t]\ncuda.syncthreads()\nx[b, t] = s[cuda.blockDim.x - 1 - t]"


@pytest.mark.parametrize(
    ("body", "which"),
    [
        (REVERSE, []),
        (REVERSE + "\ncuda.syncthreads()", [11]),
        (REVERSE.replace("syncthreads()", "syncthreads()\ncuda.syncthreads()"), [10]),
        (REVERSE.replace("cuda.blockDim.x - 1 - t", "t"), [9]),
        (ROUNDS, None),
        (ROUNDS + "\n    cuda.syncthreads()", []),
        (REVERSE + "\ncuda.syncthreads()\ncuda.atomic.add(x, (0, 0), 1)", []),
        (REVERSE + "\nif cuda.syncthreads_or(m > t):\n    x[b, t] = 1", []),
    ],
)  # fmt: skip
def test_which_may_go(body: str, which: list[int] | None) -> None:
    if which is None:
        assert not found(kernel(HEAD + "".join(f"    {line}\n" for line in body.split("\n"))))[0]
    else:
        assert rows(body) == which
