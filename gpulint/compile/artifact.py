"""A verified kernel to LLVM text and PTX, with what the result rests on."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gpulint.compile import grid, libdevice, stream
from gpulint.compile.backend import assemble
from gpulint.compile.context import Options
from gpulint.compile.error import CompileError, Unproved
from gpulint.compile.function import Parameter, build
from gpulint.compile.geometry import Geometry, geometry
from gpulint.compile.guarded import Guards
from gpulint.compile.module import Module
from gpulint.compile.proofs import Note, licences
from gpulint.compile.ptx import check
from gpulint.compile.signature import Signature
from gpulint.compile.stream import Stream
from gpulint.contract.clause import Clause
from gpulint.contract.limits import DEVICES
from gpulint.dataflow.access import AccessSet
from gpulint.ir import nodes as n
from gpulint.solver.options import Options as Solving
from gpulint.solver.setting import Setting
from gpulint.solver.verdict import PROVED, KernelResult, Verdict
from gpulint.term import Bool

VERIFIED = "verified"
TELL = "only verified kernels are compiled; `gpulint check` tells more"


@dataclass(frozen=True)
class Proved:
    """A kernel that was lowered and typed for a signature, and decided: what a compilation starts from."""

    kernel: n.Kernel
    accesses: AccessSet
    result: KernelResult
    signature: Signature
    assume: frozenset[str]

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """The contract: what was declared and what the proof found necessary."""
        return tuple(dict.fromkeys((*self.result.declared, *self.result.inferred)))


@dataclass(frozen=True)
class Artifact:
    """What was made. `ptx` is empty when only the LLVM text was asked for."""

    proved: Proved
    arch: str
    name: str
    parameters: tuple[Parameter, ...]
    shared_bytes: int
    geometry: Geometry
    llvm: str
    ptx: str
    notes: tuple[Note, ...]
    options: Options
    stream: Stream | None = None

    @property
    def cooperative(self) -> bool:
        """Whether the launch must have all its blocks resident: for a barrier of the grid, or by contract."""
        return grid.needed(self.proved.kernel) or bool(self.geometry.limits.get("cooperative"))


def refuse(p: Proved) -> None:
    """Raise Unproved unless every obligation is proved, for all launches within the contract."""
    refuse_unproved(p.kernel, p.result)


def refuse_unproved(kernel: n.Kernel, result: KernelResult) -> None:
    """Raise Unproved, with the reason, for a kernel that is not verified."""
    if result.status != VERIFIED:
        v = next((v for v in result.verdicts if v.kind not in (PROVED, "proved-under")), None)
        raise Unproved(_reason(v), result.status, v.obligation.span if v else kernel.header, TELL)


def _reason(v: Verdict | None) -> str:
    if v is None:
        return "the kernel is not verified"
    why = f": {v.reason}" if v.reason else ""
    return f"{v.obligation.property} is {v.kind}{why}"


def make(
    p: Proved, arch: str = "sm_90", options: Options | None = None, library: str = "", ptx: bool = True
) -> Artifact:
    """Compile a verified kernel. Raises CompileError, Unproved, MissingTool; writes nothing."""
    if arch not in DEVICES:
        raise CompileError(f"unknown architecture `{arch}`", hint=f"known: {', '.join(DEVICES)}")
    refuse(p)
    found = geometry(p.clauses)
    if found.limits.get("min_cc", 0) > DEVICES[arch].cc:
        raise CompileError(f"the contract asks for compute capability {found.limits['min_cc']}, not {arch}")
    if "min_blocks" in found.limits and found.largest_block is None and found.block is None:
        hint = "say how large a block is: block=(256, 1, 1), or block.x <= 256 and so on"
        raise CompileError("min_blocks takes a contract that bounds the block", p.kernel.header, hint)
    return _compiled(p, arch, _chosen(p.kernel, options), found, libdevice.find(library), ptx)


def _chosen(kernel: n.Kernel, given: Options | None) -> Options:
    """The options given, or those of the decorator."""
    if given is not None:
        return given
    said = dict(kernel.options)
    return Options(fast=said.get("fastmath") == "True")


def _compiled(
    p: Proved, arch: str, options: Options, found: Geometry, library: Path | None, ptx: bool
) -> Artifact:
    kernel = p.kernel
    proofs = licences(kernel, p.accesses, p.result, Solving(assume=p.assume))
    if library is None and ptx:
        options = replace(options, library=None)
    built = build(kernel, p.signature, proofs, found, options, Module())
    second = None
    if options.vectors:
        second = stream.build(kernel, p.accesses, p.signature, proofs, found, options, built.module)
    text = built.module.text()
    made = assemble(text, arch, library)[0] if ptx else ""
    if made:
        check(made, built.name, kernel, found)
        Guards(kernel, p.accesses, built.parameters, found, _implied(p)).check(made)
    return Artifact(
        p, arch, built.name, built.parameters, built.shared_bytes, found, text, made,
        tuple(proofs.notes), options, second,
    )  # fmt: skip


def _implied(p: Proved) -> Callable[[Bool, Bool], bool]:
    """Whether one condition is proved where another holds, for all launches within the contract."""

    def ask(where: Bool, what: Bool) -> bool:
        setting = Setting(p.kernel, p.accesses, Solving(assume=p.assume), p.clauses)
        return bool(setting.prover.prove(where, what))

    return ask


def explained(notes: Sequence[Note]) -> str:
    """One line a use of a proof: where, what the code does, and what allows it."""
    ordered = sorted(notes, key=lambda x: (x.span.row, x.span.column))
    return "\n".join(f"{x.span.row}:{x.span.column + 1} {x.what} ({x.because})" for x in ordered)


def version_of(ptx: str) -> str:
    """The PTX version that a text declares."""
    found = re.search(r"^\.version (\S+)", ptx, re.MULTILINE)
    return found.group(1) if found else ""
