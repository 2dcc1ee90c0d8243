"""Methods of tensors: questions about shape and layout, copies, reductions, writes in place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from gpulint.frontend.host.arrays import copy, dtype_value, of_shape
from gpulint.frontend.host.broadcast import elementwise
from gpulint.frontend.host.dtypes import ITEM_SIZES
from gpulint.frontend.host.elements import changed, rewritten, touch, unsaid
from gpulint.frontend.host.layout import (
    contiguous_literal,
    gapless,
    is_contiguous,
    settled,
    stride,
    strides_of,
)
from gpulint.frontend.host.machine import Machine
from gpulint.frontend.host.state import State
from gpulint.frontend.host.tensors import bound, distinct, sorted_literal, values_of
from gpulint.frontend.host.torchviews import VIEWS
from gpulint.frontend.host.values import (
    Arr,
    Cond,
    Dotted,
    DType,
    Every,
    Num,
    Seq,
    ShapeOf,
    Unknown,
    Value,
    as_array,
    as_int,
)
from gpulint.term import ONE, TRUE, ZERO, add, const, eq, ge, sub

Args = Sequence[Value]
Keywords = Mapping[str, Value]
CASTS = {
    "float": "float32", "half": "float16", "bfloat16": "bfloat16", "double": "float64", "int": "int32",
    "long": "int64", "short": "int16", "char": "int8", "byte": "uint8", "bool": "bool",
}  # fmt: skip
MOVES = frozenset({"to", "cuda", "cpu", "type", "type_as"})
NEW = {"new_empty": False, "new_zeros": True, "new_ones": True, "new_full": True}
ELEMENTWISE = frozenset(
    {
        "abs", "add", "sub", "mul", "div", "pow", "exp", "log", "sqrt", "rsqrt", "neg", "clamp", "relu",
        "sigmoid", "tanh", "round", "floor", "ceil", "masked_fill", "logical_not", "logical_and",
        "logical_or", "eq", "ne", "lt", "le", "gt", "ge", "square", "sign", "sin", "cos", "softmax",
        "nan_to_num", "isnan", "isinf", "flip", "roll", "clip",
    }
)  # fmt: skip
REDUCTIONS = frozenset(
    {
        "sum", "mean", "prod", "std", "var", "norm", "item", "nonzero", "count_nonzero", "any", "argmax",
        "argmin",
    }
)  # fmt: skip
FILLING = frozenset({"zero_", "fill_", "copy_", "uniform_", "normal_", "random_", "exponential_"})
QUERIES = frozenset(
    {
        "size", "stride", "numel", "nelement", "dim", "ndimension", "element_size", "is_contiguous", "item",
        "tolist", "min", "max", "amin", "amax", "all", "diff", "unique", "argsort", "sort", "cumsum",
        "storage_offset", "data_ptr", "get_device", "is_floating_point", "is_cuda", "clone", "topk",
    }
)  # fmt: skip
NAMES = (
    frozenset(VIEWS) | frozenset(CASTS) | MOVES | frozenset(NEW) | ELEMENTWISE | REDUCTIONS | FILLING
    | QUERIES | {"new_tensor", "new_empty_strided"}
)  # fmt: skip
# methods that only tensors have: a name that they are called on stands for one
TELLING = frozenset(
    {
        "stride", "numel", "nelement", "is_contiguous", "contiguous", "unsqueeze", "new_empty", "new_zeros",
        "permute", "element_size", "data_ptr", "view_as", "expand_as", "new_full", "new_ones", "reshape_as",
        "detach",
    }
)  # fmt: skip


def is_method(name: str) -> bool:
    """Whether a tensor has a method of this name that is understood; all that change it in place count."""
    return name in NAMES or (name.endswith("_") and not name.startswith("_") and not name.endswith("__"))


def method(
    m: Machine, s: State, owner: Value, name: str, args: Args, kw: Keywords, text: str
) -> Value | None:
    """`owner.name(...)` of a tensor; None when it is no method that is understood."""
    a = as_array(owner)
    if a is None:
        return None
    a = settled(s.facts, rewritten(m, a) if changed(s, a) else a)
    if name in VIEWS:
        return VIEWS[name](m, s, a, args, kw, text)
    if name in _QUERIES:
        return _QUERIES[name](m, s, a, args, kw, text)
    if name in CASTS or name in MOVES:
        return _cast(m, s, a, name, args, kw, text)
    if name == "clone":
        return cloned(m, s, a, text, a.dtype)
    if name in NEW:
        return _new(m, s, a, name, args, kw, text)
    if name.endswith("_") and not name.endswith("__"):
        return _in_place(s, a, name)
    if name in ELEMENTWISE:
        return elementwise(m, (a, *args[:1]), text)
    if name in REDUCTIONS:
        return _reduced(m, s, a, args, kw, text)
    return None


def cloned(m: Machine, s: State, a: Arr, text: str, dtype: str) -> Arr:
    """A dense copy: row-major if the source is, else of a layout of its own."""
    made = copy(m, s, a, text, dtype)
    if is_contiguous(s.facts, a):
        return replace(made, contiguous=True, strides=None)
    layout = m.namer.unique(text)
    s.assume(gapless(replace(made, layout=layout)))
    return replace(made, dense=True, contiguous=None, strides=None, layout=layout)


def _cast(m: Machine, s: State, a: Arr, name: str, args: Args, kw: Keywords, text: str) -> Value:
    """Another type or device: the tensor itself if it has those already."""
    dtype = CASTS.get(name) or dtype_value(kw.get("dtype")) or next(
        (d for v in args if (d := dtype_value(v) if isinstance(v, (DType, Dotted)) else "")), ""
    )  # fmt: skip
    if dtype and dtype == a.dtype and name not in ("cuda", "cpu"):
        return a
    made = cloned(m, s, a, text, dtype or a.dtype)
    kept = (
        {"injective": a.injective, "sorted": a.sorted, "values": a.values}
        if dtype in ("", "int32", "int64")
        else {}
    )
    lie = {} if made.contiguous else {"layout": a.layout, "strides": a.strides, "dense": a.dense}
    return replace(made, fresh=False, sharing=a.memories, name=a.name, **{**kept, **lie})  # type: ignore[arg-type]


def _new(m: Machine, s: State, a: Arr, name: str, args: Args, kw: Keywords, text: str) -> Value:
    dtype = dtype_value(kw.get("dtype")) if "dtype" in kw else a.dtype
    given = kw.get("size", args[0] if args else None)
    spread = name != "new_full" and len(args) > 1
    return of_shape(m, s, Seq(tuple(args)) if spread or given is None else given, text, dtype, NEW[name])


def _in_place(s: State, a: Arr, name: str) -> Value:
    touch(s, a)
    known = s.touched.get(a.buffer, a.initialised)
    filled = name in FILLING and a.whole
    s.touched[a.buffer] = True if filled or known is True else None if name in FILLING else known
    return unsaid(a)


def _reduced(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    """A number of all elements, or a new tensor without the axis."""
    axis = as_int(kw.get("dim", kw.get("axis", args[0] if args else None)))
    if not args and "dim" not in kw and "axis" not in kw:
        return m.unknown(text, "")
    k = axis.value if axis is not None else None
    if a.shape is None or k is None or not -len(a.shape) <= k < len(a.shape):
        return replace(_unknown_shape(m, text), fresh=True, initialised=True, contiguous=True, dense=True)
    keep = kw.get("keepdim") == Cond(TRUE)
    k %= len(a.shape)
    shape = (*a.shape[:k], *((ONE,) if keep else ()), *a.shape[k + 1 :])
    return of_shape(m, s, Seq(tuple(Num(n) for n in shape)), text, "", True)


def _unknown_shape(m: Machine, text: str) -> Arr:
    name = m.opaque(text).name
    return Arr(name, None, name, name, layout=name, values=name)


def _size(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value | None:
    given = kw.get("dim", args[0] if args else None)
    if given is None:
        return ShapeOf(a) if a.shape is None else Seq(tuple(Num(n) for n in a.shape))
    axis = as_int(given)
    return Num(a.extent(axis.value)) if axis is not None and axis.value is not None else None


def _stride(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value | None:
    given = kw.get("dim", args[0] if args else None)
    if given is not None:
        axis = as_int(given)
        step = stride(s.facts, a, axis.value) if axis is not None and axis.value is not None else None
        return Num(step) if step is not None else None
    strides = strides_of(s.facts, a)
    return Seq(tuple(Num(t) for t in strides)) if strides is not None else m.unknown(text, "")


def _numel(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    return Num(a.size)


def _dim(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    return Num(a.ndim)


def _element_size(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    known = ITEM_SIZES.get(a.dtype)
    if known is not None:
        return Num(const(known))
    u = Unknown(f"{a.shape_of or a.name}.element_size()", True, "int")
    s.assume(ge(as_int(u) or ONE, 1))
    return u


def _is_contiguous(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    if a.contiguous is not None:
        return Cond(TRUE) if a.contiguous else Cond(eq(ZERO, 1))
    if args or kw:  # another memory format
        return Unknown(text, True, "bool")
    return Cond(contiguous_literal(a))


def _least(which: str) -> _Query:
    def ask(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
        return bound(m, s, a, which, text) if not args and not kw else _reduced(m, s, a, args, kw, text)

    return ask


def _item(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    return m.unknown(text, "")


def _sorting(name: str) -> _Query:
    def give(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
        return ordered(m, s, a, name, text)

    return give


def ordered(m: Machine, s: State, a: Arr, name: str, text: str) -> Value:
    """`argsort`, `sort`: positions along the axis, each once; of a vector they are all different."""
    flat = a.shape is not None and len(a.shape) == 1
    last = a.extent(-1)
    made = replace(cloned(m, s, a, text, "int64"), initialised=True, values=m.namer.unique(text))
    places = replace(made, low=ZERO, high=sub(last, 1), injective=True if flat else None, sorted=None)
    if name == "argsort":
        return places
    values = replace(cloned(m, s, a, text, a.dtype), injective=a.injective, sorted=True if flat else None)
    return Seq((values, places))


def _cumsum(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    return summed(m, s, a, text)


def summed(m: Machine, s: State, a: Arr, text: str) -> Arr:
    """Running sums: never falling, as sums of lengths are."""
    made = cloned(
        m, s, a, text, "int64" if a.dtype.startswith(("int", "uint", "bool")) or not a.dtype else a.dtype
    )
    return replace(made, sorted=True, values=m.namer.unique(text), low=None, high=None, injective=None)


def _unique(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    if kw or args:
        return m.opaque(text)
    count = distinct(a) if not changed(s, a) else as_int(m.unknown(f"{text}.numel()", "", "int")) or ZERO
    made = of_shape(m, s, Num(count), text, a.dtype, True)
    return replace(made, injective=True, sorted=True) if isinstance(made, Arr) else made


def _diff(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    """Neighbours' differences; when none is negative, the tensor is sorted."""
    shape = None if a.shape is None or len(a.shape) != 1 else (sub(a.shape[0], 1),)
    made = Arr(text, shape, m.namer.unique(f"{text}@"), text, True, True, True, True, a.dtype)
    return replace(made, values=f"{values_of(a)}.diff()", dense=True)


