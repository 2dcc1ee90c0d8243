"""Large and hostile input ends with a clear outcome."""

import pytest


def test_too_long_function_is_named(in_function):
    found = in_function("t = 1\n" + "t = t + x.size * 2 + 1\n" * 4000 + "k[t, 32](x, n)")
    assert found.one.grid is None and not found.one.exact
    assert found.one.notes == ("the function that launches is too long to follow",)


def test_deep_expression(in_function):
    found = in_function(f"k[{'-' * 70}n, 32](x, n)")
    assert not found.one.exact


def test_many_branches(in_function):
    body = "".join(f"if n > {i}:\n    t = {i}\n" for i in range(200))
    assert in_function("t = 1\n" + body + "k[1, t](x, n)").one.kernel == "k"


def test_deep_loops(in_function):
    text, pad = "", ""
    for i in range(12):
        text += f"{pad}for i{i} in range(n):\n"
        pad += "    "
    assert in_function(f"{text}{pad}k[1, 32](x, n)").one.kernel == "k"


def test_calls_that_multiply(launches):
    text = "def f0(x):\n    k[1, 32](x, 1)\n"
    for i in range(1, 12):
        text += f"def f{i}(x):\n    f{i - 1}(x)\n    f{i - 1}(x)\n"
    assert launches(text)


def test_growing_products(in_function):
    body = "t = n + m + 1\n" + "t = t * t\n" * 30
    assert not in_function(body + "k[t, 32](x, n)").one.exact


def test_number_of_sites_is_bounded(in_function):
    assert len(in_function("k[1, 32](x, n)\n" * 500)) == 400


@pytest.mark.parametrize(
    "body",
    [
        "k[()](x, n)", "k[1](x, n)", "k[1, 2, 3, 4, 5](x, n)", "k[1:2](x, n)", "k[None, None](x, n)",
        "k[(1, 2, 3, 4), 5](x, n)", "k['a', 2.5](x, n)", "k[n // 0, n % 0](x, n)", "k[1, 2](*x)",
        "k[1, 2](x, n, **m)", "k[x, y](x, n)", "k[k, k](k, k)", "(k if n else None)[1, 2](x, n)",
        "k[1 / 0, 0 ** -1](x, n)", "k[1 << 4000, 1](x, n)", "np.zeros(-1)[5:3:0]\nk[1, 2](x, n)",
        "a, *b = x\nk[a, 2](b, n)",
        "match n:\n    case [q, *r]:\n        k[q, 2](r, n)",
        "global n\nk[n, 2](x, n)",
        "del x\nk[1, 2](x, n)", "k[lambda: 1, 2](x, n)", "k[(yield), 2](x, n)", "k[10 ** 400, 1](x, n)",
        "k[np.zeros(()), np.zeros(3)[...]](x[..., None], n)", "k.forall()(x)",
        "k[x.shape, y.shape](x.T, y.T)",
        "k[[1, 2], {3}](x, n)", "while True:\n    k[1, 2](x, n)", "for k in range(3):\n    k[1, 2](x, n)",
    ],
)  # fmt: skip
def test_odd_code_is_survived(in_function, body):
    for site in in_function(body):
        assert site.kernel == "k"
