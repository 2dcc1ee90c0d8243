"""Which lanes shuffles are proved to read, against runs of random programs of shuffles in one warp."""

from __future__ import annotations

import random

import pytest
from kernels import kernel

from gpulint.dataflow import analyse
from gpulint.interp.launch import ConcreteArray, ConcreteLaunch
from gpulint.interp.machine import run
from gpulint.solver import shuffles
from gpulint.solver.options import Options
from gpulint.solver.setting import Setting
from gpulint.solver.verdict import PROVED, UNDER

HEAD = "@cuda.jit\ndef k(x, m):\n    t = cuda.threadIdx.x\n    lane = t % 32\n    v = x[t]\n"


def verdicts(body: str) -> list[str]:
    s = Setting(found := kernel(HEAD + body), analyse(found), Options())
    return [shuffles.again(s, o).kind for o in shuffles.obligations(s)]


@pytest.mark.parametrize(
    "body",
    [
        "    x[t] = cuda.shfl_up_sync(-1, v, 1)\n",
        "    x[t] = cuda.shfl_sync(-1, v, 0)\n",
        "    if lane < 8:\n        v += cuda.shfl_down_sync(0xFF, v, 4)\n"
        "        v += cuda.shfl_down_sync(0xFF, v, 2)\n"
        "        if t == 0:\n            x[t] = v + cuda.shfl_down_sync(1, v, 32)\n",
        "    if t < 16:\n        k = 8\n        while k > 0:\n"
        "            v += cuda.shfl_down_sync(0xFFFF, v, k)\n"
        "            k >>= 1\n        if cuda.laneid == 0:\n            x[t] = v\n",
        "    if lane < 16:\n        v = cuda.shfl_xor_sync(0xFFFF, v, 15)\n    x[t] = v\n",
        "    if lane >= 16:\n        v = cuda.shfl_xor_sync(0xFFFF0000, v, 15)\n    x[t] = v\n",
        "    w = cuda.shfl_down_sync(-1, v, m)\n    x[t] = v\n",
    ],
)  # fmt: skip
def test_what_is_used_comes_from_lanes_that_take_part(body: str) -> None:
    assert set(verdicts(body)) <= {PROVED, UNDER}


@pytest.mark.parametrize(
    "body",
    [
        "    if lane < 16:\n        x[t] = cuda.shfl_down_sync(0xFFFF, v, 8)\n",
        "    if lane < 16:\n        x[t] = cuda.shfl_sync(0xFFFF, v, 16)\n",
        "    if lane < 16:\n        x[t] = cuda.shfl_sync(0xFFFF, v, m)\n",
        "    if t >= m:\n        return\n    x[t] = cuda.shfl_down_sync(-1, v, 1)\n",
        "    if lane < 8:\n        v += cuda.shfl_down_sync(0xFF, v, 4)\n"
        "        v += cuda.shfl_down_sync(0xFF, v, 2)\n"
        "        if t < 3:\n            x[t] = v\n",
        "    if t < 16:\n        k = 16\n        while k > 0:\n"
        "            v += cuda.shfl_down_sync(0xFFFF, v, k)\n"
        "            k >>= 1\n        if t == 0:\n            x[t] = v\n",
        "    if lane < 4:\n        if cuda.shfl_down_sync(0xF, v, 2) > 0:\n            x[t] = 1\n",
    ],
)  # fmt: skip
def test_what_may_be_missing_is_not_proved(body: str) -> None:
    assert not set(verdicts(body)) <= {PROVED, UNDER}


def program(rng: random.Random) -> str:
    """Shuffles one after another, under masks that fit the lanes that come, with some results used."""
    masks = {
        "True": 0xFFFFFFFF,
        "lane < 16": 0xFFFF,
        "lane < 8": 0xFF,
        "lane >= 16": 0xFFFF0000,
        "t < 4": 0xF,
    }
    lines, indent = [], "    "
    guard = rng.choice(list(masks))
    mask = masks[guard]
    if guard != "True":
        lines.append(f"    if {guard}:")
        indent += "    "

    def shuffle(by: str) -> str:
        name = rng.choice(("down", "down", "up", "xor", ""))
        return f"cuda.shfl_{name}{'_' if name else ''}sync({mask}, {rng.choice('vvw')}, {by})"

    lines.append(indent + "w = v")
    for _ in range(rng.randint(1, 3)):
        kind = rng.randint(0, 3)
        if kind == 0:
            start = rng.choice((4, 8, 16))
            lines += [f"{indent}k = {start}", f"{indent}while k > {rng.choice((0, 0, 1))}:"]
            lines += [f"{indent}    v += {shuffle('k')}", f"{indent}    k //= 2"]
        elif kind == 1:
            lines.append(f"{indent}for k in range({rng.randint(0, 4)}):")
            lines.append(
                f"{indent}    {rng.choice('vw')} = v + {shuffle(rng.choice(('1', '1 << k', '8 >> k')))}"
            )
        elif kind == 2:
            lines.append(f"{indent}u = {shuffle(str(rng.choice((1, 2, 4, 8, 31))))}")
            lines.append(f"{indent}if lane < {rng.choice((2, 4, 8, 24))}:")
            lines.append(f"{indent}    w = u")
        else:
            lines.append(f"{indent}{rng.choice('vw')} += {shuffle(str(rng.choice((1, 2, 4, 8, 16))))}")
    where = rng.choice((indent, "    ")) if guard == "True" else indent
    use = rng.choice(("lane == 0", "lane < 2", "lane < 4", "True", "t == 0", "lane >= 24"))
    lines += [f"{where}if {use}:", f"{where}    x[t] = {rng.choice('vvw')}"]
    return "\n".join(lines) + "\n"


def check(seed: int) -> bool:
    """Whether all shuffles of a program are proved; then no run may show one without a value."""
    text = HEAD + program(random.Random(seed))
    k = kernel(text)
    s = Setting(k, analyse(k), Options())
    found = [shuffles.again(s, o) for o in shuffles.obligations(s)]
    if not {v.kind for v in found} <= {PROVED, UNDER}:
        return False
    whole = any(v.kind == UNDER and "%" in str(c) for v in found for c in v.clauses)
    for block in (32, 64) if whole else (1, 3, 16, 20, 32, 40, 64):
        x = ConcreteArray((block,), lambda _: 1, dtype="int32")
        launch = ConcreteLaunch((1, 1, 1), (block, 1, 1), {"x": x}, {"m": 3})
        assert not run(k, launch).of("missing-lane"), text
    return True


def test_no_run_contradicts_a_proof() -> None:
    assert sum(check(seed) for seed in range(60)) > 10
