"""The entry point: picks the subcommand, and turns every ending into an exit code.

0: no error or warning. 1: some. 2: gpulint was used wrongly or failed. 130: interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

COMMANDS = {
    "check": "check kernels: what is proved, and the numbers that break the rest",
    "rule": "explain a rule",
    "ir": "show a kernel at any stage of the analysis",
    "compile": "compile a verified kernel to PTX",
    "run": "run a kernel within its contract, and compare",
    "verify-certificate": "hold a certificate against its code and source",
    "doctor": "say what is found on this machine, and how to get the rest",
    "new": "start a kernel: contract, test and pre-commit file",
    "list": "list the kernels of files",
    "version": "print the version",
}
OK, FOUND, WRONG, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Prints to standard output; never raises."""
    given = list(sys.argv[1:] if argv is None else argv)
    if given in (["version"], ["--version"], ["-V"]):
        return _version()
    try:
        code = _run(given)
        sys.stdout.flush()
        return code
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else WRONG
    except KeyboardInterrupt:
        print("gpulint: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return OK
    except Exception as error:  # a defect of gpulint; the last line a user should see
        if os.environ.get("GPULINT_TRACEBACK"):
            raise
        print(f"gpulint: internal error: {type(error).__name__}: {error}", file=sys.stderr)
        return WRONG


def _version() -> int:
    from gpulint import __version__

    print(f"gpulint {__version__}")
    return OK


def _run(given: list[str]) -> int:
    from gpulint.cli.parser import parse
    from gpulint.config import ConfigError

    try:
        command, options = parse(given)
        return command(options)
    except ConfigError as error:
        print(f"gpulint: error: {error}", file=sys.stderr)
        return WRONG


def _drop_output() -> None:
    """The reader has gone (`gpulint check | head`): keep the exit quiet."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
