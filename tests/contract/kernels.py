"""Kernels, arrays and launch sites for the tests of contracts."""

from __future__ import annotations

from gpulint.dataflow.access import Array
from gpulint.frontend.host.site import HostArray, LaunchSite, Scalar
from gpulint.ir import symbols as s
from gpulint.ir.nodes import Kernel, Param
from gpulint.ir.span import NOWHERE
from gpulint.ir.types import BOOL, FLOAT32, INT64, ArrayType
from gpulint.term import sym


def kernel(arrays=(("x", 1), ("out", 1), ("a", 2), ("idx", 1), ("u", None)), scalars=("n", "m"), declared=()):
    params = [Param(name, ArrayType(FLOAT32, ndim)) for name, ndim in arrays]
    params += [Param(name, INT64) for name in scalars] + [Param("flag", BOOL), Param("scale", FLOAT32)]
    return Kernel("k", "k", "numba", tuple(params), (), NOWHERE, NOWHERE, tuple(declared))


def array(name, ndim, written=False):
    extents = tuple(s.extent(name, axis, ndim) for axis in range(ndim))
    return Array(name, "global", FLOAT32, extents, True, written, NOWHERE)


def host(name, shape=None, **more):
    terms = None if shape is None else tuple(sym(e) if isinstance(e, str) else s.ONE * e for e in shape)
    return HostArray(name, terms, more.pop("buffer", name), **more)


def number(term):
    return Scalar(term, INT64)


def site(arguments, grid=None, block=None, facts=(), exact=True):
    return LaunchSite("k", NOWHERE, grid, block, arguments, tuple(facts), exact=exact)
