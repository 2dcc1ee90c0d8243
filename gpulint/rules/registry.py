"""Finds the rules: every `Rule` class in a module of a family's folder, imported on first use."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from pathlib import Path

from gpulint.rules.base import Rule


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, by code. Raises ValueError when two have the same code or name."""
    found = [cls() for cls in _classes()]
    for what in ("code", "name"):
        seen = [getattr(r, what) for r in found]
        twice = {s for s in seen if seen.count(s) > 1}
        if twice:
            raise ValueError(f"two rules with the {what} {', '.join(sorted(twice))}")
    return tuple(sorted(found, key=lambda r: r.code))


def _classes() -> list[type[Rule]]:
    here, out = Path(__file__).parent, []
    for family in pkgutil.iter_modules([str(here)]):
        if family.ispkg:
            for info in pkgutil.iter_modules([str(here / family.name)]):
                module = importlib.import_module(f"gpulint.rules.{family.name}.{info.name}")
                out += [
                    c for c in vars(module).values()
                    if isinstance(c, type) and issubclass(c, Rule) and hasattr(c, "code")
                    and c.__module__ == module.__name__
                ]  # fmt: skip
    return out


def by_name(word: str) -> Rule | None:
    """The rule with this code (in any case) or name."""
    return next((r for r in rules() if word.upper() == r.code or word.lower() == r.name), None)


@cache
def codes() -> dict[str, str]:
    """Each code with its name."""
    return {r.code: r.name for r in rules()}
