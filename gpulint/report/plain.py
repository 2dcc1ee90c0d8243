"""Reports as plain data (lists, texts, numbers) and back, for storing as JSON.

Reading back believes nothing: every value must have the type that the dataclass says, so that what
comes out is a report whatever was in the file.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
SCALARS = (str, int, float, bool, type(None))


def plain(value: object) -> Any:
    """Lists for dataclasses (their fields in order) and tuples, dictionaries for mappings."""
    if is_dataclass(value):
        return [plain(getattr(value, f.name)) for f in fields(value)]
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, tuple):
        return [plain(v) for v in value]
    return value


def read(kind: type[T], data: object) -> T:
    """The value of a type that `plain` gave this for. Raises ValueError when it is none."""
    found: T = _read(kind, data)
    return found


def _read(hint: Any, data: Any) -> Any:
    origin, args = get_origin(hint), get_args(hint)
    if hint in SCALARS:
        if type(data) is hint or (hint is float and type(data) is int):
            return data
    elif origin in (Union, types.UnionType):
        return _either(args, data)
    elif origin is tuple and isinstance(data, list):
        kinds = [args[0]] * len(data) if args[1:] == (...,) else list(args)
        if len(kinds) == len(data):
            return tuple(map(_read, kinds, data))
    elif origin is Mapping and isinstance(data, dict):
        return {_read(args[0], k): _read(args[1], v) for k, v in data.items()}
    elif isinstance(hint, type) and is_dataclass(hint) and isinstance(data, list):
        kinds = _kinds(hint)
        if len(kinds) == len(data):
            return hint(*map(_read, kinds, data))
    raise ValueError(f"no {hint}: {str(data)[:40]}")


def _either(hints: tuple[Any, ...], data: Any) -> Any:
    for hint in hints:
        try:
            return _read(hint, data)
        except ValueError:
            continue
    raise ValueError(f"none of {hints}: {str(data)[:40]}")


@cache
def _kinds(cls: Any) -> list[Any]:
    hints = get_type_hints(cls)
    return [hints[f.name] for f in fields(cls)]
