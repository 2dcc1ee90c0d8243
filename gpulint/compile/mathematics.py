"""Functions of numbers: those that the target computes itself, and those of libdevice.

Names are what the frontend calls them: the last part of `math.sqrt`, `np.sqrt` or `cuda.libdevice.sqrt`.
"""

from __future__ import annotations

from collections.abc import Callable

from gpulint.compile import arithmetic as ar
from gpulint.compile.context import Context
from gpulint.compile.error import CompileError, MissingTool
from gpulint.compile.llvm import Value, literal, type_of
from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.ir.types import BOOL, FLOAT64, INT32, FloatType, IntType, Type

NATIVE = {
    "sqrt": "llvm.sqrt", "fabs": "llvm.fabs", "floor": "llvm.floor", "ceil": "llvm.ceil",
    "trunc": "llvm.trunc", "rint": "llvm.rint", "round": "llvm.rint", "nearbyint": "llvm.rint",
    "copysign": "llvm.copysign", "fma": "llvm.fma",
}  # fmt: skip
LIBRARY = {
    **{name: name for name in (
        "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos",
        "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "hypot", "fmod", "pow", "erf",
        "erfc", "lgamma", "cbrt", "rsqrt", "remainder", "erfinv", "erfcinv", "erfcx", "normcdf", "normcdfinv",
        "sinpi", "cospi", "j0", "j1", "y0", "y1", "logb", "nextafter", "fdim",
    )},
    "gamma": "tgamma", "tgamma": "tgamma", "arcsin": "asin", "arccos": "acos", "arctan": "atan",
    "arctan2": "atan2", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "power": "pow",
}  # fmt: skip
FAST = frozenset(("sin", "cos", "tan", "exp", "exp10", "log", "log2", "log10", "pow"))
DEGREE = 57.29577951308232
NO_LIBRARY = "install CUDA's libdevice (`pip install nvidia-cuda-nvcc`), or name it with --libdevice PATH"


def known(name: str) -> bool:
    """Whether a function of this name is compiled."""
    return name in NATIVE or name in LIBRARY or name in _SPECIAL or _libdevice(name) is not None


def function(cx: Context, e: n.Opaque, operands: list[Value]) -> Value:
    """The value of a named function of numbers. Raises CompileError for one that is not known."""
    special = _SPECIAL.get(e.name)
    if special is not None:
        return special(cx, e, operands)
    if e.name in NATIVE:
        return _native(cx, e, operands)
    if e.name in LIBRARY:
        work = _float_type(e.type)
        given = [ar.convert(cx, o, work) for o in operands]
        return _finish(cx, library(cx, LIBRARY[e.name], work, given, e.span), e.type)
    exact = _libdevice(e.name)
    if exact is not None:
        given = [ar.convert(cx, o, exact[1]) for o in operands]
        return _finish(cx, library(cx, exact[0], exact[1], given, e.span), e.type)
    raise CompileError(f"the function `{e.name}` is not compiled", e.span)


def library(cx: Context, name: str, t: FloatType, given: list[Value], span: Span) -> Value:
    """A call of the math library at the type of its operands; half is computed as float32."""
    work, full = _named(cx, name, t, span)
    kind = type_of(work)
    values = [(kind, ar.convert(cx, v, work).text) for v in given]
    return ar.convert(cx, Value(work, cx.call(kind, full, *values)), t)


def _named(cx: Context, name: str, t: FloatType, span: Span) -> tuple[FloatType, str]:
    """The type at which the library computes a function, and the function's name there."""
    prefix = cx.options.library
    if prefix is None:
        raise MissingTool(f"`{name}` needs a library of device functions", span, NO_LIBRARY)
    work = t if t.bits >= 32 else FloatType(32)
    single = "f" if work.bits == 32 else ""
    fast = "fast_" if single and prefix and (cx.options.fast and name in FAST) else ""
    return work, f"{prefix}{fast}{name}{single}"


def _libdevice(name: str) -> tuple[str, FloatType] | None:
    """A name as libdevice itself has it: `sinf` is the float32 version."""
    base = name.removesuffix("f")
    if name != base and base in LIBRARY and base == LIBRARY[base]:
        return base, FloatType(32)
    if name.startswith("fast_") and base != name and base.removeprefix("fast_") in FAST:
        return base, FloatType(32)
    return None


def _float_type(t: Type) -> FloatType:
    return t if isinstance(t, FloatType) else FLOAT64


def _finish(cx: Context, v: Value, t: Type) -> Value:
    return ar.convert(cx, v, t)


def _native(cx: Context, e: n.Opaque, operands: list[Value]) -> Value:
    """At the operands' own float type; an integer result (`math.floor`) is converted from there."""
    floats = [o.type for o in operands if isinstance(o.type, FloatType)]
    work = max(floats, key=lambda t: t.bits) if floats else FLOAT64
    if isinstance(e.type, FloatType):
        work = e.type
    if len(operands) != {"copysign": 2, "fma": 3}.get(e.name, 1):
        raise CompileError(f"`{e.name}` with {len(operands)} arguments is not compiled", e.span)
    given = [ar.convert(cx, o, work) for o in operands]
    return _finish(cx, cx.intrinsic(NATIVE[e.name], work, *given), e.type)


