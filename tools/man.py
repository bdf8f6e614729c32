"""The page for man, from the parsers of the command line."""

from __future__ import annotations

import argparse
import re

from commands import parser_of

from promptls import __version__, cli

ENVIRONMENT = {
    "NO_COLOR": "if it is not empty, no colours are used on a terminal",
    "PAGER": "shows a long preview on a terminal, less by default; empty for none",
}
CODES = {
    "0": "it succeeded, and a check found nothing that --fail-on names",
    "1": "a check found something, or a text that was looked for is in no prompt",
    "2": "it was used wrongly, or something that it needs is not there; one sentence on standard error says what",
}


def page() -> str:
    """The page, in the macros of man."""
    lines = [
        '.\\" Generated from the parsers of promptls by tools/command_line.py.',
        f'.TH PROMPTLS 1 "" "promptls {__version__}" "User Commands"',
        ".SH NAME",
        _text("promptls - shows the prompt that a coding agent really gets, and what is wrong in instruction files"),
        ".SH SYNOPSIS",
        "\n.br\n".join(_usage(parser_of(name), name) for name in ("", *cli.COMMANDS)),
        ".SH DESCRIPTION",
        _text(cli.USAGE.partition("\n\n")[2].partition("\n\n")[0].replace("\n", " ")),
        *_options(parser_of("")),
        ".SH COMMANDS",
    ]
    for name in cli.COMMANDS:
        parser = parser_of(name)
        lines += [f".SS promptls {_text(name)}", _text(parser.description or ""), *_options(parser)]
        lines += [".P", _text(parser.epilog)] if parser.epilog else []
    lines += [".SH ENVIRONMENT", *_terms(ENVIRONMENT), ".SH EXIT STATUS", *_terms(CODES)]
    return "\n".join(lines) + "\n"


def _usage(parser: argparse.ArgumentParser, name: str) -> str:
    words = [word for action in parser._actions if not action.option_strings for word in (_argument(action),)]  # noqa: SLF001 - argparse has no other way to list them
    bold = " ".join(filter(None, ("promptls", name)))
    return f"\\fB{_text(bold)}\\fR [options] {' '.join(map(_text, words))}".rstrip()


def _argument(action: argparse.Action) -> str:
    named = str(action.metavar or action.dest)
    return {"?": f"[{named}]", "+": f"{named}...", "*": f"[{named}...]"}.get(str(action.nargs), named)


def _options(parser: argparse.ArgumentParser) -> list[str]:
    found: list[str] = []
    for action in parser._actions:  # noqa: SLF001 - as above
        if action.option_strings[:1] == ["-h"] or action.help == argparse.SUPPRESS:
            continue
        value = "" if action.nargs == 0 else action.metavar or "|".join(map(str, action.choices or ())) or action.dest
        term = " ".join([", ".join(action.option_strings), str(value)]).strip()
        found += [".TP", f"\\fB{_text(term)}\\fR", _text(action.help or f"default: {action.default}")]
    return found


def _terms(found: dict[str, str]) -> list[str]:
    return [line for term, says in found.items() for line in (".TP", f"\\fB{_text(term)}\\fR", _text(says))]


def _text(text: str) -> str:
    """Text in which nothing is a request of roff."""
    plain = re.sub(r"%%", "%", text).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain
