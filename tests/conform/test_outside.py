"""Launches just outside a contract: derived from it, refused for their reason, and told when they are not."""

from __future__ import annotations

import importlib.util
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from runtime.fake import FakeDriver, certificate

from gpulint.conform import broken
from gpulint.conform.case import Case
from gpulint.conform.outside import Launch, inside
from gpulint.conform.refusal import Refused, refused
from gpulint.contract.limits import DEVICES
from gpulint.runtime import checks
from gpulint.runtime import errors as e
from gpulint.runtime.plan import Plan, plan
from gpulint.term import holds

ROOT = Path(__file__).resolve().parents[2]
CLAUSES = (
    "x.size <= n", "n % 8 == 0", "a.shape[1] == x.size or n < 0", "a.strides[0] == 4 * a.shape[1]",
    "grid.x * block.x >= x.size", "block.x <= 64", "grid.y == 1", "injective(at)", "sorted(at)",
    "within(at, 2, x.size)", "above(at, 0)", "aligned(x, 16)", "noalias(x, at)", "contiguous(a)",
    "max_shared(1024)", "min_cc(80)", "cluster(2)", "cooperative",
)  # fmt: skip
MANY = {
    "signature": "float32[::1], float32[:, :], int32[::1], int64, float64, boolean",
    "names": "x a at n s flag", "written": "a", "clauses": CLAUSES, "cooperative": True,
}  # fmt: skip
CASE = Case(
    (2, 1, 1), (8, 1, 1), 0, {"x": (9,), "a": (3, 9), "at": (4,)}, {"n": 16, "s": 0.5, "flag": True},
    {"x": [0.5] * 9, "a": [1.0] * 27, "at": [2, 3, 5, 8]},
)  # fmt: skip
PLAIN = {"signature": "float32[::1], float32[::1]", "names": "x out", "written": "out"}
COPY = Case((2, 1, 1), (8, 1, 1), 0, {"x": (9,), "out": (9,)}, {}, {"x": [1.0] * 9, "out": [0.0] * 9})


def made(given: dict[str, Any], **more: Any) -> Plan:
    return plan(certificate(**given, **more), "code")


def many(driver: FakeDriver | None = None) -> Refused:
    return refused(made(MANY), driver or FakeDriver(), [CASE])  # type: ignore[arg-type]


def test_every_clause_is_broken_and_refused() -> None:
    found = many()
    assert found.wrong == ()
    assert found.unbreakable == ()
    assert found.broken == found.clauses == len(CLAUSES)
    assert found.taken > 0


def test_every_typed_check_is_met() -> None:
    kinds = set(many().checks) | set(refused(made(PLAIN, block=[8, 1, 1]), FakeDriver(), [COPY]).checks)  # type: ignore[arg-type]
    kinds |= set(refused(made(PLAIN), FakeDriver(threads=32), [COPY]).checks)  # type: ignore[arg-type]
    listed = {x.__name__ for x in vars(e).values() if isinstance(x, type)} - {"LaunchRefused"}
    others = {  # broken by another device, code or caller, not by a launch
        "PlanUnusable", "StaticSharedTooLarge", "OccupancyTooLow", "ClusterTooLarge", "CooperationUnknown",
        "ContentsUnknown", "ReasonMissing", "DeviceDiffers",
    }  # fmt: skip
    assert kinds == listed - others


@pytest.mark.parametrize("check", ["geometry", "array", "overlaps", "clauses", "contents", "together"])
def test_a_check_that_is_gone_is_noticed(check: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, check, lambda *given: ())
    assert any("is not refused" in w for w in many().wrong)


def test_an_error_that_does_not_tell_the_sides_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "_values", lambda c, env: "")
    assert any("does not tell" in w for w in many().wrong)


def test_a_wrong_reason_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(*given: Any) -> None:
        raise e.ContentsBroken("something does not hold")

    monkeypatch.setattr(checks, "clauses", other)
    assert any("refused by ContentsBroken" in w and "not by ClauseBroken" in w for w in many().wrong)