# --- powers and remainders


def power(cx: Context, a: Value, b: Value, t: Type, span: Span) -> Value:
    """`a ** b`: a short product for a small literal exponent, else the library; integers by squaring."""
    exponent = ar._number(b) if not isinstance(b.type, FloatType) else None
    if exponent is not None and 0 <= exponent <= 64:
        return _product(cx, ar.convert(cx, a, t), exponent, t, span)
    if isinstance(t, FloatType):
        if exponent is not None and -64 <= exponent < 0:
            whole = _product(cx, ar.convert(cx, a, t), -exponent, t, span)
            return ar.binary(cx, "div", literal(1, t), whole, t, span)
        return library(cx, "pow", t, [ar.convert(cx, a, t), ar.convert(cx, b, t)], span)
    if not isinstance(t, IntType):
        raise CompileError("a power of these types is not compiled", span)
    return _integer_power(cx, ar.convert(cx, a, t), ar.convert(cx, b, t))


def _product(cx: Context, base: Value, exponent: int, t: Type, span: Span) -> Value:
    out: Value | None = None
    while exponent:
        if exponent & 1:
            out = base if out is None else ar.binary(cx, "mul", out, base, t, span)
        exponent >>= 1
        if exponent:
            base = ar.binary(cx, "mul", base, base, t, span)
    return literal(1, t) if out is None else out


def _integer_power(cx: Context, base: Value, exponent: Value) -> Value:
    """By squaring; a negative exponent gives 1, as an empty product."""
    code, kind = cx.code, type_of(base.type)
    slots = [code.reserve(kind) for _ in range(3)]
    negative = code.get(f"icmp slt {kind} {exponent.text}, 0") if ar.signed(base.type) else "false"
    count = code.get(f"select i1 {negative}, {kind} 0, {kind} {exponent.text}")
    for slot, start in zip(slots, (base.text, count, "1"), strict=True):
        code.do(f"store {kind} {start}, ptr {slot}")
    head, body, end = (code.label(x) for x in ("power", "square", "powered"))
    code.start(head)
    left = code.get(f"load {kind}, ptr {slots[1]}")
    code.branch(code.get(f"icmp ne {kind} {left}, 0"), body, end)
    code.start(body)
    square, out = (code.get(f"load {kind}, ptr {s}") for s in (slots[0], slots[2]))
    odd = code.get(f"and {kind} {left}, 1")
    factor = code.get(f"select i1 {code.get(f'icmp ne {kind} {odd}, 0')}, {kind} {square}, {kind} 1")
    code.do(f"store {kind} {code.get(f'mul {kind} {out}, {factor}')}, ptr {slots[2]}")
    code.do(f"store {kind} {code.get(f'mul {kind} {square}, {square}')}, ptr {slots[0]}")
    code.do(f"store {kind} {code.get(f'lshr {kind} {left}, 1')}, ptr {slots[1]}")
    code.jump(head)
    code.start(end)
    return code.value(base.type, f"load {kind}, ptr {slots[2]}")


def remainder(cx: Context, op: str, x: Value, y: Value, span: Span) -> Value:
    """`//` and `%` of floats: the remainder has the divisor's sign; by zero as IEEE division has it."""
    t = x.type
    assert isinstance(t, FloatType)
    code, kind = cx.code, type_of(t)
    rest = library(cx, "fmod", t, [x, y], span)
    if op == "truncmod":
        return rest
    whole = code.get(f"fdiv {kind} {code.get(f'fsub {kind} {x.text}, {rest.text}')}, {y.text}")
    if op == "truncdiv":
        return cx.intrinsic("llvm.rint", t, Value(t, whole))
    zero = literal(0, t).text
    some = code.get(f"fcmp one {kind} {rest.text}, {zero}")
    apart = code.get(
        f"xor i1 {code.get(f'fcmp olt {kind} {y.text}, {zero}')}, "
        f"{code.get(f'fcmp olt {kind} {rest.text}, {zero}')}"
    )
    move = code.get(f"and i1 {some}, {apart}")
    if op == "mod":
        moved = code.get(f"fadd {kind} {rest.text}, {y.text}")
        signed_zero = cx.intrinsic("llvm.copysign", t, literal(0, t), y)
        kept = code.get(f"select i1 {some}, {kind} {rest.text}, {kind} {signed_zero.text}")
        nan = code.get(f"fcmp uno {kind} {rest.text}, {rest.text}")
        kept = code.get(f"select i1 {nan}, {kind} {rest.text}, {kind} {kept}")
        return code.value(t, f"select i1 {move}, {kind} {moved}, {kind} {kept}")
    one = code.get(f"select i1 {move}, {kind} {literal(1, t).text}, {kind} {zero}")
    down = cx.intrinsic("llvm.rint", t, Value(t, code.get(f"fsub {kind} {whole}, {one}")))
    plain = code.get(f"fdiv {kind} {x.text}, {y.text}")
    nothing = code.get(f"fcmp oeq {kind} {y.text}, {zero}")
    return code.value(t, f"select i1 {nothing}, {kind} {plain}, {kind} {down.text}")


