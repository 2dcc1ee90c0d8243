"""The process that runs Triton's compiler: a request as JSON on its input, the result on its output.

It imports Triton and nothing of the user's. A compiler that fails or ends takes no one with it.
"""

from __future__ import annotations
import __future__

import base64
import builtins
import importlib
import json
import linecache
import sys
import types
from typing import Any

HINTS = ("multiple_of", "max_contiguous", "max_constancy")
STAGES = ("ttir", "ttgir", "llir", "ptx")
KEPT = (
    "name", "num_warps", "num_ctas", "num_stages", "shared", "global_scratch_size", "global_scratch_align",
    "profile_scratch_size", "launch_cooperative_grid", "tmem_size", "triton_version",
)  # fmt: skip


def main() -> None:
    """Answer one request."""
    request = json.load(sys.stdin)
    out, sys.stdout = sys.stdout, sys.stderr  # what the compiler prints is no answer
    try:
        answer = compiled(request)
    except BaseException as error:  # the compiler's own exits too: all of it is told
        text = " ".join(str(error).split()) or type(error).__name__
        answer = {"error": text[-600:]}
    json.dump(answer, out)


def compiled(request: dict[str, Any]) -> dict[str, Any]:
    """The stages of one kernel, and what its launch needs."""
    triton: Any = importlib.import_module("triton")
    unhinted(triton)
    backends: Any = importlib.import_module("triton.backends.compiler")
    kernel = functions(request["parts"], triton)[request["parts"][0]["key"]][request["kernel"]]
    constants = {name: value_of(v, triton) for name, v in request["constants"].items()}
    places = {name: (k,) for k, name in enumerate(kernel.arg_names)}
    attributes = {places[name]: [["tt.divisibility", 16]] for name in request["multiples"]}
    source = triton.compiler.ASTSource(
        fn=kernel, signature=request["signature"], constexprs=constants, attrs=attributes
    )
    target = backends.GPUTarget("cuda", request["cc"], 32)
    made = triton.compile(source, target=target, options=request["options"])
    metadata = made.metadata._asdict()
    return {
        **{stage: str(made.asm[stage]) for stage in STAGES},
        "cubin": base64.b64encode(made.asm["cubin"]).decode(),
        "metadata": {name: metadata.get(name) for name in KEPT},
    }


def unhinted(triton: Any) -> None:
    """Take away what tells the compiler things that nobody checks: it would rely on them without proof.

    What launches are checked for, the compiler is told by its own means (`tt.divisibility`).
    """
    core = triton.language.core

    @core.builtin  # type: ignore[untyped-decorator]
    def same(input: Any, values: Any, _semantic: Any = None) -> Any:
        return input

    @core.builtin  # type: ignore[untyped-decorator]
    def nothing(cond: Any, _semantic: Any = None) -> None:
        return None

    for name, instead in (*((hint, same) for hint in HINTS), ("assume", nothing)):
        instead.__module__ = core.__name__
        for module in (core, triton.language):
            if hasattr(module, name):
                setattr(module, name, instead)


def functions(parts: list[dict[str, Any]], triton: Any) -> dict[str, dict[str, Any]]:
    """The compiled functions of each file by name, bound to each other."""
    made: dict[str, dict[str, Any]] = {}
    spaces: dict[str, types.ModuleType] = {}
    for k, p in enumerate(parts):
        space = spaces[p["key"]] = types.ModuleType(f"kernels{k}")
        sys.modules[space.__name__] = space
        text, file = p["text"], p["file"] if k == 0 else f"{k}/{p['file']}"
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        flags = __future__.annotations.compiler_flag
        exec(compile(text, file, "exec", flags=flags, dont_inherit=True), space.__dict__)
        made[p["key"]] = {
            name: (triton.constexpr_function if name in p["foldable"] else triton.jit)(space.__dict__[name])
            for name in p["functions"]
        }
    for p in parts:
        space = spaces[p["key"]]
        space.__dict__.update(made[p["key"]])
        for name, meaning in p["names"].items():
            bind(space, name, meaning_of(meaning, made, triton))
    return made


def meaning_of(meaning: list[Any], made: dict[str, dict[str, Any]], triton: Any) -> Any:
    kind, *rest = meaning
    if kind == "function":
        return made[rest[0]][rest[1]]
    if kind == "builtin":
        return getattr(builtins, rest[0])
    if kind == "library":
        return library(rest[0])
    value = value_of(["dtype", rest[0]] if kind == "dtype" else rest[0], triton)
    return value if kind == "dtype" else triton.language.constexpr(value)


def value_of(value: Any, triton: Any) -> Any:
    """A compile-time value: a list of `dtype` and a name is an element type, any other list a tuple."""
    if isinstance(value, list):
        if value[:1] == ["dtype"]:
            return getattr(triton.language, value[1])
        return tuple(value_of(v, triton) for v in value)
    return value


def library(dotted: str) -> Any:
    """The module or the object of a module that a dotted name leads to."""
    parts = dotted.split(".")
    found: Any = importlib.import_module(parts[0])
    for k, name in enumerate(parts[1:], 2):
        if not hasattr(found, name):
            importlib.import_module(".".join(parts[:k]))
        found = getattr(found, name)
    return found


def bind(space: types.ModuleType, name: str, value: Any) -> None:
    """`name = value`; for a dotted name in modules made on the way."""
    *path, last = name.split(".")
    for part in path:
        inner = space.__dict__.get(part)
        if not isinstance(inner, types.ModuleType):
            inner = space.__dict__[part] = types.ModuleType(part)
        space = inner
    space.__dict__[last] = value
