"""Loads, stores and atomics, with the address arithmetic that the proofs allow."""

from __future__ import annotations

from dataclasses import replace
from typing import Union

from gpulint.compile import arithmetic as ar
from gpulint.compile.arrays import wrapped
from gpulint.compile.context import ArrayValue, Context
from gpulint.compile.error import CompileError
from gpulint.compile.expressions import array, expression, memory_form, product, write
from gpulint.compile.llvm import Value, pointer, size_of, stored_type, type_of
from gpulint.ir import nodes as n
from gpulint.ir.types import INT32, INT64, UINT32, BoolType, FloatType

Access = Union[n.Load, n.Store, n.Atomic]
SCOPES = {"block": 'syncscope("block") ', "device": 'syncscope("device") ', "system": ""}
_INTEGER = {"add": "add", "sub": "sub", "and": "and", "or": "or", "xor": "xor", "inc": "uinc_wrap",
            "dec": "udec_wrap", "exch": "xchg"}  # fmt: skip
_FLOAT = {"add": "fadd", "sub": "fsub", "exch": "xchg", "max": "fmaximum", "min": "fminimum",
          "nanmax": "fmax", "nanmin": "fmin"}  # fmt: skip


def address(cx: Context, s: Access) -> tuple[ArrayValue, str]:
    """The array and a pointer to the element of an access, or to the field of it, which is in range."""
    a, at = whole(cx, s)
    name = "" if isinstance(s, n.Atomic) else s.field
    if a.record is None or not name:
        return a, at
    made = replace(a, element=a.record.field(name, s.span), record=None, align=a.record.aligned(name))
    offset = a.record.offsets[name]
    return made, cx.code.get(f"getelementptr inbounds i8, {pointer(a.space)} {at}, i64 {offset}")


def whole(cx: Context, s: Access) -> tuple[ArrayValue, str]:
    """The array and a pointer to the element itself."""
    a = array(cx, s.array, s.span)
    if len(s.subscripts) != len(a.extents):
        raise CompileError(f"{len(s.subscripts)} subscripts for {len(a.extents)} axes", s.span)
    given = [expression(cx, e) for e in s.subscripts]
    for v, e in zip(given, s.subscripts, strict=True):
        if isinstance(v.type, FloatType):
            raise CompileError("a subscript is a float", e.span)
    plain = [not s.negative_wraps or cx.proofs.positive(s, k) for k in range(len(given))]
    if a.strides is None and a.small and all(plain):
        return a, narrow(cx, a, given)
    indices = [
        ar.convert(cx, v, INT64).text if safe else wrapped(cx, ar.convert(cx, v, INT64).text, extent)
        for v, extent, safe in zip(given, a.extents, plain, strict=True)
    ]
    return a, place(cx, a, indices)


def narrow(cx: Context, a: ArrayValue, given: list[Value]) -> str:
    """A pointer by 32-bit arithmetic.

    Every subscript lies in [0, extent) and the array has fewer than 2^31 elements, so each subscript and the
    flat index are below 2^31: their low 32 bits are all of them, however wide what computes them is.
    """
    flat = ""
    for k, v in enumerate(given):
        index = ar.convert(cx, v, INT32 if ar.signed(v.type) else UINT32).text
        if flat:
            extent = ar.convert(cx, Value(INT64, a.extents[k]), INT32).text
            flat = cx.code.get(f"mul nuw nsw i32 {flat}, {extent}")
            index = cx.code.get(f"add nuw nsw i32 {flat}, {index}")
        flat = index
    wide = flat if flat.isdigit() else cx.code.get(f"zext nneg i32 {flat or '0'} to i64")
    return element(cx, a, wide)


def element(cx: Context, a: ArrayValue, flat: str) -> str:
    """A pointer to an element of a contiguous array by its number."""
    kind = stored_type(a.element) if a.record is None else f"[{a.size} x i8]"
    return cx.code.get(f"getelementptr inbounds {kind}, {pointer(a.space)} {a.pointer}, i64 {flat}")


