"""The harness itself: it must see findings that are missing, surplus, or at the wrong place."""

from __future__ import annotations

from collections import Counter

from expectations import difference, expected

SOURCE = """\
out[i] = x[i]  # error: GL101, GL203
x = 1  # a note on GL302
y = "# error: GL999"
z = 2  # warning: GL103  # info: GL001
"""


def test_comments_are_read() -> None:
    keys = [(1, "error", "GL101"), (1, "error", "GL203"), (4, "info", "GL001"), (4, "warning", "GL103")]
    assert sorted(expected(SOURCE).elements()) == keys


def test_agreement_is_no_difference() -> None:
    assert not difference(expected(SOURCE), expected(SOURCE))


def test_unannounced_error_is_seen() -> None:
    found = Counter([(9, "error", "GL101")])
    assert difference(Counter(), found).unannounced == ((9, "error", "GL101"),)


def test_unannounced_info_is_not_a_difference() -> None:
    assert not difference(Counter(), Counter([(9, "info", "GL001")]))


def test_missing_finding_is_seen() -> None:
    assert difference(Counter([(9, "info", "GL001")]), Counter()).missing == ((9, "info", "GL001"),)


def test_severity_and_multiplicity_count() -> None:
    announced = Counter([(9, "error", "GL101")])
    assert difference(announced, Counter([(9, "warning", "GL101")]))
    assert difference(announced, Counter({(9, "error", "GL101"): 2}))
