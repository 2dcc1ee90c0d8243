"""A build backend that answers with the metadata which a source archive carries in PKG-INFO.

`pip download` asks a backend for a source archive's metadata, and a real backend would run the
package's own setup.py (and want its build requirements installed). This one only reads a file.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return []


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Any = None) -> str:
    text = Path("PKG-INFO").read_text(encoding="utf-8", errors="replace")
    name, version = field("Name", text), field("Version", text)
    folder = Path(metadata_directory, f"{re.sub('[-_.]+', '_', name)}-{version}.dist-info")
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (folder / "WHEEL").write_text("Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    return folder.name


def field(key: str, text: str) -> str:
    found = re.search(rf"^{key}: *(\S+)", text, re.MULTILINE)
    if not found:
        raise ValueError(f"PKG-INFO names no {key}")
    return found[1]


class Legacy:
    """`setuptools.build_meta:__legacy__`, the backend of archives without a pyproject.toml."""

    get_requires_for_build_wheel = staticmethod(get_requires_for_build_wheel)
    prepare_metadata_for_build_wheel = staticmethod(prepare_metadata_for_build_wheel)


__legacy__ = Legacy()
