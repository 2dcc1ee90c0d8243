"""Places that atomics hand out: proved where each goes to one thread, and never in a mutant of that."""

from __future__ import annotations

import pytest

from gpulint.config import Config
from gpulint.pipeline import check_file

HEAD = "import numpy as np\nfrom numba import cuda, int32\n\n\n@cuda.jit\ndef k({}):\n    i = cuda.grid(1)\n"


def status(body: str, params: str = "data, count, out") -> str:
    text = HEAD.format(params) + "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    [report] = check_file(text, "k.py", Config()).kernels
    assert not report.reason, report.reason
    few = any(clause.endswith("size <= 1") for clause in report.inferred)  # of one thread
    return "verified for one thread" if few else report.status


def append(add: str, use: str) -> str:
    return f"if i < data.size:\n    p = {add}\n    if 0 <= p <= out.size - 8:\n        {use}"


ONE, FOUR = "cuda.atomic.add(count, 0, 1)", "cuda.atomic.add(count, 0, 4)"
FILL = "for j in range(4):\n            out[p + j] = i"


@pytest.mark.parametrize(
    "body",
    [
        append(ONE, "out[p] = i"),
        append("cuda.atomic.add(count, 0, 7)", "out[p] = i"),
        append(FOUR, FILL),
        append("cuda.atomic.sub(count, 0, 4)", FILL.replace("p + j", "p - j + 3")),
        append(
            "cuda.atomic.add(count, 0, 1 + i % 4)", "for j in range(1 + i % 4):\n            out[p + j] = i"
        ),
        append("cuda.atomic.add(count, 0, i % 4)", "for j in range(i % 4):\n            out[p + j] = i"),
        f"for r in range(3):\n    p = {ONE}\n    if 0 <= p < out.size:\n        out[p] = i",
    ],
)
def test_counted_places(body: str) -> None:
    assert status(body) == "verified"


@pytest.mark.parametrize(
    "body",
    [
        append(ONE, "out[p + i % 2] = i"),
        append(ONE, "out[p // 2] = i"),
        append("cuda.atomic.add(count, 0, 0)", "out[p] = i"),
        append("cuda.atomic.add(count, 0, 3)", FILL),
        append("cuda.atomic.add(count, 0, i % 4)", "out[p] = i"),
        append("cuda.atomic.add(count, 0, 1 - i % 3)", "out[p] = i"),
        append("cuda.atomic.add(count, 0, data[i])", "out[p] = i"),
        append("cuda.atomic.add(count, i % count.size, 1)", "out[p] = i"),
        append("cuda.atomic.max(count, 0, i)", "out[p] = i"),
        append("cuda.atomic.exch(count, 0, i)", "out[p] = i"),
        append(ONE, "out[p] = i; cuda.atomic.sub(count, 0, 1)"),
        append(ONE, "out[p] = i; cuda.atomic.exch(count, 0, 0)"),
        append(ONE, "out[p] = i; count[0] = 0"),
        append(ONE, "out[cuda.atomic.sub(count, 0, 1)] = i"),
        f"p = i\nfor r in range(3):\n    if 0 <= p < out.size:\n        out[p] = i\n    p = {ONE}",
    ],
)
def test_places_that_may_be_given_twice(body: str) -> None:
    assert status(body) != "verified"


CLAIM = (
    "for j in range(min(owner.size, out.size)):\n    if cuda.atomic.cas(owner, j, -1, {}) == {}:\n        {}"
)


@pytest.mark.parametrize("new", ["i", "7", "i * 3 + 1"])
def test_an_element_is_claimed_once(new: str) -> None:
    assert status(CLAIM.format(new, "-1", "out[j] = i"), "owner, out, v") == "verified"


@pytest.mark.parametrize(
    "body",
    [
        CLAIM.format("v", "-1", "out[j] = i"),  # -1 may be put in place of -1
        CLAIM.format("i - 1", "-1", "out[j] = i"),
        CLAIM.format("i", "3", "out[j] = i"),  # anybody may find another's
        CLAIM.format("i", "-1", "out[j // 2] = i"),
        CLAIM.format("i", "-1", "out[j] = i; cuda.atomic.exch(owner, j, -1)"),
        CLAIM.format("i", "-1", "out[j] = i; owner[j] = -1"),
        CLAIM.format("i", "-1", "out[j] = i; cuda.atomic.cas(owner, j, i, -1)"),
        CLAIM.format("i", "-1", "out[j] = i; cuda.atomic.add(owner, j, -1)"),
    ],
)
def test_elements_that_may_be_claimed_twice(body: str) -> None:
    assert status(body, "owner, out, v") != "verified"


QUEUE = """
c = cuda.shared.array(1, int32)
q = cuda.shared.array(64, int32)
t = cuda.threadIdx.x
if t < 64:
    q[t] = 0
{before}
cuda.syncthreads()
p = t
for r in range(3):
    {first}
    cuda.syncthreads()
    {add}
    {middle}
    if p < 64:
        q[p] = t
    cuda.syncthreads()
    if t < 64 and cuda.blockIdx.x < out.shape[0] and r < out.shape[1] and t < out.shape[2]:
        out[cuda.blockIdx.x, r, t] = q[t]
    cuda.syncthreads()
"""
SOME = "if t > r:\n        p = cuda.atomic.add(c, 0, 1)"
RESET = "if t == 0:{}c[0] = 0"


def queue(
    before: str = "", first: str = "", add: str = "p = cuda.atomic.add(c, 0, 1)", middle: str = ""
) -> str:
    parts = {"before": before.format("\n    "), "first": first.format("\n        "), "add": add}
    return QUEUE.format(**parts, middle=middle.format("\n        "))


def test_a_queue_in_shared_memory() -> None:
    assert status(queue(before=RESET)) == "verified"


def test_a_counter_may_start_anew_in_each_round() -> None:
    assert status(queue(before=RESET, first=RESET)) == "verified"
    assert status(queue(first=RESET)) == "verified"


@pytest.mark.parametrize(
    "body",
    [
        queue(),  # never set
        queue(before=RESET, middle=RESET),  # set while others still take places
        queue(before=RESET, first=RESET, add=SOME),  # kept places
        queue(before=RESET, middle="cuda.syncthreads()\n    " + RESET + "\n    cuda.syncthreads()\n"
              "    if t < 32:\n        p = cuda.atomic.add(c, 0, 1)"),
        queue(before="if t == 0:{}c[0] = -5"),
    ],
)  # fmt: skip
def test_queues_whose_places_meet(body: str) -> None:
    assert status(body) != "verified"
