"""Builtins, `math` and NumPy's scalar functions on abstract values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gpulint.frontend.host.elements import touch
from gpulint.frontend.host.machine import Machine
from gpulint.frontend.host.operators import ceil, ratio, truncated, truth
from gpulint.frontend.host.state import State
from gpulint.frontend.host.values import (
    Arr,
    Class,
    Cond,
    Const,
    DType,
    Kernel,
    Map,
    Num,
    Range,
    Ratio,
    Seq,
    ShapeOf,
    Unknown,
    Value,
    as_array,
    as_int,
    number,
)
from gpulint.ir.types import INT64, IntType
from gpulint.term import Int, absolute, add, cdiv, const, floordiv, ge, le, maximum, minimum, mod, mul, power

Args = Sequence[Value]
FLOATS = frozenset({"sqrt", "log", "log2", "exp", "exp2", "log10", "rsqrt", "sin", "cos", "tanh", "pow"})
FREE = frozenset(
    {
        "builtins.input", "numba.cuda.get_current_device", "numba.cuda.current_context", "os.getenv",
        "os.environ.get", "numba.cuda.stream", "numba.cuda.is_available", "time.time",
    }
)  # fmt: skip


def call(m: Machine, s: State, path: str, args: Args, kw: Mapping[str, Value], text: str) -> Value | None:
    """The value of a call of a known function; None when it is not one that is understood."""
    if path in FREE or (path.startswith("numba.cuda") and not args and not kw):
        return m.unknown(text, "", "text" if path == "builtins.input" else "")
    library, _, name = path.rpartition(".")
    if m.tiles and path == "builtins.getattr" and len(args) >= 2:
        return _getattr(m, args, text)
    if m.tiles and path in ("builtins.any", "builtins.all") and all(_open(a) for a in args):
        return m.unknown(text, "", "bool")
    if m.tiles and path == "builtins.dict":
        return _dictionary(args, kw)
    if path == "triton.cdiv" or path == "builtins.ceildiv":
        return _integers(lambda a, b: cdiv(a, b), args)
    if library == "builtins" and name in BUILTINS:
        return BUILTINS[name](m, s, args, text)
    if library == "math" and name in FLOATS:
        return m.unknown(text, "", "float")
    if library in ("math", "numpy", "cupy") and name in MATH:
        return MATH[name](m, s, args, text)
    if library in ("numpy", "cupy") and name in ("shape", "size", "ndim", "copyto"):
        return _array_function(m, s, name, args)
    return None


def _open(v: Value) -> bool:
    return isinstance(v, Unknown) and v.free


def _dictionary(args: Args, kw: Mapping[str, Value]) -> Value | None:
    """`dict(other, name=value)`: a new dictionary; None where keys are not known."""
    if len(args) > 1 or not all(isinstance(a, Map) for a in args) or any(k.startswith("**") for k in kw):
        return None
    named = tuple((Const(k), v) for k, v in kw.items())
    return overlaid(*(a.items for a in args if isinstance(a, Map)), named)


def overlaid(*parts: tuple[tuple[Value, Value], ...]) -> Map | None:
    """The dictionary with all these items, of each key the last one's value; None where keys are no texts."""
    out: dict[Value, Value] = {}
    for k, v in (item for part in parts for item in part):
        if not (isinstance(k, Const) and isinstance(k.value, str)):
            return None
        out[k] = v
    return Map(tuple(out.items()))


def _getattr(m: Machine, args: Args, text: str) -> Value | None:
    """`getattr(x, "name", default)` of an input: that attribute, as far as anyone knows."""
    owner, name = args[0], args[1]
    if isinstance(owner, Unknown) and owner.free and isinstance(name, Const) and isinstance(name.value, str):
        return m.part(owner, f".{name.value}")
    return None


def _array_function(m: Machine, s: State, name: str, args: Args) -> Value | None:
    a = as_array(args[0]) if args else None
    if a is None:
        return None
    if name == "copyto":
        touch(s, a)
        s.touched[a.buffer] = True if a.whole else None
        return Const(None)
    if name == "shape":
        return ShapeOf(a) if a.shape is None else Seq(tuple(Num(t) for t in a.shape))
    return Num(a.size if name == "size" else a.ndim)


