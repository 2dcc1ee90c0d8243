"""What `gpulint compile` made of files that have not changed, kept between runs.

An entry is found by the file's name and content, the kernel, the options, the tools' versions and the version
of gpulint, and is used while everything else that the compilation asked of the disk is answered as before.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gpulint.cli.entries import content, seal, tool, whole
from gpulint.source import trace

FORMAT = 2


@dataclass(frozen=True)
class Made:
    """One compilation: what was asked for, the certificate and PTX beside it, and what is explained.

    `unmasked`: files of a second version, each by the end of its name.
    """

    main: bytes
    certificate: str = ""
    ptx: str = ""
    explained: str = ""
    unmasked: tuple[tuple[str, bytes], ...] = ()


def key(source: Path, options: Mapping[str, object], tools: tuple[Path | None, ...]) -> str:
    """What a compilation is found by. `tools` are the files that it may use beside gpulint's own."""
    own = trace.answer((trace.CONTENT, str(source.absolute())))
    used = [(str(t), *_stamp(t)) for t in tools if t is not None]
    text = json.dumps((FORMAT, tool("llvmlite", "triton"), str(source), own, sorted(options.items()), used))
    return "artifact-" + trace.fingerprint(text.encode(errors="surrogatepass"))


def _stamp(path: Path) -> tuple[int, int]:
    try:
        info = path.stat()
    except OSError:
        return 0, 0
    return info.st_size, info.st_mtime_ns


def get(at: Path, found_by: str) -> Made | None:
    """What was made in an earlier run, if it still holds."""
    try:
        entry = json.loads(content(at / f"{found_by}.json"))
        body, seen = entry["made"], entry["seen"]
        if entry["check"] != seal(body, seen):
            return None
        if not all(trace.answer((kind, path)) == found for kind, path, found in seen):
            return None
        main, certificate, ptx, explained, unmasked = body
        more = tuple((str(name), base64.b64decode(raw)) for name, raw in unmasked)
        return Made(base64.b64decode(main), str(certificate), str(ptx), str(explained), more)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def put(at: Path, found_by: str, made: Made, seen: Mapping[trace.Question, str]) -> None:
    """Keep what was made, with what it asked of the disk. What cannot be kept is not."""
    questions = sorted([kind, path, found] for (kind, path), found in seen.items())
    more = [[name, base64.b64encode(raw).decode()] for name, raw in made.unmasked]
    body = [base64.b64encode(made.main).decode(), made.certificate, made.ptx, made.explained, more]
    try:
        data = json.dumps({"check": seal(body, questions), "seen": questions, "made": body}).encode()
        at.mkdir(mode=0o700, parents=True, exist_ok=True)
        with whole(at / f"{found_by}.json") as stream:
            os.write(stream, data)
    except (OSError, ValueError):
        return