def place(cx: Context, a: ArrayValue, indices: list[str]) -> str:
    """A pointer to an element by 64-bit arithmetic, through the strides where there are any."""
    if a.strides is None:
        flat = ""
        for extent, index in zip(a.extents, indices, strict=True):
            flat = cx.code.get(f"add nuw nsw i64 {product(cx, flat, extent)}, {index}") if flat else index
        return element(cx, a, flat or "0")
    offset = "0"
    for stride, index in zip(a.strides, indices, strict=True):
        step = cx.code.get(f"mul nsw i64 {index}, {stride}")
        offset = step if offset == "0" else cx.code.get(f"add nsw i64 {offset}, {step}")
    return cx.code.get(f"getelementptr inbounds i8, {pointer(a.space)} {a.pointer}, i64 {offset}")


def fetch(cx: Context, a: ArrayValue, at: str) -> Value:
    """The element that a pointer points to."""
    kind = stored_type(a.element)
    mark = f", !invariant.load {cx.proofs.invariant(cx.module)}" if a.constant else ""
    found = cx.code.get(f"load {kind}, {pointer(a.space)} {at}, align {a.alignment}{mark}")
    if isinstance(a.element, BoolType):
        return cx.code.value(a.element, f"icmp ne i8 {found}, 0")
    return Value(a.element, found)


def load(cx: Context, s: n.Load) -> None:
    a, at = address(cx, s)
    write(cx, s.target, fetch(cx, a, at))


def store(cx: Context, s: n.Store) -> None:
    value = expression(cx, s.value)
    a, at = address(cx, s)
    kind, held = memory_form(cx, ar.convert(cx, value, a.element))
    cx.code.do(f"store {kind} {held}, {pointer(a.space)} {at}, align {a.alignment}")


def atomic(cx: Context, s: n.Atomic) -> None:
    """The old value goes to the target. Order: relaxed, as CUDA's atomics are."""
    operands = [expression(cx, o) for o in s.operands]
    a, at = address(cx, s)
    if isinstance(a.element, BoolType):
        raise CompileError("an atomic on booleans", s.span)
    given = [ar.convert(cx, o, a.element) for o in operands]
    if len(given) != (2 if s.op == "cas" else 1):
        raise CompileError(f"atomic {s.op} with {len(given)} operands", s.span)
    old = _swap(cx, a, at, given, s) if s.op == "cas" else _update(cx, a, at, given[0], s)
    if s.target:
        write(cx, s.target, old)


def _update(cx: Context, a: ArrayValue, at: str, v: Value, s: n.Atomic) -> Value:
    op: str | None
    if isinstance(a.element, FloatType):
        op = _FLOAT.get(s.op)
    else:
        op = _INTEGER.get(s.op)
        if s.op.removeprefix("nan") in ("max", "min"):
            op = ("" if ar.signed(a.element) else "u") + s.op.removeprefix("nan")
    if op is None:
        raise CompileError(f"atomic {s.op} on this element type", s.span)
    where = f"{pointer(a.space)} {at}, {type_of(a.element)} {v.text}"
    return cx.code.value(a.element, f"atomicrmw {op} {where} {SCOPES[s.scope]}monotonic")


def _swap(cx: Context, a: ArrayValue, at: str, given: list[Value], s: n.Atomic) -> Value:
    """Compare and swap; floats are compared by their bits, as the hardware does."""
    kind = f"i{size_of(a.element) * 8}"
    bits = [v.text for v in given]
    floats = isinstance(a.element, FloatType)
    if floats:
        bits = [cx.code.get(f"bitcast {type_of(a.element)} {b} to {kind}") for b in bits]
    pair = cx.code.get(
        f"cmpxchg {pointer(a.space)} {at}, {kind} {bits[0]}, {kind} {bits[1]} "
        f"{SCOPES[s.scope]}monotonic monotonic"
    )
    old = cx.code.get(f"extractvalue {{ {kind}, i1 }} {pair}, 0")
    if floats:
        return cx.code.value(a.element, f"bitcast {kind} {old} to {type_of(a.element)}")
    return Value(a.element, old)
