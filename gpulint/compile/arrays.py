"""Names for arrays: parameters, allocations, views and aliases."""

from __future__ import annotations

from dataclasses import replace

from gpulint.compile import arithmetic as ar
from gpulint.compile.context import ArrayValue, Context, Slots
from gpulint.compile.error import CompileError
from gpulint.compile.expressions import array as value_of
from gpulint.compile.expressions import byte_strides, expression, product
from gpulint.compile.llvm import GENERIC, GLOBAL, SPACES, Value, literal, pointer, size_of, stored_type
from gpulint.compile.roots import roots
from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.ir.types import INT64, ArrayType
from gpulint.ir.walk import statements

MAX_ELEMENTS = 1 << 20
DYNAMIC_ALIGN = 16


def spaces(kernel: n.Kernel) -> dict[str, int]:
    """The address space of each array name; generic where it may stand for arrays of several."""
    own: dict[str, set[int]] = {p.name: {GLOBAL} for p in kernel.params if p.is_array}
    for s in statements(kernel.body):
        if isinstance(s, n.Alloc):
            own.setdefault(s.target, set()).add(SPACES[s.type.space])
    out = {}
    for name, under in roots(kernel).items():
        seen = {space for r in under for space in own.get(r, {GENERIC})}
        out[name] = seen.pop() if len(seen) == 1 else GENERIC
    return out


