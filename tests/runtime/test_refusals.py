"""Every way to refuse a launch, triggered without a GPU."""

from __future__ import annotations

from typing import Any

import pytest
from runtime.fake import FakeArray, FakeDriver, certificate, ones, planned

import gpulint
from gpulint.runtime import errors as e
from gpulint.runtime.plan import plan
from gpulint.runtime.prepare import Prepared

COPY = ("float32[::1], float32[::1]", "x out", "out")
ON = (4, 64)  # grid and block that are fine


def launch(grid: Any = ON[0], block: Any = ON[1], arch: str = "sm_90", shared: int = 0, **more: Any) -> None:
    Prepared(planned(*COPY, **more), FakeDriver(arch), grid, block, shared)


GEOMETRY: list[tuple[type[e.LaunchRefused], dict[str, Any], str]] = [
    (e.GridZero, {"grid": 0}, "grid.x is 0"),
    (e.GridRank, {"grid": (1, 1, 1, 1)}, "one to three"),
    (e.BlockZero, {"block": (32, 0)}, "block.y is 0"),
    (e.BlockRank, {"block": ()}, "one to three"),
    (e.BlockAxisTooLarge, {"block": (1, 1, 65)}, "block.z is 65; sm_90 takes 64"),
    (e.GridAxisTooLarge, {"grid": (1, 65536)}, "grid.y is 65536; sm_90 takes 65535"),
    (e.TooManyThreads, {"block": (32, 33)}, "1056 threads a block; sm_90 takes 1024"),
    (e.LaunchTooLarge, {"grid": 2**26, "block": 32}, "at most"),
    (e.BlockDiffers, {"block": 64, "more": {"block": [32, 1, 1]}}, r"\(64, 1, 1\); the contract fixes \(32"),
    (e.SharedNegative, {"shared": -1}, "-1 bytes"),
    (e.SharedTooLarge, {"shared": 229_000, "more": {"static": 4096}}, "4096 \\+ 229000 bytes"),
    (e.StaticSharedTooLarge, {"more": {"static": 49_153}}, "a block has 49152"),
    (e.SharedAboveContract, {"shared": 9, "more": {"clauses": ("max_shared(8)",)}}, "allows 8"),
    (e.CapabilityTooLow, {"arch": "sm_80"}, "capability 80; 90 is needed"),
    (e.CapabilityTooLow, {"more": {"clauses": ("min_cc(100)",)}}, "capability 90; 100 is needed"),
    (e.OccupancyTooLow, {"more": {"clauses": ("min_blocks(5)",)}}, "runs 4 such blocks"),
    (e.ClusterTooLarge, {"more": {"clauses": ("cluster(16)",)}}, "takes 8"),
    (e.ClusterUneven, {"grid": 3, "more": {"clauses": ("cluster(2)",)}}, "no multiple"),
]  # fmt: skip


@pytest.mark.parametrize(("wanted", "given", "said"), GEOMETRY, ids=lambda x: getattr(x, "__name__", ""))
def test_a_launch_of_wrong_size_is_refused(
    wanted: type[e.LaunchRefused], given: dict[str, Any], said: str
) -> None:
    given = dict(given)
    more = given.pop("more", {})
    with pytest.raises(wanted, match=said):
        plan_ = planned(*COPY, **more)
        driver = FakeDriver(given.get("arch", "sm_90"))
        Prepared(plan_, driver, given.get("grid", 4), given.get("block", 64), given.get("shared", 0))


def test_a_function_that_needs_too_many_registers_is_refused() -> None:
    with pytest.raises(e.FunctionThreadsTooMany, match="64 threads a block; the code runs with 32"):
        Prepared(planned(*COPY), FakeDriver(threads=32), *ON)


@pytest.mark.parametrize(
    ("wanted", "at_a_time", "stream"),
    [(e.CooperationUnknown, 0, 0), (e.GridNotResident, 3, 0), (e.StreamUnfit, 4, 2)],
)
def test_blocks_that_wait_for_each_other_must_all_run(
    wanted: type[e.LaunchRefused], at_a_time: int, stream: int
) -> None:
    p = planned(*COPY, cooperative=True)
    with pytest.raises(wanted):
        Prepared(p, FakeDriver(at_a_time=at_a_time), *ON, stream=stream)
    Prepared(planned(*COPY), FakeDriver(at_a_time=at_a_time), *ON, stream=stream)


