"""Options of Triton kernels, which several commands take."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpulint._compiling import Found
    from gpulint.compile.tile.proved import Wanted


def add_options(p: argparse.ArgumentParser) -> None:
    tile = p.add_argument_group("of Triton kernels")
    tile.add_argument(
        "--constexpr", action="append", default=[], metavar="NAME=VALUE", help="a compile-time value"
    )
    tile.add_argument(
        "--aligned", default="", metavar="NAMES", help="arguments that are multiples of 16 in every launch"
    )
    tile.add_argument(
        "--num-warps", type=int, choices=(1, 2, 4, 8, 16, 32), help="as the launches in view, or 4"
    )
    tile.add_argument("--num-stages", type=int, choices=range(1, 11), metavar="N", help="likewise, or 3")
    tile.add_argument("--config", type=int, metavar="N", help="the autotuner's Nth configuration")


def given(o: argparse.Namespace) -> dict[str, object]:
    """What was given of these options, by their names on the command line."""
    return {
        "--constexpr": o.constexpr, "--aligned": o.aligned, "--num-warps": o.num_warps,
        "--num-stages": o.num_stages, "--config": o.config,
    }  # fmt: skip


def fits(found: Found, numba: Mapping[str, object], triton: Mapping[str, object]) -> None:
    """Options that are of the other dialect are an error. Raises CompileError."""
    from gpulint.compile.error import CompileError

    for name, value in (numba if found.tile else triton).items():
        if value:
            what, right = ("Triton", "Numba") if found.tile else ("Numba", "Triton")
            raise CompileError(f"{name} is for {right} kernels; `{found.source.qualname}` is one of {what}")


def wanted(o: argparse.Namespace) -> Wanted:
    """What a compilation is asked for. Raises CompileError."""
    from gpulint.compile.tile.proved import Wanted
    from gpulint.compile.tile.signature import constant

    aligned = frozenset(a.strip() for a in o.aligned.split(",") if a.strip())
    return Wanted(o.signature, dict(map(constant, o.constexpr)), aligned, o.num_warps, o.num_stages, o.config)
