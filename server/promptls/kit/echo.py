"""What a command prints that only says plain words: known without running it. Nothing else is tried."""

from __future__ import annotations

import re

from promptls.core.lazy import regex
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_BLANKS = regex(r"[ \t]*")
# A part of a word: in single or double quotes, or bare, without anything that a shell gives another meaning; the home
# directory. In double quotes, a back slash keeps its meaning before these four only.
_PART = regex(
    r"""'(?P<single>[^'\n]*)'|"(?P<double>(?:[^"$`\\!\n]|\\[^!\n]|\$HOME\b|\$\{HOME\})*)"|(?P<bare>[\w@%+,./:-]+)"""
    r"""|(?P<home>\$HOME\b|\$\{HOME\})|(?P<last>\\\Z)""",
    re.ASCII,
)
_IN_DOUBLE = regex(r'\\([$`"\\])|\$HOME\b|\$\{HOME\}', re.ASCII)
_STATUS = regex(r"\d{1,2}", re.ASCII)
_BARE = regex(r"[\w@%+,./:-]*", re.ASCII)
# To the errors, or to nowhere.
_AWAY = regex(r"1?>[ \t]*(?:&2|/dev/null)(?=[ \t;]|\Z)")
_FORMAT = regex(r"%(.)|\\(.)|[^%\\]+", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\"}
# A longer command is no plain one.
LONGEST = 2000
WHY = "it prints plain words, so the output is known without running it"


@dataclass(frozen=True, slots=True)
class Printed:
    """What a command prints on its standard output, and the status that it ends with."""

    text: str
    status: int = 0


class _UnknownError(Exception):
    """Something else than plain words."""


def printed(command: str, home: str = "") -> str | None:
    """What a command prints that succeeds; None if it fails, or nobody knows without running it."""
    found = outcome(command, home)
    return found.text if found is not None and found.status == 0 else None


def outcome(command: str, home: str = "") -> Printed | None:
    """What ``echo WORD...`` and ``printf FORMAT WORD...``, one after another, print; None for all other commands.

    ``home`` is the value of HOME, "" if it is not known. Other variables, wildcards, pipes and files are not plain, and
    a back slash in ``echo`` is not: shells differ.
    """
    if len(command) > LONGEST:
        return None
    text, end, at = "", len(command.rstrip(" \t\n")), 0
    try:
        while True:
            words, is_away, at = _simple(command, at, end, home)
            if words[0] == "exit":
                return Printed(text, _status(words[1:]))
            said = _printed(words)
            text += "" if is_away else said
            if at >= end:
                return Printed(text)
            at = _next_command(command, at)
    except _UnknownError:
        return None


def _next_command(command: str, at: int) -> int:
    """Where the next command begins: all that is known succeeds, so what comes after ``&&`` runs, too."""
    joint = next((each for each in (";", "&&") if command.startswith(each, at)), None)
    if joint is None:
        raise _UnknownError
    return at + len(joint)


def _simple(command: str, at: int, end: int, home: str) -> tuple[list[str], bool, int]:
    """The words of a command, whether what it prints goes elsewhere, and where it ends."""
    words: list[str] = []
    is_away, is_apart = False, True
    at = _after(_BLANKS, command, at)
    while at < end and command[at] not in ";&":
        away = _AWAY.match(command, at) if is_apart else None
        if away is not None:
            is_away, at = True, _after(_BLANKS, command, away.end())
            continue
        part = _PART.match(command, at)
        if part is None or is_away:
            raise _UnknownError
        if is_apart:
            words.append("")
        words[-1] += _value(part, home)
        at = _after(_BLANKS, command, part.end())
        is_apart = at > part.end()
    if not words:
        raise _UnknownError
    return words, is_away, at


def _value(part: re.Match[str], home: str) -> str:
    kind = part.lastgroup or ""
    text = part[kind]
    names_home = kind != "single" and ("$HOME" in text or "${HOME}" in text)
    # Without quotes, a blank or a wildcard in it would count.
    if names_home and (not home or (kind == "home" and not _BARE.fullmatch(home))):
        raise _UnknownError
    if kind == "home":
        return home
    if kind == "double":
        return _IN_DOUBLE.sub(lambda found: found[1] or home, text)
    return text


def _printed(words: list[str]) -> str:
    """What one command prints."""
    name, given = words[0], words[1:]
    say = _COMMANDS.get(name)
    if say is None or (given and given[0].startswith("-")):
        raise _UnknownError
    return say(given)


def _echo(words: list[str]) -> str:
    text = " ".join(words)
    if "\\" in text.removesuffix("\\"):
        raise _UnknownError
    return text + "\n"


def _printf(words: list[str]) -> str:
    if not words or sum(len(each[0]) for each in _FORMAT.finditer(words[0])) < len(words[0]):
        raise _UnknownError
    left = words[1:]
    left.reverse()
    text = ""
    while True:
        before = len(left)
        text += "".join(_formatted(found, left) for found in _FORMAT.finditer(words[0]))
        # The format is used again for what is left, if it takes any.
        if not left or len(left) == before:
            return text


def _formatted(found: re.Match[str], left: list[str]) -> str:
    """A piece of a format; ``left`` are the words that it has not used, the last first."""
    if found[1] == "s":
        return left.pop() if left else ""
    if found[1] not in (None, "%") or (found[2] is not None and found[2] not in _ESCAPES):
        raise _UnknownError
    return "%" if found[1] else _ESCAPES[found[2]] if found[2] is not None else found[0]


def _nothing(words: list[str]) -> str:
    if words:
        raise _UnknownError
    return ""


_COMMANDS: dict[str, Callable[[list[str]], str]] = {"echo": _echo, "printf": _printf, "true": _nothing, ":": _nothing}


def _status(words: list[str]) -> int:
    if not words:
        return 0
    if len(words) > 1 or not _STATUS.fullmatch(words[0]):
        raise _UnknownError
    return int(words[0])


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    assert found is not None  # noqa: S101 - it matches nothing, too
    return found.end()
