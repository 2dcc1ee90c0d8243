"""Hold a certificate against the PTX beside it and its source: proved and compiled anew.

Exit code 0: all of it holds. 1: something does not, and is said. 2: it cannot be read.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from gpulint.config import Config, ConfigError

SUFFIX = ".certificate.json"


def add_options(p: argparse.ArgumentParser) -> None:
    p.add_argument("certificate", metavar="CERTIFICATE", help="a file NAME.certificate.json")
    p.add_argument("--source", metavar="FILE", help="the kernel's file (default: as the certificate says)")
    p.add_argument("--ptx", metavar="FILE", help="the code (default: NAME.ptx beside the certificate)")


def run(o: argparse.Namespace) -> int:
    from gpulint.compile.error import CompileError
    from gpulint.compile.verify import unreadable

    path = Path(o.certificate)
    beside = path.with_name(path.name.removesuffix(SUFFIX) + ".ptx")
    text, ptx = _text(path), _text(Path(o.ptx) if o.ptx else beside)
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        raise ConfigError(f"{path}: this is no JSON") from None
    problem = unreadable(body)
    if problem:
        raise ConfigError(f"{path}: {problem}")
    try:
        kernel = body["kernel"]
        found = _differences(body, ptx, Path(o.source or kernel["file"]))
    except CompileError as error:
        found = [str(error)]
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigError(f"{path}: the certificate cannot be read: {error}") from None
    for line in found:
        print(f"{path}: {line}")
    if not found:
        print(f"{path}: holds: {kernel['name']}, {len(body['obligations'])} obligations proved anew")
    return 1 if found else 0


def _differences(body: dict[str, Any], ptx: str, source: Path) -> list[str]:
    """What does not hold. Raises CompileError, and what a malformed certificate raises."""
    from gpulint._compiling import find, prove_found, prove_tile
    from gpulint.compile import verify
    from gpulint.compile.tile import verify as tiles

    config = Config(no_assume=Config().assume - set(body["assumptions"]))
    found = find(source, body["kernel"]["name"])
    if found.tile:
        return tiles.differences(body, ptx, prove_tile(found, tiles.wanted(body), config), source)
    return verify.differences(body, ptx, prove_found(found, body["kernel"]["signature"], config), source)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None
