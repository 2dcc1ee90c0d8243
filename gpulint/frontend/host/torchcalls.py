"""Functions of PyTorch and Triton that host code calls, by dotted name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from gpulint.frontend.host import torchmethods
from gpulint.frontend.host.arrays import create, dtype_value, literal, of_shape
from gpulint.frontend.host.layout import settled
from gpulint.frontend.host.machine import Machine
from gpulint.frontend.host.operators import power_of_two
from gpulint.frontend.host.state import State
from gpulint.frontend.host.values import (
    Arr,
    Cond,
    Every,
    Num,
    Seq,
    Unknown,
    Value,
    as_array,
    as_int,
)
from gpulint.term import ZERO, Int, add, bool_sym, cdiv, const, eq, fn, ge, implies, le, mul, sub

Args = Sequence[Value]
Keywords = Mapping[str, Value]
FREE = (
    "torch.cuda.", "triton.runtime.", "triton.backends.", "torch.backends.", "torch.distributed.",
    "torch.version.", "torch.xpu.", "triton.testing.",
)  # fmt: skip
NUMBERS = frozenset(
    {
        "torch.finfo", "torch.iinfo", "torch.get_default_dtype", "torch.is_grad_enabled", "torch.seed",
        "torch.initial_seed", "torch.is_autocast_enabled", "torch.get_autocast_gpu_dtype", "torch.device",
        "torch.is_tensor",
    }
)  # fmt: skip
PASSING = frozenset(
    {
        "torch.nn.Parameter",
        "torch.nn.parameter.Parameter",
        "torch.as_tensor",
        "torch.from_dlpack",
        "torch.autograd.Variable",
    }
)


def call(m: Machine, s: State, path: str, args: Args, kw: Keywords, text: str) -> Value | None:
    """The value of a call of the dotted function; None when it is none of these."""
    root, _, name = path.partition(".")
    if root == "triton":
        return _triton(m, s, path.rpartition(".")[2], args, text) or _free(m, path, text)
    if root != "torch":
        return None
    if path in PASSING and args:
        return args[0]
    handler = TORCH.get(name.rpartition(".")[2]) if not name.startswith(("cuda.", "distributed.")) else None
    made = handler(m, s, args, kw, text) if handler is not None else None
    if made is not None:
        return made
    owner = args[0] if args else kw.get("input")
    if owner is not None and name in torchmethods.NAMES and isinstance(owner, (Arr, Unknown)):
        made = torchmethods.method(
            m, s, owner, name, args[1:], {k: v for k, v in kw.items() if k != "input"}, text
        )
    return made if made is not None else _free(m, path, text)


def _free(m: Machine, path: str, text: str) -> Value | None:
    """What the machine says of itself: an input like any other."""
    return m.unknown(text, "") if path.startswith(FREE) or path in NUMBERS else None


def _triton(m: Machine, s: State, name: str, args: Args, text: str) -> Value | None:
    terms = [as_int(a) for a in args]
    if name == "cdiv" and len(terms) == 2 and terms[0] is not None and terms[1] is not None:
        return Num(cdiv(terms[0], terms[1]))
    if name == "next_power_of_2" and len(terms) == 1 and terms[0] is not None:
        return Num(next_power_of_2(s, terms[0]))
    return None


def next_power_of_2(s: State, n: Int) -> Int:
    """The least power of two that is not below `n`, with what is known of it."""
    if n.value is not None:
        return const(1 << (n.value - 1).bit_length() if n.value > 0 else 0)
    out = fn("next_power_of_2", n, lo=0)
    s.assume(ge(out, n))
    s.assume(implies(ge(n, 1), le(out, sub(mul(n, 2), 1))))
    s.assume(implies(ge(n, 1), power_of_two(out)))
    return out


# --- tensors


def _empty_strided(m: Machine, s: State, args: Args, kw: Keywords, text: str) -> Value | None:
    size, steps = (
        kw.get("size", args[0] if args else None),
        kw.get("stride", args[1] if len(args) > 1 else None),
    )
    made = of_shape(m, s, size, text, dtype_value(kw.get("dtype")), False) if size is not None else None
    strides = [as_int(v) for v in steps.items] if isinstance(steps, Seq) else [None]
    known = tuple(t for t in strides if t is not None)
    if not isinstance(made, Arr) or made.shape is None or len(known) != len(made.shape):
        return None
    return replace(made, contiguous=None, strides=known)


def _randperm(m: Machine, s: State, args: Args, kw: Keywords, text: str) -> Value | None:
    n = as_int(args[0]) if args else None
    made = (
        of_shape(m, s, args[0], text, dtype_value(kw.get("dtype")) or "int64", True)
        if n is not None
        else None
    )
    if n is None or not isinstance(made, Arr):
        return None
    return replace(made, injective=True, low=ZERO, high=sub(n, 1))


def _pad(m: Machine, s: State, args: Args, kw: Keywords, text: str) -> Value | None:
    """`F.pad(x, (left, right))` of the last axis; a zero before running sums keeps them sorted."""
    a = as_array(args[0]) if args else None
    pad = kw.get("pad", args[1] if len(args) > 1 else None)
    value = kw.get("value", args[3] if len(args) > 3 else Num(ZERO))
    parts = [as_int(v) for v in pad.items] if isinstance(pad, Seq) else []
    if a is None or len(parts) != 2 or parts[0] is None or parts[1] is None:
        return None
    a = settled(s.facts, a)
    kept = a.sorted if parts[1] == ZERO and as_int(value) == ZERO else None
    if a.shape is None:
        name = m.unknown(text, "").name
        buffer = m.namer.unique(f"{text}@")
        padded = Arr(name, None, buffer, name, True, True, True, True, a.dtype, sorted=kept)
        s.assume(eq(padded.ndim, a.ndim))
        s.assume(eq(padded.extent(-1), add(a.extent(-1), parts[0], parts[1])))
        return padded
    shape = Seq((*(Num(n) for n in a.shape[:-1]), Num(add(a.shape[-1], parts[0], parts[1]))))
    made = of_shape(m, s, shape, text, a.dtype, True)
    return replace(made, sorted=kept) if isinstance(made, Arr) else made


def _stack(m: Machine, s: State, args: Args, kw: Keywords, text: str) -> Value | None:
    parts, axis = _listed(s, args, kw)
    first = parts[0] if parts else None
    if first is None or first.shape is None or axis is None or not -1 <= axis <= len(first.shape):
        return None
    k = axis % (len(first.shape) + 1)
    shape = (*first.shape[:k], const(len(parts)), *first.shape[k:])
    return of_shape(m, s, Seq(tuple(Num(n) for n in shape)), text, first.dtype, True)


def _cat(m: Machine, s: State, args: Args, kw: Keywords, text: str) -> Value | None:
    parts, axis = _listed(s, args, kw)
    shapes = [a.shape for a in parts]
    first = shapes[0] if shapes else None
    if (
        not first
        or axis is None
        or any(n is None or len(n) != len(first) for n in shapes)
        or not -len(first) <= axis < len(first)
    ):
        return None
    k = axis % len(first)
    total = add(*(n[k] for n in shapes if n is not None))
    shape = (*first[:k], total, *first[k + 1 :])
    return of_shape(m, s, Seq(tuple(Num(n) for n in shape)), text, parts[0].dtype, True)


def _listed(s: State, args: Args, kw: Keywords) -> tuple[list[Arr], int | None]:
    """The tensors of a list, and the axis that is named besides."""
    axis = as_int(kw.get("dim", args[1] if len(args) > 1 else Num(ZERO)))
    items = args[0].items if args and isinstance(args[0], Seq) else ()
    arrays = [a for v in items if (a := as_array(v)) is not None]
    known = [settled(s.facts, a) for a in arrays] if len(arrays) == len(items) else []
    return known, axis.value if axis is not None else None


def _all(m: Machine, s: State, args: Args, kw: Keywords, text: str) -> Value | None:
    return Cond(args[0].term) if args and isinstance(args[0], Every) else None


def _equal(m: Machine, s: State, args: Args, kw: Keywords, text: str) -> Value | None:
    return Cond(bool_sym(m.namer.unique(text)))


def _arange(m: Machine, s: State, args: Args, kw: Keywords, text: str) -> Value | None:
    made = create(m, s, "torch.arange", args, kw, text)
    stop = as_int(args[0]) if len(args) == 1 else None
    if not isinstance(made, Arr):
        return made
    made = replace(made, injective=True, sorted=True) if len(args) < 3 and "step" not in kw else made
    return replace(made, low=ZERO, high=sub(stop, 1)) if stop is not None else made


def _zeros(m: Machine, s: State, args: Args, kw: Keywords, text: str) -> Value | None:
    made = create(m, s, "torch.zeros", args, kw, text)
    return replace(made, low=ZERO, high=ZERO) if isinstance(made, Arr) else made


def _randint(m: Machine, s: State, args: Args, kw: Keywords, text: str) -> Value | None:
    """`torch.randint(low, high, size)`: the bounds of the elements are in view, and two may be equal."""
    bounds = [as_int(v) for v in args if not isinstance(v, Seq)]
    low, high = kw.get("low"), kw.get("high")
    terms = [t for t in (*bounds, as_int(low), as_int(high)) if t is not None]
    size = kw.get("size", next((v for v in args if isinstance(v, Seq)), None))
    if size is None or not 1 <= len(terms) <= 2:
        return None
    made = of_shape(m, s, size, text, dtype_value(kw.get("dtype")) or "int64", True)
    first = terms[0] if len(terms) == 2 else ZERO
    if not isinstance(made, Arr):
        return made
    return replace(made, low=first, high=sub(terms[-1], 1), injective=False)


def _tensor(m: Machine, s: State, args: Args, kw: Keywords, text: str) -> Value | None:
    """`torch.tensor([...])` of integers: the bounds of its elements are in view."""
    made = literal(m, s, args, kw, text)
    items = args[0].items if args and isinstance(args[0], Seq) else ()
    numbers = [n.value for v in items if (n := as_int(v)) is not None and n.value is not None]
    if not isinstance(made, Arr) or not numbers or len(numbers) != len(items):
        return made
    return replace(
        made, low=const(min(numbers)), high=const(max(numbers)), injective=len(set(numbers)) == len(numbers),
        sorted=numbers == sorted(numbers),
    )  # fmt: skip


Handler = Callable[[Machine, State, Args, Keywords, str], "Value | None"]
TORCH: dict[str, Handler] = {
    "empty_strided": _empty_strided, "randperm": _randperm, "pad": _pad, "stack": _stack, "cat": _cat,
    "concat": _cat, "concatenate": _cat, "all": _all, "equal": _equal, "allclose": _equal, "tensor": _tensor,
    "arange": _arange, "zeros": _zeros, "randint": _randint,
}  # fmt: skip
