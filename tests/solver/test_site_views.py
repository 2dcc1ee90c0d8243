"""One launch that is seen in several ways: what one view leaves open, the others are searched for only."""

from __future__ import annotations

import pytest
from fuzz.sites import decided

from gpulint.solver import sites
from gpulint.solver.verdict import KernelResult

HEAD = """import elsewhere
import numpy as np
from numba import cuda

@cuda.jit
def fill(x, at, n):
    i = cuda.grid(1)
    if i < n:
        x[at[i]] = 1.0

def launch(x, at, n):
    fill[(n + 63) // 64, 64](x, at, n)

"""
MADE = "def {name}(m):\n    x, at = cuda.device_array(m, np.float32), cuda.to_device(np.arange(m))\n"
OPEN = MADE + "    launch(x, at, elsewhere.{name}(m))\n\n"
RIGHT = MADE + "    launch(x, at, m)\n\n"
WRONG = MADE + "    launch(x, at, m + 1)\n\n"
VIEWS = {"open": OPEN, "right": RIGHT, "wrong": WRONG}


def judged(*views: str) -> KernelResult:
    """A kernel that a helper launches for callers of these kinds, in this order."""
    callers = (VIEWS[v].format(name=f"caller{i}") for i, v in enumerate(views))
    return decided(HEAD + "".join(callers))[1]


def kinds(r: KernelResult) -> list[tuple[str, str, str]]:
    return [(v.obligation.property, v.obligation.kind, v.kind) for v in r.verdicts]


ORDERS = [
    ("open", "wrong"),
    ("open", "open", "wrong"),
    ("wrong", "open"),
    ("open", "right"),
    ("right", "open"),
    ("open", "right", "wrong", "open"),
    ("right", "right"),
]


@pytest.mark.parametrize("views", ORDERS, ids="-".join)
def test_verdicts_are_those_of_each_view_decided_by_itself(views: tuple[str, ...], monkeypatch) -> None:
    found = judged(*views)
    monkeypatch.setattr(sites, "each", lambda r, all_: [sites.decide(r, x) for x in all_])
    alone = judged(*views)
    assert kinds(found) == kinds(alone)
    assert [v.status == "violates" for v in found.sites] == [v.status == "violates" for v in alone.sites]
    assert ("refuted" in {k for _, _, k in kinds(found)}) is ("wrong" in views)


def test_what_is_open_in_one_view_is_not_proved_again(monkeypatch) -> None:
    asked: list[int] = []
    proved = sites._answer

    def counted(*args):
        asked.append(id(args[2]))
        return proved(*args)

    monkeypatch.setattr(sites, "_answer", counted)
    one = len(judged("open").verdicts) and len(asked)
    asked.clear()
    judged("open", "open")
    assert one and len(asked) < 2 * one
