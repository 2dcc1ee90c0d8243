"""Launches that are right, without a GPU."""

from __future__ import annotations

import pytest
from runtime.fake import FakeDriver, ones, planned

from gpulint.runtime.errors import NotANumber
from gpulint.runtime.prepare import Prepared

COPY = ("float32[::1], float32[::1]", "x out", "out")
SECOND = {"entry": "k__x4", "points": 4, "aligned": ["x", "out"], "alignment": 16}


def test_a_right_launch_goes_to_the_driver() -> None:
    driver = FakeDriver()
    Prepared(planned(*COPY), driver, (4, 2), 64, stream=7)(ones(4), ones(4))
    assert driver.launches == [("k", (4, 2, 1), (64, 1, 1), 0, 7)]


def test_the_same_arguments_are_decided_once() -> None:
    made = Prepared(planned(*COPY), FakeDriver(), 4, 64)
    x, out = ones(4), ones(4)
    assert made.decide((x, out)) is made.decide((x, out))
    assert made.decide((x, ones(4))) is not made.decide((x, out))


def test_aligned_arrays_get_the_version_with_fewer_threads() -> None:
    driver = FakeDriver()
    made = Prepared(planned(*COPY, second=SECOND), driver, 9, 64)
    big = ones(64)
    start = -big.told["data"][0] % 16
    x, out = big.moved(start, (8,)), big.moved(start + 64, (8,))
    made(x, out)
    made(x.moved(4, (4,)), out)
    assert driver.launches == [
        ("k__x4", (3, 1, 1), (64, 1, 1), 0, 0), ("k", (9, 1, 1), (64, 1, 1), 0, 0),
    ]  # fmt: skip


def test_a_launch_of_several_axes_keeps_the_version_as_written() -> None:
    driver = FakeDriver()
    big = ones(64)
    start = -big.told["data"][0] % 16
    Prepared(planned(*COPY, second=SECOND), driver, (2, 2), 64)(
        big.moved(start, (8,)), big.moved(start + 64, (8,))
    )
    assert driver.launches[0][0] == "k"


def test_much_dynamic_shared_memory_is_asked_for() -> None:
    driver = FakeDriver()
    Prepared(planned(*COPY), driver, 1, 32, shared=100_000)
    assert driver.allowed == [100_000]


def test_functions_are_those_of_the_plan_whatever_was_loaded_before() -> None:
    for _ in range(200):  # drivers that come and go, so that one may take another's place in memory
        Prepared(planned(*COPY), FakeDriver(), 1, 32)
        assert set(Prepared(planned(*COPY, second=SECOND), FakeDriver(), 9, 64).functions) == {"k", "k__x4"}


def test_a_tensor_is_known_again_by_its_address_and_layout() -> None:
    class Tensor:
        shape, dtype, is_cuda = (4,), "f4", True

        def __init__(self) -> None:
            self.held = ones(4)
            self.asked = 0

        def data_ptr(self) -> int:
            return self.held.told["data"][0]

        def stride(self) -> tuple[int, ...]:
            return (1,)

        @property
        def __cuda_array_interface__(self) -> dict:
            self.asked += 1
            return self.held.told

    driver, x, out = FakeDriver(), Tensor(), Tensor()
    made = Prepared(planned(*COPY), driver, 1, 4)
    for _ in range(3):
        made(x, out)
    assert (len(driver.launches), x.asked) == (3, 1)


def test_numbers_of_another_kind_are_not_taken_for_those_seen() -> None:
    driver = FakeDriver()
    made = Prepared(planned("int64", "n"), driver, 1, 4)
    made(1)
    with pytest.raises(NotANumber):
        made(1.0)


def test_a_kernel_whose_blocks_meet_is_launched_with_all_of_them_at_a_time() -> None:
    driver = FakeDriver()
    made = Prepared(planned(*COPY, cooperative=True), driver, 4, 64, stream=7)
    x, out = ones(4), ones(4)
    made(x, out)
    assert driver.together and len(driver.launches) == 1
    assert made.decide((x, out)).values[-1].value == driver.counter(7)
    Prepared(planned(*COPY), driver, 4, 64)(x, out)
    assert not driver.together
