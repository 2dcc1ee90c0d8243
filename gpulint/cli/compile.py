"""Compile a verified kernel to PTX: FILE, or FILE::KERNEL where the file holds several.

A kernel that is not verified is refused, with the proof's reason. Beside `k.ptx` goes
`k.certificate.json`: what was proved, under which contract and assumptions, with which versions. Types
come from --signature, the decorator, or the launches in the file.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gpulint.config import ConfigError, load


def add_options(p: argparse.ArgumentParser) -> None:
    p.add_argument("target", metavar="FILE[::KERNEL]", help="a Python file, and a kernel in it")
    p.add_argument("--arch", default="sm_90", metavar="SM", help="the architecture (default: sm_90)")
    p.add_argument("-o", "--output", metavar="PATH", help="where to write (default: standard output)")
    p.add_argument("--emit", choices=("ptx", "llvm", "ir"), default="ptx", help="what (default: ptx)")
    p.add_argument("--signature", default="", metavar="TYPES", help="as in 'float32[::1], int64'")
    p.add_argument("--libdevice", default="", metavar="PATH", help="CUDA's libdevice.10.bc or its folder")
    p.add_argument("--explain-opt", action="store_true", help="say which proof allowed which code")


def run(o: argparse.Namespace) -> int:
    from gpulint._compiling import prove
    from gpulint.compile.artifact import explained, make
    from gpulint.compile.certificate import certificate
    from gpulint.compile.error import CompileError
    from gpulint.compile.files import write_all
    from gpulint.ir.printer import kernel as shown

    filename, _, wanted = o.target.partition("::")
    try:
        proved = prove(Path(filename), wanted, o.signature, load(Path(filename).parent))
        made = make(proved, o.arch, library=o.libdevice, ptx=o.emit == "ptx")
        text = {"ptx": made.ptx, "llvm": made.llvm, "ir": shown(proved.kernel) + "\n"}[o.emit]
        if o.output is None:
            sys.stdout.write(text)
        else:
            files = {Path(o.output): text}
            if o.emit == "ptx":
                files[Path(o.output).with_suffix(".certificate.json")] = certificate(made, Path(filename))
            write_all(files)
    except CompileError as error:
        raise ConfigError(str(error)) from None
    if o.explain_opt:
        print(explained(made.notes), file=sys.stderr)
    return 0
