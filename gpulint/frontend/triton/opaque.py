"""Functions whose values are not understood: random numbers, inline assembly, functions of each element."""

from __future__ import annotations

import ast

from gpulint.frontend.triton import operators as ops
from gpulint.frontend.triton import shapes
from gpulint.frontend.triton.calls import Given, fresh, intrinsic
from gpulint.frontend.triton.context import Context
from gpulint.frontend.triton.statements import arrays_of
from gpulint.frontend.triton.values import DType, Pointer, Tile, Tuple, Value, is_none
from gpulint.ir import nodes as n
from gpulint.ir.types import FLOAT32, INT32, UNKNOWN, FloatType, Type


@intrinsic("tl.rand tl.randn tl.uint_to_uniform_float", "seed offset n_rounds")
def random(cx: Context, given: Given, node: ast.AST) -> Value:
    return fresh(cx, "rand", _given_tiles(cx, given, node), FLOAT32, node)


@intrinsic("tl.randint", "seed offset n_rounds")
def randint(cx: Context, given: Given, node: ast.AST) -> Value:
    return fresh(cx, "randint", _given_tiles(cx, given, node), INT32, node)


@intrinsic("tl.rand4x tl.randn4x tl.randint4x tl.philox tl.philox_impl", "seed offset c1 c2 c3 n_rounds")
def random4(cx: Context, given: Given, node: ast.AST) -> Value:
    tiles = _given_tiles(cx, given, node)
    return Tuple(tuple(fresh(cx, "rand", tiles, UNKNOWN, node) for _ in range(4)))


@intrinsic("tl.pair_uniform_to_normal", "u1 u2")
def pair_uniform_to_normal(cx: Context, given: Given, node: ast.AST) -> Value:
    tiles = _given_tiles(cx, given, node)
    return Tuple(tuple(fresh(cx, "normal", tiles, FLOAT32, node) for _ in range(2)))


def _given_tiles(cx: Context, given: Given, node: ast.AST) -> list[Tile]:
    values = [*given.of.values(), *given.rest]
    return [ops.tile(cx, v, node) for v in values if isinstance(v, Tile) and not is_none(v)]


@intrinsic("tl.inline_asm_elementwise", "asm constraints args dtype is_pure pack")
def inline_asm(cx: Context, given: Given, node: ast.AST) -> Value:
    args = given.get("args")
    values = args.items if isinstance(args, Tuple) else (args,)
    arrays = tuple(dict.fromkeys(a for v in values for a in arrays_of(v)))
    if arrays:
        cx.emit(n.Unsupported("inline assembly that gets a pointer", arrays, (), cx.span(node)))
    tiles = [ops.tile(cx, v, node) for v in values if isinstance(v, (Tile, Pointer)) and not is_none(v)]
    dtype = given.get("dtype")
    types = dtype.items if isinstance(dtype, Tuple) else (dtype,)
    out = [fresh(cx, "asm", tiles, t.type if isinstance(t, DType) else UNKNOWN, node) for t in types]
    return Tuple(tuple(out)) if isinstance(dtype, Tuple) else out[0]


@intrinsic("tl.map_elementwise", "fn")
def map_elementwise(cx: Context, given: Given, node: ast.AST) -> Value:
    tiles = [ops.tile(cx, v, node) for v in given.rest if isinstance(v, Tile)]
    return fresh(cx, "map", tiles, UNKNOWN, node)


# --- elementwise functions

ELEMENTWISE = (
    "exp exp2 log log2 log1p log10 sqrt sqrt_rn rsqrt sin cos tan tanh sinh cosh asin acos atan atan2 erf "
    "erfc floor ceil round sigmoid fma fdiv div_rn div_rz pow umulhi trunc rint nearbyint expm1 fmod llrint "
    "silu gelu relu isnan isinf popc clz ffs fast_dividef fast_expf mul_rn add_rn signbit copysign finitef "
    "isfinited lgamma tgamma hypot cbrt mulhi brev"
)


def elementwise(cx: Context, name: str, given: Given, node: ast.AST) -> Value:
    """A function of each element."""
    tiles = _given_tiles(cx, given, node)
    over, shape = shapes.together(cx, *tiles) if tiles else ([], ())
    type_: Type = UNKNOWN
    for t in tiles:
        if isinstance(t.type, FloatType) and not t.weak:
            type_ = t.type
    e = n.Opaque(name, tuple(t.expr for t in over), type_, span=cx.span(node))
    return Tile(e, shape, bool(tiles) and all(t.weak for t in tiles))


def _register(name: str) -> None:
    names = " ".join(f"{home}.{name}" for home in ("tl", "libdevice", "math"))

    @intrinsic(names, "a b c")
    def run(cx: Context, given: Given, node: ast.AST) -> Value:
        return elementwise(cx, name, given, node)


for _name in ELEMENTWISE.split():
    _register(_name)
