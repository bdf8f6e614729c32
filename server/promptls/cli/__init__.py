"""The command line. Each subcommand has its own file, imported only when it is run."""

from __future__ import annotations

import atexit
import gc
import os
import sys

from promptls import __version__
from promptls.cli.output import complain, write
from promptls.core.lazy import module
from promptls.errors import PromptlsError, was_interrupted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn

USAGE = """\
usage: promptls [PATH] [--harness H] [--format text|json]
       promptls COMMAND ...

Without a command: a table of what each coding agent in use gets here, or for the file or folder PATH, with
sizes, the worst problems, and what to do next.

  preview [PATH]   show the prompt that a coding agent gets for a file
  map [DIR]        show what each coding agent gets in each directory; --html FILE writes a page
  explain FILE...  show which coding agents load an instruction file, or a line of it (FILE:LINE), and why others do not
  find TEXT [PATH] show which prompts contain a text, and where; if none does, why
  diff [A] [B]     show whose prompt changes between revisions, coding agents, files or sessions
  log [REV]        list the commits that changed what a coding agent gets
  blame FILE       show which commit each line of a file is from, and what it costs at each start
  check [PATH]     report every problem in a folder, for the coding agents used there
  fleet RESULT...  combine what the CI jobs of many repositories wrote, as a table or one page
  unify [FILE]     make one instruction file out of several without losing a line; shows a patch, --write applies it
  trim [PATH]      show what costs most in prompts, what is repeated or nearly repeated, and what is contradicted
  init [DIR]       print a text with which a coding agent can write the instruction files here, and check them
  sessions [DIR]   list the sessions that coding agents recorded here; “preview --recorded ID” shows one
  rules            list what a check can report; “promptls rule CODE” describes one rule
  config schema    print the JSON schema of promptls.toml
  harnesses        list the supported coding agents, and those in use here
  use [H...]       choose the coding agents that you use, for all your folders
  servers [PATH]   list MCP servers and hooks; --ask starts servers: afterwards previews show their tools
  capture [PATH]   start the installed program and show what it really sends
  learn [H...]     learn how the installed version of a coding agent differs from the nearest known one
  verify [PATH]    start the installed program and compare what it sends with the preview
  probe -- COMMAND start a program that promptls does not know and show which lines of which files it sends
  conformance      score a tool that predicts what coding agents send
  record           print what any program sends to a model
  schema NAME      print the JSON schema of what a command prints with --format json
  completion SHELL print the script with which bash, zsh or fish completes promptls
  serve            start the language server on standard input and output
  mcp              start an MCP server that gives agents the same answers (extra: mcp)

H is the name of a coding agent; “promptls harnesses” lists them.
Run “promptls COMMAND --help” for details."""
# The module of each command, and its function where that is not ``run``.
COMMANDS = {
    "preview": "preview",
    "map": "map",
    "explain": "explain",
    "find": "find",
    "diff": "diff",
    "log": "log",
    "blame": "blame",
    "check": "check",
    "fleet": "fleet",
    "unify": "unify",
    "trim": "trim",
    "init": "init",
    "sessions": "sessions",
    "rules": "rules",
    "rule": "rules:run_one",
    "config": "config",
    "harnesses": "harnesses",
    "use": "use",
    "servers": "servers",
    "capture": "capture",
    "verify": "verify",
    "probe": "probe",
    "learn": "learn",
    "conformance": "conformance",
    "record": "record",
    "schema": "schema",
    "completion": "completion",
    "serve": "serve",
    "mcp": "mcp",
}
# After this many new objects Python looks for unused cycles. One preview makes a tenth as many, or with a thousand
# skills half, and nearly all of them stay: by default, Python would look at them a dozen times.
OBJECTS_BEFORE_COLLECTION = 200_000


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0, 1 if a check found something, 2 with a sentence on stderr."""
    if argv is None:
        if sys.getfilesystemencoding() != "utf-8":
            _start_again_in_utf_8()
        gc.set_threshold(OBJECTS_BEFORE_COLLECTION)
        return _to_the_end(sys.argv[1:])
    return _code_of(list(argv))


def _to_the_end(args: list[str]) -> int:
    """Run a command, and let the process end at once then.

    What else is to be done at the end still is; but Python would take all objects apart, one by one, which takes as
    long as a twentieth of a preview.
    """
    code: list[int] = []

    def end() -> None:
        try:
            for stream in filter(None, (sys.stdout, sys.stderr)):
                stream.flush()
        except (OSError, ValueError):  # the reader has exited: Python says so itself
            return
        if code:
            os._exit(code[0])

    atexit.register(end)  # the first to be registered is the last to be called
    code.append(_code_of(args))
    return code[0]


def _code_of(args: list[str]) -> int:
    if os.environ.get("PROMPTLS_TRACEBACK"):
        _show_tracebacks()
    try:
        return _run(args)
    except PromptlsError as error:
        complain(f"promptls: {error}")
        return 2
    except BrokenPipeError:  # the reader, such as a pager or head, has exited
        return 0
    except SystemExit as end:  # argparse, after --help
        return int(end.code or 0)
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 - a traceback may contain text of files and file names
        if was_interrupted(error):
            return 130
        _complain_of(error)
        complain("promptls: This is a bug in promptls. Please report it with the lines above.")
        return 2


def _complain_of(error: BaseException | None) -> None:
    import traceback  # noqa: PLC0415 - only when something is wrong

    for line in "".join(traceback.format_exception(error)).splitlines():
        complain(line)


def _show_tracebacks() -> None:
    """Also those of faults in one harness, of which there is only a sentence otherwise."""
    from promptls.harnesses import faults  # noqa: PLC0415 - only where it is asked for

    faults.tell(lambda _sentence, error: _complain_of(error))


def _start_again_in_utf_8() -> NoReturn:
    """Harnesses read file names as UTF-8 whatever the locale says; Python can be set to do so only at its start."""
    os.environ["PYTHONUTF8"] = "1"  # for the processes that this one starts
    os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606 - this program again


def _run(args: list[str]) -> int:
    command, rest = (args[0], args[1:]) if args else ("", [])
    if command in ("--version", "-V"):
        write(f"promptls {__version__}\n")
        return 0
    if command in ("--help", "-h", "help"):
        write(f"{USAGE}\n")
        return 0
    found = command_of(command)
    if found is not None:
        return found(rest)
    if args and not command.startswith("-") and not os.path.exists(command):
        raise PromptlsError(_unknown(command))
    from promptls.cli import overview  # noqa: PLC0415 - not for the other commands

    if not args and not overview.has_answer():
        write(f"{USAGE}\n")
        return 0
    return overview.run(args)


def _unknown(command: str) -> str:
    from promptls.cli.arguments import absolute, existing  # noqa: PLC0415 - only when something is wrong
    from promptls.core.near import TYPED, near  # noqa: PLC0415 - the same

    if "/" in command or "." in command:
        existing(absolute(command), "file or directory")
    meant = near(command, COMMANDS, TYPED)
    advice = f"did you mean “promptls {meant}”?" if meant else "run “promptls --help” to see them."
    return f"There is no command {command!r}; {advice}"


def command_of(name: str) -> Callable[[list[str]], int] | None:
    """What runs a command, imported only now; None if there is none of this name."""
    if name not in COMMANDS:
        return None
    file, _, function = COMMANDS[name].partition(":")
    found: Callable[[list[str]], int] = getattr(module(f"{__name__}.{file}"), function or "run")
    return found
