from __future__ import annotations

from gpulint.source.load import load_text
from gpulint.source.model import Module
from gpulint.source.suppress import Suppression, suppressions


def read(text: str) -> list[Suppression]:
    module = load_text(text, "m.py")
    assert isinstance(module, Module), module
    return suppressions(module)


def test_codes_reason_and_span() -> None:
    [found] = read("é = 1  # gpulint: ignore[GL101, GL203] padded by the host\n")
    assert found.codes == ("GL101", "GL203")
    assert found.reason == "padded by the host"
    assert (found.row, found.rows) == (1, (1,))
    assert (found.span.column, found.span.end_column) == (7, 57)


def test_without_codes_everything_is_meant() -> None:
    [found] = read("x = 1  # gpulint: ignore\n")
    assert found.codes == () and found.covers("GL999", 1)
    assert not found.covers("GL999", 2)


def test_empty_brackets_silence_nothing() -> None:
    assert read("x = 1  # gpulint: ignore[]\n") == []


def test_on_a_line_of_its_own_it_means_the_next_code_line() -> None:
    [found] = read("x = 1\n# gpulint: ignore[GL101] why\n# more\n\ny = 2\nz = 3\n")
    assert found.rows == (5,)


def test_a_statement_over_several_lines_is_covered_whole() -> None:
    [found] = read("x = f(\n  1,\n)  # gpulint: ignore[GL1]\n")
    assert found.rows == (1, 2, 3)


def test_a_def_line_covers_that_line_alone() -> None:
    first, second = read("@d  # gpulint: ignore[A]\ndef f():  # gpulint: ignore[B]\n  pass\n")
    assert (first.rows, second.rows) == ((1,), (2,))


def test_whole_file() -> None:
    [found] = read("x = 1\n# gpulint: ignore-file[GL1] generated\n")
    assert found.rows is None and found.reason == "generated"
    assert found.covers("GL1", 99) and not found.covers("GL2", 1)


def test_other_comments_and_strings_are_none() -> None:
    assert read("x = '# gpulint: ignore'\n# gpulint: requires x > 1\n# gpulint: ignored\n") == []


def test_at_the_end_of_the_file_it_covers_nothing() -> None:
    [found] = read("x = 1\n# gpulint: ignore[A]\n")
    assert found.rows == ()
