"""Values that may be one of several arrays: a launch with one of those beside it is not taken as apart."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config
from gpulint.frontend.host.memories import meet

TEXT = """import numpy as np
from numba import cuda

@cuda.jit
def shift(x, y):
    i = cuda.grid(1)
    if i + 1 < x.size and i < y.size:
        y[i] = x[i + 1]

def run(a, b, n, bufs, objs, i, j, out=None):
{body}
    shift[(a.size + 63) // 64, 64]({given})
"""


def _status(body: str, given: str) -> str:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    (kernel,) = pipeline.check_file(TEXT.format(body=lines, given=given), "k.py", Config()).kernels
    return kernel.status


@pytest.mark.parametrize(
    ("body", "given"),
    [
        ("pass", "a, b"), ("pass", "bufs[0], bufs[1]"), ("pass", "objs.x, objs.y"), ("z = b", "a, z"),
        ("if out is None:\n    out = np.empty_like(a)", "a, out"), ("z = bufs[i]", "a, z"),
        ("x, y = bufs", "x, y"), ("pass", "objs[i].x, objs[i].y"), ("pass", "objs[i].x, objs[j].y"),
        ("for o in objs:\n    pass", "o.x, o.y"),
        ("for x in bufs:\n    pass", "a, x"), ("pass", "bufs['x'], bufs['y']"),
    ],
)  # fmt: skip
def test_distinct_names_are_distinct_arrays(body: str, given: str) -> None:
    assert _status(body, given) == "verified"


@pytest.mark.parametrize(
    ("body", "given"),
    [
        ("z = b if n > 3 else a", "a, z"), ("z = b\nif n > 3:\n    z = a", "a, z"),
        ("if out is None:\n    out = a", "a, out"), ("z = out or a", "a, z"), ("z = out or b or a", "a, z"),
        ("z = bufs[i]", "z, bufs[0]"), ("pass", "bufs[i], bufs[j]"), ("pass", "objs[i].x, objs[j].x"),
        ("pass", "objs[i].x[0], objs[0].x[0]"), ("pass", "a, a[0]"), ("pass", "objs[i].x, objs[0].x[0]"),
        ("for x in bufs:\n    pass", "x, bufs[0]"),
        ("for x in bufs:\n    for y in bufs:\n        pass", "x, y"),
        ("x, *rest = bufs\ny = rest[0]", "bufs[1], y"), ("z = max(a, b, key=len)", "a, z"),
        ("z = next(iter([a, b]))", "a, z"), ("z = [x for x in (a, b) if x.size > 3][0]", "a, z"),
        ("z = getattr(objs, 'x', a)", "a, z"), ("l = [a, b]\nz = l.pop()", "a, z"),
        ("l = [a, b]\nl.insert(0, a)\nz = l[1]", "a, z"), ("l = [b]\nl[i] = a\nz = l[0]", "a, z"),
        ("z = {'x': a}.get(n, b)", "a, z"), ("z = bufs.pop()", "bufs[0], z"),
        ("z = {'x': a, **objs}['x']", "a, z"), ("z = [*bufs, a][0]", "a, z"),
    ],
)  # fmt: skip
def test_what_may_be_either_of_two_is_not_apart_from_one(body: str, given: str) -> None:
    assert _status(body, given) != "verified"


@pytest.mark.parametrize(
    ("a", "b", "may"),
    [
        ({"x"}, {"x"}, True), ({"x"}, {"y"}, False), ({"x*"}, {"x"}, True), ({"x*"}, {"x[0]"}, True),
        ({"x*"}, {"x.y"}, True), ({"x*"}, {"xy"}, False), ({"x"}, {"x[0]"}, True),
        ({"x[0]"}, {"x[1]"}, False),
        ({"x*.a"}, {"x[0].a[1]"}, True), ({"x*.a"}, {"x[0].b[1]"}, False), ({"x[0]*"}, {"x*"}, True),
        ({"x[0]*"}, {"x[1]"}, False), ({"x*.a"}, {"x*.b"}, False), ({"x*.a"}, {"x[0].a"}, True),
        ({"x*.a"}, {"x[0].b"}, False), ({"x*.a"}, {"x.a"}, True), ({"x*.a*"}, {"x[1].a[0]"}, True),
        ({"x*.a"}, {"y.a"}, False), ({"x*.a"}, {"x*"}, True), ({"x*.a"}, {"x[0]*.a"}, True),
        ({"x*.a*"}, {"x[0].b.a"}, True), ({"x*.a*"}, {"x[0].a"}, True),
        ({"y", "x*"}, {"z", "x.y[3]"}, True), (set(), {"x*"}, False),
    ],
)  # fmt: skip
def test_memories_meet_where_one_is_within_the_other(a: set[str], b: set[str], may: bool) -> None:
    assert meet(a, b) is may and meet(b, a) is may
