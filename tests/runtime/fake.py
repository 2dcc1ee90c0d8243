"""A driver without a GPU: limits of an architecture, memory of the host, and launches that are noted."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass, field
from typing import Any

from gpulint.compile.function import Parameter
from gpulint.compile.signature import ArraySpec, parse
from gpulint.contract.limits import DEVICES, DeviceLimits
from gpulint.runtime.plan import Plan, plan

ALIGNED = 256  # to which the driver aligns memory
ITEMS = {"f4": ctypes.c_float, "f8": ctypes.c_double, "i4": ctypes.c_int32, "i8": ctypes.c_int64}


@dataclass
class FakeDriver:
    arch: str = "sm_90"
    number: int = 0
    threads: int = 1024
    at_a_time: int = 4
    device: int | None = 0
    together: bool = False
    held: list[Any] = field(default_factory=list)
    launches: list[Any] = field(default_factory=list)
    allowed: list[int] = field(default_factory=list)

    def limits(self) -> DeviceLimits:
        return DEVICES[self.arch]

    def load(self, ptx: str) -> Any:
        return ptx

    def function(self, module: Any, name: str) -> Any:
        return name

    def most_threads(self, function: Any) -> int:
        return self.threads

    def allow_shared(self, function: Any, size: int) -> None:
        self.allowed.append(size)

    def resident(self, function: Any, threads: int, shared: int) -> int:
        return self.at_a_time

    def blocks(self, function: Any, threads: int, shared: int) -> int:
        return self.at_a_time

    def counter(self, stream: int) -> int:
        return 4096 + stream

    def device_of(self, pointer: int) -> int | None:
        return self.device

    def fetch(self, pointer: int, size: int) -> bytes:
        return ctypes.string_at(pointer, size)

    def allocate(self, size: int) -> int:
        self.held.append(ctypes.create_string_buffer(max(size, 1) + ALIGNED))
        return -(-ctypes.addressof(self.held[-1]) // ALIGNED) * ALIGNED

    def put(self, pointer: int, raw: bytes) -> None:
        ctypes.memmove(pointer, raw, len(raw))

    def free(self, pointer: int) -> None:
        pass

    def current(self) -> None:
        pass

    def launcher(self, *given: Any) -> Any:
        self.together = given[-1]
        return lambda: self.launches.append(given[:-2])


class FakeArray:
    """Memory of the host with the interface of device arrays."""

    def __init__(
        self, *values: float, kind: str = "f4", shape: tuple[int, ...] | None = None,
        reported: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.shape = shape if shape is not None else (len(values),)
        self.memory = (ITEMS[kind] * max(len(values), 1))(*values)
        self.told = {
            "shape": self.shape, "typestr": f"<{kind}", "data": (ctypes.addressof(self.memory), False),
            "version": 3, "strides": None,
        } | (reported or {})  # fmt: skip

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return self.told

    def moved(self, by: int, shape: tuple[int, ...]) -> FakeArray:
        """A part of the same memory, `by` bytes on."""
        out = FakeArray(shape=shape)
        out.memory = self.memory
        out.told = self.told | {"shape": shape, "data": (self.told["data"][0] + by, False)}
        return out


def ones(*extents: int, kind: str = "f4", **reported: Any) -> FakeArray:
    """An array of ones; what is `reported` of it may be something else."""
    return FakeArray(*[1] * math.prod(extents), kind=kind, shape=extents, reported=reported)


def certificate(
    signature: str, names: str, written: str = "", clauses: tuple[str, ...] = (), block: Any = None,
    static: int = 0, arch: str = "sm_90", second: Any = None, cooperative: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """What `runtime.plan` reads of a certificate, for the PTX text "code"."""
    from gpulint.compile.certificate import VERSION, digest

    specs = dict(zip(names.split(), parse(signature), strict=True))
    passed = []
    for name, spec in specs.items():
        kinds = ["scalar"]
        if isinstance(spec, ArraySpec):
            kinds = ["pointer", *["extent"] * spec.ndim, *([] if spec.contiguous else ["stride"] * spec.ndim)]
        passed += [Parameter(name, kind, "double" if str(spec) == "float64" else "i64") for kind in kinds]
    if cooperative:
        passed.append(Parameter("gpulint.grid", "counter", "ptr addrspace(1)"))
    return {
        "version": VERSION,
        "kernel": {"signature": signature, "entry": "k"},
        "arguments": [{"name": n, "type": str(s), "written": n in written.split()} for n, s in specs.items()],
        "streaming": second,
        "parameters": [{"name": p.name, "kind": p.kind, "type": p.type, "axis": 0} for p in passed],
        "contract": [{"clause": c} for c in clauses],
        "assumptions": ["grid-limits", "int32-sizes", "non-empty"],
        "launch": {"block": block, "static-shared-bytes": static, "cooperative": cooperative},
        "options": {"arch": arch},
        "artifact": {"ptx": digest("code")},
    }


def planned(signature: str, names: str, written: str = "", **more: Any) -> Plan:
    return plan(certificate(signature, names, written, **more), "code")
