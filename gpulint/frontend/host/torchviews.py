"""Tensor methods that arrange the same elements in another way: views, and copies where one is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from gpulint.frontend.host.arrays import of_shape
from gpulint.frontend.host.layout import is_contiguous, settled, stride, strides_of
from gpulint.frontend.host.machine import Machine
from gpulint.frontend.host.state import State
from gpulint.frontend.host.tensors import values_of
from gpulint.frontend.host.values import (
    NONE,
    Arr,
    Const,
    DType,
    Num,
    Seq,
    ShapeOf,
    Value,
    as_array,
    as_int,
    maybe_copy,
    view,
)
from gpulint.term import ONE, ZERO, Int, cdiv, const, eq, floordiv, minimum, mod, mul, select, sub

Args = Sequence[Value]
Keywords = Mapping[str, Value]
MAX_PARTS = 8


def _loose(m: Machine, a: Arr, text: str) -> Arr:
    """A view of which neither shape nor layout is known."""
    return view(a, None, m.opaque(text, "is a view of unknown shape").name, whole=True)


def _of(a: Arr, text: str, shape: Sequence[Int], strides: Sequence[Int] | None, whole: bool = True) -> Arr:
    """A view of the same buffer with a known shape; strides None: symbols named after the text."""
    lie = None if strides is None else tuple(strides)
    made = view(a, tuple(shape), text, whole)
    return replace(made, strides=lie, values=values_of(a) if whole else text, injective=a.injective,
                   sorted=a.sorted if whole else None, dense=a.dense and whole)  # fmt: skip


def contiguous(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    """The tensor itself when it is row-major, else a copy: unknown which, nothing is known of the overlap."""
    if is_contiguous(s.facts, a):
        return replace(a, contiguous=True)
    buffer = m.namer.unique(f"{a.name}.contiguous()@")
    return maybe_copy(a, buffer, shape_of=a.shape_of or a.name, contiguous=True, whole=True, strides=None,
                      dense=True, initialised=s.touched.get(a.buffer, a.initialised))  # fmt: skip


def reshape(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    """`reshape` may copy; the layout of what comes out is known for row-major tensors only."""
    made = viewed(m, s, a, args, kw, text)
    if is_contiguous(s.facts, a) or not isinstance(made, Arr):
        return made
    return maybe_copy(made, m.namer.unique(f"{text}@"), strides=None)


def viewed(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    """`view`: the same buffer; a view of another type has other elements."""
    parts = args[0].items if len(args) == 1 and isinstance(args[0], Seq) else tuple(args)
    if len(args) == 1 and isinstance(args[0], (DType, Const)):
        return a if isinstance(args[0], DType) and a.dtype == args[0].name else _loose(m, a, text)
    row_major = is_contiguous(s.facts, a)
    if len(args) == 1 and isinstance(args[0], ShapeOf) and args[0].whole:
        of = args[0].array.shape_of or args[0].array.name
        return replace(_of(a, text, (), None), shape=None, shape_of=of, layout=text,
                       contiguous=row_major or None,
                       dense=a.dense or row_major)  # fmt: skip
    if len(args) == 1 and isinstance(args[0], ShapeOf):
        made = of_shape(m, s, args[0], text, a.dtype, True)
        assert isinstance(made, Arr)
        return replace(made, buffer=a.buffer, fresh=a.fresh, contiguous=row_major or None, layout=text)
    terms = [as_int(p) for p in parts]
    known = [t for t in terms if t is not None]
    if not terms or len(known) != len(terms):
        return _loose(m, a, text)
    shape = _inferred(s, a, known)
    if row_major:
        return replace(_of(a, text, shape, None), contiguous=True, dense=True)
    return _of(a, text, shape, _kept(s, a, shape))


def _inferred(s: State, a: Arr, terms: list[Int]) -> tuple[Int, ...]:
    """The shape with `-1` replaced by what is left of the size."""
    if not any(t.value == -1 for t in terms):
        return tuple(terms)
    own = list(a.shape) if a.shape is not None else []
    rest = [t for t in terms if t.value != -1]
    left = ONE
    for t in rest:
        if t in own:
            own.remove(t)
        else:
            left = mul(left, t)
    if a.shape is None:
        return tuple(_rows(s, a, rest) if t.value == -1 else t for t in terms)
    total = ONE
    for t in own:
        total = mul(total, t)
    if left != ONE:
        s.assume(eq(mod(total, left), 0))
    return tuple((floordiv(total, left) if left != ONE else total) if t.value == -1 else t for t in terms)


def _rows(s: State, a: Arr, rest: list[Int]) -> Int:
    """What is left of the size; the other extents divide it."""
    if rest == [a.extent(-1)]:
        return ShapeOf(a, 0, 1).numel
    left = ONE
    for t in rest:
        left = mul(left, t)
    if left != ONE:
        s.assume(eq(mod(a.size, left), 0))
    return floordiv(a.size, left)


def _kept(s: State, a: Arr, shape: tuple[Int, ...]) -> tuple[Int, ...] | None:
    """The strides of a view that only joins leading axes of a tensor of unknown layout."""
    last = stride(s.facts, a, -1)
    if len(shape) != 2 or last is None or shape[-1] != a.extent(-1):
        return None
    before = stride(s.facts, a, -2)
    return None if before is None else (before, last)


def flatten(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    """All axes, or those from `start` to `end`, as one."""
    start, end = (
        _axis(kw.get("start_dim", args[0] if args else Num(ZERO))),
        _axis(kw.get("end_dim", args[1] if len(args) > 1 else Num(const(-1)))),
    )
    if (start, end) == (0, -1):
        return reshape(m, s, a, (Num(a.size),), {}, text)
    if a.shape is None or start is None or end is None:
        return _loose(m, a, text)
    rank = len(a.shape)
    start, end = start % rank, end % rank
    joined = ONE
    for n in a.shape[start : end + 1]:
        joined = mul(joined, n)
    shape = (*a.shape[:start], joined, *a.shape[end + 1 :])
    return reshape(m, s, a, tuple(Num(t) for t in shape), {}, text)


def _axis(v: Value | None) -> int | None:
    term = as_int(v)
    return None if term is None else term.value


def transpose(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    i = _axis(kw.get("dim0", args[0] if args else None))
    j = _axis(kw.get("dim1", args[1] if len(args) > 1 else None))
    strides = strides_of(s.facts, a)
    if a.shape is None and i is not None and j is not None and 0 <= i < 8 and 0 <= j < 8:
        return _exchanged(m, s, a, i, j, text)
    if a.shape is None or strides is None or i is None or j is None or not _fit(a, i, j):
        return _loose(m, a, text)
    order = list(range(len(a.shape)))
    order[i], order[j] = order[j], order[i]
    return _permuted(s, a, order, strides, text)


def _exchanged(m: Machine, s: State, a: Arr, i: int, j: int, text: str) -> Arr:
    """Two axes of a tensor of unknown rank exchanged."""
    made = view(a, None, m.unknown(text, "").name, whole=True)
    s.assume(eq(made.ndim, a.ndim))
    s.assume(eq(made.size, a.size))
    for axis in range(max(4, i + 1, j + 1)):
        other = j if axis == i else i if axis == j else axis
        s.assume(eq(made.extent(axis), a.extent(other)))
    return replace(
        made, dense=a.dense or is_contiguous(s.facts, a), injective=a.injective, low=a.low, high=a.high
    )


def _fit(a: Arr, *axes: int) -> bool:
    rank = len(a.shape or ())
    return all(-rank <= k < rank for k in axes)


def _permuted(s: State, a: Arr, order: Sequence[int], strides: tuple[Int, ...], text: str) -> Arr:
    assert a.shape is not None
    made = _of(a, text, [a.shape[k] for k in order], [strides[k] for k in order])
    return replace(made, dense=a.dense or is_contiguous(s.facts, a))


def permute(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    given = args[0] if len(args) == 1 else Seq(tuple(args))
    items = [_axis(v) for v in given.items] if isinstance(given, Seq) else []
    order = [k % max(len(items), 1) for k in items if k is not None]
    if a.shape is None and sorted(order) == list(range(1 + max(order, default=0))):
        s.assume(eq(a.ndim, len(order)))
        a = settled(s.facts, a)
    strides = strides_of(s.facts, a)
    if a.shape is None or strides is None or sorted(order) != list(range(len(a.shape))):
        return _loose(m, a, text)
    return _permuted(s, a, order, strides, text)


def turned(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    """`x.t()`, `x.T`, `x.mT`: of two axes unless the rank is known."""
    if a.shape is None:
        s.assume(eq(a.ndim, 2))
        a = settled(s.facts, a)
    strides = strides_of(s.facts, a)
    if a.shape is None or strides is None:
        return _loose(m, a, text)
    order = list(range(len(a.shape)))
    order = [*order[:-2], *reversed(order[-2:])] if text.endswith(("mT", "mH")) else order[::-1]
    return _permuted(s, a, order, strides, text) if len(a.shape) > 1 else a


def unsqueeze(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    k = _axis(kw.get("dim", args[0] if args else None))
    strides = strides_of(s.facts, a)
    if a.shape is None or strides is None or k is None or not -len(a.shape) - 1 <= k <= len(a.shape):
        return _loose(m, a, text)
    k %= len(a.shape) + 1
    step = mul(a.shape[k], strides[k]) if k < len(a.shape) else ONE
    made = _of(a, text, (*a.shape[:k], ONE, *a.shape[k:]), (*strides[:k], step, *strides[k:]))
    return replace(made, contiguous=True) if is_contiguous(s.facts, a) else made


def squeeze(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    """Only where each extent is a number, or the axis named has the extent 1."""
    k = _axis(kw.get("dim", args[0] if args else None))
    strides = strides_of(s.facts, a)
    if a.shape is None or strides is None or (args and (k is None or not _fit(a, k))):
        return _loose(m, a, text)
    if k is not None and a.shape[k].value is None:
        return _loose(m, a, text)
    if k is None and any(n.value is None for n in a.shape):
        return _loose(m, a, text)
    drop = {k % len(a.shape)} if k is not None else set(range(len(a.shape)))
    kept = [i for i, n in enumerate(a.shape) if i not in drop or n.value != 1]
    made = _of(a, text, [a.shape[i] for i in kept], [strides[i] for i in kept])
    return replace(made, contiguous=True) if is_contiguous(s.facts, a) else made


def expand(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    """Axes of one element are repeated with the stride 0."""
    given = args[0] if len(args) == 1 else Seq(tuple(args))
    if isinstance(given, Arr):
        given = Seq(tuple(Num(n) for n in given.shape)) if given.shape is not None else NONE
    terms = [as_int(v) for v in given.items] if isinstance(given, Seq) else []
    strides = strides_of(s.facts, a)
    if a.shape is None or strides is None or not terms or None in terms or len(terms) < len(a.shape):
        return _loose(m, a, text)
    wanted = [t for t in terms if t is not None]
    lead = len(wanted) - len(a.shape)
    shape, steps = wanted[:lead], [ZERO] * lead
    for n, step, want in zip(a.shape, strides, wanted[lead:], strict=True):
        same = want.value == -1 or want == n
        shape.append(n if same else want)
        steps.append(step if same else ZERO if n.value == 1 else select(eq(n, 1), 0, step))
    return replace(_of(a, text, shape, steps), dense=False)


def narrow(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    axis = _axis(kw.get("dim", args[0] if args else None))
    length = as_int(kw.get("length", args[2] if len(args) > 2 else None))
    strides = strides_of(s.facts, a)
    if a.shape is None or strides is None or axis is None or length is None or not _fit(a, axis):
        return _loose(m, a, text)
    return _cut(s, a, axis, length, strides, text)


def _cut(s: State, a: Arr, axis: int, length: Int, strides: tuple[Int, ...], text: str) -> Arr:
    """A part of one axis."""
    assert a.shape is not None
    axis %= len(a.shape)
    shape = (*a.shape[:axis], length, *a.shape[axis + 1 :])
    made = _of(a, text, shape, strides, whole=length == a.shape[axis])
    row_major = axis == 0 and is_contiguous(s.facts, a)
    return replace(made, contiguous=True, strides=None) if row_major else made


def chosen(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    """`x.select(dim, index)`."""
    axis = _axis(kw.get("dim", args[0] if args else None))
    strides = strides_of(s.facts, a)
    if a.shape is None or strides is None or axis is None or not _fit(a, axis) or len(a.shape) < 2:
        return _loose(m, a, text)
    return without(s, a, axis, text)


def without(s: State, a: Arr, axis: int, text: str) -> Arr:
    """One entry along an axis."""
    strides = strides_of(s.facts, a)
    assert a.shape is not None and strides is not None
    axis %= len(a.shape)
    made = _of(
        a, text, (*a.shape[:axis], *a.shape[axis + 1 :]), (*strides[:axis], *strides[axis + 1 :]), False
    )
    row_major = axis == 0 and is_contiguous(s.facts, a)
    return replace(made, contiguous=True, strides=None) if row_major else made


def parts(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    """`chunk(n, dim)`: a few parts of equal length, the last one shorter."""
    count = _axis(kw.get("chunks", args[0] if args else None))
    axis = _axis(kw.get("dim", args[1] if len(args) > 1 else Num(ZERO)))
    strides = strides_of(s.facts, a)
    if (
        a.shape is None
        or strides is None
        or axis is None
        or not _fit(a, axis)
        or not count
        or not 0 < count <= MAX_PARTS
    ):
        return m.opaque(text)
    extent = a.shape[axis]
    size = floordiv(extent, count) if _divides(extent, count) else cdiv(extent, count)
    out: list[Value] = []
    for k in range(count):
        rest = sub(extent, mul(size, k))
        length = size if _divides(extent, count) or k < count - 1 else minimum(size, rest)
        out.append(_cut(s, a, axis, length, strides, f"{text}[{k}]"))
    return Seq(tuple(out))


def _divides(extent: Int, count: int) -> bool:
    return all(c % count == 0 for _, c in extent.terms)


def split(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    """`split([n, m], dim)`; equal parts only when their number is known."""
    sizes = kw.get("split_size_or_sections", kw.get("split_size", args[0] if args else None))
    axis = _axis(kw.get("dim", args[1] if len(args) > 1 else Num(ZERO)))
    strides = strides_of(s.facts, a)
    if a.shape is None or strides is None or axis is None or not _fit(a, axis) or isinstance(sizes, Const):
        return m.opaque(text)
    if isinstance(sizes, Seq):
        lengths = [as_int(v) for v in sizes.items]
    else:
        step, extent = as_int(sizes), a.shape[axis]
        count = _quotient(extent, step)
        lengths = [step] * count if step is not None and 0 < count <= MAX_PARTS else [None]
    if any(n is None for n in lengths):
        return m.opaque(text)
    return Seq(
        tuple(_cut(s, a, axis, n, strides, f"{text}[{k}]") for k, n in enumerate(lengths) if n is not None)
    )


def _quotient(extent: Int, step: Int | None) -> int:
    """How many times a step makes up an extent, when that is a number."""
    if step is None or step.value == 0:
        return 0
    if extent.value is not None and step.value is not None:
        return -(-extent.value // step.value)
    return next((k for k in range(1, MAX_PARTS + 1) if mul(step, k) == extent), 0)


def unbind(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    axis = _axis(kw.get("dim", args[0] if args else Num(ZERO)))
    count = a.shape[axis].value if a.shape is not None and axis is not None and _fit(a, axis) else None
    if axis is None or count is None or not 0 < count <= MAX_PARTS or len(a.shape or ()) < 2:
        return m.opaque(text)
    return Seq(tuple(without(s, a, axis, f"{text}[{k}]") for k in range(count)))


def same(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    return a


def view_as(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    """`view_as`, `reshape_as`: another tensor's shape."""
    other = as_array(args[0]) if args else None
    if other is None:
        return _loose(m, a, text)
    shape: Value = Seq(tuple(Num(n) for n in other.shape)) if other.shape is not None else ShapeOf(other)
    return viewed(m, s, a, (shape,), {}, text)


