"""From a kernel's source to an artifact: lowering for a signature, proof, compilation.

The signature settles every type, and the kernel that is lowered for it is the one that is proved and then
compiled.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpulint.config import Config

if TYPE_CHECKING:
    from gpulint.compile.artifact import Artifact, Proved
    from gpulint.compile.tile.artifact import TileArtifact
    from gpulint.compile.tile.proved import Tiled, Wanted
    from gpulint.frontend.host.site import LaunchSite
    from gpulint.ir.nodes import Const
    from gpulint.runtime.driver import Driver
    from gpulint.runtime.plan import Plan
    from gpulint.runtime.prepare import Prepared
    from gpulint.source.model import KernelSource, Module
    from gpulint.source.resolve import Project


LISTED = 12  # kernels of a file that are named


@dataclass(frozen=True)
class Found:
    """A kernel in its file, with the launches in view."""

    source: KernelSource
    project: Project
    sites: tuple[LaunchSite, ...]

    @property
    def tile(self) -> bool:
        """Whether it is a Triton kernel."""
        return self.source.dialect == "triton"


def find(path: Path, wanted: str) -> Found:
    """The kernel of a file, by name where it holds several. Raises CompileError."""
    from gpulint import launchers
    from gpulint.compile.error import CompileError
    from gpulint.source.kernels import find
    from gpulint.source.resolve import Project

    module = _module(path)
    project = Project()
    project.add(module)
    sources = find(module, project)
    source = _chosen(path, [s for s in sources if s.device is not True], wanted)
    launches = launchers.find(module, project, sources, ())
    if launches.failures:
        raise CompileError(launches.failures[0])
    return Found(source, project, launches.of(source))


def prove(
    path: Path, wanted: str, signature: str = "", config: Config | None = None,
    values: Callable[[str], Const | None] = lambda name: None,
) -> Proved:  # fmt: skip
    """The Numba kernel of a file, lowered for a signature and decided; verified or not. Raises CompileError.

    It is decided for every launch within its contract. Launches in view give types and no more: each is
    checked itself when it is made.
    `values` gives the numbers of enclosing scopes that the source does not settle, by name.
    """
    return prove_found(find(path, wanted), signature, config, values)


def prove_found(
    found: Found, signature: str = "", config: Config | None = None,
    values: Callable[[str], Const | None] = lambda name: None,
) -> Proved:  # fmt: skip
    """The same of a kernel that was found."""
    return _proved(found.source, found.project, found.sites, signature, config or Config(), values)


def prove_tile(found: Found, wanted: Wanted, config: Config | None = None) -> Tiled:
    """A Triton kernel with its constants put in, decided in the same way. Raises CompileError."""
    from gpulint.compile.tile.proved import prove

    assume = (config or Config()).assume
    return prove(found.source, found.project, found.sites, wanted, assume)


def _module(path: Path) -> Module:
    from gpulint.compile.error import CompileError
    from gpulint.source.load import load
    from gpulint.source.model import SourceError

    module = load(path)
    if isinstance(module, SourceError):
        raise CompileError(f"{module.filename}:{module.row}:{module.column + 1}: {module.message}")
    return module


def _chosen(path: Path, found: Sequence[KernelSource], wanted: str) -> KernelSource:
    from gpulint.compile.error import CompileError
    from gpulint.config import suggest

    names = [s.qualname for s in found]
    if not found:
        raise CompileError(f"{path} holds no kernel", hint="`gpulint list` says what is taken for one")
    if not wanted:
        if len(found) == 1:
            return found[0]
        raise CompileError(f"{path} holds several kernels: {', '.join(names)}", hint="name one: FILE::KERNEL")
    named = [s for s in found if wanted in (s.qualname, *s.names)]
    if len(named) != 1:
        what = "no kernel" if not named else "several kernels"
        near = suggest(wanted, names)
        raise CompileError(f"{path} has {what} `{wanted}`{near}", hint="" if near else _listed(names))
    return named[0]


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return f"it has {', '.join(names[:LISTED])}{more}"


def _proved(
    source: KernelSource, project: Project, sites: Sequence[LaunchSite], given: str, config: Config,
    values: Callable[[str], Const | None],
) -> Proved:  # fmt: skip
    from gpulint.compile import signature as sig
    from gpulint.compile.artifact import Proved
    from gpulint.compile.closures import put_in
    from gpulint.compile.error import CompileError
    from gpulint.compile.typing import typed
    from gpulint.contract.declared import declared
    from gpulint.dataflow import analyse as access_set
    from gpulint.frontend import lower
    from gpulint.solver.decide import decide
    from gpulint.solver.options import Options

    first = lower(source, project)
    if source.dialect != "numba":
        raise CompileError(f"`{source.qualname}` is a kernel of {source.dialect}, not of Numba", first.header)
    hidden = {p.name: values(p.name) for p in first.params if p.name not in _arguments(source)}
    known = {name: value for name, value in hidden.items() if value is not None}
    first = put_in(first, known)
    for name in sorted(set(hidden) - set(known)):
        hint = f"give it with --set {name}=VALUE"
        raise CompileError(f"the value of `{name}` is not in the source", first.header, hint)
    read = declared(first)
    if read.errors:
        raise CompileError(f"the clause `{read.errors[0].text}` cannot be read: {read.errors[0].message}")
    said = [s if isinstance(s, str) else ast.unparse(s) for s in source.signatures]
    whole = frozenset(c.arrays[0] for c in read.clauses if c.predicate == "contiguous")
    chosen = sig.choose(first, given, said, sites, whole)
    kernel = lower(replace(source, signatures=(sig.text_of(chosen),)), project)
    kernel = typed(put_in(kernel, known), sig.records_of(first, chosen))
    accesses = access_set(kernel)
    result = decide(kernel, accesses, (), Options(assume=config.assume))
    return Proved(kernel, accesses, result, chosen, frozenset(result.assumed))


def _arguments(source: KernelSource) -> set[str]:
    a = source.node.args
    return {x.arg for x in (*a.posonlyargs, *a.args, *a.kwonlyargs)}


def compile_function(
    kernel: Any, *, signature: str = "", arch: str = "sm_90", libdevice: str = "",
    constants: Mapping[str, Any] | None = None, aligned: Sequence[str] = (), num_warps: int | None = None,
    num_stages: int | None = None, config: int | None = None,
) -> Artifact | TileArtifact:  # fmt: skip
    """Compile a kernel of a running program, found by its source.

    `kernel` is a function, or what a decorator made of one. `constants` (compile-time values by name),
    `aligned` (arguments that are multiples of 16), `num_warps`, `num_stages` and `config` (of an autotuner,
    counted from 1) are of Triton kernels. Raises CompileError; Unproved, with the reason, for a kernel that
    is not verified.
    """
    from gpulint.compile.artifact import make
    from gpulint.compile.error import CompileError
    from gpulint.compile.tile.artifact import make as make_tile
    from gpulint.compile.tile.proved import Wanted
    from gpulint.compile.tile.signature import of_program

    function = _function(kernel)
    try:
        path = Path(inspect.getsourcefile(function) or "")
    except TypeError:
        raise CompileError(f"{kernel!r} is no function") from None
    found = find(path, function.__qualname__.replace(".<locals>", ""))
    if found.tile:
        given = {name: of_program(name, value) for name, value in (constants or {}).items()}
        wanted = Wanted(signature, given, frozenset(aligned), num_warps, num_stages, config)
        return make_tile(prove_tile(found, wanted), arch)
    proved = prove_found(found, signature, values=lambda name: _value(function, name))
    return make(proved, arch, library=libdevice)


def _function(kernel: Any) -> Any:
    """The function in what Numba's and Triton's decorators make of it."""
    for _ in range(8):
        inner = getattr(kernel, "py_func", None) or getattr(kernel, "fn", None)
        if inner is None:
            break
        kernel = inner
    return inspect.unwrap(kernel)


def _value(function: Any, name: str) -> Const | None:
    """The number that a name stands for in the program that holds the function; dots lead to attributes."""
    from gpulint.compile.closures import constant

    first, *rest = name.split(".")
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=False))
    try:
        found = cells[first].cell_contents if first in cells else function.__globals__[first]
        for part in rest:
            found = getattr(found, part)
    except (KeyError, ValueError, AttributeError):
        return None
    return constant(found)


def prepare(
    kernel: Any, grid: Any, block: Any = None, *, shared: int = 0, stream: int = 0, signature: str = "",
    device: int = 0, trusted: str = "", **options: Any,
) -> Prepared:  # fmt: skip
    """A checked launch of a kernel: `gpulint.prepare(kernel, grid, block)(x, y, out)`.

    `kernel` is a function, a compiled artifact, or the path of a PTX file (or, of Triton kernels, of machine
    code) beside its certificate. A Triton kernel has no block, its arguments are those that are no
    constants, and `options` are those of `gpulint.compile` for it. Raises what `gpulint.runtime.errors`
    lists, DriverError without a driver, and CompileError for what is not verified.
    """
    from gpulint.runtime.driver import driver
    from gpulint.runtime.prepare import Prepared

    found = driver(device)
    plan = _plan(kernel, found, signature=signature, **options)
    return Prepared(plan, found, grid, block, shared, stream, trusted)


def unsafe_launch(
    kernel: Any, grid: Any, block: Any, *arguments: Any, reason: str, shared: int = 0, stream: int = 0,
    signature: str = "", device: int = 0, **options: Any,
) -> None:  # fmt: skip
    """Launch a verified kernel without checking its contract; `reason` says why that is right here.

    The code was made for launches within the contract: outside of it, it may read and write anywhere. `block`
    is None for a Triton kernel.
    """
    from gpulint.runtime.driver import driver
    from gpulint.runtime.errors import ReasonMissing
    from gpulint.runtime.prepare import Prepared

    if not reason.strip():
        raise ReasonMissing("a launch whose contract is not checked needs a reason")
    found = driver(device)
    plan = _plan(kernel, found, signature=signature, **options)
    Prepared(plan, found, grid, block, shared, stream, waived=reason)(*arguments)


def _plan(kernel: Any, on: Driver, **options: Any) -> Plan:
    from gpulint.compile.artifact import Artifact
    from gpulint.compile.tile.artifact import TileArtifact
    from gpulint.runtime.plan import load

    if isinstance(kernel, (str, Path)):
        return load(Path(kernel))
    made = kernel
    if not isinstance(kernel, (Artifact, TileArtifact)):
        made = compile_function(kernel, arch=on.limits().arch, **options)
    return plan_of(made)


def plan_of(made: Artifact | TileArtifact) -> Plan:
    """What a launch needs of a compiled kernel."""
    import json

    from gpulint.compile.artifact import Artifact
    from gpulint.compile.certificate import certificate
    from gpulint.compile.tile.certificate import certificate as tile_certificate
    from gpulint.runtime.plan import plan

    source = Path(made.proved.kernel.span.filename)
    if isinstance(made, Artifact):
        return plan(json.loads(certificate(made, source)), made.ptx)
    second = (made.unmasked.built.ptx, made.unmasked.built.cubin) if made.unmasked is not None else None
    return plan(json.loads(tile_certificate(made, source)), made.ptx, made.built.cubin, second)