# --- functions with a meaning of their own


def _test(how: str) -> Callable[[Context, n.Opaque, list[Value]], Value]:
    def run(cx: Context, e: n.Opaque, given: list[Value]) -> Value:
        v = given[0]
        if not isinstance(v.type, FloatType):
            return literal(how == "finite", BOOL)
        kind = type_of(v.type)
        if how == "nan":
            return cx.code.value(BOOL, f"fcmp uno {kind} {v.text}, {v.text}")
        size = cx.intrinsic("llvm.fabs", v.type, v)
        top = literal(float("inf"), v.type).text
        return cx.code.value(BOOL, f"fcmp {'oeq' if how == 'inf' else 'olt'} {kind} {size.text}, {top}")

    return run


def _sign(cx: Context, e: n.Opaque, given: list[Value]) -> Value:
    v = given[0]
    above, below = (ar.compare(cx, op, v, literal(0, v.type)) for op in ("gt", "lt"))
    return ar.binary(cx, "sub", ar.convert(cx, above, v.type), ar.convert(cx, below, v.type), v.type, e.span)


def _scaled(factor: float) -> Callable[[Context, n.Opaque, list[Value]], Value]:
    def run(cx: Context, e: n.Opaque, given: list[Value]) -> Value:
        t = _float_type(e.type)
        return ar.binary(cx, "mul", ar.convert(cx, given[0], t), literal(factor, t), t, e.span)

    return run


def _bits(name: str, extra: bool) -> Callable[[Context, n.Opaque, list[Value]], Value]:
    def run(cx: Context, e: n.Opaque, given: list[Value]) -> Value:
        v = given[0]
        if not isinstance(v.type, IntType):
            raise CompileError(f"`{e.name}` of something that is no integer", e.span)
        kind = type_of(v.type)
        more = (("i1", "false"),) if extra else ()
        return ar.convert(cx, Value(v.type, cx.call(kind, f"{name}.{kind}", (kind, v.text), *more)), e.type)

    return run


def _first_set(cx: Context, e: n.Opaque, given: list[Value]) -> Value:
    """The place of the lowest bit that is set, from 1; 0 where none is."""
    v = given[0]
    kind = type_of(v.type, e.span)
    zeros = cx.call(kind, f"llvm.cttz.{kind}", (kind, v.text), ("i1", "false"))
    place = cx.code.get(f"add {kind} {zeros}, 1")
    none = cx.code.get(f"icmp eq {kind} {v.text}, 0")
    return ar.convert(cx, cx.code.value(v.type, f"select i1 {none}, {kind} 0, {kind} {place}"), e.type)


def _part(name: str, second: bool) -> Callable[[Context, n.Opaque, list[Value]], Value]:
    """One of the two results of `frexp` and `modf`; the library leaves the second in memory."""

    def run(cx: Context, e: n.Opaque, given: list[Value]) -> Value:
        t = _float_type(given[0].type)
        work, full = _named(cx, name, t, e.span)
        kind, other = type_of(work), INT32 if name == "frexp" else work
        slot = cx.code.reserve(type_of(other))
        first = cx.call(kind, full, (kind, ar.convert(cx, given[0], work).text), ("ptr", slot))
        if not second:
            return ar.convert(cx, Value(work, first), e.type)
        return ar.convert(cx, cx.code.value(other, f"load {type_of(other)}, ptr {slot}"), e.type)

    return run


def _scaled_by_two(cx: Context, e: n.Opaque, given: list[Value]) -> Value:
    """`ldexp`: the exponent is of 32 bits, whatever integer is given."""
    work, full = _named(cx, "ldexp", _float_type(e.type), e.span)
    kind = type_of(work)
    operands = (kind, ar.convert(cx, given[0], work).text), ("i32", ar.convert(cx, given[1], INT32).text)
    return ar.convert(cx, Value(work, cx.call(kind, full, *operands)), e.type)


_SPECIAL: dict[str, Callable[[Context, n.Opaque, list[Value]], Value]] = {
    "isnan": _test("nan"), "isinf": _test("inf"), "isfinite": _test("finite"), "sign": _sign,
    "degrees": _scaled(DEGREE), "radians": _scaled(1 / DEGREE), "rad2deg": _scaled(DEGREE),
    "deg2rad": _scaled(1 / DEGREE), "popc": _bits("llvm.ctpop", False), "clz": _bits("llvm.ctlz", True),
    "brev": _bits("llvm.bitreverse", False), "ffs": _first_set,
    **{f"{x}{f}.{k}": _part(x, k == 1) for x in ("frexp", "modf") for f in ("", "f") for k in (0, 1)},
    "ldexp": _scaled_by_two, "ldexpf": _scaled_by_two,
}  # fmt: skip
