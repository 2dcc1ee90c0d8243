"""Writes the generated parts of the documentation: `python docs/build.py [--check]`.

docs/rules.md comes from the rules' docstrings. In README.md, each block under a comment
`<!-- output: gpulint ARGUMENTS -->` is what that command prints. With `--check` nothing is written,
and the exit code is 1 when a file is out of date.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

OUTPUT = re.compile(r"(<!-- output: gpulint (.+?) -->\n```text\n)(.*?)(```\n)", re.DOTALL)

HEAD = """# Rules

Generated from the rules' docstrings by `docs/build.py`. `gpulint rule CODE` prints one.
"""


def rules_page() -> str:
    """All rules: a table, then each page with its headings one level down."""
    from gpulint.rules.page import page
    from gpulint.rules.registry import rules

    pages = [page(rule) for rule in rules()]
    rows = [
        f"| [{p.code}](#{p.name}-{p.code.lower()}) | `{p.name}` | {p.concern} | {one_line(p.summary)} |"
        for p in pages
    ]
    table = "\n".join(["| code | name | property | |", "| --- | --- | --- | --- |", *rows])
    return f"{HEAD}\n{table}\n\n" + "\n".join(lower(p.markdown) for p in pages)


def one_line(text: str) -> str:
    return " ".join(text.split())


def lower(markdown: str) -> str:
    """Headings one level down, code blocks (whose comments look like headings) left alone."""
    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.DOTALL | re.MULTILINE)
    return "".join(p if p.startswith("```") else re.sub(r"^#", "##", p, flags=re.MULTILINE) for p in parts)


def printed(arguments: str) -> str:
    """What gpulint prints for the command line, run from the root without colour."""
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100", "PYTHONPATH": str(ROOT)}
    code = f"from gpulint.cli.main import main; raise SystemExit(main({shlex.split(arguments)!r}))"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300
    )
    if run.returncode not in (0, 1):
        raise RuntimeError(f"gpulint {arguments}: exit {run.returncode}\n{run.stderr}")
    return re.sub(r"\d+\.\d+ ?s\b", "0.1 s", run.stdout)


def readme_page(text: str) -> str:
    return OUTPUT.sub(lambda m: m[1] + printed(m[2]) + m[4], text)


def generated() -> dict[Path, str]:
    """Each generated file with the text that it should have."""
    readme = ROOT / "README.md"
    return {
        ROOT / "docs" / "rules.md": rules_page(),
        readme: readme_page(readme.read_text(encoding="utf-8")),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    stale = 0
    for path, text in generated().items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        print(f"{path.relative_to(ROOT)}: {'out of date' if check else 'written'}")
        if not check:
            path.write_text(text, encoding="utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    raise SystemExit(main())
