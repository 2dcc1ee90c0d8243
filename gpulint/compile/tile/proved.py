"""A Triton kernel with its constants put in, decided for every launch within its contract.

Constants take the place of parameters before the kernel is lowered, as Triton specialises it. That an
argument is a multiple of 16 is a clause of the contract: assumed in the proof, told to the compiler, and
checked at every launch. A clause that the kernel declares may say so as well (`M % 128 == 0`). What the
kernel asserts is no fact, since nothing checks it, unless it is a clause as well (`assertions`).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from gpulint.compile.error import CompileError
from gpulint.compile.tile import assertions, descriptors
from gpulint.compile.tile import signature as sig
from gpulint.compile.tile.signature import PointerSpec, Signature
from gpulint.compile.tile.skeleton import Skeleton, skeleton
from gpulint.contract.clause import Clause
from gpulint.contract.declared import declared
from gpulint.dataflow import analyse as access_set
from gpulint.dataflow.access import AccessSet
from gpulint.frontend import lower
from gpulint.frontend.host.site import LaunchSite
from gpulint.frontend.retype import retype
from gpulint.frontend.triton.types import NAMES
from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.ir.types import IntType, Unknown
from gpulint.solver.decide import decide
from gpulint.solver.options import Options as Solving
from gpulint.solver.verdict import KernelResult
from gpulint.source.model import KernelSource
from gpulint.source.resolve import Project
from gpulint.source.values import DType, Plain

WARPS, STAGES = 4, 3  # Triton's own defaults
MAX_LISTED = 12


@dataclass(frozen=True)
class Wanted:
    """What a compilation is asked for; the rest comes from the launches in view, or Triton's defaults."""

    signature: str = ""
    constants: Mapping[str, Plain] = field(default_factory=dict)
    multiples: frozenset[str] = frozenset()
    warps: int | None = None
    stages: int | None = None
    config: int | None = None  # the autotuner's configuration to take, counted from 1


@dataclass(frozen=True)
class Tiled:
    """A Triton kernel, proved or not: where a compilation starts. `arguments` are those that are passed."""

    kernel: n.Kernel
    accesses: AccessSet
    result: KernelResult
    arguments: tuple[str, ...]
    signature: Signature
    parameters: tuple[str, ...]  # of the source, in order
    constants: Mapping[str, Plain]
    multiples: frozenset[str]
    skeleton: Skeleton
    warps: int
    stages: int
    assume: frozenset[str]

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """The contract: what was declared and what the proof found necessary."""
        return tuple(dict.fromkeys((*self.result.declared, *self.result.inferred)))


def prove(
    source: KernelSource, project: Project, sites: Sequence[LaunchSite], wanted: Wanted,
    assume: frozenset[str],
) -> Tiled:  # fmt: skip
    """Lower a kernel for its constants and decide it. Raises CompileError."""
    args = source.node.args
    names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    first = lower(source, project)
    if args.vararg is not None or args.kwarg is not None:
        raise CompileError("a kernel with a variable number of arguments is not compiled", first.header)
    sites = _configured(first, sites, wanted)
    constants = sig.constants(first, names, wanted.constants, sites)
    source = replace(source, given=constants, asserted=False)
    kernel = lower(source, project)
    passed = tuple(x for x in names if x not in constants)
    kernel = replace(kernel, params=_in_order(kernel, passed))
    types = sig.choose(kernel.params, wanted.signature, sites, wanted.multiples)
    wide = frozenset(p.name for p, s in zip(kernel.params, types, strict=True) if str(s).startswith("i64"))
    if wide:
        kernel = lower(replace(source, wide=wide), project)
        kernel = replace(kernel, params=_in_order(kernel, passed))
    kernel = retype(kernel, _integers(kernel, types))
    stated = assertions.clauses(source, project, passed)
    kernel = replace(kernel, declared=(*kernel.declared, *stated))
    kernel = replace(kernel, declared=_declared(kernel, constants, types))
    read = declared(kernel)
    if read.errors:
        raise CompileError(f"the clause `{read.errors[0].text}` cannot be read: {read.errors[0].message}")
    accesses = access_set(kernel)
    more = descriptors.clauses(kernel, accesses, dict(zip(passed, types, strict=True)))
    kernel = replace(kernel, declared=tuple(dict.fromkeys((*kernel.declared, *more))))
    result = decide(kernel, accesses, (), Solving(assume=assume))
    warps, stages = (_option(sites, x, y) for x, y in (("num_warps", WARPS), ("num_stages", STAGES)))
    return Tiled(
        kernel, accesses, result, passed, types, tuple(names), constants,
        multiples(kernel.declared) & set(passed), skeleton(source, project),
        wanted.warps or warps, wanted.stages or stages, frozenset(result.assumed),
    )  # fmt: skip


