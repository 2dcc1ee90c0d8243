"""The certificate of an artifact: what was proved, under what, by which versions, as JSON."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from gpulint.compile.artifact import Artifact, version_of
from gpulint.compile.backend import version
from gpulint.compile.signature import text_of
from gpulint.contract.clause import Clause
from gpulint.ir.printer import kernel as shown
from gpulint.solver.verdict import Verdict

VERSION = 1


def digest(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def certificate(a: Artifact, source: Path) -> str:
    """The certificate as JSON text, the same for the same artifact."""
    from gpulint import __version__

    p = a.proved
    body: dict[str, Any] = {
        "version": VERSION,
        "kernel": {
            "name": p.kernel.qualname, "file": source.as_posix(), "entry": a.name,
            "signature": text_of(p.signature), "ir": digest(shown(p.kernel)),
        },
        "contract": [_clause(c) for c in p.clauses],
        "assumptions": sorted(p.assume),
        "launch": {
            "distinct-arrays": "no array that is written overlaps another",
            "block": list(a.geometry.block) if a.geometry.block else None,
            "static-shared-bytes": a.shared_bytes,
            "cooperative": a.cooperative,
        },
        "obligations": [obligation(v) for v in p.result.verdicts],
        "arguments": _arguments(a),
        "streaming": _streaming(a),
        "parameters": [
            {"name": x.name, "kind": x.kind, "type": x.type, "axis": x.axis} for x in a.parameters
        ],
        "options": {"arch": a.arch, "fastmath": a.options.fast, "contract": a.options.contract,
            "vectors": a.options.vectors},
        "licences": [
            {"what": x.what, "because": x.because, "row": x.span.row, "column": x.span.column + 1}
            for x in a.notes
        ],
        "artifact": {"llvm": digest(a.llvm), "ptx": digest(a.ptx), "ptx-version": version_of(a.ptx)},
        "versions": {"gpulint": __version__, "backend": version()},
    }  # fmt: skip
    return json.dumps(body, indent=2) + "\n"


def _arguments(a: Artifact) -> list[dict[str, Any]]:
    """The kernel's parameters as a caller gives them."""
    arrays = a.proved.accesses.arrays
    return [
        {"name": p.name, "type": str(spec), "written": p.name in arrays and arrays[p.name].written}
        for p, spec in zip(a.proved.kernel.params, a.proved.signature, strict=True)
    ]


def _streaming(a: Artifact) -> dict[str, Any] | None:
    """The version that does several elements a thread, for launches whose arrays are aligned."""
    s = a.stream
    if s is None:
        return None
    return {
        "entry": s.entry, "points": s.points, "aligned": list(s.aligned), "alignment": s.alignment,
        "parameter": "the number of threads of the launch as written, 64 bits, after all others",
    }  # fmt: skip


def _clause(c: Clause) -> dict[str, str]:
    return {"clause": str(c), "origin": c.origin}


def obligation(v: Verdict) -> dict[str, Any]:
    """One verdict, as certificates list it."""
    o = v.obligation
    return {
        "property": o.property, "kind": o.kind, "row": o.span.row, "column": o.span.column + 1,
        "verdict": v.kind, "by": v.rung, "under": [str(c) for c in v.clauses],
    }  # fmt: skip