def _all(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    return m.unknown(text, "", "bool")


def _free(m: Machine, s: State, a: Arr, args: Args, kw: Keywords, text: str) -> Value:
    return m.unknown(text, "", "int")


_Query = Callable[[Machine, State, Arr, Args, Keywords, str], "Value | None"]
_QUERIES: dict[str, _Query] = {
    "size": _size, "stride": _stride, "numel": _numel, "nelement": _numel, "dim": _dim, "ndimension": _dim,
    "element_size": _element_size, "is_contiguous": _is_contiguous, "item": _item, "tolist": _item,
    "min": _least("min"), "max": _least("max"), "amin": _least("min"), "amax": _least("max"),
    "argsort": _sorting("argsort"), "sort": _sorting("sort"), "cumsum": _cumsum, "unique": _unique,
    "diff": _diff,
    "all": _all, "storage_offset": _free, "data_ptr": _free, "get_device": _free,
}  # fmt: skip


def every(m: Machine, s: State, a: Arr, op: str, other: Value) -> Every | None:
    """`x >= n` for all elements, as a condition on the least or the greatest of them."""
    n = as_int(other)
    if n is None or changed(s, a):
        return None
    if op == "ge" and n == ZERO and a.values.endswith(".diff()"):
        return Every(sorted_literal(replace(a, values=a.values.removesuffix(".diff()"))))
    low, high = (as_int(bound(m, s, a, which, "")) for which in ("min", "max"))
    if low is None or high is None:
        return None
    conditions = {"ge": ge(low, n), "gt": ge(low, add(n, 1)), "le": ge(n, high), "lt": ge(sub(n, 1), high)}
    return Every(conditions[op]) if op in conditions else None
