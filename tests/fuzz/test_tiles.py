"""Random tile programs: well formed, and run alike by the interpreter and by plain Python."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest
from fuzz import tilegen, tilesites
from fuzz.check import contradictions
from fuzz.tilegen import TileProgram
from fuzz.tilehost import Host, draw

from gpulint import interp
from gpulint.frontend import lower
from gpulint.ir.nodes import Kernel
from gpulint.solver.verdict import REFUTED, KernelResult, Verdict, Witness
from gpulint.source.kernels import find
from gpulint.source.load import load_text
from gpulint.source.model import Module
from gpulint.source.resolve import Project

SAMPLE = [tilegen.seeded(seed) for seed in range(300)]


def kernel(text: str) -> Kernel:
    module = load_text(text, "k.py")
    assert isinstance(module, Module)
    project = Project()
    project.add(module)
    (source,) = find(module, project)
    return lower(source, project)


@pytest.mark.parametrize(
    "construct",
    [
        "make_block_ptr", "tl.advance", "boundary_check=(0,)", "padding_option", "tl.atomic_add", "tl.trans",
        "tl.sum", "num_programs", "program_id(1)", "% per", "min(high", "[None, :]", "for start", "idx[0] =",
        "randperm", "tl.max",
        "lambda meta", "is_contiguous", "assert n", "acc +=", "tl.load(x + offs)", "other=float", "offs <= n",
    ],
)  # fmt: skip
def test_every_construct_occurs(construct: str) -> None:
    assert sum(construct in p.text for p in SAMPLE) >= 2


def test_a_seed_gives_the_same_program_again() -> None:
    assert tilegen.seeded(7) == tilegen.seeded(7) != tilegen.seeded(8)
    assert all(isinstance(ast.parse(p.text), ast.Module) for p in SAMPLE)


@pytest.mark.parametrize("batch", range(6))
def test_the_interpreter_agrees_with_python(batch: int) -> None:
    for program in SAMPLE[batch * 12 : batch * 12 + 12]:
        host = Host(program)
        calls = [c for inputs in draw(program, 2) for c in host.launches(inputs)]
        found = tilesites.disagreements(kernel(program.text), calls)
        assert not found, f"{found[0]}\n{program.text}"


HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n@triton.jit\n"


def flat(body: str) -> TileProgram:
    """A kernel over `x` and `y` of `n` elements, four of them a program."""
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    text = (
        f"{HEAD}def k(x, y, n, B: tl.constexpr):\n    offs = tl.program_id(0) * B + tl.arange(0, B)\n{lines}"
        '\n\ndef main(n: int, m: int):\n    x = torch.ones((n,), device="cuda")\n'
        '    y = torch.zeros((n,), device="cuda")\n'
        "    k[(triton.cdiv(n, 4),)](x, y, n, B=4)\n"
    )
    return TileProgram(text, ("n", "m"), False, "0")


RIGHT = flat("tl.store(y + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)")


@pytest.mark.parametrize(
    ("body", "outside", "races", "unset"),
    [
        ("tl.store(y + offs, 1, mask=offs < n)", set(), set(), False),
        ("tl.store(y + offs, 1)", {("y", 6), ("y", 7)}, set(), False),
        ("tl.store(y + (offs - 7) // 4, 1, mask=offs == 3)", {("y", -1)}, set(), False),
        ("tl.store(y + offs // 4, offs, mask=offs < n)", set(), {("y", 0), ("y", 1)}, False),
        ("tl.store(y + tl.program_id(0) // 2, 1)", set(), {("y", 0)}, False),
        ("tl.atomic_add(y + offs % 2, 1)", set(), set(), False),
        ("tl.store(y + offs, tl.load(x + offs, mask=offs < 3), mask=offs < n)", set(), set(), True),
        ("tl.store(y + offs, tl.load(x + offs, mask=offs < 3, other=0), mask=offs < n)", set(), set(), False),
        ("tl.store(y, tl.sum(tl.load(x + offs, mask=offs < n), axis=0))", set(), {("y", 0)}, True),
    ],
)  # fmt: skip
def test_what_python_says(body: str, outside: set[object], races: set[object], unset: bool) -> None:
    (call,) = Host(flat(body)).launches({"n": 6, "m": 1})
    record, whole = call.record()
    assert whole and (record.outside, record.races(), record.unset) == (outside, races, unset)


def test_the_host_code_is_what_python_computes() -> None:
    (call,) = Host(RIGHT).launches({"n": 6, "m": 1})
    assert (call.grid, call.scalars) == ((2, 1, 1), {"n": 6, "B": 4})
    assert {name: len(values) for name, (_, values) in call.arrays.items()} == {"x": 6, "y": 6}
    assert Host(RIGHT).launches({"n": 0, "m": 1}) == []


def test_a_claim_that_is_too_good_is_seen() -> None:
    _, right = tilesites.decided(RIGHT.text)
    assert right.status == "verified"
    wrong = replace(RIGHT, text=RIGHT.text.replace("offs < n", "offs > n"))
    calls = [c for inputs in draw(wrong, 6) for c in Host(wrong).launches(inputs)]
    k = kernel(wrong.text)
    said = [(c.launch(), interp.run(k, c.launch())) for c in calls]
    assert contradictions(right, k, said) or tilesites.broken(right, said)
    assert tilesites.broken(right, said)


def test_a_witness_that_shows_nothing_is_seen() -> None:
    k, right = tilesites.decided(RIGHT.text)
    v = next(v for v in right.verdicts if v.obligation.property == "in-range")
    w = Witness({"n": 5}, (2, 1, 1), (1, 1, 1), (), array="x", element=(5,), extents=(5,), replayed=True)
    made = KernelResult((Verdict(v.obligation, REFUTED, witness=w, site=right.sites[0].site),), (), "refuted")
    (text,) = tilesites.unfounded(made, k, Host(RIGHT))
    assert "a run shows" in text


def test_a_wrong_program_is_refuted_with_a_witness_that_stands() -> None:
    result, found = tilesites.examine(flat("tl.store(y + offs, tl.load(x + offs), mask=offs < n)"), 4)
    assert result.status == "refuted" and not found
