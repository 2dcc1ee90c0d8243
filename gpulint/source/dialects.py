"""The dialects: which canonical names compile a function for the device, and how they are called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Dialect:
    """`compilers` are the dotted names of the decorators; `positional` their parameters in order.

    The first positional parameter takes the function or, if `signatures` is set, eager signatures.
    `tuners`: decorators that go around a compiled function, with the option that each is kept as.
    """

    name: str
    compilers: frozenset[str]
    positional: tuple[str, ...]
    signatures: frozenset[str] = frozenset()
    tuners: Mapping[str, str] = field(default_factory=dict)


NUMBA = Dialect(
    "numba",
    frozenset({"numba.cuda.jit", "numba.cuda.decorators.jit", "numba.cuda.autojit"}),
    ("func_or_sig", "device", "inline", "link", "debug", "opt", "lineinfo", "cache"),
    frozenset({"func_or_sig", "signature", "argtypes"}),
)
TRITON = Dialect(
    "triton",
    frozenset({"triton.jit", "triton.runtime.jit", "triton.runtime.jit.jit"}),
    ("fn",),
    tuners={
        f"triton.{home}{name}": name
        for home in ("", "runtime.", "runtime.autotuner.")
        for name in ("autotune", "heuristics")
    },
)
DIALECTS = (NUMBA, TRITON)
BY_COMPILER = {name: dialect for dialect in DIALECTS for name in dialect.compilers}

_SAME_API = (
    ("numba_cuda_mlir.numba_cuda.", "numba.cuda."),
    ("numba_cuda_mlir.", "numba."),
    ("numba_cuda.numba.", "numba."),
)


def canonical(dotted: str) -> str:
    """The dotted name under which a dialect documents what other packages offer too."""
    for prefix, replacement in _SAME_API:
        if dotted.startswith(prefix):
            return replacement + dotted[len(prefix) :]
    return dotted
