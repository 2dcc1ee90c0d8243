"""Statements and control flow of the IR as basic blocks."""

from __future__ import annotations

from dataclasses import dataclass

from gpulint.compile import arithmetic as ar
from gpulint.compile import memory, warps
from gpulint.compile.arrays import Arrays
from gpulint.compile.context import Context
from gpulint.compile.error import CompileError
from gpulint.compile.expressions import condition, expression, int32, write
from gpulint.compile.llvm import Value, literal, type_of
from gpulint.ir import nodes as n
from gpulint.ir.types import INT64, IntType

END = "end"  # the label of the kernel's own end


@dataclass(frozen=True)
class Loop:
    """Where `break` and `continue` go."""

    out: str
    again: str


class Statements:
    """Writes the statements of one kernel into the context's function."""

    def __init__(self, cx: Context, arrays: Arrays) -> None:
        self.cx, self.arrays = cx, arrays
        self.exits: dict[str, str] = {"": END}
        self.loops: list[Loop] = []

    def block(self, body: tuple[n.Stmt, ...]) -> None:
        for s in body:
            if self.cx.code.dead:
                return
            self.statement(s)

    def statement(self, s: n.Stmt) -> None:
        self.cx.at(s.span)
        getattr(self, f"_{type(s).__name__.lower()}")(s)

    # --- simple statements

    def _assign(self, s: n.Assign) -> None:
        write(self.cx, s.target, expression(self.cx, s.value))

    def _load(self, s: n.Load) -> None:
        memory.load(self.cx, s)

    def _store(self, s: n.Store) -> None:
        memory.store(self.cx, s)

    def _atomic(self, s: n.Atomic) -> None:
        memory.atomic(self.cx, s)

    def _view(self, s: n.View) -> None:
        self.arrays.view(self.cx, s)

    def _alias(self, s: n.Alias) -> None:
        self.arrays.alias(self.cx, s)

    def _alloc(self, s: n.Alloc) -> None:
        self.arrays.allocate(self.cx, s)

    def _barrier(self, s: n.Barrier) -> None:
        warps.barrier(self.cx, s)

    def _assume(self, s: n.Assume) -> None:
        """A failed assertion ends the thread."""
        held = self.cx.code.label("held")
        self.cx.code.branch(condition(self.cx, s.condition), held, END)
        self.cx.code.start(held)

    def _effect(self, s: n.Effect) -> None:
        if s.name == "nanosleep" and len(s.operands) == 1:
            time = int32(self.cx, expression(self.cx, s.operands[0]))
            self.cx.call("void", "llvm.nvvm.nanosleep", ("i32", time))
        elif s.name == "exit":
            self.cx.code.jump(END)
        elif s.name == "trap":
            self.cx.call("void", "llvm.trap")
            self.cx.code.jump(END)
        else:
            raise CompileError(f"`{s.name}` is not compiled", s.span, "take it out of the kernel")

    def _unsupported(self, s: n.Unsupported) -> None:
        raise CompileError(s.reason, s.span)

    # --- control flow

    def _if(self, s: n.If) -> None:
        code = self.cx.code
        then, end = code.label("then"), code.label("endif")
        other = code.label("else") if s.other else end
        code.branch(condition(self.cx, s.condition), then, other)
        code.start(then)
        self.block(s.then)
        if s.other:
            if not code.dead:
                code.jump(end)
            code.start(other)
            self.block(s.other)
        code.start(end)

    def _block(self, s: n.Block) -> None:
        end = self.cx.code.label("return")
        outer = self.exits.get(s.label)
        self.exits[s.label] = end
        self.block(s.body)
        del self.exits[s.label]
        if outer is not None:
            self.exits[s.label] = outer
        self.cx.code.start(end)

    def _leave(self, s: n.Leave) -> None:
        self.cx.code.jump(self.exits[s.label])

    def _break(self, s: n.Break) -> None:
        self.cx.code.jump(self.loops[-1].out)

    def _continue(self, s: n.Continue) -> None:
        self.cx.code.jump(self.loops[-1].again)

    def _while(self, s: n.While) -> None:
        code = self.cx.code
        head, body, end = (code.label(x) for x in ("while", "body", "endwhile"))
        self.loops.append(Loop(end, head))
        code.start(head)
        self.block(s.before)
        if not code.dead:
            code.branch(condition(self.cx, s.condition), body, end)
            code.start(body)
            self.block(s.body)
            if not code.dead:
                code.jump(head)
        self.loops.pop()
        code.start(end)

    def _for(self, s: n.For) -> None:
        """A counted loop; whether another trip follows is asked without leaving the counter's type."""
        code, t = self.cx.code, s.type if isinstance(s.type, IntType) else INT64
        start, stop, step = (
            ar.convert(self.cx, expression(self.cx, e), t) for e in (s.start, s.stop, s.step)
        )
        kind = type_of(t)
        counter = code.reserve(kind)
        code.do(f"store {kind} {start.text}, ptr {counter}")
        enter, body, again, end = (code.label(x) for x in ("count", "for", "next", "endfor"))
        code.branch(self._enters(t, start, stop, step), enter, end)
        code.start(enter)
        left = self._trips(t, start, stop, step) if step.text != "1" else ""
        code.start(body)
        self.loops.append(Loop(end, again))
        write(self.cx, s.target, code.value(t, f"load {kind}, ptr {counter}"))
        self.block(s.body)
        self.loops.pop()
        code.start(again)
        self.cx.at(s.span)
        now = code.value(t, f"load {kind}, ptr {counter}")
        more = self._one_less(kind, left) if left else self._before_stop(t, now, stop)
        code.do(f"store {kind} {code.get(f'add {kind} {now.text}, {step.text}')}, ptr {counter}")
        code.branch(more, body, end)
        code.start(end)

    def _enters(self, t: IntType, start: Value, stop: Value, step: Value) -> str:
        up = ar.compare(self.cx, "lt", start, stop).text
        if _positive(step) is True:
            return up
        down = ar.compare(self.cx, "gt", start, stop).text
        if _positive(step) is False:
            return down
        forward = ar.compare(self.cx, "gt", step, literal(0, t)).text
        backward = ar.compare(self.cx, "lt", step, literal(0, t)).text
        code = self.cx.code
        return code.get(
            f"or i1 {code.get(f'and i1 {forward}, {up}')}, {code.get(f'and i1 {backward}, {down}')}"
        )

    def _before_stop(self, t: IntType, now: Value, stop: Value) -> str:
        """Whether a loop by ones goes on: the counter is below `stop`, so one more fits its type."""
        following = self.cx.code.get(f"add {'nsw' if t.signed else 'nuw'} {type_of(t)} {now.text}, 1")
        return ar.compare(self.cx, "lt", Value(t, following), stop).text

    def _trips(self, t: IntType, start: Value, stop: Value, step: Value) -> str:
        """Memory that holds how many trips a loop makes, at least one: a count that LLVM can unroll by.

        Distance and step are taken without sign, in which they always fit; the step is not zero here.
        """
        code, kind = self.cx.code, type_of(t)
        ahead = code.get(f"sub {kind} {stop.text}, {start.text}")
        size = step.text
        if _positive(step) is not True:
            behind = code.get(f"sub {kind} {start.text}, {stop.text}")
            back = code.get(f"sub {kind} 0, {step.text}")
            forward = ar.compare(self.cx, "gt", step, literal(0, t)).text
            ahead = code.get(f"select i1 {forward}, {kind} {ahead}, {kind} {behind}")
            size = code.get(f"select i1 {forward}, {kind} {step.text}, {kind} {back}")
        whole = code.get(f"udiv {kind} {code.get(f'sub {kind} {ahead}, 1')}, {size}")
        left = code.reserve(kind)
        code.do(f"store {kind} {code.get(f'add {kind} {whole}, 1')}, ptr {left}")
        return left

    def _one_less(self, kind: str, left: str) -> str:
        """Take one trip off; whether there are more."""
        code = self.cx.code
        fewer = code.get(f"sub {kind} {code.get(f'load {kind}, ptr {left}')}, 1")
        code.do(f"store {kind} {fewer}, ptr {left}")
        return code.get(f"icmp ne {kind} {fewer}, 0")


def _positive(step: Value) -> bool | None:
    """The sign of a literal step; None when it is known at run time only."""
    digits = step.text.removeprefix("-")
    if not digits.isdigit() or not int(digits):
        return None
    return not step.text.startswith("-")
