"""Calls that make arrays: NumPy, CuPy, PyTorch and numba.cuda, by dotted name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gpulint.frontend.host.broadcast import elementwise
from gpulint.frontend.host.dtypes import dtype_code, dtype_of
from gpulint.frontend.host.elements import changed, constant, exposed, full, rewritten, unsaid
from gpulint.frontend.host.layout import gapless, settled
from gpulint.frontend.host.machine import Machine
from gpulint.frontend.host.operators import ceil, ratio
from gpulint.frontend.host.state import State
from gpulint.frontend.host.values import (
    NONE,
    Arr,
    Cond,
    Const,
    Dotted,
    DType,
    Num,
    Ratio,
    Seq,
    ShapeOf,
    Unknown,
    Value,
    as_array,
    as_int,
    maybe_copy,
)
from gpulint.term import FALSE, ZERO, Int, const, eq, ge, maximum, mul, sub

Keywords = Mapping[str, Value]
LIBRARIES = ("numpy", "cupy", "torch")
# name -> whether the elements have values
SHAPED = {"zeros": True, "ones": True, "empty": False, "full": True}
LIKE = {"zeros_like": True, "ones_like": True, "empty_like": False, "full_like": True, "rand_like": True,
        "randn_like": True, "randint_like": True}  # fmt: skip
_NUMBERS = {"zeros": 0, "ones": 1}  # what such arrays hold
WHOLE = ("int32", "int64", "uint32", "uint64")
RANDOM_SPREAD = ("rand", "randn")
RANDOM_SIZED = frozenset(
    {
        "random", "random_sample", "ranf", "sample", "normal", "uniform", "randint", "integers",
        "standard_normal", "choice", "poisson", "exponential", "binomial", "beta", "gamma", "lognormal",
        "random_integers", "permutation",
    }
)  # fmt: skip
SAME = ("asarray", "ascontiguousarray", "asfortranarray", "require", "asanyarray")
ELEMENTWISE = frozenset(
    {
        "abs", "absolute", "sqrt", "exp", "log", "log2", "log10", "sin", "cos", "tan", "tanh", "square",
        "negative", "real", "imag", "conj", "angle", "floor", "rint", "isnan", "isfinite", "sort",
        "cumsum", "round", "around", "clip", "nan_to_num", "sign", "add", "subtract", "multiply", "divide",
        "power", "maximum", "minimum", "where", "mod", "fmod", "arctan2", "hypot", "float_power", "copy",
        "roll", "flip",
    }
)  # fmt: skip
CUDA_SHAPED = {"device_array": False, "pinned_array": False, "mapped_array": False, "managed_array": False}
INPUTS = frozenset(["load", "loadtxt", "genfromtxt", "fromfile", "frombuffer", "memmap", "fromstring"])
MAX_LITERAL = 4096


def create(m: Machine, s: State, path: str, args: Sequence[Value], kw: Keywords, text: str) -> Value | None:
    """The array that a call of the dotted function gives; None when it is none of these."""
    library, _, name = path.partition(".")
    if library in LIBRARIES:
        return _library(m, s, name, args, kw, text, library == "torch")
    if path.startswith(("numba.cuda.", "numba_cuda.")):
        return _cuda(m, s, path.rpartition(".")[2], args, kw, text)
    return None


def _library(
    m: Machine, s: State, name: str, args: Sequence[Value], kw: Keywords, text: str, torch: bool
) -> Value | None:
    if name in SHAPED:
        made = _shaped(m, s, args, kw, text, SHAPED[name], 2 if name == "full" else 1, torch)
        return constant(made, _NUMBERS[name]) if name in _NUMBERS else full(made, name, args, kw)
    if name in LIKE and args:
        made = like(m, s, args[0], kw, text, LIKE[name])
        number = _NUMBERS.get(name.partition("_")[0])
        return constant(made, number) if number is not None else made
    if name == "arange":
        return _counting(_arange(m, s, args, kw, text), args, kw, torch)
    if name in ("linspace", "logspace", "geomspace"):
        count = kw.get("num", args[2] if len(args) > 2 else Num(const(50)))
        return of_shape(m, s, count, text, dtype_value(kw.get("dtype")) or "float64", True)
    if name in ("array", "tensor"):
        return literal(m, s, args, kw, text)
    if name in ("eye", "identity") and args:
        side = kw.get("M", args[1] if len(args) > 1 else args[0])
        return of_shape(m, s, Seq((args[0], side)), text, dtype_value(kw.get("dtype")) or "float64", True)
    if name in SAME and args:
        return _same(m, s, name, args, kw, text)
    if name == "from_numpy" and args:
        return args[0]
    if name in INPUTS:
        return Unknown(m.unknown(text, "").name, True, "array")
    if name.startswith("random.") or name in ("rand", "randn", "randint"):
        drawn = _random(m, s, name.rpartition(".")[2], args, kw, text)
        return _typed(drawn, kw) if torch and isinstance(drawn, Arr) else drawn
    if name in ("reshape", "ravel", "transpose") and args:
        from gpulint.frontend.host.arraymethods import method

        return method(m, s, args[0], name, args[1:], kw, text)
    if name in ELEMENTWISE and args:
        return _elementwise(m, args, text)
    return None


def _elementwise(m: Machine, args: Sequence[Value], text: str) -> Value | None:
    if name_is_array(args[0]) or any(isinstance(a, Arr) for a in args):
        arrays = tuple(as_array(a) if name_is_array(a) else a for a in args)
        return elementwise(m, tuple(a for a in arrays if a is not None), text)
    return None


def name_is_array(v: Value) -> bool:
    return isinstance(v, Arr) or (isinstance(v, Unknown) and v.kind == "array")


def _cuda(m: Machine, s: State, name: str, args: Sequence[Value], kw: Keywords, text: str) -> Value | None:
    if name in CUDA_SHAPED:
        made = _shaped(m, s, args, kw, text, False, 1)
        return replace(made, device=name == "device_array") if isinstance(made, Arr) else made
    if name in ("device_array_like", "mapped_array_like", "pinned_array_like", "managed_array_like") and args:
        made = like(m, s, args[0], kw, text, False)
        return replace(made, device=name == "device_array_like") if isinstance(made, Arr) else made
    if name in ("to_device", "_api_to_device"):
        source = kw.get("obj", args[0] if args else None)
        target = kw.get("to", args[2] if len(args) > 2 else None)
        if target is not None and target != NONE:
            exposed(s, target)
            return target
        return to_device(m, s, source, text)
    if name == "create_xoroshiro128p_states" and args:
        return of_shape(m, s, args[0], text, "", True)
    if name in ("as_cuda_array", "from_cuda_array_interface", "pinned") and args:
        return args[0]
    return None


def to_device(m: Machine, s: State, source: Value | None, text: str) -> Value:
    """A new allocation with the source's shape and values; a device array is returned as it is."""
    if isinstance(source, Seq):
        source = literal(m, s, (source,), {}, text)
    array = as_array(source)
    if array is None:
        return m.opaque(text)
    if array.device:
        return array
    if changed(s, array):  # what was said of the elements was said of others
        array = rewritten(m, array)
    initialised = s.touched.get(array.buffer, array.initialised)
    return replace(
        array, name=text, shape_of=array.shape_of or array.name, buffer=m.namer.unique(f"{text}@"),
        fresh=True, whole=True, initialised=initialised is not False, device=True, sharing=(),
        values=array.values or array.name,
    )  # fmt: skip


