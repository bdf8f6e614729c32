"""argparse for the command line that is not plain: with help of a fixed width, and errors as one sentence."""

from __future__ import annotations

import argparse

from promptls.cli.output import write
from promptls.core.near import TYPED, near
from promptls.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

WIDTH = 100
# How argparse says that there is no such option.
UNRECOGNIZED = "unrecognized arguments: "
# Its messages are for ``error``, which knows them in English.
argparse._ = str  # type: ignore[attr-defined] # missing in the stubs


class FullParser(argparse.ArgumentParser):
    """A parser whose errors are ``UsageError``."""

    def __init__(self, prog: str, description: str, epilog: str | None) -> None:
        super().__init__(prog, description=description, epilog=epilog, formatter_class=_Help)

    def print_help(self, _file: object = None) -> None:
        """Write the help to standard output."""
        write(self.format_help())

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the usage."""
        option = message.removeprefix(UNRECOGNIZED).partition("=")[0].partition(" ")[0]
        is_unknown = message.startswith(f"{UNRECOGNIZED}--")
        meant = near(option, self._option_string_actions, TYPED) if is_unknown else None
        if meant is not None:
            raise UsageError(f"There is no option {option}; did you mean {meant}?")
        raise UsageError(f"{message[:1].upper()}{message[1:]}; run “{self.prog} --help” for the options.")


class _Help(argparse.HelpFormatter):
    """Help of a fixed width, whatever the terminal's is."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=WIDTH)