X = ones(4)
ARGUMENTS: list[tuple[type[e.LaunchRefused], tuple[Any, ...], str]] = [
    (e.ArgumentCount, (X,), "1 arguments; the kernel takes 2"),
    (e.NotAnArray, (X, [1.0]), "not list"),
    (e.NotAnArray, (X, ones(4, typestr="?")), "cannot be read"),
    (e.ElementTypeDiffers, (X, ones(4, kind="f8")), "float64 elements; the code is for float32"),
    (e.RankDiffers, (X, ones(2, 2)), "2 axes; the code is for 1"),
    (e.EmptyArray, (X, ones(0)), r"shape \(0,\)"),
    (e.ArrayTooLarge, (X, ones(4, shape=(2**31,))), "assumes at most"),
    (e.NullPointer, (X, ones(4, data=(0, False))), "no memory"),
    (e.NotContiguous, (X, ones(4, strides=(8,))), r"strides \(8,\)"),
    (e.Misaligned, (X, ones(4, data=(1026, False))), "no multiple of 4"),
    (e.ReadOnly, (X, ones(4, data=(1024, True))), "read-only"),
    (e.ArraysOverlap, (X, X), "`x` and `out` share memory"),
    (e.ArraysOverlap, (X, X.moved(8, (4,))), "kernel writes `out`"),
]  # fmt: skip


@pytest.mark.parametrize(("wanted", "given", "said"), ARGUMENTS, ids=lambda x: getattr(x, "__name__", ""))
def test_wrong_arguments_are_refused(
    wanted: type[e.LaunchRefused], given: tuple[Any, ...], said: str
) -> None:
    driver = FakeDriver()
    with pytest.raises(wanted, match=said):
        Prepared(planned(*COPY), driver, *ON)(*given)
    assert driver.launches == []


FIELDS = [("place", "<f8"), ("hits", "<i4"), ("speed", "<f4")]
RECORDS: list[tuple[type[e.LaunchRefused], dict[str, Any]]] = [
    (e.ElementTypeDiffers, {"typestr": "|V8"}),
    (e.ElementTypeDiffers, {"typestr": "|V16", "descr": [*FIELDS[:2], ("pace", "<f4")]}),
    (e.ElementTypeDiffers, {"typestr": "|V16", "descr": [*FIELDS[:2], ("speed", "<i4")]}),
    (e.Misaligned, {"typestr": "|V16", "descr": FIELDS, "data": (1032, False)}),
]


@pytest.mark.parametrize(("wanted", "told"), RECORDS)
def test_arrays_of_other_records_are_refused(wanted: type[e.LaunchRefused], told: dict[str, Any]) -> None:
    p = planned("record(place=float64, hits=int32, speed=float32)[::1]", "a", "a")
    driver = FakeDriver()
    for right in ({"typestr": "|V16"}, {"typestr": "|V16", "descr": FIELDS}):
        Prepared(p, driver, *ON)(ones(4, **{"data": (1024, False)} | right))
    assert len(driver.launches) == 2
    with pytest.raises(wanted):
        Prepared(p, driver, *ON)(ones(4, **{"data": (1024, False)} | told))


GAPS = [("kind", "|i1"), ("", "|V7"), ("place", "<f8"), ("speed", "<f4"), ("", "|V4")]


def test_records_with_gaps_are_told_from_packed_ones() -> None:
    p = planned("record(kind=int8, place=float64, speed=float32, align=True)[::1]", "a", "a")
    driver = FakeDriver()
    Prepared(p, driver, *ON)(ones(4, typestr="|V24", descr=GAPS, data=(1024, False)))
    assert len(driver.launches) == 1
    shifted = [GAPS[0], GAPS[2], GAPS[3], ("", "|V11")]
    for told in ({"typestr": "|V13", "descr": GAPS[::2]}, {"typestr": "|V24", "descr": shifted}):
        with pytest.raises(e.ElementTypeDiffers):
            Prepared(p, driver, *ON)(ones(4, **{"data": (1024, False)} | told))


def test_records_within_records_are_told_by_their_paths() -> None:
    p = planned("record(pos=record(x=float32, y=float32), hits=int32)[::1]", "a", "a")
    driver = FakeDriver()
    fields = [("x", "<f4"), ("y", "<f4")]
    right = {"typestr": "|V12", "descr": [("pos", fields), ("hits", "<i4")], "data": (1024, False)}
    Prepared(p, driver, *ON)(ones(4, **right))
    assert len(driver.launches) == 1
    for pos in (("pos", fields[::-1]), ("pos", "<f4", (2,)), ("pos", [("x", "<f4"), ("y", "<i4")])):
        with pytest.raises(e.ElementTypeDiffers):
            Prepared(p, driver, *ON)(ones(4, **right | {"descr": [pos, ("hits", "<i4")]}))


def test_a_broadcast_output_is_refused() -> None:
    made = Prepared(planned("float32[:]", "out", "out"), FakeDriver(), *ON)
    with pytest.raises(e.SelfOverlap):
        made(ones(4, strides=(0,)))


def test_memory_of_another_device_is_refused() -> None:
    with pytest.raises(e.DeviceDiffers, match="`x` is on device 1"):
        Prepared(planned(*COPY), FakeDriver(device=1), *ON)(ones(4), ones(4))


