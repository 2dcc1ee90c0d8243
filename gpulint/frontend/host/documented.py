"""What docstring and comments of a host function say of its tensors' elements: a number that stands for none.

`slot_mapping holds -1 for padded tokens` names a parameter and a negative number, literal or as a constant of
the module, in one sentence with what such a number is for. That is the author's word that callers pass
it, so that an offset made of it is the code's own fault; nothing is ever proved by it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from gpulint.source.constants import fold
from gpulint.source.model import Module
from gpulint.source.resolve import Project

SENTENCE = re.compile(r"(?<=[.])\s+|\n\s*\n|\n(?=\s*[-*]?\s*`?\w+`?\s*(?:\([^)]*\))?\s*:)")
NUMBER = re.compile(r"(?<![\w.\[(=,:-])(-\d+)\b(?!\s*[\]:),]|\.\d)")
IN_BRACKETS = re.compile(r"(?<=\w )\((-\d+)\)")  # `PAD (-1) for rows of no request`, and no call
AXIS = re.compile(r"\b(?:dim|dims|axis|axes|dimension)\w*\s*[=:]?\s*[`'\"]?-\d+")
WORD = re.compile(r"[A-Za-z_]\w*")
PURPOSE = re.compile(r"\b(?:pad\w*|invalid|unused|skip\w*|empty|ignore\w*|missing|inactive|absent)\b", re.I)


def sentinels(node: ast.AST, module: Module, project: Project) -> dict[str, int]:
    """By parameter, the negative number that docstring or comments say its elements may be."""
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return {}
    text = "\n\n".join((ast.get_docstring(node) or "", *_comments(node, module)))
    spec = node.args
    names = {a.arg for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}
    known = _defaults(spec, module, project)
    out: dict[str, int] = {}
    for sentence in SENTENCE.split(text):
        words = set(WORD.findall(sentence))
        about = (names & words) - known.keys()
        if about and PURPOSE.search(sentence):
            values = [
                *_numbers(sentence, words - names, module, project),
                *(known[w] for w in known if w in words),
            ]
            for value in values:
                out.update(dict.fromkeys(about, value))
    return out


def _comments(node: ast.FunctionDef | ast.AsyncFunctionDef, module: Module) -> Iterator[str]:
    """The comments in a function, each by itself."""
    for line in module.text.splitlines()[node.lineno - 1 : node.end_lineno]:
        before, mark, comment = line.partition("# ")
        if mark and before.count('"') % 2 == 0 and before.count("'") % 2 == 0:
            yield comment.strip()


def _defaults(spec: ast.arguments, module: Module, project: Project) -> dict[str, int]:
    """The parameters whose default is a negative number."""
    last = [*spec.posonlyargs, *spec.args][len(spec.posonlyargs) + len(spec.args) - len(spec.defaults) :]
    pairs = [*zip(last, spec.defaults, strict=True), *zip(spec.kwonlyargs, spec.kw_defaults, strict=True)]
    values = {a.arg: _negative(d, module, project) for a, d in pairs if d is not None}
    return {name: value for name, value in values.items() if value is not None}


def _negative(expr: ast.expr, module: Module, project: Project) -> int | None:
    folded = fold(expr, module.scope, project)
    value = folded.value if folded is not None else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value < 0 else None


def _numbers(sentence: str, words: set[str], module: Module, project: Project) -> Iterator[int]:
    """The negative numbers that a sentence names, less those that name an axis."""
    plain = AXIS.sub(" ", sentence)
    yield from map(int, (*NUMBER.findall(plain), *IN_BRACKETS.findall(plain)))
    for word in sorted(words):
        value = (
            _negative(ast.Name(word, ast.Load()), module, project) if word in module.scope.bindings else None
        )
        if value is not None:
            yield value
