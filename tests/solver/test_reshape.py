"""Another arrangement of an array within a kernel is the same memory: `a.reshape(-1)` and its like."""

from __future__ import annotations

import itertools
import math

import pytest
from fuzz.sites import decided
from kernels import kernel

from gpulint.dataflow import analyse
from gpulint.interp.launch import ConcreteArray, ConcreteLaunch
from gpulint.interp.machine import run
from gpulint.ir import symbols as names
from gpulint.term import evaluate, symbols

SHAPES = [(6,), (2, 3), (3, 2), (1, 6), (2, 1, 3), (3, 2, 1)]


@pytest.mark.parametrize(("old", "new"), list(itertools.product(SHAPES, SHAPES)))
def test_elements_are_counted_in_row_major_order(old: tuple[int, ...], new: tuple[int, ...]) -> None:
    """The access set and the interpreter name the element that NumPy would."""
    text = f"@cuda.jit\ndef k(a, {', '.join(f'n{i}, p{i}' for i in range(len(new)))}):\n"
    text += f"    a[{', '.join('0' for _ in old)}]\n"
    text += f"    b = a.reshape(({', '.join(f'n{i}' for i in range(len(new)))},))\n"
    text += f"    b[{', '.join(f'p{i}' for i in range(len(new)))}] = 1\n"
    k = kernel(text)
    (write,) = [x for x in analyse(k).accesses if x.mode == "write"]
    for point in itertools.product(*map(range, new)):
        number = sum(p * math.prod(new[i + 1 :]) for i, p in enumerate(point))
        place = tuple(number // math.prod(old[i + 1 :]) % e for i, e in enumerate(old))
        given = {f"n{i}": e for i, e in enumerate(new)} | {f"p{i}": p for i, p in enumerate(point)}
        env = {s: given[s.name] for s in symbols(*write.subscripts) if s.name in given}
        env |= {x.atom: e for i, e in enumerate(old) for x in [names.extent("a", i, len(old))]}
        assert tuple(evaluate(t, env) for t in write.subscripts) == place
        launch = ConcreteLaunch((1, 1, 1), (1, 1, 1), {"a": ConcreteArray(old, lambda _: 0)}, given)
        assert set(run(k, launch).written["a"]) == {place}


HEAD = "import numpy as np\nfrom numba import cuda\n\n@cuda.jit\ndef k(a, n, m):\n    i, j = cuda.grid(2)\n"
HOST = "def main(n, m):\n    a = cuda.to_device(np.zeros({made}))\n"
HOST += "    k[((n + 7) // 8, (m + 7) // 8), (8, 8)](a, n, m)\n"


@pytest.mark.parametrize(
    ("made", "view", "body", "status"),
    [
        ("n * m", "a.reshape(n, m)", "b[i, j] = a[i * m + j] + 1", "verified"),
        ("n * m", "a.reshape((n, m))", "b[i, j] = a[j * n + i] + 1", "refuted"),
        ("n * m", "a.reshape(n, -1)", "b[i, j] = 1\n        a[0]", "refuted"),
        ("(n, m)", "a.reshape(-1)", "b[i * a.shape[1] + j] = a[i, j]", "verified"),
        ("(n, m)", "a.ravel()", "b[i * a.shape[1] + j] = a[i, j]", "verified"),
        ("(n, m)", "a.ravel()", "b[i * a.shape[1] + j] = a[i, m - 1]", "refuted"),
        ("(n, m)", "a.view(np.int64)", "b[i, j] = a[i, j]", "undecided"),
        ("(n, m)", "a[1:].reshape(-1)", "b[i] = a[i, j]", "undecided"),
        ("(n, m)", "a.T.reshape(-1)", "b[i * a.shape[1] + j] = a[i, j]", "undecided"),
    ],
)
def test_verdicts(made: str, view: str, body: str, status: str) -> None:
    text = f"{HEAD}    b = {view}\n    if i < n and j < m:\n        {body}\n\n"
    _, result = decided(text + HOST.format(made=made))
    assert result.status == status
