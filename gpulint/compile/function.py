"""A typed kernel as one LLVM function: parameters, coordinates, locals, body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from gpulint.compile import grid
from gpulint.compile.arrays import Arrays
from gpulint.compile.context import ArrayValue, Context, Coordinate, Options
from gpulint.compile.error import CompileError
from gpulint.compile.expressions import write
from gpulint.compile.geometry import Geometry
from gpulint.compile.llvm import GLOBAL, Code, Value, literal, pointer, quoted, stored_type
from gpulint.compile.module import Module
from gpulint.compile.proofs import Proofs
from gpulint.compile.signature import ArraySpec, Signature, Spec
from gpulint.compile.statements import END, Statements
from gpulint.ir import nodes as n
from gpulint.ir.types import BOOL, INT32, BoolType, Type
from gpulint.ir.walk import walk

REGISTERS = {"thread": "tid", "block": "ctaid", "block_size": "ntid", "grid_size": "nctaid"}
CONTRACT = "the contract fixes the launch"


@dataclass(frozen=True)
class Parameter:
    """One parameter of the compiled function, in its order.

    `kind`: pointer, extent, stride (in bytes) or scalar, of the kernel's parameter `name`; or counter, the
    address of a 32-bit word for the grid's barrier that is zero before the first launch. `type` is LLVM's;
    sizes are 64 bits wide, a boolean is a byte.
    """

    name: str
    kind: str
    type: str
    axis: int = 0


@dataclass(frozen=True)
class Function:
    """What was built: the module, the function's name and parameters, and static shared memory in bytes."""

    module: Module
    name: str
    parameters: tuple[Parameter, ...]
    shared_bytes: int


@dataclass(frozen=True)
class Target:
    """How a function is entered, and where it finds its coordinates: on a GPU, unless told else."""

    head: str = "ptx_kernel "
    coordinate: Coordinate | None = None


def build(
    kernel: n.Kernel, signature: Signature, proofs: Proofs, geometry: Geometry, options: Options,
    module: Module, target: Target | None = None,
) -> Function:  # fmt: skip
    """The function of a typed kernel in the module. Raises CompileError for what is not compiled."""
    goal = target or Target()
    code = Code()
    coordinate = goal.coordinate or registers(geometry, proofs, kernel)
    name = entry_name(kernel)
    cx = Context(module, code, options, proofs, coordinate, filename=kernel.span.filename)
    if options.lines:
        cx.scope = module.subprogram(name, kernel.span)
        cx.at(kernel.span)
    arrays = Arrays(kernel)
    slots(cx, kernel)
    given = parameters(cx, kernel, signature)
    Statements(cx, arrays).block(kernel.body)
    closed(code)
    head = f"define {goal.head}void @{quoted(name)}({declared(kernel, signature, proofs, given)})"
    marks = module.attribute_group(attributes(geometry)) + (f" !dbg {cx.scope}" if cx.scope else "")
    lines = [f"{head} {marks} {{", "entry:", *code.entry, *code.lines, "}"]
    module.functions.append("\n".join(lines))
    return Function(module, name, given, arrays.shared_bytes)


def entry_name(kernel: n.Kernel) -> str:
    """The kernel's name as PTX can hold it."""
    kept = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in kernel.name)
    return kept if kept and not kept[0].isdigit() else f"k_{kept}"


def closed(code: Code) -> None:
    """End the function: what runs off its last block returns."""
    if not code.dead:
        code.jump(END)
    code.lines.append(f"{END}:")
    code.dead, code.location = False, ""
    code.finish()


def attributes(geometry: Geometry) -> str:
    """The function's attributes: the directives that the contract gives."""
    parts = ["nounwind"]
    if geometry.block is not None:
        parts.append(f'"nvvm.reqntid"="{",".join(map(str, geometry.block))}"')
    most = geometry.largest_block
    if most is not None and geometry.block is None:
        parts.append(f'"nvvm.maxntid"="{",".join(map(str, most))}"')
    if "min_blocks" in geometry.limits:
        parts.append(f'"nvvm.minctasm"="{geometry.limits["min_blocks"]}"')
    return " ".join(parts)


# --- parameters


def parameters(cx: Context, kernel: n.Kernel, signature: Signature) -> tuple[Parameter, ...]:
    """The parameters, their arrays and the locals that hold scalars."""
    out: list[Parameter] = []
    for p, spec in zip(kernel.params, signature, strict=True):
        if isinstance(spec, ArraySpec):
            out += _array(cx, p, spec)
        else:
            out.append(Parameter(p.name, "scalar", stored_type(spec.type, p.span)))
            write(cx, p.name, scalar(cx, p.name, spec.type))
    if grid.needed(kernel):
        out.append(Parameter(grid.COUNTER, "counter", pointer(GLOBAL)))
    return tuple(out)