class Arrays:
    """Gives the array names of one kernel their values, statement by statement."""

    def __init__(self, kernel: n.Kernel) -> None:
        self.spaces, self.roots = spaces(kernel), roots(kernel)
        self.allocations = 0
        self.types = {p.name: p.type for p in kernel.params if isinstance(p.type, ArrayType)}
        self.shared_bytes = 0

    def allocate(self, cx: Context, s: n.Alloc) -> None:
        made = self._dynamic(cx, s) if s.shape is None else self._static(cx, s, s.shape)
        if s.target in cx.views or self._several(s.target):
            self._assign(cx, s.target, made, s.span)
        else:
            cx.arrays[s.target] = made

    def _several(self, name: str) -> bool:
        return self.roots[name] != {name}

    def _static(self, cx: Context, s: n.Alloc, shape: tuple[n.Expr, ...]) -> ArrayValue:
        extents = [_constant(e, s) for e in shape]
        count = 1
        for e in extents:
            count *= e
        if not 0 < count <= MAX_ELEMENTS:
            raise CompileError(f"an array of {count} elements in {s.type.space} memory", s.span)
        kind = f"[{count} x {stored_type(s.type.element, s.span)}]"
        space = SPACES[s.type.space]
        if s.type.space == "local":
            base = cx.code.reserve(kind, DYNAMIC_ALIGN)
        elif s.type.space == "shared":
            self.shared_bytes += -(-count * size_of(s.type.element) // DYNAMIC_ALIGN) * DYNAMIC_ALIGN
            text = f"internal addrspace({space}) global {kind} undef, align {DYNAMIC_ALIGN}"
            base = cx.module.reserve(self._name(s), text)
        else:
            base = cx.module.reserve(self._name(s), _table(s, kind, count, space))
        constant = s.type.space == "const"
        return ArrayValue(s.type.element, space, base, tuple(map(str, extents)), None, True, constant)

    def _dynamic(self, cx: Context, s: n.Alloc) -> ArrayValue:
        space = SPACES["shared"]
        name = "gpulint_dynamic_shared"
        text = f"@{name} = external addrspace({space}) global [0 x i8], align {DYNAMIC_ALIGN}"
        cx.module.globals.setdefault(name, text)
        size = cx.code.get('call i32 asm "mov.u32 $0, %dynamic_smem_size;", "=r"()')
        wide = cx.code.get(f"zext i32 {size} to i64")
        extent = cx.code.get(f"udiv i64 {wide}, {size_of(s.type.element)}")
        return ArrayValue(s.type.element, space, f"@{name}", (extent,), None, True)

    def _name(self, s: n.Alloc) -> str:
        self.allocations += 1
        return f"gpulint_{s.type.space}_{self.allocations}"

    def alias(self, cx: Context, s: n.Alias) -> None:
        self._assign(cx, s.target, value_of(cx, s.array, s.span), s.span)

    def view(self, cx: Context, s: n.View) -> None:
        a = value_of(cx, s.array, s.span)
        if s.shape is not None:
            self._assign(cx, s.target, self._arranged(cx, a, s), s.span)
            return
        if len(s.indices) > len(a.extents):
            raise CompileError("more indices than axes", s.span)
        offset, extents, strides = "0", [], []
        for k, (extent, stride) in enumerate(zip(a.extents, byte_strides(cx, a), strict=True)):
            part = s.indices[k] if k < len(s.indices) else n.Range(None, None, None)
            if isinstance(part, n.Range):
                first, step, count = _slice(cx, part, extent, s.span)
                extents.append(count)
                strides.append(cx.code.get(f"mul i64 {stride}, {step}") if step != "1" else stride)
            else:
                first = wrapped(cx, ar.convert(cx, expression(cx, part), INT64).text, extent)
            offset = cx.code.get(f"add i64 {offset}, {cx.code.get(f'mul i64 {first}, {stride}')}")
        if s.transpose:
            extents.reverse()
            strides.reverse()
        base = cx.code.get(f"getelementptr i8, {pointer(a.space)} {a.pointer}, i64 {offset}")
        made = replace(a, pointer=base, extents=tuple(extents), strides=tuple(strides))
        self._assign(cx, s.target, made, s.span)

    def _arranged(self, cx: Context, a: ArrayValue, s: n.View) -> ArrayValue:
        """The elements of a contiguous array under another shape."""
        if not s.shape or a.strides is not None:
            raise CompileError("another arrangement of a strided array is not compiled", s.span)
        extents = tuple(ar.convert(cx, expression(cx, e), INT64).text for e in s.shape)
        return replace(a, extents=extents)

    def _assign(self, cx: Context, name: str, a: ArrayValue, span: Span) -> None:
        slots = cx.views.get(name)
        if slots is None:
            space = self.spaces[name]
            axes = range(len(a.extents))
            sizes, steps = (tuple(cx.code.reserve("i64") for _ in axes) for _ in range(2))
            slots = cx.views[name] = Slots(cx.code.reserve(pointer(space)), space, sizes, steps)
            cx.arrays[name] = a
        if len(slots.extents) != len(a.extents):
            raise CompileError(f"`{name}` stands for arrays of different ranks", span)
        known = cx.arrays[name]
        small, constant = known.small and a.small, known.constant and a.constant
        cx.arrays[name] = ArrayValue(a.element, slots.space, "", (), (), small, constant, a.record)
        base = a.pointer
        if a.space != slots.space:
            base = cx.code.get(f"addrspacecast {pointer(a.space)} {base} to {pointer(slots.space)}")
        cx.code.do(f"store {pointer(slots.space)} {base}, ptr {slots.pointer}")
        for slot, value in zip(
            (*slots.extents, *slots.strides), (*a.extents, *byte_strides(cx, a)), strict=True
        ):
            cx.code.do(f"store i64 {value}, ptr {slot}")


def wrapped(cx: Context, index: str, extent: str) -> str:
    """The index counted from the end when it is negative."""
    if index.isdigit():
        return index
    negative = cx.code.get(f"icmp slt i64 {index}, 0")
    moved = cx.code.get(f"add i64 {index}, {extent}")
    return cx.code.get(f"select i1 {negative}, i64 {moved}, i64 {index}")


def _slice(cx: Context, part: n.Range, extent: str, span: Span) -> tuple[str, str, str]:
    """(first element, step, number of elements) of a clipped slice, as Python has it."""
    step = 1 if part.step is None else _step(part.step, span)
    low, high = ("0", extent) if step > 0 else ("-1", cx.code.get(f"sub i64 {extent}, 1"))
    start = low if step > 0 else high
    stop = high if step > 0 else low
    if part.start is not None:
        start = _clipped(cx, part.start, extent, low, high)
    if part.stop is not None:
        stop = _clipped(cx, part.stop, extent, low, high)
    gap = cx.code.get(f"sub i64 {stop}, {start}" if step > 0 else f"sub i64 {start}, {stop}")
    size = abs(step)
    if size > 1:
        gap = cx.code.get(f"sdiv i64 {cx.code.get(f'add i64 {gap}, {size - 1}')}, {size}")
    count = ar.extreme(cx, "max", Value(INT64, gap), literal(0, INT64)).text
    return start, str(step), count


def _step(e: n.Expr, span: Span) -> int:
    if isinstance(e, n.Const) and isinstance(e.value, int) and e.value:
        return int(e.value)
    raise CompileError("a slice whose step is not a constant is not compiled", span)


def _clipped(cx: Context, e: n.Expr, extent: str, low: str, high: str) -> str:
    index = wrapped(cx, ar.convert(cx, expression(cx, e), INT64).text, extent)
    above = ar.extreme(cx, "max", Value(INT64, index), Value(INT64, low))
    return ar.extreme(cx, "min", above, Value(INT64, high)).text


def _constant(e: n.Expr, s: n.Alloc) -> int:
    if isinstance(e, n.Const) and isinstance(e.value, int):
        return int(e.value)
    raise CompileError(f"the shape of an array in {s.type.space} memory is not constant", s.span)


def _table(s: n.Alloc, kind: str, count: int, space: int) -> str:
    if s.initial is None or len(s.initial) != count:
        raise CompileError("the elements of a constant array are not in the source", s.span)
    element = stored_type(s.type.element, s.span)
    items = (literal(x, s.type.element).text for x in s.initial)
    values = ", ".join(f"{element} {int(x == 'true') if x in ('true', 'false') else x}" for x in items)
    return f"internal addrspace({space}) constant {kind} [{values}], align {DYNAMIC_ALIGN}"


def total(cx: Context, extents: tuple[str, ...]) -> str:
    """The number of elements."""
    out = "1"
    for e in extents:
        out = product(cx, out, e)
    return out
