"""What the backward of an autograd function has of its forward: saved tensors, attributes of ctx, gradients.

PyTorch runs `backward` with the ctx that `forward` left: `ctx.saved_tensors` are the tensors that were given
to `ctx.save_for_backward`, `ctx.n` is what was stored there, and the gradient of an output has the output's
shape and type (the engine checks it), with strides of its own. So the forward is run first, with its
parameters free and its launches unrecorded, and what holds where it returns holds in the backward. Sizes and
layouts last; elements may have been written in between, so nothing is said of them, and memory that the
forward allocated is in other hands by then. Hooks that pack saved tensors are taken to give back what they
were given, layout included, as PyTorch asks of them for values and sizes.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from gpulint.frontend.host import tensorparams
from gpulint.frontend.host.elements import rewritten
from gpulint.frontend.host.follow import joined
from gpulint.frontend.host.machine import Frame, Machine
from gpulint.frontend.host.objects import class_attribute, line
from gpulint.frontend.host.state import State
from gpulint.frontend.host.values import NONE, Arr, Class, Function, Map, Method, Seq, Unknown, Value

SAVE, SAVED = "save_for_backward", "saved_tensors"


def forward_of(m: Machine, function: Function, cls: Class | None) -> Function | None:
    """The forward that belongs to a function which is the backward of an autograd function's class."""
    if cls is None or getattr(function.node, "name", "") != "backward" or not _differentiates(m, cls):
        return None
    found = class_attribute(m, cls, "forward")
    return found if isinstance(found, Function) and isinstance(found.node, ast.FunctionDef) else None


def _differentiates(m: Machine, cls: Class) -> bool:
    """Whether the class, or a base of it in readable source, derives from `torch.autograd.Function`."""
    for owner in line(m, cls):
        scope = owner.module.scopes.get(owner.node)
        around = scope.parent if scope is not None else None
        if around is not None and any(
            m.project.dotted(base, around) == "torch.autograd.Function" for base in owner.node.bases
        ):
            return True
    return False


def remember(m: Machine, s: State, backward: Function, forward: Function, env: dict[str, Value]) -> None:
    """Gives a backward's state what the forward left; `env` are the forward's parameters, free.

    Nothing is given where the forward takes more steps than one function may, or never returns.
    """
    names, own = _positional(backward), _positional(forward)
    context = s.env.get(names[0]) if names else None
    if not own or not isinstance(context, Unknown):
        return
    before = State(env={**env, own[0]: context})
    tensorparams.learn(m, before, forward)
    returns = _run(m, before, forward)
    if not returns or m.exhausted:
        m.steps = 0
        return
    m.steps = 0
    result = joined(m, before, returns, "forward")
    s.heap.update({k: _later(m, v) for k, v in before.heap.items() if k.startswith(f"{context.name}.")})
    for fact in before.facts:
        s.assume(fact)
    outputs = result.items if isinstance(result, Seq) else (result,)
    for name, out in zip(names[1:], outputs, strict=False):
        if isinstance(out, Arr) and isinstance(s.env.get(name), Unknown):
            s.env[name] = _gradient(s.env[name], out)


def _positional(f: Function) -> list[str]:
    return [a.arg for a in (*f.node.args.posonlyargs, *f.node.args.args)]


def _run(m: Machine, s: State, forward: Function) -> list[tuple[State, Value]]:
    """The ways in which the forward returns; neither its launches nor the calls in it count as followed."""
    assert isinstance(forward.node, ast.FunctionDef)
    recording, inlined, frames = m.recording, set(m.inlined), m.frames
    m.recording, m.frames = False, [Frame(forward)]
    try:
        end = m.execute(m, s, forward.node.body)
        returns = m.frames[0].returns
    finally:
        m.recording, m.inlined, m.frames = recording, inlined, frames
    return [*returns, (end, NONE)] if end is not None else returns


def _later(m: Machine, v: Value) -> Value:
    """A value of the forward as the backward finds it."""
    if isinstance(v, Seq):
        return Seq(tuple(_later(m, x) for x in v.items))
    if isinstance(v, Map):
        return Map(tuple((k, _later(m, x)) for k, x in v.items))
    return replace(rewritten(m, v), fresh=False, initialised=None) if isinstance(v, Arr) else v


def _gradient(given: Value, out: Arr) -> Arr:
    """A gradient: of the output's shape and type, in memory and with strides of its own."""
    assert isinstance(given, Unknown)
    shape_of = out.shape_of or out.name if out.shape is None else given.name
    return Arr(given.name, out.shape, given.name, shape_of, dtype=out.dtype, layout=given.name)


def save(s: State, func: Value, args: list[Value], node: ast.Call) -> bool:
    """Notes the tensors of `ctx.save_for_backward(...)` in the state; False for any other call."""
    owner = func.owner if isinstance(func, Method) and func.name == SAVE else None
    if not isinstance(owner, Unknown) or node.keywords:
        return False
    if len(args) != len(node.args) or any(isinstance(a, ast.Starred) for a in node.args):
        return False
    s.heap[f"{owner.name}.{SAVED}"] = Seq(tuple(args))
    return True
