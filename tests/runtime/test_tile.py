"""Checked launches of Triton kernels, without a GPU and without Triton."""

from __future__ import annotations

from typing import Any

import pytest
from runtime.fake import FakeDriver, ones

from gpulint.compile.certificate import VERSION, digest
from gpulint.runtime import errors as e
from gpulint.runtime.plan import Plan, plan
from gpulint.runtime.prepare import Prepared


def planned(
    signature: str = "*fp32, *fp32, i32", names: str = "x out n", written: str = "out",
    clauses: tuple[str, ...] = (), scratch: int = 0, shared: int = 1024, when: str = "",
) -> Plan:  # fmt: skip
    types = [t.strip() for t in signature.split(",")]
    kinds = ["pointer" if t.startswith("*") else "scalar" for t in types]
    bare = [t.removesuffix(":16") for t in types]
    given = list(zip(names.split(), kinds, bare, types, strict=True))
    passed = [
        *({"name": x, "kind": k, "type": t, "axis": 0} for x, k, t, _ in given),
        *({"name": "", "kind": "scratch", "type": "*i8", "axis": a} for a in range(2)),
    ]  # fmt: skip
    return plan(
        {
            "version": VERSION,
            "kernel": {"signature": signature, "entry": "k", "dialect": "triton"},
            "arguments": [
                {"name": x, "type": t, "written": x in written.split()} for x, _, _, t in given
            ],
            "streaming": None,
            "parameters": passed,
            "contract": [{"clause": c} for c in clauses],
            "assumptions": ["int32-sizes", "non-empty"],
            "launch": {
                "block": [128, 1, 1], "static-shared-bytes": 0, "dynamic-shared-bytes": shared,
                "scratch-bytes": scratch, "cooperative": False,
            },
            "options": {"arch": "sm_90"},
            "artifact": {"ptx": digest("code"), "cubin": "sha256:"},
            "unmasked": {
                "when": [when], "entry": "u", "block": [64, 1, 1], "dynamic-shared-bytes": 512,
                "scratch-bytes": 0, "artifact": {"ptx": digest("other"), "cubin": "sha256:"},
            } if when else None,
        },
        "code",
        unmasked=("other", b"") if when else None,
    )  # fmt: skip


def test_a_launch_has_the_block_and_memory_of_the_code() -> None:
    driver = FakeDriver()
    Prepared(planned(clauses=("n <= x.size", "block.x == 1")), driver, (4, 2), stream=7)(ones(8), ones(8), 8)
    assert driver.launches == [("k", (4, 2, 1), (128, 1, 1), 1024, 7)]


@pytest.mark.parametrize(("more", "kind"), [({"block": 128}, e.BlockRank), ({"shared": 4}, e.BlockRank)])
def test_a_block_is_not_the_callers(more: dict[str, Any], kind: type[Exception]) -> None:
    with pytest.raises(kind):
        Prepared(planned(), FakeDriver(), 4, **more)


def test_a_pointer_reaches_from_the_first_element_to_the_last() -> None:
    made = Prepared(planned(clauses=("n <= x.size",)), FakeDriver(), 1)
    strided = ones(2, 3, strides=(40, 8))  # elements 0, 2, 4, 10, 12, 14
    made(strided, ones(16), 15)
    with pytest.raises(e.ClauseBroken):
        made(strided, ones(16), 16)


def test_elements_before_the_pointer_are_refused() -> None:
    with pytest.raises(e.NotContiguous):
        Prepared(planned(), FakeDriver(), 1)(ones(4, strides=(-4,)), ones(4), 4)


def test_what_the_compiler_relied_on_is_checked() -> None:
    plan_ = planned("*fp32:16, *fp32, i32:16", clauses=("aligned(x, 16)", "n % 16 == 0"))
    made = Prepared(plan_, FakeDriver(), 1)
    big = ones(64)
    x = big.moved(-big.told["data"][0] % 16, (32,))
    made(x, ones(32), 16)
    with pytest.raises(e.Misaligned):
        made(x.moved(4, (16,)), ones(32), 16)
    with pytest.raises(e.ClauseBroken):
        made(x, ones(32), 17)


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ((ones(4, kind="f8"), ones(4), 4), e.ElementTypeDiffers),
        ((ones(4), ones(4), 4.5), e.NotANumber),
        ((ones(4), ones(4), 2**31), e.ScalarDoesNotFit),
        ((ones(0), ones(4), 4), e.EmptyArray),
        ((ones(4), ones(4, data=(4096, True)), 4), e.ReadOnly),
        ((ones(4), ones(4)), e.ArgumentCount),
        ((4, ones(4), 4), e.NotAnArray),
    ],
)
def test_other_arguments_are_refused(arguments: tuple[Any, ...], kind: type[Exception]) -> None:
    with pytest.raises(kind):
        Prepared(planned(), FakeDriver(), 1)(*arguments)


def test_written_memory_is_nobody_elses() -> None:
    x = ones(8)
    with pytest.raises(e.ArraysOverlap):
        Prepared(planned(), FakeDriver(), 1)(x, x.moved(16, (4,)), 4)


def test_programs_have_memory_of_their_own() -> None:
    driver = FakeDriver()
    asked: list[int] = []
    driver.allocate = lambda size: asked.append(size) or 4096  # type: ignore[func-returns-value,method-assign]
    made = Prepared(planned(scratch=384), driver, (3, 2))
    x, out = ones(4), ones(4)
    made(x, out, 4)
    assert asked == [384 * 6] and [v.value for v in made.decide((x, out, 4)).values[-2:]] == [4096, 0]
    with pytest.raises(e.StreamUnfit):
        Prepared(planned(scratch=384), driver, 1, stream=2)


def test_more_shared_memory_than_there_is() -> None:
    with pytest.raises(e.SharedTooLarge):
        Prepared(planned(shared=300_000), FakeDriver(), 1)


def test_a_launch_that_needs_no_masks_takes_the_version_without() -> None:
    driver = FakeDriver()
    made = Prepared(planned(clauses=("n <= x.size",), when="n % 8 == 0"), driver, 2)
    x, out = ones(16), ones(16)
    for n in (16, 15):
        made(x, out, n)
    assert driver.launches == [("u", (2, 1, 1), (64, 1, 1), 512, 0), ("k", (2, 1, 1), (128, 1, 1), 1024, 0)]
    with pytest.raises(e.ClauseBroken):
        made(x, out, 24)


def test_a_version_is_picked_by_sizes_alone() -> None:
    with pytest.raises(e.PlanUnusable):
        planned(when="sorted(x)")
