"""Golden access sets, one construct each: the terms as `show` prints them."""

from __future__ import annotations

from pathlib import Path

import pytest
from kernels import kernel

from gpulint.dataflow import Access, analyse
from gpulint.term import show

GRID = "threadIdx.x + block.x * blockIdx.x"


def line(a: Access) -> str:
    loops = "".join(f" for {show_counter(lp)}" for lp in a.loops)
    exact = "" if a.exact else " (inexact)"
    text = f"{a.mode} {a.array.name}[{', '.join(map(show, a.subscripts))}] if {show(a.guard)}{loops}{exact}"
    return text.replace(GRID, "I")


def show_counter(loop) -> str:
    return f"{loop.counter.name} < {show(loop.trips)}"


def lines(body: str, params: str = "x, out, n") -> list[str]:
    """The accesses of a kernel whose `i` is `cuda.grid(1)`."""
    return [line(a) for a in analyse(kernel(source(body, params))).accesses]


def source(body: str, params: str = "x, out, n") -> str:
    inner = "\n".join("    " + row for row in body.strip("\n").split("\n"))
    return f"@cuda.jit\ndef k({params}):\n    i = cuda.grid(1)\n{inner}\n"


def sections() -> dict[str, tuple[str, list[str]]]:
    """Name -> (body, accesses) of `accesses.txt`."""
    text = Path(__file__).with_name("accesses.txt").read_text(encoding="utf-8")
    out = {}
    for part in text.split("\n== ")[1:]:
        name, _, rest = part.partition("\n")
        body, _, expected = rest.partition("\n--\n")
        out[name] = (body, expected.strip().split("\n"))
    return out


GOLDEN = sections()


@pytest.mark.parametrize("name", GOLDEN)
def test_accesses(name):
    body, expected = GOLDEN[name]
    assert lines(body) == expected