@pytest.mark.parametrize(
    ("wanted", "value"),
    [
        (e.NotANumber, "1"), (e.NotANumber, 1.5), (e.ScalarDoesNotFit, 2**31), (e.ScalarDoesNotFit, -(2**40)),
    ],
)  # fmt: skip
def test_wrong_numbers_are_refused(wanted: type[e.LaunchRefused], value: Any) -> None:
    with pytest.raises(wanted):
        Prepared(planned("int64", "n"), FakeDriver(), *ON)(value)


CLAUSES: list[tuple[type[e.LaunchRefused], str, str]] = [
    (e.ClauseBroken, "x.size < out.size", "out.size is 4, x.size is 4"),
    (e.ClauseBroken, "grid.x * block.x <= 8", "block.x is 64"),
    (e.ClauseBroken, "x.size % n == 0", "n is 0"),
    (e.Misaligned, "aligned(x, 4096)", "address is 0x"),
    (e.ContentsBroken, "injective(at)", "1 elements repeat"),
    (e.ContentsBroken, "sorted(at)", r"at\[1\] is 7, at\[2\] is 3"),
    (e.ContentsBroken, "within(at, 0, 7)", "largest element is 7"),
    (e.ContentsBroken, "within(at, 4, 8)", "least element is 3"),
    (e.ContentsBroken, "above(at, n + 4)", "least element is 3, not 4"),
]  # fmt: skip


@pytest.mark.parametrize(("wanted", "clause", "said"), CLAUSES, ids=lambda x: str(x))
def test_a_broken_contract_is_refused(wanted: type[e.LaunchRefused], clause: str, said: str) -> None:
    p = planned("float32[::1], float32[::1], int64[::1], int64", "x out at n", "out", clauses=(clause,))
    driver = FakeDriver()
    at = FakeArray(3, 7, 3, kind="i8")
    x = ones(1025).moved(4, (4,)) if "aligned" in clause else ones(4)
    if "aligned" in clause and x.told["data"][0] % 4096 == 0:
        x = x.moved(4, (4,))
    with pytest.raises(wanted, match=said):
        Prepared(p, driver, *ON)(x, ones(4), at, 0)
    assert driver.launches == []


def test_elements_that_cannot_be_looked_at_are_refused_unless_trusted() -> None:
    p = planned("int64[:], float32[::1]", "at out", "out", clauses=("injective(at)",))
    at, out = ones(4, kind="i8", strides=(16,), shape=(2,)), ones(2)
    with pytest.raises(e.ContentsUnknown):
        Prepared(p, FakeDriver(), *ON)(at, out)
    driver = FakeDriver()
    Prepared(p, driver, *ON, trusted="made by arange")(at, out)
    assert len(driver.launches) == 1


def test_a_certificate_that_does_not_fit_is_refused() -> None:
    good = certificate(*COPY)
    assert plan(good, "code").entry == "k"
    for bad, said in (
        ({**good, "version": 99}, "version 99"), ({**good, "arguments": 3}, "cannot be read"),
        ({**good, "contract": [{"clause": "nonsense("}]}, "nonsense"),
    ):  # fmt: skip
        with pytest.raises(e.PlanUnusable, match=said):
            plan(bad, "code")
    with pytest.raises(e.PlanUnusable, match="not that of the certificate"):
        plan(good, "other code")


def test_an_unchecked_launch_needs_a_reason() -> None:
    with pytest.raises(e.ReasonMissing):
        gpulint.unsafe_launch("k.ptx", 1, 32, reason=" ")


def test_a_waived_contract_is_not_checked_but_types_are() -> None:
    p = planned(*COPY, clauses=("x.size < out.size",))
    driver, x = FakeDriver(), ones(4)
    Prepared(p, driver, *ON, waived="seen to by the caller")(x, x)
    assert len(driver.launches) == 1
    with pytest.raises(e.ElementTypeDiffers):
        Prepared(p, driver, *ON, waived="seen to by the caller")(x, ones(4, kind="f8"))


def test_every_error_has_a_test_that_raises_it() -> None:
    listed = {x for x in vars(e).values() if isinstance(x, type) and issubclass(x, e.LaunchRefused)}
    tested = {x for x, *_ in (*GEOMETRY, *ARGUMENTS, *CLAUSES)}
    tested |= {e.FunctionThreadsTooMany, e.SelfOverlap, e.DeviceDiffers, e.NotANumber, e.ScalarDoesNotFit}
    tested |= {e.CooperationUnknown, e.GridNotResident, e.StreamUnfit}
    tested |= {e.ContentsUnknown, e.PlanUnusable, e.LaunchRefused, e.ReasonMissing}
    assert listed == tested
