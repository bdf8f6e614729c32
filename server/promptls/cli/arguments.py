"""argparse with errors as one sentence."""

from __future__ import annotations

import argparse
import os

from promptls.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


WIDTH = 100


class Parser(argparse.ArgumentParser):
    """A parser whose errors are ``UsageError``."""

    def __init__(self, prog: str, description: str) -> None:
        super().__init__(prog=prog, description=description, formatter_class=_Help)

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the usage."""
        raise UsageError(f"{message[:1].upper()}{message[1:]}; run “{self.prog} --help” for the options.")


def absolute(path: str, base: str | None = None) -> str:
    """``path`` as an absolute path without ``.`` and ``..``; its links stay."""
    return os.path.normpath(os.path.join(base or os.getcwd(), os.path.expanduser(path)))


def existing(path: str, what: str) -> str:
    """``path``, if it is there.

    Raises:
        UsageError: nothing stands there.
    """
    if not os.path.exists(path):
        raise UsageError(f"There is no {what} {path}; check the path.")
    return path


class _Help(argparse.HelpFormatter):
    """Help of a fixed width: to ask for the terminal's, argparse imports seven modules at each start."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=WIDTH)
