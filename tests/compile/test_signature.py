"""Types of parameters."""

from __future__ import annotations

import pytest

from gpulint.compile.error import CompileError
from gpulint.compile.signature import parse, text_of


@pytest.mark.parametrize(
    "text", ["void(float32[:, ::1], int64)", "void(boolean, uint8[::1])", "void(float16[:])"]
)
def test_a_signature_reads_back(text: str) -> None:
    assert text_of(parse(text)) == text


def test_names_and_forms_of_numba_are_read() -> None:
    assert text_of(parse("f4[:], types.double")) == "void(float32[:], float64)"
    assert text_of(parse("intp")) == "void(int64)"


@pytest.mark.parametrize("text", ["bfloat16[:]", "float32[0]", "nothing", "(" * 300, "x" * 20_000, "a b"])
def test_what_is_no_signature_is_refused(text: str) -> None:
    with pytest.raises(CompileError):
        parse(text)
