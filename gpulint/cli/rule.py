"""Explain a rule, given by its code (GL101) or name (out-of-range-read); without one, list them all."""

from __future__ import annotations

import argparse
import sys

from gpulint.config import ConfigError, suggest


def add_options(p: argparse.ArgumentParser) -> None:
    p.add_argument("rule", metavar="RULE", nargs="?", help="a code or a name")
    p.add_argument("--all", action="store_true", help="the pages of all rules")
    p.add_argument("--output-format", choices=("text", "json"), default="text", help="text is Markdown")


def run(o: argparse.Namespace) -> int:
    from gpulint.cli import terminal
    from gpulint.rules.page import page
    from gpulint.rules.registry import by_name, codes, rules

    chosen = list(rules())
    if o.rule:
        found = by_name(o.rule)
        if found is None:
            known = codes()
            raise ConfigError(f"no rule `{o.rule}`{suggest(o.rule, [*known, *known.values()])}")
        chosen = [found]
    pages = [page(r) for r in chosen]
    if o.output_format == "json":
        import dataclasses
        import json

        text = json.dumps([dataclasses.asdict(p) for p in pages], indent=2) + "\n"
    elif o.rule or o.all:
        text = "\n".join(p.markdown for p in pages)
    else:
        text = "".join(f"{p.code}  {p.name:32}{p.concern:14}{p.summary}\n" for p in pages)
    terminal.write(sys.stdout, text)
    return 0
