"""Rules are found, numbered and documented."""

from __future__ import annotations

import re

import pytest

from gpulint.rules.page import missing, page
from gpulint.rules.registry import by_name, codes, rules

FAMILIES = {
    "1": "in-range", "2": "in-range", "3": "disjoint", "4": "no-wrap", "5": "contract", "6": "covered",
    "7": "no-alias", "8": "convergent", "9": "initialised",
}  # fmt: skip


@pytest.mark.parametrize("rule", rules(), ids=lambda r: r.code)
def test_every_page_is_complete(rule):
    assert missing(page(rule)) == []


@pytest.mark.parametrize("rule", rules(), ids=lambda r: r.code)
def test_codes_name_their_family(rule):
    assert re.fullmatch(r"GL\d{3}", rule.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)
    family = "performance" if rule.code.startswith("GL81") else FAMILIES.get(rule.code[2], rule.property)
    assert rule.property == family


@pytest.mark.parametrize("rule", rules(), ids=lambda r: r.code)
def test_examples_are_python(rule):
    import ast

    for title in ("Example", "Use instead"):
        text = page(rule).sections[title]
        if rule.code != "GL001":  # whose example is none on purpose
            ast.parse(text.removeprefix("```python\n").removesuffix("```"))


def test_a_page_without_a_section_is_reported():
    from gpulint.rules.base import Rule

    class Bare(Rule):
        """A rule.

        ## What it does
        Nothing.
        """

        code, name, property = "GL999", "bare", "style"

    expected = ["section `Why is this bad`", "section `Example`", "section `Use instead`"]
    assert missing(page(Bare())) == expected


def test_lookup_by_code_and_name():
    assert by_name("gl203") is by_name("unguarded-launch-tail") is not None
    assert by_name("GL2") is None
    assert codes()["GL301"] == "write-write-race"