def as_strided(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    size, steps = (args[0], args[1]) if len(args) > 1 else (kw.get("size"), kw.get("stride"))
    shape, strides = ([as_int(x) for x in v.items] if isinstance(v, Seq) else [None] for v in (size, steps))
    known = [(n, step) for n, step in zip(shape, strides, strict=False) if n is not None and step is not None]
    if len(known) != len(shape) or len(shape) != len(strides):
        return _loose(m, a, text)
    return _of(a, text, [n for n, _ in known], [step for _, step in known], False)


Handler = Callable[[Machine, State, Arr, Args, Keywords, str], Value]
VIEWS: dict[str, Handler] = {
    "contiguous": contiguous, "view": viewed, "reshape": reshape, "view_as": view_as, "reshape_as": view_as,
    "flatten": flatten, "ravel": flatten, "transpose": transpose, "swapaxes": transpose,
    "swapdims": transpose, "permute": permute, "t": turned, "unsqueeze": unsqueeze, "squeeze": squeeze,
    "expand": expand, "expand_as": expand, "broadcast_to": expand, "narrow": narrow, "select": chosen,
    "chunk": parts, "split": split, "unbind": unbind, "detach": same, "requires_grad_": same,
    "as_strided": as_strided, "pin_memory": same, "alias": same,
}  # fmt: skip