def _configured(kernel: n.Kernel, sites: Sequence[LaunchSite], wanted: Wanted) -> Sequence[LaunchSite]:
    """The launches with the chosen configuration of an autotuner; all where there is none to choose."""
    texts = list(dict.fromkeys(s.config for s in sites if s.config))
    if wanted.config is not None:
        if not 1 <= wanted.config <= len(texts):
            why = f"launches in view have {len(texts)} configurations, not {wanted.config}"
            raise CompileError(why, kernel.header)
        return [s for s in sites if s.config == texts[wanted.config - 1]]
    open_ = [p.name for p in kernel.params if p.constexpr and p.name not in wanted.constants]
    if len(texts) > 1 and open_:
        listed = "; ".join(f"{k}: {text}" for k, text in enumerate(texts[:MAX_LISTED], 1))
        raise CompileError(
            "the kernel is tuned", kernel.header, f"choose a configuration with --config: {listed}"
        )
    return sites


def _in_order(kernel: n.Kernel, passed: Sequence[str]) -> tuple[n.Param, ...]:
    """The parameters that are passed, in the order of the source."""
    found = {p.name: p for p in kernel.params}
    for name in found:
        if name not in passed:
            raise CompileError(f"tuples and descriptors are no arguments yet: `{name}`", found[name].span)
    return tuple(found[name] for name in passed)


def _integers(kernel: n.Kernel, types: Signature) -> dict[str, IntType]:
    """The element types of pointers to integers."""
    out = {}
    for p, s in zip(kernel.params, types, strict=True):
        element = s.element if isinstance(s, PointerSpec) else None
        if isinstance(element, IntType) and isinstance(getattr(p.type, "element", None), Unknown):
            out[p.name] = element
    return out


def _declared(
    kernel: n.Kernel, constants: Mapping[str, Plain], types: Signature
) -> tuple[tuple[str, Span], ...]:
    """The declared clauses with constants put in, and one for each argument that is a multiple of 16."""
    out = [(_put_in(text, constants), span) for text, span in kernel.declared]
    for p, s in zip(kernel.params, types, strict=True):
        if s.multiple:
            unit = sig.UNIT
            text = f"aligned({p.name}, {unit})" if isinstance(s, PointerSpec) else f"{p.name} % {unit} == 0"
            out.append((text, p.span))
    return tuple(dict.fromkeys(out))


class _Constants(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, Plain]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value = self.values.get(node.id, ...)
        return ast.Constant(value) if isinstance(value, int) else node


def _put_in(text: str, constants: Mapping[str, Plain]) -> str:
    """A clause with constants for their names; one that names none, or cannot be read, as it is."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        if any(isinstance(x, ast.Name) and x.id in constants for x in ast.walk(tree)):
            return ast.unparse(_Constants(constants).visit(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    return text


def multiples(clauses: Sequence[tuple[str, Span]]) -> frozenset[str]:
    """The arguments that clauses say to be multiples of 16: `aligned(x, 16)`, `n % 128 == 0`."""
    out = set()
    for text, _ in clauses:
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        parts = tree.values if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And) else [tree]
        out |= {name for part in parts if (name := _multiple(part))}
    return frozenset(out)


def _multiple(part: ast.expr) -> str:
    match part:
        case ast.Call(func=ast.Name(id="aligned"), args=[ast.Name(id=name), ast.Constant(value=int(unit))]):
            return name if unit and unit % sig.UNIT == 0 else ""
        case ast.Compare(
            left=ast.BinOp(left=ast.Name(id=name), op=ast.Mod(), right=ast.Constant(value=int(unit))),
            ops=[ast.Eq()], comparators=[ast.Constant(value=0)],
        ):  # fmt: skip
            return name if unit and unit % sig.UNIT == 0 else ""
    return ""


def _option(sites: Sequence[LaunchSite], name: str, default: int) -> int:
    """A setting of the launch on which the launches in view agree, else Triton's default."""
    found = {s.options[name].value if name in s.options else default for s in sites}
    only = found.pop() if len(found) == 1 else None
    return default if only is None else only


def plain(value: Plain) -> object:
    """A constant as JSON."""
    if isinstance(value, DType):
        return ["dtype", str(value)]
    return [plain(v) for v in value] if isinstance(value, tuple) else value


def unplain(value: object) -> Plain:
    """A constant read back from JSON. Raises ValueError."""
    if isinstance(value, list) and len(value) == 2 and value[0] == "dtype" and value[1] in NAMES:
        return DType(value[1])
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise ValueError(f"{value!r} is no constant")
