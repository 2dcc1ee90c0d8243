"""The text and concise formats."""

from __future__ import annotations

from dataclasses import replace

from gpulint.report import Options, render
from gpulint.report.model import FileReport, Report, in_order
from gpulint.rules.finding import Related

GOLDEN = """\
error[GL203]: thread 232 of block 3 writes out[1000], one past its end (unguarded-launch-tail)
  --> scale.py:9:5
   |
 9 |     out[i] = a * x[i]
   |     ^^^^^^ i = blockIdx.x * blockDim.x + threadIdx.x = 3 * 256 + 232
   |
   ::: scale.py:15:5
15 |     scale[blocks, 256](x, out, 2.0)
   |     ------------------------------- launched with grid 4, block 256, out.size = 1000
   = help: guard the store: `if i < out.size:`

undecided: scatter (scale.py:17:1): 1 disjoint undecided

Found 1 error in 2 files; 3 kernels: 1 verified, 1 refuted, 1 undecided.
1 info finding (--show-info lists them)
1 finding suppressed by comments
assumed: grid-limits, int32-sizes (--no-assume NAME lifts one)
"""


def one(finding, text: str) -> str:
    report = Report((FileReport(finding.span.filename, (finding,)),), texts={finding.span.filename: text})
    return render("text", report, Options(show_info=True))


def test_golden(report):
    assert render("text", report, Options()) == GOLDEN


def test_show_info_lists_info_findings_and_every_kernel(report):
    text = render("text", report, Options(show_info=True))
    assert "info[GL011]: disjoint of `out[idx[i]]` is undecided: indirect index (undecided)" in text
    assert "refuted: scale (scale.py:5:1)\n" in text
    assert "verified: copy (scale.py:30:1): for launches with n >= 1 and n <= x.size" in text


def test_colours_only_paint(report):
    import re

    painted = render("text", report, Options(color=True))
    assert "\x1b[1;31merror[GL203]" in painted
    assert re.sub(r"\x1b\[[\d;]*m", "", painted) == GOLDEN


def test_a_place_without_source_keeps_its_messages(tail):
    gone = replace(tail, span=replace(tail.span, filename="/no/such.py"))
    text = one(gone, "")
    assert "--> /no/such.py:9:5" in text
    assert "help: guard the store" in text


def test_a_long_range_is_underlined_on_its_first_line(tail):
    wide = replace(tail, span=replace(tail.span, row=1, end_row=2, column=0, end_column=3), related=())
    text = one(wide, "out[\n  i] = 1\n")
    assert " | out[\n  | ^^^^ i =" in text


def test_tabs_and_wide_characters_keep_the_carets_under_the_range(tail):
    at = replace(tail.span, row=1, end_row=1, column=3, end_column=6)
    text = one(replace(tail, span=at, related=(), label=""), "\t日x[i] = 1\n")
    assert "1 |     日x[i] = 1\n  |        ^^^\n" in text


def test_a_very_long_line_is_cut_to_the_range(tail):
    line = "a" * 5000 + "out[i]" + "b" * 5000
    at = replace(tail.span, row=1, end_row=1, column=5000, end_column=5006)
    shown = one(replace(tail, span=at, related=()), line)
    assert max(map(len, shown.splitlines())) < 260
    code, carets = shown.splitlines()[3:5]
    assert code[carets.index("^") :].startswith("out[i]")


def test_control_characters_do_not_reach_the_terminal(tail):
    evil = replace(tail, message="bad \x1b[2J\nname", related=(Related("x\x07", tail.span),))
    text = one(evil, "\n" * 8 + "\x1b]0;title\x07 out\n")
    assert "\x1b" not in text
    assert "\x07" not in text


def test_concise(report):
    expected = (
        "scale.py:9:5: error[GL203] thread 232 of block 3 writes out[1000], one past its end"
        " (unguarded-launch-tail)\n"
    )
    assert render("concise", report, Options()) == expected
    assert len(render("concise", report, Options(show_info=True)).splitlines()) == 2


def test_nothing_to_say():
    assert render("concise", Report(()), Options()) == ""
    text = render("text", Report((FileReport("a.py"),)), Options())
    assert text == "No errors or warnings in 1 file, which holds no kernel.\n"


def test_what_is_found_alike_is_told_once(tail):
    other, elsewhere = replace(tail, message="another"), replace(tail, kernel="k2")
    assert in_order([tail, other, elsewhere, tail]) == (other, tail, elsewhere)
    assert in_order([tail, tail]) == (tail,)
