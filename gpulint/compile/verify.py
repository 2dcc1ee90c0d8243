"""A certificate held against the code beside it and the source that it names: proved and compiled anew."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gpulint.compile.artifact import Proved, make, refuse
from gpulint.compile.certificate import VERSION, certificate, digest
from gpulint.compile.context import Options
from gpulint.compile.error import CompileError

SAME = ("contract", "assumptions", "launch", "arguments", "parameters", "streaming", "obligations")


def unreadable(body: Any) -> str:
    """Why something is no certificate that this version reads; empty when it is one."""
    if not isinstance(body, dict) or body.get("version") != VERSION:
        return f"this is no certificate of version {VERSION}"
    wanted = {*SAME, "kernel", "options", "artifact", "versions"}
    missing = sorted(wanted - set(body))
    return f"it lacks {', '.join(missing)}" if missing else ""


def differences(body: Mapping[str, Any], ptx: str, proved: Proved, source: Path) -> list[str]:
    """What of a certificate does not hold now; empty when all of it does.

    The PTX must be the one that was certified, the kernel must lower to the same IR and be verified with the
    same obligations under the same contract, and compiled with the same options it must give the same code,
    where the backend is of the same version.
    """
    found = []
    if digest(ptx) != body["artifact"]["ptx"]:
        found.append("the PTX is not the one that was certified")
    try:
        refuse(proved)
        made = make(proved, body["options"]["arch"], _options(body["options"]))
    except CompileError as error:
        return [*found, f"the kernel is not verified now: {error}"]
    now = json.loads(certificate(made, source))
    if now["kernel"]["ir"] != body["kernel"]["ir"]:
        found.append("the source lowers to another kernel")
    found += [
        f"the {key} of the certificate are not those of the source" for key in SAME if now[key] != body[key]
    ]
    same_tools = now["versions"] == body["versions"] and now["kernel"]["file"] == body["kernel"]["file"]
    if same_tools and now["artifact"] != body["artifact"]:
        found.append("compiled anew, the code is another one")
    return found


def _options(given: Mapping[str, Any]) -> Options:
    return Options(bool(given["fastmath"]), bool(given["contract"]), vectors=int(given["vectors"]))
