"""What gpulint can use on this machine: the driver and its devices, NVIDIA's tools, packages."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from gpulint.compile import libdevice, ptxas
from gpulint.runtime.driver import Driver, DriverError

SECONDS = 20
TOOLKIT = "install the CUDA toolkit (https://developer.nvidia.com/cuda-toolkit)"
PACKAGES = (  # distribution, what it is for, how to get it
    ("z3-solver", "proofs", "pip install z3-solver"),
    ("llvmlite", "gpulint compile", "pip install 'gpulint[compile]'"),
    ("numba-cuda", "running Numba kernels as they are", "pip install numba-cuda"),
    ("triton", "tile kernels ahead of time", "pip install 'gpulint[triton]'"),
    ("cuda-tile", "cuTile kernels", "pip install 'gpulint[cutile]'"),
)


@dataclass(frozen=True)
class Item:
    """One thing: what was found, or how to get it."""

    name: str
    found: bool
    detail: str
    purpose: str = ""


def survey() -> list[Item]:
    """Everything that is looked for, in the order in which it is needed. Never raises."""
    return [
        Item("python", True, f"{sys.version.split()[0]} at {sys.executable}"),
        *(_package(*p) for p in PACKAGES[:2]),
        *_devices(),
        _ptxas(),
        _libdevice(),
        _sanitizer(),
        *(_package(*p) for p in PACKAGES[2:]),
    ]


def _package(name: str, purpose: str, how: str) -> Item:
    try:
        return Item(name, True, version(name), purpose)
    except PackageNotFoundError:
        return Item(name, False, how, purpose)


def _devices() -> list[Item]:
    """The driver, and one item for each device that it sees."""
    purpose = "checked launches"
    try:
        first = Driver()
        items = [Item("driver", True, f"CUDA {first.version()}", purpose)]
        for k in range(first.count()):
            on = first if k == 0 else Driver(k)
            items.append(Item(f"device {k}", True, f"{on.name()}, {on.capability()}", purpose))
        return items
    except DriverError as error:
        how = "install NVIDIA's driver, on a machine with one of its GPUs"
        return [Item("driver", False, f"{how} ({error})", purpose)]


def _ptxas() -> Item:
    purpose = "machine code, registers and spills"
    found = ptxas.find()
    if found is None:
        return Item("ptxas", False, ptxas.HOW, purpose)
    release = re.search(r"release ([\d.]+)", _said(str(found), "--version"))
    return Item("ptxas", True, f"{release.group(1)} at {found}" if release else str(found), purpose)


def _libdevice() -> Item:
    purpose = "math functions in compiled kernels"
    found = libdevice.find()
    if found is not None:
        return Item("libdevice", True, str(found), purpose)
    return Item("libdevice", False, f"{TOOLKIT}, or pip install nvidia-cuda-nvcc", purpose)


def _sanitizer() -> Item:
    name, purpose = "compute-sanitizer", "what proofs do not see, on a GPU"
    homes = [os.environ[k] for k in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(k)]
    places = [Path(h) / "bin" / name for h in (*homes, "/usr/local/cuda")]
    found = shutil.which(name) or next((str(p) for p in places if p.is_file()), None)
    return Item(name, found is not None, found or TOOLKIT, purpose)


def _said(*command: str) -> str:
    """What a tool prints; '' where it cannot be run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout
