"""Which 64-bit operations an address takes modulo its width alone, and that the rest is still asked about."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config
from gpulint.source.load import load_text

HEAD = "import triton\nimport triton.language as tl\n\n\n"
HEAD += "@triton.jit\ndef k(x, out, idx, n, s, B: tl.constexpr):\n"


def asked(body: str) -> dict[str, bool]:
    """The operations of 64 bits in the kernel, by their text: whether they are modular."""
    text = HEAD + "".join(f"    {line}\n" for line in body.splitlines())
    (found,), _ = pipeline.analyse(load_text(text, "k.py"), Config())
    assert found.accesses is not None, found.failure
    return {op.text: op.modular for op in found.accesses.ops if op.type.bits == 64}


WIDE = "i = tl.program_id(0).to(tl.int64) * B + tl.arange(0, B)\nrow = tl.load(idx + i).to(tl.int64)\n"


def test_sums_and_products_of_an_address_are_modular() -> None:
    found = asked(WIDE + "at = row * s + i\ntl.store(out + at, 0.0)")
    assert found["row * s"] and found["row * s + i"]


@pytest.mark.parametrize(
    "line",
    [
        "at = (row * s) // 2",
        "at = (row * s).to(tl.int32)",
        "at = tl.where(row * s < n, i, 0)",
        "at = tl.load(idx + i + (row * s) % n)",
        "at = tl.minimum(row * s, n)",
    ],
)
def test_what_needs_the_exact_value_is_asked(line: str) -> None:
    assert not asked(WIDE + line + "\ntl.store(out + at, 0.0)").get("row * s", False)


def test_an_operation_that_also_feeds_a_guard_is_asked() -> None:
    found = asked(WIDE + "at = row * s\ntl.store(out + at, 0.0, mask=at < n)")
    assert found["row * s"] is False


def test_a_pointer_moved_in_a_loop_is_modular() -> None:
    body = WIDE + "p = out + row\nfor j in range(n):\n    tl.store(p, 0.0)\n    p += row * s"
    assert asked(body)["row * s"]


def test_an_access_that_is_not_shown_in_range_leaves_the_kernel_open() -> None:
    text = HEAD + "    i = tl.program_id(0).to(tl.int64)\n    tl.store(out + i * i * i * i * i, 0.0)\n"
    (kernel,) = pipeline.check_file(text, "k.py", Config()).kernels
    assert kernel.status != "verified"
