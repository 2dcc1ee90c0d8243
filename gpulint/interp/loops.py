"""Statement lists and loops over compiled statements, plain and waiting.

A plain step is a function of the environment, a waiting one a generator function. Both give None or
a signal: BREAK, CONTINUE or the label of the block to leave.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from gpulint.interp.expressions import Env, note_wrap
from gpulint.interp.thread import Request, charge
from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.ir.types import IntType

BREAK, CONTINUE = object(), object()
Signal = Any
Plain = Callable[[Env], Signal]
Waiting = Callable[[Env], Generator[Request, Any, Signal]]
Step = tuple[bool, Any]  # (whether it is a generator, the function)


def sequence(steps: tuple[Step, ...]) -> Step:
    """The steps one after the other, up to the first signal."""
    if any(generator for generator, _ in steps):
        return True, _waiting_block(steps)
    return False, _plain_block(tuple(f for _, f in steps))


def lifted(step: Step) -> Waiting:
    """A step as a generator function, even when it never waits."""
    generator, function = step
    return function if generator else _waiting_block((step,))


def counters(env: Env, numbers: range, s: n.For) -> Any:
    """The counters as the loop variable's type holds them, reporting when it cannot hold them all."""
    t = s.type
    if not numbers or not isinstance(t, IntType):
        return numbers
    if all(t.lo <= edge <= t.hi for edge in (numbers[0], numbers[-1])):
        return numbers
    edge = numbers[-1] if t.lo <= numbers[0] <= t.hi else numbers[0]
    note_wrap(env, s.span, "loop counter", edge, t)
    return map(t.wrap, numbers)


def _plain_block(steps: tuple[Plain, ...]) -> Plain:
    if len(steps) == 1:
        return steps[0]

    def run(env: Env) -> Signal:
        for step in steps:
            signal = step(env)
            if signal is not None:
                return signal
        return None

    return run


def _waiting_block(steps: tuple[Step, ...]) -> Waiting:
    def run(env: Env) -> Generator[Request, Any, Signal]:
        for generator, step in steps:
            signal = (yield from step(env)) if generator else step(env)
            if signal is not None:
                return signal
        return None

    return run


def counted(
    counters: Callable[[Env], Any], target: int, body: Any, generator: bool, cost: int, span: Span
) -> Step:
    def plain(env: Env) -> Signal:
        thread = env[0]
        for i in counters(env):
            charge(thread, cost, span)
            env[target] = i
            signal = body(env)
            if signal is not None and signal is not CONTINUE:
                return None if signal is BREAK else signal
        return None

    def waiting(env: Env) -> Generator[Request, Any, Signal]:
        thread = env[0]
        for i in counters(env):
            charge(thread, cost, span)
            env[target] = i
            signal = yield from body(env)
            if signal is not None and signal is not CONTINUE:
                return None if signal is BREAK else signal
        return None

    return generator, waiting if generator else plain


def plain_while(before: Plain, more: Callable[[Env], bool], body: Plain) -> Plain:
    def run(env: Env) -> Signal:
        while True:
            signal = before(env)
            if signal is not None:
                return None if signal is BREAK else signal
            if not more(env):
                return None
            signal = body(env)
            if signal is not None and signal is not CONTINUE:
                return None if signal is BREAK else signal

    return run


def waiting_while(before: Waiting, more: Callable[[Env], bool], body: Waiting) -> Waiting:
    def run(env: Env) -> Generator[Request, Any, Signal]:
        while True:
            signal = yield from before(env)
            if signal is not None:
                return None if signal is BREAK else signal
            if not more(env):
                return None
            signal = yield from body(env)
            if signal is not None and signal is not CONTINUE:
                return None if signal is BREAK else signal

    return run
