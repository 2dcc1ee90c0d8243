"""The IR as text, one statement a line: what `gpulint ir` shows and golden tests hold."""

from __future__ import annotations

from gpulint.ir import nodes as n
from gpulint.ir.types import ArrayType, BoolType, FloatType, IntType, Type

_OPS = {
    "add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%", "truncdiv": "/t", "truncmod": "%t",
    "div": "/", "pow": "**", "shl": "<<", "shr": ">>", "and": "&", "or": "|", "xor": "^",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
}  # fmt: skip
_COORDS = {
    "thread": "threadIdx", "block": "blockIdx", "block_size": "blockDim", "grid_size": "gridDim",
    "lane": "laneid", "warp_size": "warpsize",
}  # fmt: skip


def type_name(t: Type | ArrayType) -> str:
    if isinstance(t, ArrayType):
        rank = "?" if t.ndim is None else str(t.ndim)
        return f"{t.space} {type_name(t.element)}[{rank}d]"
    if isinstance(t, IntType):
        return f"{'' if t.signed else 'u'}int{t.bits}"
    if isinstance(t, FloatType):
        return f"float{t.bits}"
    return "bool" if isinstance(t, BoolType) else "?"


def expr(e: n.Expr | n.Range | None) -> str:
    if e is None:
        return ""
    if isinstance(e, n.Const):
        return repr(e.value)
    if isinstance(e, n.Var):
        return e.name
    if isinstance(e, n.Coord):
        name = _COORDS.get(e.kind, e.kind)
        return name if e.kind in ("lane", "warp_size") else f"{name}.{'xyz'[e.axis]}"
    if isinstance(e, n.Extent):
        return f"{e.array}.shape[{e.axis}]"
    if isinstance(e, n.Size):
        return f"{e.array}.size"
    if isinstance(e, n.Stride):
        return f"{e.array}.strides[{e.axis}]"
    if isinstance(e, n.Range):
        step = f":{expr(e.step)}" if e.step is not None else ""
        return f"{expr(e.start)}:{expr(e.stop)}{step}"
    if isinstance(e, n.Unary):
        return f"{e.op}({expr(e.operand)})"
    if isinstance(e, n.Binary):
        if e.op in ("min", "max"):
            return f"{e.op}({expr(e.left)}, {expr(e.right)})"
        width = f":{type_name(e.type)}" if isinstance(e.type, IntType) and e.type.bits != 64 else ""
        return f"({expr(e.left)} {_OPS[e.op]}{width} {expr(e.right)})"
    if isinstance(e, n.Compare):
        return f"({expr(e.left)} {_OPS[e.op]} {expr(e.right)})"
    if isinstance(e, n.Logic):
        return "(" + f" {e.op} ".join(expr(o) for o in e.operands) + ")"
    if isinstance(e, n.Choose):
        return f"({expr(e.then)} if {expr(e.condition)} else {expr(e.other)})"
    if isinstance(e, n.Cast):
        return f"{type_name(e.type)}({expr(e.operand)})"
    if isinstance(e, n.Lane):
        return f"lane{e.axis}<{expr(e.size)}>"
    if isinstance(e, n.Relane):
        return f"{expr(e.operand)}@({', '.join(expr(x) for x in e.lanes)})"
    mark = "?!" if e.fresh else "?"
    return f"{mark}{e.name}({', '.join(expr(o) for o in e.operands)})"


def _place(array: str, subscripts: tuple[n.Expr, ...], field: str = "") -> str:
    return f"{array}[{', '.join(expr(s) for s in subscripts)}]" + (f".{field}" if field else "")


def _masked(s: n.Load | n.Store | n.Atomic) -> str:
    """The tile part of an access: its shape, mask and the value of masked-off lanes."""
    out = f" tile({', '.join(expr(e) for e in s.lanes)})" if s.lanes else ""
    if s.mask is not None:
        out += f" where {expr(s.mask)}"
    other = getattr(s, "other", None)
    return out if other is None else f"{out} else {expr(other)}"


def statement(s: n.Stmt, indent: str = "") -> list[str]:
    """The lines of one statement, nested ones indented by two more spaces."""
    deeper = indent + "  "
    if isinstance(s, n.If):
        out = [f"{indent}if {expr(s.condition)}:", *block(s.then, deeper)]
        return out + ([f"{indent}else:", *block(s.other, deeper)] if s.other else [])
    if isinstance(s, n.For):
        bounds = f"{expr(s.start)}, {expr(s.stop)}, {expr(s.step)}"
        return [f"{indent}for {s.target} in range({bounds}):", *block(s.body, deeper)]
    if isinstance(s, n.While):
        return [f"{indent}loop:", *block(s.before, deeper), f"{deeper}while {expr(s.condition)}:",
                *block(s.body, deeper + "  ")]  # fmt: skip
    if isinstance(s, n.Block):
        return [f"{indent}block {s.label}:", *block(s.body, deeper)]
    return [indent + _simple(s)]


def _simple(s: n.Stmt) -> str:
    if isinstance(s, n.Assign):
        return f"{s.target} = {expr(s.value)}"
    if isinstance(s, n.Load):
        return f"{s.target} = load {_place(s.array, s.subscripts, s.field)}{_masked(s)}"
    if isinstance(s, n.Store):
        return f"store {_place(s.array, s.subscripts, s.field)} = {expr(s.value)}{_masked(s)}"
    if isinstance(s, n.Atomic):
        old = f"{s.target} = " if s.target else ""
        given = ", ".join(expr(o) for o in s.operands)
        return f"{old}atomic.{s.op} {_place(s.array, s.subscripts)} ({given}) {s.scope}{_masked(s)}"
    if isinstance(s, n.View):
        if s.shape is not None:
            return f"{s.target} = reshape {s.array} ({', '.join(map(expr, s.shape))})"
        turned = ".T" if s.transpose else ""
        return f"{s.target} = view {s.array}[{', '.join(expr(i) for i in s.indices)}]{turned}"
    if isinstance(s, n.Alias):
        return f"{s.target} = array {s.array}"
    if isinstance(s, n.Alloc):
        shape = "dynamic" if s.shape is None else ", ".join(expr(e) for e in s.shape)
        return f"{s.target} = alloc {type_name(s.type)} ({shape})"
    if isinstance(s, n.Leave):
        return f"leave {s.label}" if s.label else "return"
    if isinstance(s, n.Barrier):
        old = f"{s.target} = " if s.target else ""
        return f"{old}barrier {s.kind} {expr(s.mask or s.operand)}".rstrip()
    if isinstance(s, n.Assume):
        return f"assume {expr(s.condition)}"
    if isinstance(s, n.Effect):
        return f"effect {s.name}({', '.join(expr(o) for o in s.operands)})"
    if isinstance(s, n.Unsupported):
        return f"unsupported: {s.reason}"
    return type(s).__name__.lower()


def block(body: tuple[n.Stmt, ...], indent: str = "") -> list[str]:
    return [line for s in body for line in statement(s, indent)] or [f"{indent}pass"]


def kernel(k: n.Kernel) -> str:
    params = ", ".join(f"{p.name}: {type_name(p.type)}" for p in k.params)
    return "\n".join([f"kernel {k.qualname}({params}) [{k.dialect}]", *block(k.body, "  ")])
