"""The parsers of all commands, as they are when they are asked to parse."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn
from unittest.mock import patch

from promptls import cli
from promptls.cli import arguments, overview


class _Found(Exception):  # noqa: N818 - it is no error
    def __init__(self, parser: arguments.Parser) -> None:
        super().__init__()
        self.parser = parser


def parser_of(name: str) -> argparse.ArgumentParser:
    """What ``declared`` finds, as a parser of argparse.

    Raises:
        LookupError: there is no such command, or it parses nothing.
    """
    return declared(name).full()


def declared(name: str) -> arguments.Parser:
    """The parser of the command ``name``, or of promptls without a command for "".

    Raises:
        LookupError: there is no such command, or it parses nothing.
    """

    def parse_args(parser: arguments.Parser, *_: Any) -> NoReturn:
        raise _Found(parser)

    run = cli.command_of(name) if name else overview.run
    try:
        with patch.object(arguments.Parser, "parse_args", parse_args):
            if run is not None:
                run([])
    except _Found as found:
        return found.parser
    raise LookupError(name)
