"""Writes what is generated for the command line: completion for shells, the page for man, and JSON schemas.

python tools/command_line.py
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import shtab
from commands import parser_of
from man import page
from outputs import OUTPUTS, schema

from promptls import cli, harnesses
from promptls.checks.rules.catalogue import RULES
from promptls.cli.completion import SHELLS
from promptls.core import specs

ROOT = Path(__file__).parent.parent
SCHEMAS = ROOT / "docs" / "schemas"
# What is completed, by the word that stands for it in the help.
PATHS = ("PATH", "FILE", "FILE[:LINE[-LINE]]")
DIRECTORIES = ("DIR",)
HARNESSES = ("H[@VERSION]", "H")
RULE, SCHEMA = "CODE", "NAME"


def outputs() -> Iterator[tuple[Path, str]]:
    """Each file with the text that it should have; schemas first, because the help names them."""
    for name in OUTPUTS:
        yield SCHEMAS / f"{name}.json", f"{json.dumps(schema(name), indent=2)}\n"
    for shell in SHELLS:
        yield ROOT / "server" / "promptls" / "shells" / f"promptls.{shell}", completion(shell)
    yield ROOT / "docs" / "promptls.1", page()


def completion(shell: str) -> str:
    """A script that completes commands, options, names of harnesses and rules, and paths."""
    main = argparse.ArgumentParser("promptls", add_help=False)
    main.add_argument("-h", "--help", action="store_true", help="show the help")
    main.add_argument("-V", "--version", action="store_true", help="show the version")
    commands = main.add_subparsers()
    for name in cli.COMMANDS:
        parser = parser_of(name)
        about = (parser.description or "").partition(". ")[0].rstrip(".")
        commands.add_parser(name, help=about, description=about, parents=[parser], add_help=False)
        for action in parser._actions:  # noqa: SLF001 - argparse has no other way to list them
            _complete(action)
    script: str = shtab.complete(main, shell)
    # The first line tells zsh what the file is.
    first, _, rest = script.rstrip().partition("\n")
    return f"{first}\n# Generated from the parsers of promptls by tools/command_line.py.\n{rest}\n"


def _complete(action: argparse.Action) -> None:
    if action.metavar in PATHS:
        action.complete = shtab.FILE  # type: ignore[attr-defined]
    elif action.metavar in DIRECTORIES:
        action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    elif action.metavar in HARNESSES:
        action.choices = [word for name in harnesses.names() for word in (name, *specs.detection(name).aliases)]
    elif action.metavar == SCHEMA and not action.option_strings:
        action.choices = list(OUTPUTS)
    elif action.metavar == RULE:
        action.choices = list(RULES)


def main() -> int:
    """Write the files."""
    for path, text in outputs():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
