"""`.gitignore` patterns, matched in time linear in pattern times name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_MAX_BYTES = 1_000_000
Token = tuple[str, str]  # ("*", ""), ("?", ""), ("c", character) or ("[", the set's inside)


@dataclass(frozen=True)
class Pattern:
    """One line. `segments` are the parts between slashes, each None for `**` or a list of tokens."""

    segments: tuple[tuple[Token, ...] | None, ...]
    negated: bool
    folders_only: bool
    tail: str  # a literal that the last part ends with: most names are told apart by it

    def matches(self, parts: Sequence[str], is_folder: bool) -> bool:
        """Whether it names this path, given relative to the folder of the ignore file."""
        if self.folders_only and not is_folder:
            return False
        return parts[-1].endswith(self.tail) and _wild(self.segments, parts, _is_any_path, _segment)


@dataclass(frozen=True)
class IgnoreFile:
    """The patterns of one file and the folder that they are relative to."""

    folder: Path
    patterns: tuple[Pattern, ...]

    def verdict(self, path: Path, is_folder: bool) -> bool | None:
        """True: ignored, False: taken back by a negation, None: not mentioned."""
        parts = path.relative_to(self.folder).parts
        for pattern in reversed(self.patterns):
            if pattern.matches(parts, is_folder):
                return not pattern.negated
        return None


def read(folder: Path) -> IgnoreFile | None:
    """The folder's `.gitignore`; None when it has none that can be read."""
    try:
        with (folder / ".gitignore").open("rb") as stream:
            text = stream.read(_MAX_BYTES).decode(errors="replace")
    except OSError:
        return None
    patterns = tuple(p for p in map(parse, text.splitlines()) if p is not None)
    return IgnoreFile(folder, patterns) if patterns else None


def ignored(path: Path, is_folder: bool, files: Sequence[IgnoreFile]) -> bool:
    """Whether a path is ignored; later files (of deeper folders) decide before earlier ones."""
    for file in reversed(files):
        verdict = file.verdict(path, is_folder)
        if verdict is not None:
            return verdict
    return False


def parse(line: str) -> Pattern | None:
    """The pattern of a line; None for comments and blank lines."""
    line = line.rstrip("\r\n")
    while line.endswith(" ") and not line.endswith("\\ "):
        line = line[:-1]
    negated = line.startswith("!")
    if negated:
        line = line[1:]
    folders_only = line.endswith("/")
    body = line.rstrip("/") if folders_only else line
    if not body or (line.startswith("#") and not negated):
        return None
    anchored = "/" in body
    parts = [p for p in body.split("/") if p]
    segments = [None if p == "**" else _tokens(p) for p in parts]
    if not anchored:
        segments.insert(0, None)
    if segments[-1] is None and len(parts) > 1:
        segments.append((("?", ""), ("*", "")))  # `a/**` is what lies in a, not a itself
    return Pattern(tuple(segments), negated, folders_only, _tail(segments[-1]))


def _tokens(text: str) -> tuple[Token, ...]:
    out: list[Token] = []
    i = 0
    while i < len(text):
        c = text[i]
        if c == "\\" and i + 1 < len(text):
            out.append(("c", text[i + 1]))
            i += 2
            continue
        close = text.find("]", i + 2) if c == "[" else -1
        if close > 0:
            out.append(("[", text[i + 1 : close]))
            i = close + 1
            continue
        if c not in "*?":
            out.append(("c", c))
        elif c == "?" or not out or out[-1][0] != "*":
            out.append((c, ""))
        i += 1
    return tuple(out)


def _tail(segment: tuple[Token, ...] | None) -> str:
    literal = ""
    for kind, text in reversed(segment or ()):
        if kind != "c":
            break
        literal = text + literal
    return literal


def _wild(pattern: Sequence[Any], items: Sequence[Any], star: Callable[[Any], bool], same: Any) -> bool:
    """Wildcard matching with one point to go back to: the last star."""
    p = i = 0
    back, resume = -1, 0
    while i < len(items):
        if p < len(pattern) and star(pattern[p]):
            back, resume = p, i
            p += 1
        elif p < len(pattern) and same(pattern[p], items[i]):
            p, i = p + 1, i + 1
        elif back >= 0:
            resume += 1
            p, i = back + 1, resume
        else:
            return False
    return all(star(rest) for rest in pattern[p:])


def _is_any_path(segment: tuple[Token, ...] | None) -> bool:
    return segment is None


def _is_star(token: Token) -> bool:
    return token[0] == "*"


def _segment(segment: tuple[Token, ...], name: str) -> bool:
    return _wild(segment, name, _is_star, _character)


def _character(token: Token, c: str) -> bool:
    kind, text = token
    if kind == "[":
        return _in_set(text, c)
    return kind == "?" or text == c


def _in_set(text: str, c: str) -> bool:
    negated = text[:1] in ("!", "^")
    text = text[1:] if negated else text
    i, found = 0, False
    while i < len(text):
        if i + 2 < len(text) and text[i + 1] == "-":
            found = found or text[i] <= c <= text[i + 2]
            i += 3
        else:
            found = found or text[i] == c
            i += 1
    return found != negated
