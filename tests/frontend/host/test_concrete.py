"""Terms have the values that Python computes."""

import math

import pytest

from gpulint.term import evaluate, holds, symbols

VALUES = [(-7, 3), (0, 1), (1, 2), (5, 4), (64, 8), (1000, 7), (-128, 5)]
EXPRESSIONS = [
    "math.ceil(n / m)", "math.floor(n / m)", "int(n / m)", "-(-n // m)", "(n + m - 1) // m", "n % m",
    "int(math.ceil(n / 4) * 1.5)", "round(n * 2.0)", "max(n, m, 3) - min(n, m)", "abs(n) + m ** 2", "n << 3",
    "n >> 2", "n & 7", "divmod(n, m)[1]", "int(n > m) + int(not n)", "m if n > 2 else -m",
    "int((n + 0.5) * 2)", "(n, m)[-1]", "sum((n, m, 1))", "int(2 < n <= 64)", "[n, m][0:1][0]",
    "(lambda a: a * 2)(n)",
    "math.prod((n, m))", "int(n in (5, 64))", "math.ceil((n * m) / (2 * m))", "1 - (n - m) * (n + m)",
    "len(range(3, 11))", "int(n == 5 or m == 7)", "int(-7 / 2)",
]  # fmt: skip


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_value(in_function, expression):
    grid = in_function(f"k[{expression}, 1](x, 1)").one.grid
    assert grid is not None
    for n, m in VALUES:
        env = {s: {"n": n, "m": m}[s.name] for s in symbols(grid[0])}
        assert evaluate(grid[0], env) == eval(expression, {"math": math}, {"n": n, "m": m}), (n, m)


@pytest.mark.parametrize("bounds", ["n:m", ":n", "n:", "m:n", "-m:", ":-m", "n::2", "-3:m:3"])
def test_length_of_a_slice(in_function, bounds):
    site = in_function(f"a = np.zeros(20)\nk[1, 1](a[{bounds}], 1)").one
    shape = site.arguments["x"].shape
    for n, m in VALUES:
        env = {s: {"n": n, "m": m}[s.name] for s in symbols(shape[0])}
        assert evaluate(shape[0], env) == len(eval(f"list(range(20))[{bounds}]", {}, {"n": n, "m": m})), (
            n,
            m,
        )


@pytest.mark.parametrize(
    "body",
    [
        "if n > 3:\n    t = n\nelif m > 2:\n    t = m\nelse:\n    t = 1",
        "t = 4\nif n % 2 == 0 and m != 3:\n    t += n",
        "t = n\nif not (n > 0 or m > 4):\n    t = -m",
        "a, b = n, m\na, b = b, a\nt = a - b",
        "t = 0\nfor q in ((n, 1), (m, 2)):\n    t = t + q[0] * q[1]",
    ],
)
def test_statements(in_function, body):
    grid = in_function(body + "\nk[t, 1](x, 1)").one.grid
    assert grid is not None
    for n, m in VALUES:
        scope = {"n": n, "m": m}
        exec(body, {}, scope)
        env = {s: {"n": n, "m": m}[s.name] for s in symbols(grid[0])}
        assert evaluate(grid[0], env) == scope["t"], (n, m)


@pytest.mark.parametrize("condition", ["n > 3 and m < 5", "not n <= m", "n % 2 == 0 or m != 3", "0 < n < m"])
def test_facts_hold_where_the_launch_happens(in_function, condition):
    site = in_function(f"if not ({condition}):\n    raise ValueError\nk[1, 1](x, n + m)").one
    for n, m in VALUES:
        env = {s: {"n": n, "m": m}[s.name] for f in site.facts for s in symbols(f)}
        assert all(holds(f, env) for f in site.facts) == eval(condition, {}, {"n": n, "m": m})
