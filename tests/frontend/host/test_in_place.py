"""What host code changes in place, later or from elsewhere: a launch is judged by what it gets then."""

from __future__ import annotations

import re
import textwrap

import pytest

from gpulint import pipeline
from gpulint.config import Config

HEAD = """
import contextlib
import functools
from dataclasses import dataclass
import numpy as np
from numba import cuda
from other import unseen

@cuda.jit
def k(x, n):
    i = cuda.grid(1)
    if i < n:
        x[i] = 1.0
"""
BODIES = {
    "a list under another name": "s = [a.size]\nt = s\nt[0] = 99\nn = s[0]",
    "a list that a function changes": "s = [a.size]\ngrow(s)\nn = s[0]",
    "a list that unseen code gets": "s = [a.size]\nunseen(s)\nn = s[0]",
    "a list in a list": "s = [[a.size]]\ns[0][0] += 1\nn = s[0][0]",
    "a list made of a shape": "s = list(a.shape)\ns[0] += 1\nn = s[0]",
    "one of two lists": "s = [a.size]\nr = [a.size]\nt = s if c else r\nt[0] = 99\nn = s[0]",
    "a list extended in place": "s = [a.size]\nt = s\nt += [1]\nt[0] = 99\nn = s[0]",
    "a list deleted from": "s = [9999, a.size]\nt = s\ns.append(9999)\ndel s[0]\nn = t[1]",
    "a list sorted under another name": "s = [a.size, 99]\nt = s\nt.sort()\nn = s[0]",
    "a list of the loop before": "s = [a.size]\n"
    "for _ in range(3):\n    n = s[0]\n    launch(a, n)\n"
    "    s[0] *= 2",
    "a list that an exception leaves": "s = [a.size]\ntry:\n    s[0] = 99\n"
    "    s[0] = int(c)\n    s[0] = a.size\n"
    "except ValueError:\n    pass\nn = s[0]",
    "a dictionary under another name": "s = {'n': a.size}\nt = s\nt['n'] = 99\nn = s['n']",
    "a dictionary that is updated": "s = {'n': a.size}\ns.update(n=99)\nn = s['n']",
    "a dictionary at an unknown key": "s = {'n': a.size}\ns[c] = 99\nn = s['n']",
    "an item of an input": "a = np.zeros(c[0])\nc[0] += 1\nn = c[0]",
    "an attribute of an input": "a = np.zeros(c.n)\nc.advance()\nn = c.n",
    "an attribute that unseen code may set": "p = Plain()\np.n = a.size\nunseen(p)\nn = p.n",
    "a local that a nested function sets": "n = a.size\ndef more():\n    nonlocal n\n    n += 1\nmore()",
    "a local of a nested function, later": "n = a.size\ndef size():\n    return n\nif c:\n    n = n + 1\n"
    "n = size()",
    "a local of a lambda, later": "n = a.size\nsize = lambda: n\nn += 1\nn = size()",
    "a shape that is assigned": "a = np.zeros((c, 1))\nb = a\nb.shape = (1, c)\nn, a = c, a[:, 0]",
    "a resized array": "n = a.size\na.resize(n // 2)",
    "an exception that is suppressed": "n = 99\nwith contextlib.suppress(Exception):\n"
    "    n = min(int(c), a.size)",
    "a check that is suppressed": "n = c\nwith contextlib.suppress(ValueError):\n    if n > a.size:\n"
    "        raise ValueError",
    "an assertion before finally": "n = 0\ntry:\n    assert c <= a.size\nfinally:\n    launch(a, c)",
    "a function that is decorated": "n = plus_one(a)",
}
FUNCTIONS = """
class Plain: pass

def grow(s):
    s[0] += 1

def plus(fn):
    @functools.wraps(fn)
    def inner(*args):
        return fn(*args) + 1
    return inner

@plus
def plus_one(a):
    return a.size
"""
CLASSES = {
    "a list that another method changes": "def __init__(self, a):\n    self.a, self.s = a, [a.size]\n"
    "def grow(self):\n    self.s[0] += 1\ndef run(self):\n    launch(self.a, self.s[0])",
    "attributes set by name": "def __init__(self, a):\n    self.a = a\n    self.n = a.size\n"
    "    setattr(self, 'n', 99)\ndef run(self):\n    launch(self.a, self.n)",
    "an attribute that a subclass sets": "def __init__(self, a):\n    self.a = a\n    self.n = a.size\n"
    "def run(self):\n    launch(self.a, self.n)\n\nclass B(A):\n    def __init__(self, a):\n"
    "        super().__init__(a)\n        self.n = 99",
    "a constant that a subclass has": "n = 4\ndef run(self):\n    launch(np.zeros(4), self.n)\n\n"
    "class B(A):\n    n = 8",
    "a constant that a method sets": "n = 4\ndef grow(self):\n    self.n = 8\ndef run(self):\n"
    "    launch(np.zeros(4), self.n)",
    "the default of a field": "n: int = 4\ndef run(self):\n    launch(np.zeros(4), self.n)",
}
RIGHT = {
    "lists that stay": "s = [a.size]\nt = s\nn = t[0]",
    "a list that is set to the size": "s = [99]\nt = s\nt[0] = a.size\nn = s[0]",
    "a list that only libraries get": "s = [a.size]\nprint(s, np.sum(s))\nn = s[0]",
    "a list that another function reads": "s = [a.size]\nn = first(s)",
    "one of two lists that stay": "s = [a.size]\nr = [a.size]\nt = s if c else r\nn = t[0]",
    "a list that the loop does not change": "s = [a.size]\nfor _ in range(3):\n    launch(a, s[0])\nn = s[0]",
    "a nested function": "n = a.size\ndef go():\n    launch(a, n)\ngo()",
    "a nested function, after the last assignment": "n = 99\nn = a.size\ndef go():\n    launch(a, n)\n"
    "unseen(go)",
    "a function behind decorators that hand on": "n = size_of(a)",
    "another object changes": "p = Plain()\np.n = a.size\nq = Plain()\nunseen(q)\nn = p.n",
}
RIGHT_FUNCTIONS = """
class Plain: pass

def first(s):
    return s[0]

def traced(fn):
    @functools.wraps(fn)
    def inner(*args, **kw):
        print("called")
        result = fn(*args, **kw)
        return result
    return inner

@functools.lru_cache
@traced
def size_of(a):
    return a.size
"""


