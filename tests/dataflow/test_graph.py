"""The dataflow graph as text, DOT and networkx."""

from __future__ import annotations

import subprocess
import sys

from kernels import kernel

from gpulint.dataflow.build import build
from gpulint.dataflow.export import backward_slice, cycles, to_dot, to_text, varying

STRIDE = """
@cuda.jit
def k(x, out, n, unused):
    i = cuda.grid(1)
    v = unused * 2
    while i < n:
        out[i] = x[i] * v
        i += cuda.gridsize(1)
"""


def labels(graph, names):
    whole = graph.to_networkx()
    return {whole.nodes[v]["label"] for v in names}


def test_text_lists_values_and_effects():
    text = to_text(build(kernel("@cuda.jit\ndef k(x, n):\n    if n > 0:\n        x[n] = 1.0\n")))
    assert text.splitlines() == [
        "v0 = n: int64",
        "v1 = 0: int64",
        "v2 = gt (v0, v1): bool",
        "v3 = not (v2): bool",
        "v4 = 1.0: float64",
        "e0: store x[n] at v0 if v2",
    ]


def test_dot_is_one_digraph():
    dot = to_dot(build(kernel(STRIDE)))
    assert dot.startswith("digraph dataflow {") and dot.endswith("}")
    assert "[style=dashed]" in dot and "shape=box" in dot and "[label=guard]" in dot


def test_dot_quotes_labels():
    dot = to_dot(build(kernel('@cuda.jit\ndef k(x):\n    print("a\\\\b")\n    x[0] = 1.0\n')))
    assert dot.count("{") == 1


def test_inductions_are_the_cycles():
    graph = build(kernel(STRIDE))
    (cycle,) = cycles(graph)
    assert labels(graph, cycle) == {"mu i loop0", "add"}


def test_the_slice_of_an_address_leaves_values_out():
    graph = build(kernel(STRIDE))
    store = next(i for i, e in enumerate(graph.events) if e.kind == "store")
    kept = labels(graph, backward_slice(graph, store))
    assert "n" in kept and "thread.x" in kept and "unused" not in kept


def test_what_threads_flow_into_varies():
    text = "@cuda.jit\ndef k(x, n):\n    i = cuda.grid(1)\n    x[i + 1] = 1.0\n    x[n + 2] = 1.0\n"
    graph = build(kernel(text))
    first, second = (e.subscripts[0] for e in graph.events)
    assert f"v{first}" in varying(graph) and f"v{second}" not in varying(graph)


def test_loaded_values_vary_when_the_kernel_writes_them():
    text = "@cuda.jit\ndef k(x, y):\n    a = x[0]\n    b = y[0]\n    x[a] = 1.0\n    x[b] = 1.0\n"
    graph = build(kernel(text))
    a, b = (e.subscripts[0] for e in graph.events if e.kind == "store")
    assert f"v{a}" in varying(graph) and f"v{b}" not in varying(graph)


def test_straight_code_needs_no_networkx():
    code = (
        "import sys; import gpulint.dataflow as d; from gpulint.ir.nodes import Kernel; "
        "from gpulint.ir.span import NOWHERE as at; d.analyse(Kernel('k', 'k', 'numba', (), (), at, at)); "
        "print('networkx' in sys.modules)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "False"