def _shaped(
    m: Machine, s: State, args: Sequence[Value], kw: Keywords, text: str, filled: bool, dtype_at: int,
    torch: bool = False,
) -> Value:  # fmt: skip
    shape = kw.get("shape", kw.get("size", args[0] if args else None))
    dtype = kw.get("dtype", args[dtype_at] if len(args) > dtype_at else None)
    if shape is None:
        return m.opaque(text)
    if len(args) > 1 and not isinstance(args[0], (Seq, ShapeOf)) and torch and dtype_at == 1:
        shape, dtype = Seq(tuple(args)), kw.get("dtype")
    usual = ("float32" if dtype_at == 1 else "") if torch else "float64"
    made = of_shape(m, s, shape, text, dtype_value(dtype) or ("" if dtype else usual), filled)
    if isinstance(made, Arr) and kw.get("order") in (Const("F"), Const("A")):
        return replace(made, contiguous=None)
    return replace(made, contiguous=None) if isinstance(made, Arr) and "strides" in kw else made


def of_shape(m: Machine, s: State, shape: Value, text: str, dtype: str, filled: bool) -> Value:
    """A new allocation of that shape; every extent is at least zero where it is made."""
    buffer = m.namer.unique(f"{text}@")
    if isinstance(shape, ShapeOf) and not shape.whole:
        name = m.unknown(text, "").name
        made = Arr(name, None, buffer, name, True, True, filled, True, dtype)
        s.assume(eq(made.size, shape.numel))
        s.assume(eq(made.ndim, shape.length))
        last = shape.extent(-1)
        if last is not None:
            s.assume(eq(made.extent(-1), last))
        return made
    if isinstance(shape, ShapeOf):
        of = shape.array.shape_of or shape.array.name
        return Arr(text, None, buffer, of, True, True, filled, True, dtype)
    items = shape.items if isinstance(shape, Seq) else (shape,)
    terms = [as_int(i) for i in items]
    if isinstance(shape, Unknown) and shape.kind != "int":
        return _unknown_shape(m, s, shape, text, buffer, dtype, filled)
    known = tuple(t for t in terms if t is not None)
    if len(known) != len(items):
        name = m.opaque(text).name
        return Arr(name, None, buffer, name, True, True, filled, True, dtype)
    for t in known:
        s.assume(ge(t, 0))
    return Arr(text, known, buffer, "", True, True, filled, True, dtype)


