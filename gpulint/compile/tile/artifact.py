"""A verified Triton kernel to PTX and machine code, with what the result rests on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpulint.compile.artifact import refuse_unproved
from gpulint.compile.error import CompileError
from gpulint.compile.geometry import geometry
from gpulint.compile.proofs import Note
from gpulint.compile.tile.backend import Built, build
from gpulint.compile.tile.cutting import Dropped
from gpulint.compile.tile.masks import Masks, masks
from gpulint.compile.tile.proved import Tiled, multiples, plain
from gpulint.contract.clause import INFERRED, Clause
from gpulint.contract.limits import DEVICES
from gpulint.contract.parse import parse
from gpulint.ir.span import NOWHERE
from gpulint.term import show

FIRST = 75  # the least compute capability that Triton compiles for here
HIDDEN = 2  # parameters that Triton adds: memory of the programs' own, and of a profiler
_ENTRY = re.compile(r"^\.visible \.entry ([\w$]+)\((.*?)^\)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Unmasked:
    """The version without masks that are true under `clauses`, which launches that meet them take."""

    clauses: tuple[Clause, ...]
    built: Built


@dataclass(frozen=True)
class TileArtifact:
    """What was made for one architecture."""

    proved: Tiled
    arch: str
    built: Built
    unmasked: Unmasked | None
    notes: tuple[Note, ...] = ()

    @property
    def ptx(self) -> str:
        return self.built.ptx


def make(p: Tiled, arch: str = "sm_90") -> TileArtifact:
    """Compile a verified kernel. Raises CompileError, Unproved, MissingTool; writes nothing."""
    if arch not in DEVICES:
        raise CompileError(f"unknown architecture `{arch}`", hint=f"known: {', '.join(DEVICES)}")
    refuse_unproved(p.kernel, p.result)
    limits = geometry(p.clauses).limits
    if limits.get("min_cc", 0) > DEVICES[arch].cc:
        raise CompileError(f"the contract asks for compute capability {limits['min_cc']}, not {arch}")
    for name in ("cluster", "cooperative", "min_blocks"):
        if name in limits:
            raise CompileError(f"`{name}` is not compiled for Triton kernels", p.kernel.header)
    _checkable(p)
    found = masks(p)
    built = build(request(p, found.always), arch)
    _check(p, built)
    most = DEVICES[arch].opt_in_shared
    if built.shared > most:
        why = f"a block takes {built.shared} bytes of shared memory; {arch} has {most}"
        raise CompileError(why, hint="fewer stages or smaller tiles")
    unmasked = _unmasked(p, arch, found) if found.more else None
    notes = (*_notes(p), *found.notes, *(found.under if unmasked is not None else ()))
    return TileArtifact(p, arch, built, unmasked, notes)


def _unmasked(p: Tiled, arch: str, found: Masks) -> Unmasked | None:
    """The version without masks; None where it does not fit the device."""
    more = multiples([(show(c.condition), NOWHERE) for c in found.clauses])
    built = build(request(p, found.more, more & set(p.arguments)), arch)
    _check(p, built)
    return Unmasked(found.clauses, built) if built.shared <= DEVICES[arch].opt_in_shared else None


def _checkable(p: Tiled) -> None:
    """Every clause of the contract must be one that a launch can check."""
    for c in p.clauses:
        read = parse(text(c), NOWHERE, p.kernel)
        if not isinstance(read, Clause):
            hint = "declare a contract from which it follows, such as the signs of sizes"
            raise CompileError(f"`{c}` cannot be checked when the kernel is launched", p.kernel.header, hint)


def text(c: Clause) -> str:
    """A clause as it is read back: an inferred one by its condition, whatever words it has."""
    return str(c) if c.origin != INFERRED or c.predicate else show(c.condition)


def request(
    p: Tiled, dropped: Dropped = frozenset(), more: frozenset[str] = frozenset()
) -> Mapping[str, Any]:
    """What the compiling process is asked: arguments of calls are left out, more are multiples of 16."""
    kinds = {name: str(spec).removesuffix(":16") for name, spec in zip(p.arguments, p.signature, strict=True)}
    return {
        "parts": p.skeleton.plain(dropped), "kernel": p.skeleton.kernel,
        "signature": {name: kinds.get(name, "constexpr") for name in p.parameters},
        "constants": {name: plain(v) for name, v in p.constants.items()},
        "multiples": sorted(p.multiples | more),
        "options": {"num_warps": p.warps, "num_stages": p.stages},
    }  # fmt: skip


def _check(p: Tiled, built: Built) -> None:
    """The PTX must hold the kernel once, with a parameter for each argument."""
    entries = _ENTRY.findall(built.ptx)
    if [name for name, _ in entries] != [built.entry]:
        raise CompileError(f"the PTX that was made has the entries {[name for name, _ in entries]}")
    found, wanted = entries[0][1].count(".param"), len(p.arguments) + HIDDEN
    if found != wanted:
        raise CompileError(f"the PTX that was made takes {found} parameters, not {wanted}")
    if f".reqntid {built.threads}\n" not in built.ptx:
        raise CompileError("the PTX that was made lacks the directive of the block size")


def _notes(p: Tiled) -> tuple[Note, ...]:
    """What the compiler was told because the contract says so."""
    at = {q.name: q.span for q in p.kernel.params}
    because = "a clause of the contract, checked at every launch"
    return tuple(
        Note(f"{name} is a multiple of 16", because, at[name]) for name in p.arguments if name in p.multiples
    )
