"""Compiled kernels run on the host: the LLVM code of a kernel, thread after thread, through llvmlite's MCJIT.

Only kernels without barriers and warp operations; the order of threads is free in what is proved race-free.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from itertools import product
from typing import Any

from gpulint.compile.context import Context, Options
from gpulint.compile.function import Function, Target, build
from gpulint.compile.geometry import Geometry
from gpulint.compile.llvm import Value, literal, size_of
from gpulint.compile.module import Module
from gpulint.compile.proofs import Proofs
from gpulint.compile.signature import ScalarSpec, Signature, parse
from gpulint.compile.typing import typed
from gpulint.interp.launch import ConcreteLaunch
from gpulint.ir import nodes as n
from gpulint.ir.types import INT32, BoolType, FloatType, Type

KINDS = ("thread", "block", "block_size", "grid_size")
_C: dict[str, Any] = {
    "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32, "i64": ctypes.c_int64,
    "float": ctypes.c_float, "double": ctypes.c_double,
}  # fmt: skip


def c_type(t: Type) -> Any:
    if isinstance(t, BoolType):
        return ctypes.c_uint8
    if isinstance(t, FloatType):
        return {32: ctypes.c_float, 64: ctypes.c_double}[t.bits]
    return getattr(ctypes, f"c_{'' if t.signed else 'u'}int{t.bits}")  # type: ignore[union-attr]


def _coordinate(cx: Context, kind: str, axis: int) -> Value:
    if kind not in KINDS:
        return literal(32, INT32)
    name = f"at_{kind}_{axis}"
    cx.module.globals.setdefault(name, f"@{name} = global i32 0")
    return Value(INT32, cx.code.get(f"load i32, ptr @{name}"))


def module(kernel: n.Kernel, signature: Signature, proofs: Proofs | None = None) -> Function:
    """The kernel as a host function."""
    made = kernel if proofs is not None else typed(kernel)
    options = Options(contract=False, lines=False, library="")
    plain = Module(triple="", layout="")
    return build(made, signature, proofs or Proofs(), Geometry(), options, plain, Target("", _coordinate))


class Host:
    """A kernel compiled for this machine."""

    def __init__(self, function: Function, level: int = 2) -> None:
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        llvm.load_library_permanently("libm.so.6")
        self.function = function
        self.code = llvm.parse_assembly(function.module.text())
        self.code.verify()
        machine = llvm.Target.from_default_triple().create_target_machine(opt=level)
        tuning = llvm.create_pipeline_tuning_options(speed_level=level)
        builder = llvm.create_pass_builder(machine, tuning)
        builder.getModulePassManager().run(self.code, builder)
        self.engine = llvm.create_mcjit_compiler(self.code, machine)
        self.engine.finalize_object()
        kinds = [ctypes.c_void_p if p.kind == "pointer" else _C[p.type] for p in function.parameters]
        address = self.engine.get_function_address(function.name)
        self.call = ctypes.CFUNCTYPE(None, *kinds)(address)

    def _set(self, kind: str, at: Sequence[int]) -> None:
        for axis in range(3):
            name = f"at_{kind}_{axis}"
            if name in self.function.module.globals:
                address = self.engine.get_global_value_address(name)
                ctypes.c_int32.from_address(address).value = at[axis]

    def run(self, grid: Sequence[int], block: Sequence[int], arguments: Sequence[Any]) -> None:
        """Every thread once, blocks and threads in row-major order."""
        self._set("grid_size", grid)
        self._set("block_size", block)
        for at in product(*(range(g) for g in reversed(grid))):
            self._set("block", at[::-1])
            for thread in product(*(range(b) for b in reversed(block))):
                self._set("thread", thread[::-1])
                self.call(*arguments)


def arguments(
    kernel: n.Kernel, signature: Signature, launch: ConcreteLaunch
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a launch, and the memory of its arrays."""
    out: list[Any] = []
    memory: dict[str, Any] = {}
    for p, spec in zip(kernel.params, signature, strict=True):
        if isinstance(spec, ScalarSpec):
            value = launch.scalars.get(p.name)
            out.append(float(value or 0) if isinstance(spec.type, FloatType) else int(value or 0))
            continue
        given = launch.arrays[p.name]
        count = math.prod(given.shape)
        places = list(product(*(range(e) for e in given.shape)))
        values = [given.initial(i) or 0 for i in places]
        memory[p.name] = (c_type(spec.element) * max(count, 1))(*values)
        out.append(ctypes.addressof(memory[p.name]))
        out += given.shape
        if not spec.contiguous:
            out += [math.prod(given.shape[k + 1 :]) * size_of(spec.element) for k in range(spec.ndim)]
    return out, memory


def run(
    kernel: n.Kernel, signature: str | Signature, launch: ConcreteLaunch, proofs: Proofs | None = None
) -> dict[str, list[Any]]:
    """The elements of each array after the launch, in row-major order."""
    types = parse(signature) if isinstance(signature, str) else signature
    host = Host(module(kernel, types, proofs))
    given, memory = arguments(kernel, types, launch)
    host.run(launch.grid, launch.block, given)
    sizes = {name: math.prod(launch.arrays[name].shape) for name in memory}
    return {name: list(m)[: sizes[name]] for name, m in memory.items()}
