"""The documentation says what the program does: generated parts are current, links lead somewhere."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BUILD = runpy.run_path(str(ROOT / "docs" / "build.py"))


def test_rules_page_is_current() -> None:
    assert (ROOT / "docs" / "rules.md").read_text(encoding="utf-8") == BUILD["rules_page"]()


def test_readme_shows_what_is_printed() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "error[" in text
    assert BUILD["readme_page"](text) == text


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", prose)
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("name", ["try", "test", "bench"])
def test_readme_commands_are_one_line(name: str) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(rf"<!-- command: {name} -->\n```sh\n(.*?)```", text, re.DOTALL)
    assert len(block.strip().splitlines()) == 1
