"""Compile a verified kernel to PTX: FILE, or FILE::KERNEL where the file holds several.

A kernel that is not verified is refused, with the proof's reason. Beside `k.ptx` goes
`k.certificate.json`: what was proved, under which contract and assumptions, with which versions. Types
come from --signature, the decorator, or the launches in the file.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gpulint.config import ConfigError, load

if TYPE_CHECKING:
    from gpulint.compile.artifact import Artifact
    from gpulint.compile.ptxas import Resources


def add_options(p: argparse.ArgumentParser) -> None:
    p.add_argument("target", metavar="FILE[::KERNEL]", help="a Python file, and a kernel in it")
    p.add_argument("--arch", default="sm_90", metavar="SM", help="the architecture (default: sm_90)")
    p.add_argument("-o", "--output", metavar="PATH", help="where to write (default: standard output)")
    p.add_argument(
        "--emit", choices=("ptx", "cubin", "llvm", "ir"), default="ptx", help="what (default: ptx)"
    )
    p.add_argument("--signature", default="", metavar="TYPES", help="as in 'float32[::1], int64'")
    p.add_argument("--libdevice", default="", metavar="PATH", help="CUDA's libdevice.10.bc or its folder")
    p.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a value from outside")
    p.add_argument("--explain-opt", action="store_true", help="say which proof allowed which code")


def run(o: argparse.Namespace) -> int:
    from gpulint._compiling import prove
    from gpulint.compile.artifact import explained, make
    from gpulint.compile.certificate import certificate
    from gpulint.compile.closures import read
    from gpulint.compile.error import CompileError
    from gpulint.compile.files import write_all
    from gpulint.ir.printer import kernel as shown

    filename, _, wanted = o.target.partition("::")
    try:
        values = dict(map(read, o.set))
        proved = prove(Path(filename), wanted, o.signature, load(Path(filename).parent), values.get)
        made = make(proved, o.arch, library=o.libdevice, ptx=o.emit in ("ptx", "cubin"))
        code, used = _assembled(made, o)
        text = {"ptx": made.ptx, "llvm": made.llvm, "ir": shown(proved.kernel) + "\n"}.get(o.emit, "")
        if o.output is None:
            sys.stdout.write(text)
        else:
            write_all(_files(made, o, code or text, certificate(made, Path(filename)) if made.ptx else ""))
    except CompileError as error:
        raise ConfigError(str(error)) from None
    if o.explain_opt:
        print("\n".join([explained(made.notes), *map(str, used)]), file=sys.stderr)
    return 0


def _assembled(made: Artifact, o: argparse.Namespace) -> tuple[bytes, tuple[Resources, ...]]:
    """Machine code where it is asked for, and what it uses where ptxas is found."""
    from gpulint.compile import ptxas
    from gpulint.compile.error import CompileError

    if o.emit == "cubin" and o.output is None:
        raise CompileError("machine code is written to a file", hint="name it with -o")
    if o.emit != "cubin" and not (o.explain_opt and made.ptx and ptxas.find()):
        return b"", ()
    code, used = ptxas.assemble(made.ptx, made.arch)
    return (code if o.emit == "cubin" else b""), used


def _files(
    made: Artifact, o: argparse.Namespace, content: str | bytes, certificate: str
) -> dict[Path, str | bytes]:
    """What is written: the result and, for code, its certificate; beside machine code the PTX too."""
    out = Path(o.output)
    files: dict[Path, str | bytes] = {out: content}
    if certificate:
        files[out.with_suffix(".certificate.json")] = certificate
    if o.emit == "cubin":
        files[out.with_suffix(".ptx")] = made.ptx
    return files
