"""Where CUDA's library of device functions is on this machine."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

NAME = "libdevice.10.bc"
_INSIDE = ("nvvm/libdevice", "cuda_nvcc/nvvm/libdevice", "cu13/nvvm/libdevice", "cu12/nvvm/libdevice")


def find(given: str = "") -> Path | None:
    """The bitcode file: as given, as `cuda-pathfinder` finds it, or in a usual place; else None."""
    if given:
        path = Path(given)
        return path / NAME if path.is_dir() else path
    return _pathfinder() or next((p for p in _usual() if p.is_file()), None)


def _pathfinder() -> Path | None:
    try:
        found = importlib.import_module("cuda.pathfinder").find_bitcode_lib("device")
    except Exception:  # another version, or nothing found: each says so in its own way
        return None
    return Path(found) if found else None


def packages() -> list[Path]:
    """Where NVIDIA's packages would be on Python's path."""
    return [Path(p) / "nvidia" for p in sys.path if p]


def _usual() -> list[Path]:
    """CUDA's own folders, then the packages of NVIDIA on Python's path."""
    roots = [os.environ[k] for k in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(k)]
    roots += ["/usr/local/cuda", *sorted(map(str, Path("/usr/local").glob("cuda-*")), reverse=True)]
    roots += map(str, packages())
    return [Path(root) / inside / NAME for root in roots for inside in _INSIDE]
