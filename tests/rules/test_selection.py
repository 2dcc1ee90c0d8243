"""Selection by code, and suppression comments."""

from __future__ import annotations

import pytest

from gpulint.ir.span import Span
from gpulint.rules.finding import Finding
from gpulint.rules.selection import selected, suppress, unknown
from gpulint.source.suppress import Suppression


def finding(row: int = 3, code: str = "GL101", calls: tuple[Span, ...] = ()) -> Finding:
    span = Span("a.py", row, 0, row, 4, calls)
    return Finding(code, "out-of-range-read", "in-range", "error", "m", span)


@pytest.mark.parametrize(
    ("select", "ignore", "shown"),
    [
        ((), (), True),
        (("GL1",), (), True),
        (("GL3",), (), False),
        ((), ("GL1",), False),
        (("GL101",), ("GL1",), True),
        (("GL1",), ("GL101",), False),
        (("ALL",), ("GL1",), False),
        (("GL1",), ("ALL",), True),
        (("out-of-range-read",), (), True),
        ((), ("out-of-range-read",), False),
        (("gl101",), (), True),
        (("GL1",), ("GL1",), False),
    ],
)
def test_the_longest_prefix_decides(select, ignore, shown):
    assert selected(finding(), select, ignore) is shown


def test_words_that_fit_no_rule():
    known = {"GL101": "out-of-range-read"}
    assert unknown(("GL1", "ALL", "out-of-range-read", "GL7", ""), known) == ["GL7", ""]


def comment(codes: tuple[str, ...], rows: tuple[int, ...] | None) -> Suppression:
    return Suppression(codes, "why", 3, rows, Span("a.py", 3, 10, 3, 30))


def test_a_comment_silences_its_row():
    kept, unused, count = suppress([finding(3), finding(4)], [comment(("GL101",), (3,))], "a.py")
    assert [f.span.row for f in kept] == [4]
    assert (unused, count) == ([], 1)


def test_an_unused_code_is_told():
    kept, unused, _ = suppress([finding(3)], [comment(("GL101", "GL301"), (3,))], "a.py")
    assert kept == []
    assert [(f.code, f.property, f.message) for f in unused] == [
        ("GL020", "suppression", "unused suppression for GL301")
    ]


def test_a_comment_for_the_whole_file():
    kept, unused, _ = suppress([finding(3), finding(90)], [comment((), None)], "a.py")
    assert (kept, unused) == ([], [])


def test_a_comment_for_every_code_that_silences_nothing():
    _, unused, _ = suppress([], [comment((), (3,))], "a.py")
    assert [f.message for f in unused] == ["unused suppression"]


def test_a_comment_at_the_call_silences_what_lies_in_another_file():
    inner = Finding(
        "GL101", "out-of-range-read", "in-range", "error", "m",
        Span("b.py", 70, 0, 70, 4, (Span("a.py", 3, 0, 3, 9),)),
    )  # fmt: skip
    kept, unused, _ = suppress([inner], [comment(("GL101",), (3,))], "a.py")
    assert (kept, unused) == ([], [])


def test_a_row_of_another_file_is_not_meant():
    other = Finding("GL101", "n", "in-range", "error", "m", Span("b.py", 3, 0, 3, 4))
    kept, _, _ = suppress([other], [comment(("GL101",), (3,))], "a.py")
    assert kept == [other]
