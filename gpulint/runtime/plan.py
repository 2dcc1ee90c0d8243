"""What a launch needs to know of an artifact, read from its certificate."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gpulint.compile.certificate import VERSION, digest
from gpulint.compile.error import CompileError
from gpulint.compile.signature import ArraySpec, ScalarSpec, parse
from gpulint.compile.tile import signature as tiles
from gpulint.compile.tile.signature import NumberSpec, PointerSpec
from gpulint.contract.clause import Clause
from gpulint.contract.parse import parse as parse_clause
from gpulint.ir import nodes as n
from gpulint.ir.span import NOWHERE
from gpulint.ir.types import ArrayType
from gpulint.runtime.errors import PlanUnusable

UNMASKED = ".unmasked"  # in the names of files


@dataclass(frozen=True)
class Argument:
    """One parameter of the kernel, as a caller gives it. `written`: the kernel may write the array."""

    name: str
    spec: ArraySpec | ScalarSpec | PointerSpec | NumberSpec
    written: bool

    @property
    def memory(self) -> bool:
        """Whether it is memory: an array, or what a Triton kernel has as a pointer."""
        return isinstance(self.spec, (ArraySpec, PointerSpec))


@dataclass(frozen=True)
class Second:
    """The version that does several points a thread, and what it needs."""

    entry: str
    points: int
    aligned: tuple[str, ...]
    alignment: int


@dataclass(frozen=True)
class Plan:
    """The code, how its parameters are passed, and what a launch must meet.

    Of a Triton kernel (`tile`) the contract speaks of programs, each a block of `block` threads with `shared`
    bytes of dynamic memory, `scratch` bytes of global memory for its own, and `cubin` is its machine code;
    `unmasked` is the same kernel for launches that meet the clauses `when` as well.
    """

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
    tile: bool = False
    shared: int = 0
    scratch: int = 0
    cubin: bytes = b""
    unmasked: Plan | None = None
    when: tuple[Clause, ...] = ()

    @property
    def code(self) -> str | bytes:
        """What the driver loads: machine code where there is some."""
        return self.cubin or self.ptx


def load(path: Path) -> Plan:
    """The plan of a file of PTX or machine code beside its certificate. Raises PlanUnusable, OSError."""
    try:
        certificate = json.loads(path.with_suffix(".certificate.json").read_text(encoding="utf-8"))
    except ValueError as error:
        raise PlanUnusable(f"the certificate of {path} cannot be read: {error}") from None
    cubin = path.read_bytes() if path.suffix == ".cubin" else b""
    if cubin and certificate.get("kernel", {}).get("dialect") != "triton":
        raise PlanUnusable("of a Numba kernel the PTX is launched, not the machine code")
    text = path.with_suffix(".ptx").read_text(encoding="utf-8")
    if not certificate.get("unmasked"):
        return plan(certificate, text, cubin)
    second = path.with_suffix(f"{UNMASKED}{path.suffix}")
    raw = second.read_bytes() if cubin else b""
    return plan(certificate, text, cubin, (second.with_suffix(".ptx").read_text(encoding="utf-8"), raw))


def plan(
    certificate: Mapping[str, Any], ptx: str, cubin: bytes = b"", unmasked: tuple[str, bytes] | None = None
) -> Plan:
    """The plan of a certificate and the code beside it. Raises PlanUnusable when they do not fit.

    `unmasked`: the code of the version for launches that meet more clauses; that is left out without it.
    """
    try:
        if certificate["version"] != VERSION:
            raise PlanUnusable(f"the certificate has version {certificate['version']}, not {VERSION}")
        _fits(certificate["artifact"], ptx, cubin)
        whole = _read(certificate, ptx, cubin)
        second = certificate["unmasked"] if whole.tile and unmasked is not None else None
        return _with(whole, second, unmasked) if second and unmasked is not None else whole
    except (KeyError, TypeError, ValueError, AttributeError, CompileError) as error:
        raise PlanUnusable(f"the certificate cannot be read: {error}") from None


def _fits(told: Mapping[str, Any], ptx: str, cubin: bytes) -> None:
    if told["ptx"] != digest(ptx):
        raise PlanUnusable("the PTX is not that of the certificate")
    if cubin and told["cubin"] != f"sha256:{hashlib.sha256(cubin).hexdigest()}":
        raise PlanUnusable("the machine code is not that of the certificate")


def _with(whole: Plan, second: Mapping[str, Any], code: tuple[str, bytes]) -> Plan:
    """The plan with the version for launches that meet more clauses."""
    _fits(second["artifact"], *code)
    when = _clauses(second["when"], whole.arguments)
    if any(c.predicate for c in when):
        raise ValueError("a version is picked by sizes alone")
    x, y, z = second["block"]
    unmasked = replace(
        whole, ptx=code[0], cubin=code[1], entry=second["entry"], block=(x, y, z),
        shared=int(second["dynamic-shared-bytes"]), scratch=int(second["scratch-bytes"]),
    )  # fmt: skip
    return replace(whole, unmasked=unmasked, when=when)


def _read(c: Mapping[str, Any], ptx: str, cubin: bytes) -> Plan:
    tile = c["kernel"].get("dialect") == "triton"
    specs = tiles.parse(c["kernel"]["signature"]) if tile else parse(c["kernel"]["signature"])
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
        tile,
        int(c["launch"]["dynamic-shared-bytes"]) if tile else 0,
        int(c["launch"]["scratch-bytes"]) if tile else 0,
        cubin,
    )


def _clauses(texts: Sequence[str], arguments: Sequence[Argument]) -> tuple[Clause, ...]:
    """The contract, read back over the kernel's parameters."""
    kernel = bare(arguments)
    out = []
    for text in texts:
        read = parse_clause(text, NOWHERE, kernel)
        if not isinstance(read, Clause):
            raise ValueError(f"clause `{text}`: {read.message}")
        out.append(read)
    return tuple(out)


def bare(arguments: Sequence[Argument]) -> n.Kernel:
    """A kernel of these parameters and nothing else, for what is said of parameters alone."""
    return n.Kernel("kernel", "kernel", "numba", tuple(map(_param, arguments)), (), NOWHERE, NOWHERE)


def _param(a: Argument) -> n.Param:
    if isinstance(a.spec, ArraySpec):
        return n.Param(a.name, ArrayType(a.spec.element, a.spec.ndim))
    if isinstance(a.spec, PointerSpec):
        return n.Param(a.name, ArrayType(a.spec.element, 1))
    return n.Param(a.name, a.spec.type)
