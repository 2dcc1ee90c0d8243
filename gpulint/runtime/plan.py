"""What a launch needs to know of an artifact, read from its certificate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpulint.compile.certificate import VERSION, digest
from gpulint.compile.error import CompileError
from gpulint.compile.signature import ArraySpec, Spec, parse
from gpulint.contract.clause import Clause
from gpulint.contract.parse import parse as parse_clause
from gpulint.ir import nodes as n
from gpulint.ir.span import NOWHERE
from gpulint.ir.types import ArrayType
from gpulint.runtime.errors import PlanUnusable


@dataclass(frozen=True)
class Argument:
    """One parameter of the kernel, as a caller gives it. `written`: the kernel may write the array."""

    name: str
    spec: Spec
    written: bool


@dataclass(frozen=True)
class Second:
    """The version that does several points a thread, and what it needs."""

    entry: str
    points: int
    aligned: tuple[str, ...]
    alignment: int


@dataclass(frozen=True)
class Plan:
    """The code, how its parameters are passed, and what a launch must meet."""

    ptx: str
    entry: str
    arch: int  # compute capability: 90 for sm_90
    arguments: tuple[Argument, ...]
    parameters: tuple[tuple[str, str, str, int], ...]  # (argument, kind, LLVM type, axis)
    clauses: tuple[Clause, ...]
    assume: frozenset[str]
    block: tuple[int, int, int] | None
    static_shared: int
    second: Second | None
    cooperative: bool = False


def plan(certificate: Mapping[str, Any], ptx: str) -> Plan:
    """The plan of a certificate and the PTX beside it. Raises PlanUnusable when they do not fit."""
    try:
        if certificate["version"] != VERSION:
            raise PlanUnusable(f"the certificate has version {certificate['version']}, not {VERSION}")
        if certificate["artifact"]["ptx"] != digest(ptx):
            raise PlanUnusable("the PTX is not that of the certificate")
        return _read(certificate, ptx)
    except (KeyError, TypeError, ValueError, AttributeError, CompileError) as error:
        raise PlanUnusable(f"the certificate cannot be read: {error}") from None


def _read(c: Mapping[str, Any], ptx: str) -> Plan:
    specs = parse(c["kernel"]["signature"])
    given = [
        Argument(a["name"], spec, bool(a["written"])) for a, spec in zip(c["arguments"], specs, strict=True)
    ]
    second = c["streaming"]
    block = c["launch"]["block"]
    return Plan(
        ptx,
        c["kernel"]["entry"],
        int(c["options"]["arch"].removeprefix("sm_")),
        tuple(given),
        tuple((p["name"], p["kind"], p["type"], p["axis"]) for p in c["parameters"]),
        _clauses([x["clause"] for x in c["contract"]], given),
        frozenset(c["assumptions"]),
        (block[0], block[1], block[2]) if block else None,
        int(c["launch"]["static-shared-bytes"]),
        Second(second["entry"], second["points"], tuple(second["aligned"]), second["alignment"])
        if second
        else None,
        bool(c["launch"]["cooperative"]),
    )


def _clauses(texts: Sequence[str], arguments: Sequence[Argument]) -> tuple[Clause, ...]:
    """The contract, read back over the kernel's parameters."""
    params = tuple(
        n.Param(
            a.name,
            ArrayType(a.spec.element, a.spec.ndim) if isinstance(a.spec, ArraySpec) else a.spec.type,
        )
        for a in arguments
    )
    kernel = n.Kernel("kernel", "kernel", "numba", params, (), NOWHERE, NOWHERE)
    out = []
    for text in texts:
        read = parse_clause(text, NOWHERE, kernel)
        if not isinstance(read, Clause):
            raise ValueError(f"clause `{text}`: {read.message}")
        out.append(read)
    return tuple(out)
