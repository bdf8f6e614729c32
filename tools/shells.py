"""Writes what is generated from the parsers of the command line: completion for shells, and the page for man.

python tools/shells.py
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import shtab
from commands import parser_of
from man import page

from promptls import cli, harnesses
from promptls.checks.rules.catalogue import RULES
from promptls.cli.completion import SHELLS
from promptls.core import specs

ROOT = Path(__file__).parent.parent
# What is completed, by the word that stands for it in the help.
PATHS = ("PATH", "FILE", "FILE[:LINE[-LINE]]")
DIRECTORIES = ("DIR",)
HARNESSES = ("H[@VERSION]", "H")
RULE = "CODE"


def outputs() -> dict[Path, str]:
    """Each file with the text that it should have."""
    scripts = {ROOT / "server" / "promptls" / "shells" / f"promptls.{shell}": completion(shell) for shell in SHELLS}
    return {**scripts, ROOT / "docs" / "promptls.1": page()}


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
    return f"{first}\n# Generated from the parsers of promptls by tools/shells.py.\n{rest}\n"


def _complete(action: argparse.Action) -> None:
    if action.metavar in PATHS:
        action.complete = shtab.FILE  # type: ignore[attr-defined]
    elif action.metavar in DIRECTORIES:
        action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    elif action.metavar in HARNESSES:
        action.choices = [word for name in harnesses.names() for word in (name, *specs.marks(name).aliases)]
    elif action.metavar == RULE:
        action.choices = list(RULES)


def main() -> int:
    """Write the files."""
    for path, text in outputs().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
