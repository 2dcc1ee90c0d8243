"""Reports of files that have not changed, kept between runs.

A report is found by what it was asked for: the file and its content, the files beside it, the options and
the version of gpulint. It is used when everything else that the check read (modules, folders, absent files)
has the content that it had. Reports of checks that failed or were cut off are not kept. Entries are JSON
in a folder of the user's own; one that cannot be read, is another's or does not fit is as good as none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gpulint.cli.entries import content, seal, tool, whole
from gpulint.source import trace

if TYPE_CHECKING:
    from gpulint.cli.worker import Task
    from gpulint.config import Config
    from gpulint.report.model import FileReport

FORMAT = 1
FAILURES = ("GL002", "GL003")  # internal error, analysis limit


class Cache:
    """The entries of one folder, as seen by one run: what is on disk is looked at once."""

    def __init__(self, at: Path) -> None:
        self.at = at
        self._answers: dict[trace.Question, str] = {}
        self._tool = tool()

    def key(self, task: Task, config: Config) -> str:
        """What a report is found by; '' for a file that cannot be read."""
        own = self._answer((trace.CONTENT, str(task.path.absolute())))
        if own in (trace.NOTHING, trace.FAILED):
            return ""
        options = (config.select, config.ignore, sorted(config.no_assume), config.deny_undecided)
        near = [str(p.absolute()) for p in task.neighbours]
        names = (str(task.path), str(task.path.absolute()), task.explicit)
        whole = json.dumps((FORMAT, self._tool, own, names, near, options))
        return trace.fingerprint(whole.encode(errors="surrogatepass"))

    def get(self, key: str) -> FileReport | None:
        """The report of an earlier run that still holds, or None."""
        from gpulint.report.model import FileReport
        from gpulint.report.plain import read

        try:
            entry = json.loads(content(self.at / f"{key}.json"))
            body, seen = entry["report"], entry["seen"]
            if entry["check"] != seal(body, seen):
                return None
            if not all(self._answer((kind, path)) == found for kind, path, found in seen):
                return None
            return read(FileReport, body)
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None

    def _answer(self, question: trace.Question) -> str:
        if question not in self._answers:
            self._answers[question] = trace.answer(question)
        return self._answers[question]


def put(at: Path, key: str, report: FileReport, seen: Mapping[trace.Question, str]) -> None:
    """Keep a report with what the check asked of the disk. What cannot be kept is not."""
    from gpulint.report.plain import plain

    if not key or any(f.code in FAILURES for f in report.findings):
        return
    questions = sorted([kind, path, found] for (kind, path), found in seen.items())
    try:
        body = plain(report)
        entry = {"check": seal(body, questions), "seen": questions, "report": body}
        data = json.dumps(entry, separators=(",", ":")).encode()
        at.mkdir(mode=0o700, parents=True, exist_ok=True)
        with whole(at / f"{key}.json") as stream:
            os.write(stream, data)
    except (OSError, ValueError, RecursionError):
        return