def says_shape(name: str) -> bool:
    """Whether the name says that it has several extents."""
    return any(word in name.lower() for word in ("shape", "dims", "size_", "sizes"))


def _unknown_shape(m: Machine, s: State, u: Unknown, text: str, buffer: str, dtype: str, filled: bool) -> Arr:
    """`np.zeros(n)` of a name that may be a number or a tuple: taken as a number when the name is
    short enough to be one; a name that says shape or dims has extents of its own."""
    last = u.name.rpartition(".")[2].rpartition("[")[0] or u.name.rpartition(".")[2]
    if says_shape(last):
        name = m.unknown(text, m.notes.get(u.name, "")).name
        return Arr(name, None, buffer, name, True, True, filled, True, dtype)
    term = as_int(u)
    if term is None:
        name = m.opaque(text).name
        return Arr(name, None, buffer, name, True, True, filled, True, dtype)
    s.assume(ge(term, 0))
    shape = (term,)
    return Arr(text, shape, buffer, "", True, True, filled, True, dtype)


def like(m: Machine, s: State, source: Value, kw: Keywords, text: str, filled: bool) -> Value:
    """A new allocation of the source's shape; of a row-major source, row-major."""
    array = as_array(source)
    if array is None:
        return m.opaque(text)
    array = settled(s.facts, array) if m.tiles else array
    dtype = dtype_value(kw.get("dtype")) if "dtype" in kw else array.dtype
    made = replace(
        array, name=text, shape_of=array.shape_of or array.name, buffer=m.namer.unique(f"{text}@"),
        fresh=True, whole=True, initialised=filled, dtype=dtype, device=False, low=None, high=None,
        injective=None, sorted=None, values=text, none=FALSE, sharing=(),
    )  # fmt: skip
    if array.contiguous or not m.tiles:
        return made
    layout = m.namer.unique(text)
    s.assume(gapless(replace(made, layout=layout)))
    return replace(made, layout=layout, strides=None, dense=True)


