"""A rule's page: its docstring, read into titled sections."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass

from gpulint.rules.base import Rule

REQUIRED = ("What it does", "Why is this bad", "Example", "Use instead")
OPTIONAL = ("References",)
_TITLE = re.compile(r"^## (.+?)\??$", re.MULTILINE)


@dataclass(frozen=True)
class Page:
    """`sections` maps each title to its text, in the order of the page."""

    code: str
    name: str
    concern: str
    summary: str
    sections: dict[str, str]

    @property
    def markdown(self) -> str:
        head = f"# {self.name} ({self.code})\n\n{self.summary}\n\nProperty: `{self.concern}`\n"
        return head + "".join(f"\n## {title}\n\n{text}\n" for title, text in self.sections.items())


def page(rule: Rule) -> Page:
    """The page of a rule; sections that are missing are simply not there (`missing` names them)."""
    parts = _TITLE.split(inspect.cleandoc(type(rule).__doc__ or ""))
    titles, texts = parts[1::2], parts[2::2]
    sections = {t.strip(): text.strip("\n") for t, text in zip(titles, texts, strict=True)}
    return Page(rule.code, rule.name, rule.property, parts[0].strip(), sections)


def missing(p: Page) -> list[str]:
    """What keeps the page from being complete."""
    out = [f"section `{title}`" for title in REQUIRED if not p.sections.get(title, "").strip()]
    out += [f"unknown section `{t}`" for t in p.sections if t not in (*REQUIRED, *OPTIONAL)]
    return out if p.summary else ["summary", *out]