def cast(m: Machine, s: State, dtype: DType, args: Args, text: str) -> Value:
    """`np.int32(x)`: the value itself, which fits (NumPy raises for a Python integer that does not)."""
    if not args:
        return number(0)
    if isinstance(args[0], Arr):
        return args[0]
    if not dtype.name.startswith(("int", "uint")):
        if dtype.name == "bool":
            return Cond(truth(m, args[0], text))
        return ratio(args[0]) or (args[0] if isinstance(args[0], Const) else Const(0.5))
    value = _int(m, s, args, text)
    unsigned = dtype.name.startswith("uint")
    kind = IntType(int(dtype.name[4 if unsigned else 3 :]), not unsigned)
    if not isinstance(value, Num):
        return value
    if kind.bits < 64:
        s.assume(ge(value.term, kind.lo))
        s.assume(le(value.term, kind.hi))
    return Num(value.term, kind)


def _int(m: Machine, s: State, args: Args, text: str) -> Value:
    v = args[0] if args else number(0)
    if isinstance(v, Unknown) and v.kind in ("text", "float"):
        return m.unknown(text, "" if v.free else f"`{text}` is not understood", "int")
    term = as_int(v)
    if term is not None:
        return Num(term, INT64)
    r = ratio(v)
    return Num(truncated(r)) if r is not None else m.opaque(text, kind="int")


def _float(m: Machine, s: State, args: Args, text: str) -> Value:
    r = ratio(args[0]) if args else None
    return (
        r
        if r is not None
        else Const(0.5)
        if args and isinstance(args[0], Const)
        else m.opaque(text, kind="text")
    )


def _len(m: Machine, s: State, args: Args, text: str) -> Value | None:
    v = args[0] if args else None
    if isinstance(v, (Seq, Map)):
        return number(len(v.items))
    if isinstance(v, Const) and isinstance(v.value, (str, bytes)):
        return number(len(v.value))
    if isinstance(v, ShapeOf):
        return Num(v.length)
    if isinstance(v, Range) and v.step.value == 1:
        return Num(maximum(v.stop - v.start, 0))
    a = as_array(v)
    return Num(a.extent(0)) if a is not None and a.shape != () else None


def _integers(op: Callable[[Int, Int], Int], args: Args) -> Value | None:
    terms = [as_int(a) for a in args]
    if len(terms) != 2 or terms[0] is None or terms[1] is None:
        return None
    return Num(op(terms[0], terms[1]))


def _extreme(op: Callable[..., Int]) -> Callable[[Machine, State, Args, str], Value | None]:
    def build(m: Machine, s: State, args: Args, text: str) -> Value | None:
        values = args[0].items if len(args) == 1 and isinstance(args[0], Seq) else tuple(args)
        terms = [as_int(v) for v in values]
        known = [t for t in terms if t is not None]
        if (
            not known
            or len(known) != len(terms)
            or len(values) < 1
            or (len(values) == 1 and len(args) == 1 and not isinstance(args[0], Seq))
        ):
            return None
        kinds = {v.type for v in values if isinstance(v, Num)}
        return Num(op(*known), INT64) if kinds == {INT64} else Num(op(*known))

    return build


def _abs(m: Machine, s: State, args: Args, text: str) -> Value | None:
    term = as_int(args[0]) if args else None
    return None if term is None else Num(absolute(term))


def _range(m: Machine, s: State, args: Args, text: str) -> Value | None:
    terms = [as_int(a) for a in args]
    known = [t for t in terms if t is not None]
    if not known or len(known) != len(terms):
        return None
    start, stop, step = const(0), known[0], const(1)
    if len(known) > 1:
        start, stop = known[0], known[1]
    return Range(start, stop, known[2] if len(known) > 2 else step)


