"""A certificate of a Triton kernel held against its code and its source: proved and compiled anew."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gpulint.compile.artifact import refuse_unproved
from gpulint.compile.certificate import digest
from gpulint.compile.error import CompileError
from gpulint.compile.tile.artifact import make
from gpulint.compile.tile.backend import installed
from gpulint.compile.tile.certificate import certificate, described
from gpulint.compile.tile.proved import Tiled, Wanted, unplain
from gpulint.compile.verify import SAME


def wanted(body: Mapping[str, Any]) -> Wanted:
    """What the certificate says that the kernel was compiled for. Raises KeyError, TypeError, ValueError."""
    options = body["options"]
    constants = {str(name): unplain(v) for name, v in options["constexprs"].items()}
    signature = str(body["kernel"]["signature"])
    return Wanted(signature, constants, warps=int(options["num_warps"]), stages=int(options["num_stages"]))


def differences(body: Mapping[str, Any], ptx: str, proved: Tiled, source: Path) -> list[str]:
    """What of a certificate does not hold now; empty when all of it does.

    The PTX must be the one that was certified, the kernel must lower to the same IR, be cut out as the same
    text, and be verified with the same obligations under the same contract. Where Triton is of the same
    version, compiled with the same options it must give the same code.
    """
    found = []
    if digest(ptx) != body["artifact"]["ptx"]:
        found.append("the PTX is not the one that was certified")
    try:
        refuse_unproved(proved.kernel, proved.result)
    except CompileError as error:
        return [*found, f"the kernel is not verified now: {error}"]
    now: Mapping[str, Any] = described(proved, source)
    if now["kernel"]["ir"] != body["kernel"]["ir"] or now["kernel"]["text"] != body["kernel"]["text"]:
        found.append("the source lowers to another kernel")
    same = [key for key in SAME if key in now]
    found += [
        f"the {key} of the certificate are not those of the source" for key in same if now[key] != body[key]
    ]
    if body["versions"]["backend"] == f"triton {installed()}" and not found:
        found += _anew(body, proved, source)
    return found


def _anew(body: Mapping[str, Any], proved: Tiled, source: Path) -> list[str]:
    try:
        made = json.loads(certificate(make(proved, body["options"]["arch"]), source))
    except CompileError as error:
        return [f"it cannot be compiled anew: {error}"]
    if made["versions"] == body["versions"] and made["artifact"] != body["artifact"]:
        return ["compiled anew, the code is another one"]
    return [
        f"the {key} version of the certificate is not that of the code"
        for key in ("launch", "unmasked")
        if made[key] != body.get(key)
    ]
