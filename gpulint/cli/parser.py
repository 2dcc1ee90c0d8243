"""Parses the command line; every subcommand adds its own options."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, NoReturn

from gpulint.config import suggest

Command = Callable[[argparse.Namespace], int]


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors name the nearest thing that exists."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("allow_abbrev", False)
        kwargs.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(*args, **kwargs)

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: error: {message}", file=sys.stderr)
        print(f"Try `{self.prog} --help`.", file=sys.stderr)
        raise SystemExit(2)


def parse(given: list[str]) -> tuple[Command, argparse.Namespace]:
    """The function of the subcommand and its options. Exits with 2 and a hint when they are wrong."""
    from gpulint.cli.main import COMMANDS

    name = given[0] if given else ""
    if name in COMMANDS and name != "version":
        module = import_module(f"gpulint.cli.{name.replace('-', '_')}")
        parser = Parser(prog=f"gpulint {name}", description=module.__doc__)
        module.add_options(parser)
        return module.run, _options(parser, given[1:])
    top = _top(COMMANDS)
    if not given:
        top.print_help(sys.stderr)
        raise SystemExit(2)
    if name in ("-h", "--help", "help"):
        top.print_help()
        raise SystemExit(0)
    if name == "version":
        top.error("`version` takes no arguments")
    kind = "option" if name.startswith("-") else "command"
    return top.error(f"unknown {kind} `{name}`{suggest(name, (*COMMANDS, '--help', '--version'))}")


def _top(commands: dict[str, str]) -> Parser:
    listed = "\n".join(f"  {name:20}{text}" for name, text in commands.items())
    return Parser(
        prog="gpulint", usage="gpulint COMMAND [OPTIONS] ...", add_help=False,
        description="Proves GPU kernels written in Python free of races and out-of-range accesses,\n"
        "or shows the numbers that break them.",
        epilog=f"commands:\n{listed}\n\n`gpulint COMMAND --help` lists the options of a command.",
    )  # fmt: skip


def _options(parser: Parser, given: list[str]) -> argparse.Namespace:
    options, unknown = parser.parse_known_intermixed_args(given)
    if unknown:
        known = tuple(parser._option_string_actions)
        word = unknown[0].split("=")[0]
        what = "option" if word.startswith("-") else "argument"
        parser.error(f"unknown {what} `{word}`{suggest(word, known)}")
    return options
