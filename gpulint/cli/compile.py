"""Compile a verified kernel to PTX: FILE, or FILE::KERNEL where the file holds several.

A kernel that is not verified is refused, with the proof's reason. Beside `k.ptx` goes
`k.certificate.json`: what was proved, under which contract and assumptions, with which versions. Types
come from --signature, the decorator, or the launches in the file. Of several architectures each gets files of
its own: `k.sm_80.ptx`, `k.sm_90.ptx`.

Triton kernels are compiled by Triton, without a GPU: types are as in `--signature '*fp16:16, i32'`, and
compile-time values come from --constexpr or the launches in the file.

What was made is kept in the user's cache folder and used again while nothing has changed that it rests on.
"""

from __future__ import annotations

import argparse
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from gpulint.cli import tiles
from gpulint.cli.artifacts import Made
from gpulint.config import Config, ConfigError, load

if TYPE_CHECKING:
    from gpulint._compiling import Found
    from gpulint.compile.artifact import Artifact, Proved
    from gpulint.compile.ptxas import Resources
    from gpulint.compile.tile.artifact import TileArtifact
    from gpulint.compile.tile.proved import Tiled
    from gpulint.ir.nodes import Const

EMITTED = ("ptx", "cubin", "llvm", "ir", "ttir", "ttgir")


def add_options(p: argparse.ArgumentParser) -> None:
    p.add_argument("target", metavar="FILE[::KERNEL]", help="a Python file, and a kernel in it")
    p.add_argument(
        "--arch",
        default="sm_90",
        metavar="SM",
        help="one or several, as in sm_80,sm_90 (default: sm_90)",
    )
    p.add_argument("-o", "--output", metavar="PATH", help="where to write (default: standard output)")
    p.add_argument("--emit", choices=EMITTED, default="ptx", help="what (default: ptx)")
    p.add_argument(
        "--signature",
        default="",
        metavar="TYPES",
        help="as in 'float32[::1], int64'; of a Triton kernel '*fp16:16, i32'",
    )
    p.add_argument("--libdevice", default="", metavar="PATH", help="CUDA's libdevice.10.bc or its folder")
    p.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a value from outside")
    tiles.add_options(p)
    p.add_argument("--explain-opt", action="store_true", help="say which proof allowed which code")
    p.add_argument("--no-cache", action="store_true", help="neither use nor keep results of earlier runs")


def run(o: argparse.Namespace) -> int:
    from gpulint.compile.closures import read
    from gpulint.compile.error import CompileError
    from gpulint.compile.files import write_all

    try:
        config = load(Path(o.target.partition("::")[0]).parent)
        made = _all(o, config, dict(map(read, o.set)))
        if o.output is None:
            sys.stdout.write(next(iter(made.values())).main.decode())
        else:
            write_all({p: c for arch, m in made.items() for p, c in _files(o, arch, m).items()})
    except CompileError as error:
        raise ConfigError(str(error)) from None
    if o.explain_opt:
        print("\n".join(m.explained for m in made.values()), file=sys.stderr)
    return 0


def _all(o: argparse.Namespace, config: Config, values: dict[str, Const]) -> dict[str, Made]:
    """What is made for each architecture, from the cache where it is there. Raises CompileError."""
    from gpulint.cli import artifacts, entries
    from gpulint.compile.error import CompileError
    from gpulint.source import trace

    wanted = list(dict.fromkeys(a.strip() for a in o.arch.split(",") if a.strip()))
    if not wanted:
        raise CompileError("no architecture is named", hint="for example --arch sm_90")
    if o.output is None and (len(wanted) > 1 or o.emit == "cubin"):
        what = "machine code is" if o.emit == "cubin" else "the code of several architectures is"
        raise CompileError(f"{what} written to a file", hint="name it with -o")
    filename, _, name = o.target.partition("::")
    kept = None if o.no_cache else entries.folder()
    seen: dict[trace.Question, str] = {}

    @cache
    def proved() -> Proved | Tiled:
        from gpulint._compiling import find, prove_found, prove_tile

        with trace.recording() as asked:
            found = find(Path(filename), name)
            _fits(o, found)
            if found.tile:
                kernel: Proved | Tiled = prove_tile(found, tiles.wanted(o), config)
            else:
                kernel = prove_found(found, o.signature, config, values.get)
        seen.update(asked)
        return kernel

    out = {}
    for arch in wanted:
        found_by = artifacts.key(Path(filename), _options(o, config, arch), _tools(o)) if kept else ""
        found = artifacts.get(kept, found_by) if kept else None
        if found is None:
            found = _made(o, proved(), arch)
            if kept:
                artifacts.put(kept, found_by, found, seen)
        out[arch] = found
    return out