def _arange(m: Machine, s: State, args: Sequence[Value], kw: Keywords, text: str) -> Value:
    parts = [ratio(a) for a in (*args[:3], *(kw[k] for k in ("start", "stop", "step") if k in kw))]
    dtype = dtype_value(kw.get("dtype", args[3] if len(args) > 3 else None))
    known = [p for p in parts if p is not None]
    if not known or len(known) != len(parts):
        return of_shape(m, s, m.opaque(f"len({text})", kind="int"), text, dtype, True)
    start, stop, step = Ratio(const(0), const(1)), known[0], Ratio(const(1), const(1))
    if len(known) > 1:
        start, stop = known[0], known[1]
    if len(known) > 2:
        step = known[2]
    span = Ratio(sub(mul(stop.num, start.den), mul(start.num, stop.den)), mul(stop.den, start.den))
    count = ceil(Ratio(mul(span.num, step.den), mul(span.den, step.num)))
    if len(known) == 1 or (count.lo is not None and count.lo >= 0):
        if len(known) == 1 and stop.den == const(1):
            s.assume(ge(count, 0))  # an empty range of a negative number is not what is meant
        return of_shape(m, s, Num(count), text, dtype, True)
    return of_shape(m, s, Num(maximum(count, 0)), text, dtype, True)


def _counting(made: Value, args: Sequence[Value], kw: Keywords, torch: bool) -> Value:
    """`arange(n)` of integers counts from zero: its elements are known one by one."""
    plain = len(args) == 1 and not ({"start", "stop", "step", "end"} & kw.keys())
    if not isinstance(made, Arr) or made.shape is None or not plain or torch or as_int(args[0]) is None:
        return made
    if made.dtype not in ("", *WHOLE):
        return made
    return replace(made, low=const(0), high=sub(made.shape[0], 1), injective=True, sorted=True)


def literal(m: Machine, s: State, args: Sequence[Value], kw: Keywords, text: str) -> Value:
    if not args:
        return m.opaque(text)
    dtype = dtype_value(kw.get("dtype", args[1] if len(args) > 1 else None))
    shape = _literal_shape(args[0])
    if shape is not None:
        return of_shape(m, s, Seq(tuple(Num(const(n)) for n in shape)), text, dtype, True)
    array = as_array(args[0])
    if array is None:
        return Arr(m.opaque(text).name, None, m.namer.unique(f"{text}@"), text, True, True, True, True, dtype)
    return copy(m, s, array, text, dtype)


def _literal_shape(v: Value) -> tuple[int, ...] | None:
    """The shape of an array made of these; its items have one shape, or NumPy takes none of them."""
    if isinstance(v, Num) or (isinstance(v, Const) and isinstance(v.value, (float, complex))):
        return ()
    if isinstance(v, Cond):
        return ()
    if not isinstance(v, Seq):
        return None
    inner = {_literal_shape(i) for i in v.items} - {None}
    if not v.items:
        return (0,)
    first = next(iter(inner), None)
    return (len(v.items), *first) if len(inner) == 1 and first is not None else None


def copy(m: Machine, s: State, a: Arr, text: str, dtype: str = "") -> Arr:
    """A new allocation with the same shape and values."""
    initialised = s.touched.get(a.buffer, a.initialised)
    a = a if dtype in ("", a.dtype, *WHOLE) else unsaid(a)
    return replace(
        a, name=text, shape_of=a.shape_of or a.name, buffer=m.namer.unique(f"{text}@"), fresh=True,
        whole=True, initialised=initialised is not False, dtype=dtype or a.dtype, contiguous=a.contiguous,
        device=False, sharing=(),
    )  # fmt: skip


