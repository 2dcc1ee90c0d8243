"""Statements compiled to closures over the environment of a thread.

A closure returns None, or a signal that leaves the statement list: BREAK, CONTINUE or the label of
the block to leave. Statements that hold a barrier become generators that yield a `Request` and are
sent the barrier's result; all others are plain functions, which is what makes small runs quick.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from gpulint.interp import accesses, allocation
from gpulint.interp.expressions import Env, Names, expression
from gpulint.interp.loops import (
    BREAK,
    CONTINUE,
    Signal,
    Step,
    counted,
    counters,
    lifted,
    plain_while,
    sequence,
    waiting_while,
)
from gpulint.interp.memory import Region
from gpulint.interp.thread import Cut, Request, charge
from gpulint.interp.values import POISON, Missing, known, truth
from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.ir.walk import assigned, statements

FENCES = ("fence_block", "fence_device", "fence_system")
ENDING = ("trap", "exit")
QUIET = (n.Assign, n.If, n.For, n.While, n.Break, n.Continue, n.Effect)


def quiet(body: tuple[n.Stmt, ...], label: str | None = None) -> bool:
    """Whether the statements touch only locals, and leave no block but the one with this label."""
    return all(
        (isinstance(s, QUIET) and getattr(s, "name", "") not in ENDING)
        or (isinstance(s, n.Leave) and s.label == label)
        for s in statements(body)
    )


def loose_jump(body: tuple[n.Stmt, ...]) -> bool:
    """Whether a break or continue in the statements leaves them."""
    for s in body:
        if isinstance(s, (n.Break, n.Continue)):
            return True
        if isinstance(s, n.If) and (loose_jump(s.then) or loose_jump(s.other)):
            return True
        if isinstance(s, n.Block) and loose_jump(s.body):
            return True
    return False


class StatementCompiler:
    """Compiles the statements of one kernel; `names` and the site numbers are the kernel's."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.sites = 0

    def block(self, body: tuple[n.Stmt, ...]) -> Step:
        return sequence(tuple(self.statement(s) for s in body))

    def statement(self, s: n.Stmt) -> Step:
        return getattr(self, f"_{type(s).__name__.lower()}")(s)  # type: ignore[no-any-return]

    def _number(self) -> int:
        self.sites += 1
        return self.sites

    def _load(self, s: n.Load) -> Step:
        return False, accesses.load(s, self.names, self._number())

    def _store(self, s: n.Store) -> Step:
        return False, accesses.store(s, self.names, self._number())

    def _atomic(self, s: n.Atomic) -> Step:
        return False, accesses.atomic(s, self.names, self._number())

    def _view(self, s: n.View) -> Step:
        return False, allocation.view(s, self.names)

    def _alias(self, s: n.Alias) -> Step:
        return False, allocation.alias(s, self.names)

    def _alloc(self, s: n.Alloc) -> Step:
        return False, allocation.alloc(s, self.names)

    def _assign(self, s: n.Assign) -> Step:
        target, value = self.names.slot(s.target), expression(s.value, self.names)

        def run(env: Env) -> Signal:
            env[target] = value(env)

        return False, run

    def _break(self, s: n.Break) -> Step:
        return False, lambda env: BREAK

    def _continue(self, s: n.Continue) -> Step:
        return False, lambda env: CONTINUE

    def _leave(self, s: n.Leave) -> Step:
        label = s.label
        return False, lambda env: label

    def _effect(self, s: n.Effect) -> Step:
        signal = "" if s.name in ENDING else None

        def run(env: Env) -> Signal:
            if signal is not None:
                env[0].block.blurred = True
            return signal

        return False, run

    def _assume(self, s: n.Assume) -> Step:
        condition = expression(s.condition, self.names)

        def run(env: Env) -> Signal:
            if _decide(condition(env), s.span):
                return None
            env[0].block.blurred = True
            return ""

        return False, run

    def _unsupported(self, s: n.Unsupported) -> Step:
        targets = [self.names.slot(t) for t in s.targets]
        arrays = [self.names.slot(a) for a in s.arrays]

        def run(env: Env) -> Signal:
            env[0].machine.abandon(env[0], s.span, s.reason)
            for slot in targets:
                env[slot] = POISON
            for slot in arrays:
                if env[slot].__class__ is Region:
                    env[slot].array.buffer.lost = True

        return False, run

    def _barrier(self, s: n.Barrier) -> Step:
        if s.kind in FENCES:
            return False, lambda env: None
        target = self.names.slot(s.target) if s.target else 0
        operand = expression(s.operand, self.names) if s.operand is not None else None
        mask = expression(s.mask, self.names) if s.mask is not None else None
        given = tuple(expression(e, self.names) for e in s.given)

        def run(env: Env) -> Generator[Request, Any, Signal]:
            brought = operand(env) if operand else tuple(e(env) for e in given)
            answer = yield Request(s, brought, mask(env) if mask else None)
            if target:
                env[target] = answer
            elif given:
                env[0].received = answer

        return True, run

    def _block(self, s: n.Block) -> Step:
        generator, body = self.block(s.body)
        label = s.label
        if generator:

            def waiting(env: Env) -> Generator[Request, Any, Signal]:
                signal = yield from body(env)
                return None if signal == label else signal

            return True, waiting

        harmless = quiet(s.body, label) and not loose_jump(s.body)
        slots = [self.names.slot(t) for t in assigned(s.body)] if harmless else []

        def run(env: Env) -> Signal:
            try:
                signal = body(env)
            except Cut as stop:
                if not harmless or stop.kind != "unknown-branch":
                    raise
                for slot in slots:
                    env[slot] = POISON
                return None
            return None if signal == label else signal

        return False, run

    def _poison(self, body: tuple[n.Stmt, ...]) -> Callable[[Env, Span], None]:
        """Skip statements that may or may not run: their locals become unknown, or the thread is cut."""
        harmless = quiet(body) and not loose_jump(body)
        slots = [self.names.slot(t) for t in assigned(body)]

        def run(env: Env, span: Span) -> None:
            if not harmless:
                raise Cut("unknown-branch", span, "the condition is not known")
            for slot in slots:
                env[slot] = POISON

        return run

    def _if(self, s: n.If) -> Step:
        condition, skip = expression(s.condition, self.names), self._poison((*s.then, *s.other))
        (gen_then, then), (gen_other, other) = self.block(s.then), self.block(s.other)
        if gen_then or gen_other:

            def waiting(env: Env) -> Generator[Request, Any, Signal]:
                which = _which(env, condition(env), s.span)
                if which is POISON:
                    skip(env, s.span)
                    return None
                if which:
                    return (yield from then(env)) if gen_then else then(env)
                return (yield from other(env)) if gen_other else other(env)

            return True, waiting

        def run(env: Env) -> Signal:
            which = _which(env, condition(env), s.span)
            if which is POISON:
                return skip(env, s.span)
            return then(env) if which else other(env)

        return False, run

    def _for(self, s: n.For) -> Step:
        bounds, skip = self._bounds(s), self._poison((s,))
        target, cost, span = self.names.slot(s.target), _cost(s.body), s.span
        generator, body = self.block(s.body)

        def numbers(env: Env) -> Any:
            found = bounds(env)
            if found is None:
                skip(env, span)
                return ()
            return found

        return counted(numbers, target, body, generator, cost, span)

    def _bounds(self, s: n.For) -> Callable[[Env], Any]:
        """The counter values of the loop, or None when a bound is unknown."""
        parts = [expression(e, self.names) for e in (s.start, s.stop, s.step)]

        def run(env: Env) -> Any:
            values = [p(env) for p in parts]
            if not known(*values):
                return None
            if not all(isinstance(v, int) for v in values) or values[2] == 0:
                raise Cut("not-executable", s.span, f"range{tuple(values)} cannot run")
            return counters(env, range(*values), s)

        return run

    def _while(self, s: n.While) -> Step:
        gen_before, before = self.block(s.before)
        generator, body = self.block(s.body)
        condition, skip = expression(s.condition, self.names), self._poison((s,))
        cost = _cost(s.body) + _cost(s.before)

        def more(env: Env) -> bool:
            charge(env[0], cost, s.span)
            which = _which(env, condition(env), s.span)
            if which is POISON:
                skip(env, s.span)
                return False
            return bool(which)

        if not (generator or gen_before):
            return False, plain_while(before, more, body)
        return True, waiting_while(lifted((gen_before, before)), more, lifted((generator, body)))


def _which(env: Env, value: Any, span: Span) -> Any:
    """The way that a condition says, or POISON; to branch on what is missing is to use it."""
    if isinstance(value, Missing):
        accesses.used(env[0], value, span)
    return truth(value)


def _decide(value: Any, span: Span) -> bool:
    which = truth(value)
    if which is POISON:
        raise Cut("unknown-branch", span, "the condition is not known")
    return bool(which)


def _cost(body: tuple[n.Stmt, ...]) -> int:
    return 1 + sum(1 for _ in statements(body))