def test_a_launch_that_must_be_taken_and_is_not_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*given: Any) -> None:
        raise e.ArraysOverlap("`x` and `out` share memory")

    monkeypatch.setattr(checks, "overlaps", never)
    found = refused(made(PLAIN), FakeDriver(), [COPY])  # type: ignore[arg-type]
    assert any(": it is refused by ArraysOverlap" in w for w in found.wrong)


def test_nothing_is_queued() -> None:
    driver = FakeDriver()
    many(driver)
    assert driver.launches == []


# --- the nearest launch


RELATIONS = (
    "x.size <= out.size", "out.size < x.size + 3", "x.size % 4 == 0", "x.size == out.size", "x.size != 7",
    "x.size * out.size <= 60", "grid.x * block.x >= x.size", "x.size <= 5 or out.size >= x.size",
    "min(x.size, out.size) >= 3", "x.size // 3 <= 4", "block.x <= 40", "x.size <= 300",
)  # fmt: skip


def launches() -> list[Launch]:
    sizes = itertools.product((4, 8), (8, 12), (1, 3))
    p = made(PLAIN)
    return [
        inside(p, Case((g, 1, 1), (8, 1, 1), 0, {"x": (m,), "out": (n,)}, {}, {"x": [], "out": []}))
        for m, n, g in sizes
    ]


@pytest.mark.parametrize("clause", RELATIONS)
def test_a_launch_outside_is_the_nearest_there_is(clause: str) -> None:
    p = made(PLAIN, clauses=(clause,))
    moves = broken.Moves(p, DEVICES["sm_90"])
    (c,) = p.clauses
    tried = 0
    for launch in launches():
        if not holds(c.condition, moves.environment(launch)):
            continue
        before = moves.values(launch)
        for o in broken.broken(p, [launch], DEVICES["sm_90"], 1024):
            after = moves.values(o.launch)
            assert not holds(c.condition, moves.environment(o.launch)) and o.alone
            name, value = o.how.split(" is ")
            at, end = before[name], int(value)
            assert after[name] == end != at
            way = 1 if end > at else -1
            for near in range(at + way, end, way):
                between = moves.moved(launch, name, near)
                assert between is None or holds(c.condition, moves.environment(between)), (o.how, near)
            tried += 1
    assert tried


def test_nothing_is_made_up_for_a_clause_that_always_holds() -> None:
    found = refused(made(PLAIN, clauses=("x.size >= 1",)), FakeDriver(), [COPY])  # type: ignore[arg-type]
    assert found.unbreakable == ("`x.size >= 1`",) and found.wrong == ()


# --- the script that does so on a GPU


def check() -> Any:
    spec = importlib.util.spec_from_file_location("gpu_check", ROOT / "bench" / "gpu" / "check.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_script_counts_what_is_refused(tmp_path: Path) -> None:
    one = Case(**{**vars(COPY), "wanted": {"x": [1.0] * 9, "out": [0.0] * 9}})
    told = certificate(**PLAIN, clauses=("x.size <= out.size", "x.size >= 1"))  # type: ignore[arg-type]
    (tmp_path / "examples.json").write_text(json.dumps({"copy": [one.plain()]}))
    (tmp_path / "example.copy.certificate.json").write_text(json.dumps(told))
    (tmp_path / "example.copy.ptx").write_text("code")
    script = check()
    found = script.checked(tmp_path, FakeDriver())
    assert found["copy"]["wrong"] == [] and found["copy"]["elements"] == 18
    total = script.totals(found)
    assert (total["clauses"], total["broken"], total["alone"]) == (2, 1, 1)
    assert total["launches"] == sum(total["checks"].values()) > 30
    assert total["unbreakable"] == {"copy": ("`x.size >= 1`",)}
    assert total["examples by clauses broken"] == {"1": 1}
    json.dumps([total, found])
    assert "outside" not in script.checked(tmp_path, FakeDriver(), beyond=False)["copy"]
