"""NVIDIA's assembler, where it is found: machine code from PTX, and what it says of registers and spills."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from gpulint.compile.error import CompileError, MissingTool
from gpulint.compile.libdevice import packages

SECONDS = 120
HOW = "install CUDA, or `pip install nvidia-cuda-nvcc`, or put ptxas on the PATH"
_ENTRY = re.compile(r"Compiling entry function '([^']+)'")
_SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers(?:.*?(\d+) bytes smem)?")


@dataclass(frozen=True)
class Resources:
    """What one function uses on the device: registers a thread, bytes of stack, spills and shared memory."""

    entry: str
    registers: int
    stack: int
    spilled: int
    shared: int

    def __str__(self) -> str:
        return (
            f"{self.entry}: {self.registers} registers, {self.stack} bytes of stack, {self.spilled} spilled, "
            f"{self.shared} of shared memory"
        )


def find() -> Path | None:
    """The assembler: on the PATH, in CUDA's folders, or in the packages of NVIDIA. None when nowhere."""
    found = shutil.which("ptxas")
    if found:
        return Path(found)
    roots = [os.environ[k] for k in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(k)]
    places = [Path(r) / "bin" / "ptxas" for r in (*roots, "/usr/local/cuda")]
    places += [root / inside / "ptxas" for root in packages() for inside in ("cuda_nvcc/bin", "cu13/bin")]
    return next((p for p in places if p.is_file()), None)


def assemble(ptx: str, arch: str) -> tuple[bytes, tuple[Resources, ...]]:
    """Machine code, and what each function of it uses. Raises MissingTool, CompileError when refused."""
    tool = find()
    if tool is None:
        raise MissingTool("ptxas is not on this machine", hint=HOW)
    with tempfile.TemporaryDirectory(prefix="gpulint-") as folder:
        source, target = Path(folder) / "k.ptx", Path(folder) / "k.cubin"
        source.write_text(ptx, encoding="utf-8")
        command = [str(tool), f"-arch={arch}", "-v", "-o", str(target), str(source)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CompileError(f"ptxas did not run: {error}") from None
        if done.returncode:
            said = " ".join(done.stderr.split())[:300]
            raise CompileError(f"ptxas refused the PTX: {said}")
        return target.read_bytes(), read(done.stderr)


def read(report: str) -> tuple[Resources, ...]:
    """The resources of each function, from what `ptxas -v` prints."""
    parts = _ENTRY.split(report)[1:]
    out = []
    for entry, text in zip(parts[::2], parts[1::2], strict=True):
        spills, used = _SPILLS.search(text), _USED.search(text)
        stack, stores, loads = (int(x) for x in spills.groups()) if spills else (0, 0, 0)
        registers = int(used.group(1)) if used else 0
        shared = int(used.group(2) or 0) if used else 0
        out.append(Resources(entry, registers, stack, stores + loads, shared))
    return tuple(out)