def _divmod(m: Machine, s: State, args: Args, text: str) -> Value | None:
    q, r = _integers(floordiv, args), _integers(mod, args)
    return Seq((q, r)) if q is not None and r is not None else None


def _sequence(m: Machine, s: State, args: Args, text: str) -> Value | None:
    if not args:
        return Seq(())
    if isinstance(args[0], (Seq, ShapeOf)):
        return args[0]
    if isinstance(args[0], Range):
        r = args[0]
        if r.start.value is not None and r.stop.value is not None and r.step.value:
            items = range(r.start.value, r.stop.value, r.step.value)
            return Seq(tuple(number(i) for i in items)) if len(items) <= 64 else None
    return None


def _product(m: Machine, s: State, args: Args, text: str) -> Value | None:
    if args and isinstance(args[0], ShapeOf):
        return Num(args[0].numel)
    return _fold(args, mul, const(1))


def _sum(m: Machine, s: State, args: Args, text: str) -> Value | None:
    return _fold(args, add, const(0))


def _fold(args: Args, op: Callable[[Int, Int], Int], out: Int) -> Value | None:
    if len(args) != 1 or not isinstance(args[0], Seq):
        return None
    for v in args[0].items:
        term = as_int(v)
        if term is None:
            return None
        out = op(out, term)
    return Num(out)


def _isinstance(m: Machine, s: State, args: Args, text: str) -> Value | None:
    if args and isinstance(args[0], (Unknown, Arr, Class, Kernel)):
        return Cond(m.literal(f"isinstance({args[0].name}, ...)")) if isinstance(args[0], Unknown) else None
    return None


def _text(m: Machine, s: State, args: Args, text: str) -> Value:
    return m.unknown(text, "", "text")


def _bool(m: Machine, s: State, args: Args, text: str) -> Value:
    return Cond(truth(m, args[0], text)) if args else number(0)


def _none(m: Machine, s: State, args: Args, text: str) -> Value:
    return Const(None)


def _ceil(integer: bool) -> Callable[[Machine, State, Args, str], Value | None]:
    def build(m: Machine, s: State, args: Args, text: str) -> Value | None:
        r = ratio(args[0]) if args else None
        return None if r is None else _whole(ceil(r), integer)

    return build


def _floor(m: Machine, s: State, args: Args, text: str) -> Value | None:
    r = ratio(args[0]) if args else None
    return None if r is None else Num(floordiv(r.num, r.den))


def _whole(term: Int, integer: bool) -> Value:
    return Num(term) if integer else Ratio(term, const(1))


def _round(m: Machine, s: State, args: Args, text: str) -> Value | None:
    term = as_int(args[0]) if len(args) == 1 else None
    return None if term is None else Num(term)


def _pow(m: Machine, s: State, args: Args, text: str) -> Value | None:
    exponent = as_int(args[1]) if len(args) == 2 else None
    if exponent is None or exponent.value is None or not 0 <= exponent.value <= 64:
        return None
    return _integers(power, args)


Handler = Callable[[Machine, State, Args, str], "Value | None"]
BUILTINS: dict[str, Handler] = {
    "len": _len, "int": _int, "float": _float, "min": _extreme(minimum), "max": _extreme(maximum),
    "abs": _abs, "round": _round, "range": _range,
    "divmod": _divmod, "bool": _bool, "tuple": _sequence, "list": _sequence,
    "sum": _sum, "print": _none, "isinstance": _isinstance, "str": _text, "repr": _text,
    "hasattr": _isinstance,
    "pow": _pow, "callable": _isinstance,
}  # fmt: skip
MATH: dict[str, Handler] = {
    "ceil": _ceil(True), "floor": _floor, "trunc": _int, "prod": _product, "minimum": _extreme(minimum),
    "maximum": _extreme(maximum), "fabs": _abs, "abs": _abs, "absolute": _abs, "rint": _round,
    "round": _round,
    "min": _extreme(minimum), "max": _extreme(maximum), "amax": _extreme(maximum), "amin": _extreme(minimum),
}  # fmt: skip