def _same(m: Machine, s: State, name: str, args: Sequence[Value], kw: Keywords, text: str) -> Value:
    """`asarray(x)` is x itself or a copy."""
    if isinstance(args[0], (Seq, Num, Cond)):
        return literal(m, s, args, kw, text)
    a = as_array(args[0])
    if a is None:
        return m.opaque(text)
    dtype = dtype_value(kw.get("dtype", args[1] if len(args) > 1 else None))
    return maybe_copy(
        a, m.namer.unique(f"{text}@"), shape_of=a.shape_of or a.name, whole=True,
        contiguous=True if name == "ascontiguousarray" else a.contiguous, dtype=dtype or a.dtype,
    )  # fmt: skip


def _random(m: Machine, s: State, name: str, args: Sequence[Value], kw: Keywords, text: str) -> Value | None:
    dtype = "int64" if name in ("randint", "integers", "random_integers") else "float64"
    if name in RANDOM_SPREAD:
        shape: Value = args[0] if len(args) == 1 else Seq(tuple(args))
        return of_shape(m, s, shape, text, dtype, True) if args else Const(0.5)
    if name not in RANDOM_SIZED:
        return None
    size = kw.get("size")
    if size is None:
        at = {"random": 0, "random_sample": 0, "ranf": 0, "sample": 0, "standard_normal": 0, "permutation": 0,
              "choice": 1, "poisson": 1, "exponential": 1}.get(name, 2)  # fmt: skip
        size = args[at] if len(args) > at else None
    if size is None or size == NONE:
        return _drawn(m, s, args, kw, text) if dtype == "int64" else Const(0.5)
    if name == "permutation":
        return _shuffled(m, s, size, text)
    made = of_shape(m, s, size, text, dtype, True)
    if dtype != "int64" or not isinstance(made, Arr):
        return made
    low, high = _limits(args, kw) if name != "random_integers" else (None, None)
    return replace(made, injective=False, low=low, high=high)


def _shuffled(m: Machine, s: State, count: Value, text: str) -> Value:
    """`permutation(n)`: each number below `n` once; of an array, its elements in another order."""
    n = as_int(count)
    if n is None or isinstance(count, Arr):
        return m.opaque(text)
    made = of_shape(m, s, count, text, "int64", True)
    return replace(made, injective=True, low=ZERO, high=sub(n, 1)) if isinstance(made, Arr) else made


def _limits(args: Sequence[Value], kw: Keywords) -> tuple[Int | None, Int | None]:
    """The least and the greatest of what `randint(low, high)` or `randint(high)` may draw."""
    first, second = (kw.get(k, args[i] if args[i:] else None) for i, k in enumerate(("low", "high")))
    if "endpoint" in kw or first is None:
        return None, None
    if second is None or second == NONE:
        first, second = Num(ZERO), first
    top = as_int(second)
    return as_int(first), sub(top, 1) if top is not None else None


def _typed(made: Arr, kw: Keywords) -> Arr:
    """A random tensor with PyTorch's element type: the one asked for, else its default."""
    return replace(made, dtype=dtype_value(kw.get("dtype")) or made.dtype.replace("float64", "float32"))


def _drawn(m: Machine, s: State, args: Sequence[Value], kw: Keywords, text: str) -> Value:
    """One random integer: an input between its bounds."""
    low, high = (
        as_int(kw.get("low", args[0] if args else None)),
        as_int(kw.get("high", args[1] if args[1:] else None)),
    )
    term = as_int(m.unknown(text, "", "int"))
    if low is None or term is None:
        return m.opaque(text)
    first, end = (const(0), low) if high is None else (low, high)
    s.assume(ge(term, first))
    s.assume(ge(end, term))  # one kind of generator may include the end
    return Num(term)


def dtype_value(v: Value | None) -> str:
    if isinstance(v, DType):
        return v.name
    if isinstance(v, Const) and isinstance(v.value, str):
        return dtype_code(v.value)
    return dtype_of(v.path) if isinstance(v, Dotted) else ""
