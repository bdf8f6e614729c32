"""argparse with errors as one sentence."""

from __future__ import annotations

import argparse
import os

from promptls.cli.output import write
from promptls.core.files import ONLY_BELOW, expand_home, from_system, realpath
from promptls.core.paths import is_below, join, name, parent, resolve
from promptls.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, NoReturn


WIDTH = 100
# How argparse says that there is no such option.
UNRECOGNIZED = "unrecognized arguments: "
# How like a name must be to one that exists, from 0 to 1, to be taken for it.
LIKE = 0.7
# What --allow does.
ALLOW = "fetch URLs of this host, address or network even if it is link-local or cloud metadata; repeatable"


def takes_habits(parser: Parser) -> None:
    """Let the user of an answer of their own ask for what anybody else would see."""
    parser.add_argument(
        "--no-habits",
        dest="with_habits",
        action="store_false",
        help="ignore which coding agents you use; answer only for those that the folder has files for",
    )


def takes_mine(parser: Parser) -> None:
    """Let the user of an answer for a team ask for their own."""
    parser.add_argument(
        "--mine",
        dest="with_habits",
        action="store_true",
        help="also answer for the coding agents that you use; without it, every machine gets the same answer",
    )


# Its messages are for ``Parser.error``, which knows them in English. To look for translations takes as long as a parse.
argparse._ = str  # type: ignore[attr-defined] # missing in the stubs


class Parser(argparse.ArgumentParser):
    """A parser whose errors are ``UsageError``."""

    def __init__(self, prog: str, description: str) -> None:
        super().__init__(prog=prog, description=description, formatter_class=_Help)

    def print_help(self, _file: object = None) -> None:
        """Write the help to standard output."""
        write(self.format_help())

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the usage."""
        option = message.removeprefix(UNRECOGNIZED).partition("=")[0].partition(" ")[0]
        meant = _near(option, self._option_string_actions) if message.startswith(f"{UNRECOGNIZED}--") else None
        if meant is not None:
            raise UsageError(f"There is no option {option}; did you mean {meant}?")
        raise UsageError(f"{message[:1].upper()}{message[1:]}; run “{self.prog} --help” for the options.")


def absolute(path: str, base: str | None = None) -> str:
    """``path`` as an absolute path without ``.`` and ``..``; its links stay. Each path that is opened comes from here.

    Raises:
        UsageError: it, or what its links lead to, is outside of the one folder where paths may lie.
    """
    named, path = path, expand_home(path)
    found = resolve(base or current_directory("/" if os.path.isabs(path) else None), path)
    top = only_below()
    if top is not None and not (is_below(found, top) and is_below(realpath(found), realpath(top))):
        raise UsageError(f"{named!r} is outside of {top}; choose a path in this folder.")
    return found


def only_below() -> str | None:
    """The folder that paths must lie in; None: they may lie anywhere."""
    return os.environ.get(ONLY_BELOW)


def current_directory(otherwise: str | None = None) -> str:
    """The current directory; ``otherwise`` if it no longer exists.

    Raises:
        UsageError: it no longer exists, and there is no ``otherwise``.
    """
    try:
        return from_system(os.getcwd())
    except OSError:
        if otherwise is not None:
            return otherwise
        raise UsageError("The current directory no longer exists; change to another one.") from None


def existing(path: str, what: str) -> str:
    """``path``, if it is there.

    Raises:
        UsageError: nothing is there.
    """
    if not os.path.exists(path):
        if os.path.islink(path):
            raise UsageError(f"{path} is a link to a missing {what}; correct it.")
        directory = parent(path)
        meant = _near(name(path), os.listdir(directory)) if os.path.isdir(directory) else None
        advice = f"did you mean {join(directory, meant)}?" if meant else "check the path."
        raise UsageError(f"There is no {what} {path}; {advice}")
    return path


def _near(text: str, known: Iterable[str]) -> str | None:
    from promptls.core.near import near  # noqa: PLC0415 - only when something is wrong

    return near(text, known, LIKE)


class _Help(argparse.HelpFormatter):
    """Help of a fixed width: to find the terminal's width, argparse would import seven modules at each start."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=WIDTH)


def takes_page(parser: Parser, shown: Any, what: str = "") -> None:
    """The options for one page; ``what``: when there is one."""
    shown.add_argument("--html", metavar="FILE", help=f"{what}write one page to FILE; - for standard output")
    parser.add_argument(
        "--redact",
        action="store_true",
        help="with --html: a page for others, without paths elsewhere, names of people and folders, messages and links",
    )
