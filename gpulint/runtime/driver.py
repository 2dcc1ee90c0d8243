"""The CUDA driver through ctypes: no package is needed, only the driver itself."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NoReturn

from gpulint.contract.limits import DEVICES, DeviceLimits

MAJOR, MINOR, OPT_IN_SHARED, MULTIPROCESSORS, COOPERATIVE = 75, 76, 97, 16, 95  # cuDeviceGetAttribute
FUNCTION_THREADS, FUNCTION_SHARED = 0, 8  # cuFuncGetAttribute, cuFuncSetAttribute
ERROR_LOG, ERROR_LOG_SIZE, LOG = 5, 6, 8192  # cuModuleLoadDataEx
POINTER_DEVICE = 9  # cuPointerGetAttribute


class DriverError(RuntimeError):
    """The driver is missing or a call of it failed; the text holds the driver's own name of the error."""


class Driver:
    """The driver with the primary context of one device, which other libraries use as well."""

    def __init__(self, device: int = 0) -> None:
        try:
            self.cuda: Any = ctypes.CDLL("libcuda.so.1")
        except OSError:
            raise DriverError("no CUDA driver (libcuda.so.1) on this machine") from None
        self.call("cuInit", 0)
        handle, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(handle), device)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), handle)
        self.device, self.context = handle, context
        self.number = device
        self.counters: dict[int, int] = {}
        self.current()

    def call(self, name: str, *arguments: Any) -> None:
        """One call. Raises DriverError."""
        code = getattr(self.cuda, name)(*arguments)
        if code:
            self.failed(name, code)

    def failed(self, name: str, code: int) -> NoReturn:
        """Raise DriverError with the driver's name of the error."""
        text = ctypes.c_char_p()
        self.cuda.cuGetErrorName(code, ctypes.byref(text))
        raise DriverError(f"{name} failed: {(text.value or b'error').decode()} ({code})")

    def current(self) -> None:
        """Make the device's context that of this thread."""
        self.call("cuCtxSetCurrent", self.context)

    def attribute(self, which: int) -> int:
        value = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), which, self.device)
        return value.value

    def version(self) -> str:
        """The newest CUDA that the driver runs, as in `13.0`."""
        value = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(value))
        return f"{value.value // 1000}.{value.value % 1000 // 10}"

    def count(self) -> int:
        """Devices that the driver sees."""
        value = ctypes.c_int()
        self.call("cuDeviceGetCount", ctypes.byref(value))
        return value.value

    def name(self) -> str:
        """The device's name."""
        text = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", text, len(text), self.device)
        return text.value.decode(errors="replace")

    def capability(self) -> str:
        """The device's architecture, as in `sm_90`."""
        return f"sm_{self.attribute(MAJOR) * 10 + self.attribute(MINOR)}"

    def limits(self) -> DeviceLimits:
        """The limits of the device; of one that the table lacks, those of the newest before it."""
        cc = self.attribute(MAJOR) * 10 + self.attribute(MINOR)
        known = DEVICES.get(f"sm_{cc}")
        if known is not None:
            return known
        older = [d for d in DEVICES.values() if d.cc <= cc]
        base = max(older, key=lambda d: d.cc) if older else min(DEVICES.values(), key=lambda d: d.cc)
        return DeviceLimits(cc, self.attribute(OPT_IN_SHARED), max_cluster=base.max_cluster)

    def load(self, code: str | bytes) -> ctypes.c_void_p:
        """A module of PTX, compiled by the driver, or of machine code. It stays while the process runs."""
        self.current()
        module, log = ctypes.c_void_p(), ctypes.create_string_buffer(LOG)
        kinds = (ctypes.c_int * 2)(ERROR_LOG, ERROR_LOG_SIZE)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), LOG)
        try:
            text = ctypes.c_char_p(code.encode() if isinstance(code, str) else code)
            self.call("cuModuleLoadDataEx", ctypes.byref(module), text, 2, kinds, values)
        except DriverError as error:
            said = " ".join(log.value.decode(errors="replace").split())
            raise DriverError(f"{error}: {said}" if said else str(error)) from None
        return module

    def function(self, module: ctypes.c_void_p, name: str) -> ctypes.c_void_p:
        found = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(found), module, name.encode())
        return found

    def most_threads(self, function: ctypes.c_void_p) -> int:
        """Threads a block that a function can run with, for its registers."""
        value = ctypes.c_int()
        self.call("cuFuncGetAttribute", ctypes.byref(value), FUNCTION_THREADS, function)
        return value.value

    def allow_shared(self, function: ctypes.c_void_p, size: int) -> None:
        """Let a function use so many bytes of dynamic shared memory."""
        self.call("cuFuncSetAttribute", function, FUNCTION_SHARED, size)

    def resident(self, function: ctypes.c_void_p, threads: int, shared: int) -> int:
        """Blocks of that many threads that the device runs at a time; 0 when it launches none together."""
        if not self.attribute(COOPERATIVE):
            return 0
        return self.blocks(function, threads, shared) * self.attribute(MULTIPROCESSORS)

    def blocks(self, function: ctypes.c_void_p, threads: int, shared: int) -> int:
        """Blocks of that many threads that one multiprocessor runs at a time."""
        value = ctypes.c_int()
        self.call(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor", ctypes.byref(value), function, threads,
            ctypes.c_size_t(shared),
        )  # fmt: skip
        return value.value

    def counter(self, stream: int) -> int:
        """The address of a word for barriers of grids, zero at first; launches of one stream share it."""
        if stream not in self.counters:
            self.counters[stream] = self.allocate(4)
            self.put(self.counters[stream], bytes(4))
        return self.counters[stream]

    def device_of(self, pointer: int) -> int | None:
        """The device that memory belongs to; None when the driver does not know the address."""
        value = ctypes.c_int(-1)
        address = ctypes.c_uint64(pointer)
        code = self.cuda.cuPointerGetAttribute(ctypes.byref(value), POINTER_DEVICE, address)
        return None if code else value.value

    def fetch(self, pointer: int, size: int) -> bytes:
        """Bytes of the device's memory, after all work before on the default stream."""
        self.current()
        out = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", out, ctypes.c_uint64(pointer), ctypes.c_size_t(size))
        return out.raw

    def allocate(self, size: int) -> int:
        """The address of new memory on the device, of one byte at least."""
        self.current()
        found = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(found), ctypes.c_size_t(max(size, 1)))
        return found.value

    def put(self, pointer: int, raw: bytes) -> None:
        """Copy bytes to the device's memory."""
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(pointer), raw, ctypes.c_size_t(len(raw)))

    def free(self, pointer: int) -> None:
        """Give memory back, after all work that uses it."""
        if pointer:
            self.call("cuMemFree_v2", ctypes.c_uint64(pointer))

    def launcher(
        self, function: ctypes.c_void_p, grid: tuple[int, int, int], block: tuple[int, int, int],
        shared: int, stream: int, values: Any, together: bool = False,
    ) -> Callable[[], None]:  # fmt: skip
        """A launch made ready: each call queues it. `values` is a C array of pointers to the parameters.

        `together`: all blocks are resident at once, or the launch fails.
        """
        sizes = [ctypes.c_uint(n) for n in (*grid, *block, shared)]
        arguments = (function, *sizes, ctypes.c_void_p(stream), values, *([] if together else [None]))
        name = "cuLaunchCooperativeKernel" if together else "cuLaunchKernel"
        launch, enter, context = getattr(self.cuda, name), self.cuda.cuCtxSetCurrent, self.context

        def run() -> None:
            code = enter(context) or launch(*arguments)
            if code:
                self.failed(name, code)

        return run


@lru_cache(maxsize=8)
def driver(device: int = 0) -> Driver:
    """The driver for a device, made once a process."""
    return Driver(device)