def status(text: str) -> str:
    """The verdict, with each `launch(a, n)` written out as a launch over `n` elements of `a`."""
    shown = re.sub(r"launch\((.*), (.*)\)", r"k[(\2 + 127) // 128, 128](cuda.to_device(\1), \2)", text)
    (kernel,) = pipeline.check_file(HEAD + shown, "k.py", Config()).kernels
    return kernel.status


def function(body: str) -> str:
    return "def run(a, c):\n" + textwrap.indent(body + "\nlaunch(a, n)\n", "    ")


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_launch_that_may_be_out_of_range_is_not_verified(body: str) -> None:
    assert status(FUNCTIONS + function(body)) != "verified"


@pytest.mark.parametrize("body", CLASSES.values(), ids=CLASSES)
def test_attributes_that_others_set_are_not_taken_as_constant(body: str) -> None:
    inner, _, below = body.partition("\n\n")
    mark = "@dataclass\n" if inner.startswith("n: int") else ""
    assert status(f"{mark}class A:\n{textwrap.indent(inner, '    ')}\n{below}\n") != "verified"


@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT)
def test_what_stays_as_it_is_is_known(body: str) -> None:
    assert status(RIGHT_FUNCTIONS + function(body)) == "verified"


def test_attributes_that_only_the_class_sets_are_known() -> None:
    text = """
        class A:
            extra = 0
            def __init__(self, a):
                self.a, self.n, self.sizes = a, a.size, [a.size]
            def run(self):
                launch(self.a, self.n + self.extra)
                launch(self.a, self.sizes[0])
        """
    assert status(textwrap.dedent(text)) == "verified"