def scalar(cx: Context, name: str, t: Type) -> Value:
    """The value of a scalar parameter."""
    if isinstance(t, BoolType):
        return cx.code.value(BOOL, f"icmp ne i8 {register(name)}, 0")
    return Value(t, register(name))


def register(name: str, what: str = "", axis: int = 0) -> str:
    """The register of a parameter or of a size of it."""
    return f"%{quoted(f'{name}.{what}{axis}' if what else name)}"


def _array(cx: Context, p: n.Param, spec: ArraySpec) -> list[Parameter]:
    axes = range(spec.ndim)
    extents = tuple(register(p.name, "shape", a) for a in axes)
    strides = None if spec.contiguous else tuple(register(p.name, "stride", a) for a in axes)
    constant = p.name in cx.proofs.unwritten and cx.proofs.distinct
    cx.arrays[p.name] = ArrayValue(
        spec.element, GLOBAL, register(p.name), extents, strides, cx.proofs.small, constant, spec.record
    )
    if constant:
        because = "no statement writes it, and launches whose arrays overlap are refused"
        cx.proofs.note(f"loads of {p.name} through the read-only cache", because, p.span)
    out = [Parameter(p.name, "pointer", pointer(GLOBAL))]
    out += [Parameter(p.name, "extent", "i64", a) for a in axes]
    if not spec.contiguous:
        out += [Parameter(p.name, "stride", "i64", a) for a in axes]
    return out


def declared(
    kernel: n.Kernel, signature: Signature, proofs: Proofs, given: Sequence[Parameter],
    aligned: frozenset[str] = frozenset(), alignment: int = 1,
) -> str:  # fmt: skip
    """The parameters as LLVM declares them. `aligned` arrays start at a multiple of `alignment` bytes."""
    specs: dict[str, Spec] = dict(zip((p.name for p in kernel.params), signature, strict=True))
    out = []
    for p in given:
        if p.kind == "pointer":
            marks = _pointer_marks(p, proofs)
            own = cast(ArraySpec, specs[p.name]).alignment
            marks += f" align {max(own, alignment if p.name in aligned else 1)}"
            out.append(f"{p.type}{marks} {register(p.name)}")
        elif p.kind in ("scalar", "counter"):
            out.append(f"{p.type} {register(p.name)}")
        else:
            what = "shape" if p.kind == "extent" else "stride"
            out.append(f"{p.type} {register(p.name, what, p.axis)}")
    return ", ".join(out)


def _pointer_marks(p: Parameter, proofs: Proofs) -> str:
    """LLVM may keep what it knows of `noalias` memory across a barrier, which other threads may write before:
    a written array is marked only where threads never see each other's writes.
    """
    if not proofs.distinct:
        return ""
    if p.name in proofs.unwritten:
        return " noalias readonly"
    return " noalias" if proofs.alone else ""


# --- locals and coordinates


def slots(cx: Context, kernel: n.Kernel) -> None:
    """One place for each version of a local; all start at zero, so that no value is ever undefined."""
    for node in walk(kernel):
        if not isinstance(node, n.Var):
            continue
        t: Type = node.type
        versions = cx.slots.setdefault(node.name, {})
        if t not in versions:
            kind = stored_type(t, node.span)
            versions[t] = cx.code.reserve(kind)
            cx.code.do(f"store {kind} {zero(t)}, ptr {versions[t]}")


def zero(t: Type) -> str:
    return "0" if isinstance(t, BoolType) else literal(0, t).text


def registers(geometry: Geometry, proofs: Proofs, kernel: n.Kernel) -> Coordinate:
    """Coordinates from the special registers; what the contract fixes is a number."""

    def read(cx: Context, kind: str, axis: int) -> Value:
        if kind == "warp_size":
            return literal(32, INT32)
        if kind == "lane":
            return Value(INT32, cx.call("i32", "llvm.nvvm.read.ptx.sreg.laneid"))
        if kind not in REGISTERS:
            raise CompileError(f"the coordinate {kind} is not compiled")
        size = geometry.size("block" if kind in ("thread", "block_size") else "grid", axis)
        if size is not None and (kind.endswith("_size") or size == 1):
            name = f"{'block' if kind in ('thread', 'block_size') else 'grid'}.{'xyz'[axis]} == {size}"
            proofs.note(f"{kind} along {'xyz'[axis]} is a constant", f"{CONTRACT}: {name}", kernel.header)
            return literal(size if kind.endswith("_size") else 0, INT32)
        return Value(INT32, cx.call("i32", f"llvm.nvvm.read.ptx.sreg.{REGISTERS[kind]}.{'xyz'[axis]}"))

    return read
