"""The certificate of a compiled Triton kernel, in the form of those of Numba kernels."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from gpulint.compile.artifact import version_of
from gpulint.compile.certificate import VERSION, digest, obligation
from gpulint.compile.tile.artifact import TileArtifact, Unmasked, text
from gpulint.compile.tile.backend import Built, installed
from gpulint.compile.tile.proved import Tiled, plain
from gpulint.compile.tile.signature import PointerSpec, text_of
from gpulint.ir.printer import kernel as shown

DIALECT = "triton"


def certificate(a: TileArtifact, source: Path) -> str:
    """The certificate as JSON text, the same for the same artifact."""
    from gpulint import __version__

    b = a.built
    body = described(a.proved, source)
    body["kernel"]["entry"] = b.entry
    body |= {
        "launch": {
            "distinct-arrays": "no array that is written overlaps another",
            "block": [b.threads, 1, 1], "static-shared-bytes": 0, "dynamic-shared-bytes": b.shared,
            "scratch-bytes": b.scratch, "cooperative": False,
        },
        "options": {
            "arch": a.arch, "num_warps": a.proved.warps, "num_stages": a.proved.stages,
            "constexprs": {name: plain(v) for name, v in sorted(a.proved.constants.items())},
        },
        "licences": [
            {"what": x.what, "because": x.because, "row": x.span.row, "column": x.span.column + 1}
            for x in a.notes
        ],
        "artifact": _code(b),
        "unmasked": _unmasked(a.unmasked) if a.unmasked is not None else None,
        "versions": {"gpulint": __version__, "backend": f"triton {installed()}"},
    }  # fmt: skip
    return json.dumps(body, indent=2) + "\n"


def _code(b: Built) -> dict[str, Any]:
    return {
        "llvm": digest(b.llvm), "ptx": digest(b.ptx), "ptx-version": version_of(b.ptx),
        "cubin": f"sha256:{hashlib.sha256(b.cubin).hexdigest()}",
    }  # fmt: skip


def _unmasked(u: Unmasked) -> dict[str, Any]:
    """The version for launches that meet more clauses."""
    return {
        "when": [text(c) for c in u.clauses], "entry": u.built.entry, "block": [u.built.threads, 1, 1],
        "dynamic-shared-bytes": u.built.shared, "scratch-bytes": u.built.scratch, "artifact": _code(u.built),
    }  # fmt: skip


def described(p: Tiled, source: Path) -> dict[str, Any]:
    """The part of a certificate that says what was proved."""
    return {
        "version": VERSION,
        "kernel": {
            "name": p.kernel.qualname, "file": source.as_posix(), "dialect": DIALECT,
            "signature": text_of(p.signature), "ir": digest(shown(p.kernel)),
            "text": digest("\n".join(x["text"] for x in p.skeleton.plain())),
        },
        "contract": [{"clause": text(c), "origin": c.origin} for c in p.clauses],
        "assumptions": sorted(p.assume),
        "obligations": [obligation(v) for v in p.result.verdicts],
        "arguments": _arguments(p),
        "streaming": None,
        "parameters": [
            *({"name": x.name, "kind": _kind(s), "type": str(s).removesuffix(":16"), "axis": 0}
              for x, s in zip(p.kernel.params, p.signature, strict=True)),
            *({"name": "", "kind": "scratch", "type": "*i8", "axis": k} for k in range(2)),
        ],
    }  # fmt: skip


def _kind(spec: object) -> str:
    return "pointer" if isinstance(spec, PointerSpec) else "scalar"


def _arguments(p: Tiled) -> list[dict[str, Any]]:
    arrays = p.accesses.arrays
    return [
        {"name": name, "type": str(spec), "written": name in arrays and arrays[name].written}
        for name, spec in zip(p.arguments, p.signature, strict=True)
    ]
