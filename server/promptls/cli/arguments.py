"""argparse with errors as one sentence."""

from __future__ import annotations

import argparse
import os

from promptls.cli.output import write
from promptls.core.files import expand_home, from_system
from promptls.core.paths import resolve
from promptls.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


WIDTH = 100
# What --allow does.
ALLOW = "allow URLs to this host, address or network, even if it is link-local or cloud metadata; repeatable"


class Parser(argparse.ArgumentParser):
    """A parser whose errors are ``UsageError``."""

    def __init__(self, prog: str, description: str) -> None:
        super().__init__(prog=prog, description=description, formatter_class=_Help)

    def print_help(self, _file: object = None) -> None:
        """Write the help to standard output."""
        write(self.format_help())

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the usage."""
        raise UsageError(f"{message[:1].upper()}{message[1:]}; run “{self.prog} --help” for the options.")


def absolute(path: str, base: str | None = None) -> str:
    """``path`` as an absolute path without ``.`` and ``..``; its links stay."""
    path = expand_home(path)
    return resolve(base or current_directory("/" if os.path.isabs(path) else None), path)


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
        raise UsageError(f"There is no {what} {path}; check the path.")
    return path


class _Help(argparse.HelpFormatter):
    """Help of a fixed width: to find the terminal's width, argparse would import seven modules at each start."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=WIDTH)
