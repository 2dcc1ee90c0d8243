"""Barriers, votes and the collectives of a warp."""

from __future__ import annotations

from gpulint.compile import arithmetic as ar
from gpulint.compile import grid
from gpulint.compile.context import Context
from gpulint.compile.error import CompileError
from gpulint.compile.expressions import expression, int32, write
from gpulint.compile.llvm import Value, type_of
from gpulint.ir import nodes as n
from gpulint.ir.types import BOOL, INT32, INT64, UINT32, BoolType, FloatType, IntType

CONVERGENT = "convergent nounwind"
FENCES = {"fence_block": "cta", "fence_device": "gl", "fence_system": "sys"}
_SHUFFLES = {"shfl_sync": "idx", "shfl_up_sync": "up", "shfl_down_sync": "down", "shfl_xor_sync": "bfly"}


def barrier(cx: Context, s: n.Barrier) -> None:
    """Meet the other threads, order memory, or both; a vote gives its result to the target."""
    if s.kind in FENCES:
        cx.call("void", f"llvm.nvvm.membar.{FENCES[s.kind]}")
    elif s.kind == "warp":
        if s.orders:  # a collective meets by itself
            mask = "-1" if s.mask is None else int32(cx, expression(cx, s.mask))
            cx.call("void", "llvm.nvvm.bar.warp.sync", ("i32", mask), attributes=CONVERGENT)
    elif s.kind == "grid":
        grid.meet(cx)
    elif s.operand is None:
        name = "llvm.nvvm.barrier.cta.sync.aligned.all"
        cx.call("void", name, ("i32", "0"), attributes=CONVERGENT)
    else:
        _vote(cx, s)


def _vote(cx: Context, s: n.Barrier) -> None:
    assert s.operand is not None
    vote = ar.truth(cx, expression(cx, s.operand)).text
    op, kind = ("popc", "i32") if s.vote == "count" else (s.vote, "i1")
    name = f"llvm.nvvm.barrier.cta.red.{op}.aligned.all"
    found = cx.call(kind, name, ("i32", "0"), ("i1", vote), attributes=CONVERGENT)
    if s.target:
        write(cx, s.target, ar.convert(cx, Value(INT32 if kind == "i32" else BOOL, found), INT32))


def collective(cx: Context, e: n.Opaque, given: list[Value]) -> Value:
    """A value that the lanes of a warp make together."""
    if e.name in _SHUFFLES and len(given) == 3:
        return ar.convert(cx, _shuffle(cx, e, given), e.type)
    if e.name in ("all_sync", "any_sync", "eq_sync") and len(given) == 2:
        op = {"all_sync": "all", "any_sync": "any", "eq_sync": "uni"}[e.name]
        vote = ar.truth(cx, given[1]).text
        name = f"llvm.nvvm.vote.{op}.sync"
        found = cx.call("i1", name, ("i32", int32(cx, given[0])), ("i1", vote), attributes=CONVERGENT)
        return ar.convert(cx, Value(BOOL, found), e.type)
    if e.name == "ballot_sync" and len(given) == 2:
        vote = ar.truth(cx, given[1]).text
        mask = ("i32", int32(cx, given[0]))
        found = cx.call("i32", "llvm.nvvm.vote.ballot.sync", mask, ("i1", vote), attributes=CONVERGENT)
        return ar.convert(cx, Value(UINT32, found), e.type)
    if e.name in ("match_any_sync", "match_all_sync") and len(given) == 2:
        return _match(cx, e, given)
    if e.name == "activemask":
        return Value(UINT32, cx.call("i32", "llvm.nvvm.activemask", attributes=CONVERGENT))
    raise CompileError(f"`{e.name}` is not compiled", e.span)


def _match(cx: Context, e: n.Opaque, given: list[Value]) -> Value:
    bits, kind = _pattern(cx, given[1], e)
    operands = (("i32", int32(cx, given[0])), (kind, bits))
    if e.name == "match_any_sync":
        found = cx.call("i32", f"llvm.nvvm.match.any.sync.{kind}", *operands, attributes=CONVERGENT)
    else:
        both = "{ i32, i1 }"
        made = cx.call(both, f"llvm.nvvm.match.all.sync.{kind}p", *operands, attributes=CONVERGENT)
        found = cx.code.get(f"extractvalue {both} {made}, 0")
    return ar.convert(cx, Value(UINT32, found), e.type)


def _pattern(cx: Context, v: Value, e: n.Opaque) -> tuple[str, str]:
    """The bits of a value as an integer of 32 or 64 bits."""
    if isinstance(v.type, FloatType):
        if v.type.bits == 16:
            raise CompileError("float16 in a collective of the warp is not compiled", e.span)
        kind = f"i{v.type.bits}"
        return cx.code.get(f"bitcast {type_of(v.type)} {v.text} to {kind}"), kind
    wide = isinstance(v.type, IntType) and v.type.bits == 64
    return ar.convert(cx, v, INT64 if wide else INT32).text, "i64" if wide else "i32"


def _shuffle(cx: Context, e: n.Opaque, given: list[Value]) -> Value:
    """One 32-bit exchange, or two for a value of 64 bits."""
    mask, lane = int32(cx, given[0]), int32(cx, given[2])
    bits, kind = _pattern(cx, given[1], e)
    how = _SHUFFLES[e.name]
    end = "0" if how == "up" else "31"

    def exchange(word: str) -> str:
        name = f"llvm.nvvm.shfl.sync.{how}.i32"
        given = (("i32", mask), ("i32", word), ("i32", lane), ("i32", end))
        return cx.call("i32", name, *given, attributes=CONVERGENT)

    if kind == "i32":
        return _from_pattern(cx, exchange(bits), kind, given[1])
    low = exchange(cx.code.get(f"trunc i64 {bits} to i32"))
    high = exchange(cx.code.get(f"trunc i64 {cx.code.get(f'lshr i64 {bits}, 32')} to i32"))
    wide = cx.code.get(f"shl i64 {cx.code.get(f'zext i32 {high} to i64')}, 32")
    return _from_pattern(
        cx, cx.code.get(f"or i64 {wide}, {cx.code.get(f'zext i32 {low} to i64')}"), kind, given[1]
    )


def _from_pattern(cx: Context, bits: str, kind: str, like: Value) -> Value:
    """The bits as a value of the type that was sent."""
    if isinstance(like.type, FloatType):
        return cx.code.value(like.type, f"bitcast {kind} {bits} to {type_of(like.type)}")
    if isinstance(like.type, BoolType):
        return ar.convert(cx, Value(INT32, bits), BOOL)
    whole = INT64 if kind == "i64" else INT32
    return ar.convert(cx, Value(whole, bits), like.type)
