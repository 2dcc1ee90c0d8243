"""Array arguments by DLPack, for libraries without `__cuda_array_interface__`."""

from __future__ import annotations

import ctypes
from typing import Any

CUDA = 2  # DLDeviceType
CODES = {0: "int", 1: "uint", 2: "float", 6: "bool"}


class _Device(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_int32), ("number", ctypes.c_int32))


class _Type(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p), ("device", _Device), ("ndim", ctypes.c_int32), ("type", _Type),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    )  # fmt: skip


def described(argument: Any) -> tuple[int, tuple[int, ...], tuple[int, ...] | None, str, int] | None:
    """(address, shape, strides in bytes or None, dtype, itemsize); None when it is no array on a CUDA device.

    The capsule is dropped unused, which gives the memory back to its owner; the argument itself keeps it.
    """
    make = getattr(argument, "__dlpack__", None)
    if make is None:
        return None
    try:
        capsule = make()
    except Exception:  # each library refuses in its own way what it cannot export
        return None
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    try:
        address = get(capsule, b"dltensor")
    except ValueError:
        return None
    t = _Tensor.from_address(address or 0) if address else None
    if t is None or t.device.kind != CUDA or t.type.lanes != 1:
        return None
    axes = range(t.ndim)
    shape = tuple(t.shape[k] for k in axes)
    size = max(1, t.type.bits // 8)
    strides = tuple(t.strides[k] * size for k in axes) if t.strides else None
    kind = CODES.get(t.type.code, f"code{t.type.code}-")
    dtype = kind if kind == "bool" else f"{kind}{t.type.bits}"
    return int(t.data or 0) + t.offset, shape, strides, dtype, size