def _options(o: argparse.Namespace, config: Config, arch: str) -> dict[str, object]:
    """Everything of the command line and the configuration that the result rests on."""
    return {
        "target": o.target, "arch": arch, "emit": o.emit, "signature": o.signature, "set": o.set,
        "explain": o.explain_opt, "assume": sorted(config.assume), "constexpr": o.constexpr,
        "aligned": o.aligned, "warps": o.num_warps, "stages": o.num_stages, "config": o.config,
    }  # fmt: skip


def _tools(o: argparse.Namespace) -> tuple[Path | None, ...]:
    from gpulint.compile import libdevice, ptxas

    return libdevice.find(o.libdevice), ptxas.find() if o.emit == "cubin" or o.explain_opt else None


def _fits(o: argparse.Namespace, found: Found) -> None:
    """Options that are of the other dialect are an error."""
    tiles.fits(
        found, {"--set": o.set, "--libdevice": o.libdevice},
        {**tiles.given(o), f"--emit {o.emit}": o.emit in ("ttir", "ttgir")},
    )  # fmt: skip


def _made(o: argparse.Namespace, proved: Proved | Tiled, arch: str) -> Made:
    from gpulint.compile.artifact import Proved

    return _numba(o, proved, arch) if isinstance(proved, Proved) else _triton(o, proved, arch)


def _triton(o: argparse.Namespace, proved: Tiled, arch: str) -> Made:
    from gpulint.compile.artifact import explained
    from gpulint.compile.tile.artifact import make
    from gpulint.compile.tile.certificate import certificate
    from gpulint.ir.printer import kernel as shown

    if o.emit == "ir":
        return Made((shown(proved.kernel) + "\n").encode())
    made = make(proved, arch)
    b = made.built
    texts = {"ptx": b.ptx, "llvm": b.llvm, "ttir": b.ttir, "ttgir": b.ttgir}
    main = texts[o.emit].encode() if o.emit in texts else b.cubin
    coded = o.emit in ("ptx", "cubin")
    beside = certificate(made, Path(o.target.partition("::")[0])) if coded else ""
    told = explained(made.notes) if o.explain_opt else ""
    return Made(main, beside, b.ptx if o.emit == "cubin" else "", told, _second(made) if coded else ())


def _second(made: TileArtifact) -> tuple[tuple[str, bytes], ...]:
    """The files of the version without masks, each by the end of its name."""
    from gpulint.runtime.plan import UNMASKED

    if made.unmasked is None:
        return ()
    b = made.unmasked.built
    return (f"{UNMASKED}.ptx", b.ptx.encode()), (f"{UNMASKED}.cubin", b.cubin)


def _numba(o: argparse.Namespace, proved: Proved, arch: str) -> Made:
    from gpulint.compile.artifact import explained, make
    from gpulint.compile.certificate import certificate
    from gpulint.ir.printer import kernel as shown

    made = make(proved, arch, library=o.libdevice, ptx=o.emit in ("ptx", "cubin"))
    code, used = _assembled(made, o)
    text = {"ptx": made.ptx, "llvm": made.llvm, "ir": shown(proved.kernel) + "\n"}.get(o.emit, "")
    told = "\n".join([explained(made.notes), *map(str, used)]) if o.explain_opt else ""
    beside = certificate(made, Path(o.target.partition("::")[0])) if made.ptx else ""
    return Made(code or text.encode(), beside, made.ptx if o.emit == "cubin" else "", told)


def _assembled(made: Artifact, o: argparse.Namespace) -> tuple[bytes, tuple[Resources, ...]]:
    """Machine code where it is asked for, and what it uses where ptxas is found."""
    from gpulint.compile import ptxas

    if o.emit != "cubin" and not (o.explain_opt and made.ptx and ptxas.find()):
        return b"", ()
    code, used = ptxas.assemble(made.ptx, made.arch)
    return (code if o.emit == "cubin" else b""), used


def _files(o: argparse.Namespace, arch: str, made: Made) -> dict[Path, str | bytes]:
    """What is written: the result and, for code, its certificate; beside machine code the PTX too."""
    out = Path(o.output)
    if "," in o.arch:
        out = out.with_suffix(f".{arch}{out.suffix}")
    files: dict[Path, str | bytes] = {out: made.main}
    if made.certificate:
        files[out.with_suffix(".certificate.json")] = made.certificate
    if made.ptx:
        files[out.with_suffix(".ptx")] = made.ptx
    for name, raw in made.unmasked:
        if name.endswith(".ptx") or o.emit == "cubin":
            files[out.with_suffix(name)] = raw
    return files
