"""The command line. Each subcommand has a file of its own, imported only when it is run."""

from __future__ import annotations

import sys

from promptls import __version__
from promptls.cli.output import visible, write
from promptls.errors import PromptlsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

USAGE = """\
usage: promptls COMMAND ...

  preview [PATH]   show the prompt that a coding agent gets for a file
  explain FILE     is this instruction file loaded, by which coding agent, from where; if not, why
  check [PATH]     every problem of a folder, for the coding agents in use there
  rules            what a check can report; promptls rule CODE says more of one
  config schema    the JSON schema of promptls.toml
  harnesses        the coding agents that promptls knows, and which were found here
  serve            start the language server on standard input and output

promptls COMMAND --help says more of one."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0, 1 if a check found something, 2 with a sentence on stderr."""
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(args)
    except PromptlsError as error:
        print(f"promptls: {visible(str(error))}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, a pager or head, has gone
        return 0
    except SystemExit as end:  # argparse, after --help
        return int(end.code or 0)
    except KeyboardInterrupt:
        return 130


def _run(args: list[str]) -> int:
    command, rest = (args[0], args[1:]) if args else ("--help", [])
    if command in ("--version", "-V"):
        write(f"promptls {__version__}\n")
        return 0
    if command in ("--help", "-h", "help"):
        write(f"{USAGE}\n")
        return 0
    return _command(command)(rest)


def _command(name: str) -> Callable[[list[str]], int]:
    if name == "preview":
        from promptls.cli import preview  # noqa: PLC0415 - each command pays for its own imports only

        return preview.run
    if name == "explain":
        from promptls.cli import explain  # noqa: PLC0415 - the same

        return explain.run
    if name == "check":
        from promptls.cli import check  # noqa: PLC0415 - the same

        return check.run
    if name in ("rules", "rule"):
        from promptls.cli import rules  # noqa: PLC0415 - the same

        return rules.run if name == "rules" else rules.run_one
    if name == "config":
        from promptls.cli import config  # noqa: PLC0415 - the same

        return config.run
    if name == "harnesses":
        from promptls.cli import harnesses  # noqa: PLC0415 - the same

        return harnesses.run
    if name == "serve":
        from promptls.cli import serve  # noqa: PLC0415 - the same

        return serve.run
    raise PromptlsError(f"There is no command {name!r}; run “promptls --help” to see them.")
