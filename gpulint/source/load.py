"""Reads and parses one file into a `Module`, or one clear error."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from pathlib import Path

from gpulint.source import trace
from gpulint.source.model import Module, SourceError
from gpulint.source.scopes import TooDeep, build
from gpulint.source.trace import MAX_BYTES

_TOO_LARGE = f"the file is larger than {MAX_BYTES // 1_000_000} MB; it was not checked"


def load(path: Path, filename: str | None = None) -> Module | SourceError:
    """The parsed file. `filename` is what users see, the path itself by default."""
    shown = filename if filename is not None else str(path)
    text = read_text(path, shown)
    return text if isinstance(text, SourceError) else load_text(text, shown, path)


def read_text(path: Path, filename: str | None = None) -> str | SourceError:
    """The decoded text of a file (PEP 263 cookie or BOM, else UTF-8), for the prefilter."""
    shown = filename if filename is not None else str(path)
    try:
        data = trace.content(path)
        if data is None:
            return SourceError(shown, "not a regular file" if path.exists() else "no such file")
    except (OSError, ValueError) as error:
        return SourceError(shown, f"cannot read the file: {_reason(error)}")
    return decoded(data, shown)


def decoded(data: bytes, filename: str) -> str | SourceError:
    """The text of a file's bytes."""
    return SourceError(filename, _TOO_LARGE) if len(data) > MAX_BYTES else _decode(data, filename)


def load_text(text: str, filename: str, path: Path | None = None) -> Module | SourceError:
    """The module of a text, with its scopes. Newlines of any kind count as one."""
    if len(text) > MAX_BYTES:
        return SourceError(filename, _TOO_LARGE)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        return SourceError(filename, "the file holds null bytes; it is not Python source")
    tree = _parse(text, filename)
    if isinstance(tree, SourceError):
        return tree
    module = Module(path, filename, text, text.split("\n"), tree, module_name(path))
    try:
        module.depth = build(module)
    except TooDeep as deep:
        return SourceError(filename, "the code is nested too deeply to be checked", deep.row)
    return module


def module_name(path: Path | None) -> str:
    """The dotted name of a file in its package: folders above it count while they hold an
    `__init__.py`. '' for a text without a path."""
    if path is None:
        return ""
    path = path.absolute()
    parts = [] if path.stem == "__init__" else [path.stem]
    folder = path.parent
    while trace.is_file(folder / "__init__.py") and folder != folder.parent:
        parts.append(folder.name)
        folder = folder.parent
    return ".".join(reversed(parts))


def _decode(data: bytes, filename: str) -> str | SourceError:
    if b"\0" in data:
        return SourceError(filename, "the file is binary (it holds null bytes), not Python source")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding)
    except SyntaxError as error:
        try:
            data.decode()  # gives the place, where a first line is no UTF-8
        except UnicodeDecodeError as place:
            return _undecodable(data, filename, place)
        return SourceError(filename, f"unknown or wrong encoding: {error.msg}")
    except LookupError as error:
        return SourceError(filename, f"unknown encoding: {error}")
    except UnicodeDecodeError as error:
        return _undecodable(data, filename, error)
    except Exception as error:  # a codec that is no text encoding raises what it likes
        return SourceError(filename, f"the declared encoding cannot decode the file: {error}")


def _undecodable(data: bytes, filename: str, error: UnicodeDecodeError) -> SourceError:
    before = data[: error.start]
    row, column = before.count(b"\n") + 1, error.start - (before.rfind(b"\n") + 1)
    byte = f"0x{data[error.start]:02x}" if error.start < len(data) else "the end"
    message = f"the file is not valid {error.encoding}: byte {byte} cannot be decoded"
    return SourceError(filename, message, row, column)


def _parse(text: str, filename: str) -> ast.Module | SourceError:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, filename)
    except SyntaxError as error:
        column = max((error.offset or 1) - 1, 0)
        return SourceError(filename, f"syntax error: {error.msg}", error.lineno or 1, column)
    except (RecursionError, MemoryError):
        return SourceError(filename, "the code is nested too deeply to be parsed")
    except ValueError as error:
        return SourceError(filename, f"cannot parse the file: {_reason(error)}")


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
