"""What a command prints that only echoes plain words: known without running it. Nothing else is tried."""

from __future__ import annotations

import re

from promptls.core.lazy import regex

_ECHO = regex(r"\s*echo(?=\s|\Z)")
_BLANKS = regex(r"[ \t]*")
# A part of a word in double or single quotes, or bare, without anything that a shell gives a meaning. A back slash has
# none at the very end.
_PART = regex(
    r""""(?P<double>[^"$`\\!\n]*)"|'(?P<single>[^'\\\n]*)'|(?P<bare>[\w@%+,./:-]+)|(?P<last>\\\Z)""", re.ASCII
)
# A longer command is no plain one.
LONGEST = 2000
WHY = "echo prints its words, so the output is known without running it"


def printed(command: str) -> str | None:
    """What ``echo WORD...`` prints, with its line break; None for every other command.

    Options, variables, wildcards, pipes, redirections and back slashes before something are not plain.
    """
    found = _ECHO.match(command)
    if found is None or len(command) > LONGEST:
        return None
    end, at = len(command.rstrip()), found.end()
    words: list[str] = []
    while at < end:
        start = _match(_BLANKS, command, at).end()
        part = _PART.match(command, start)
        if part is None:
            return None
        if start > at:
            words.append("")
        words[-1] += part[part.lastgroup or 0]
        at = part.end()
    return None if words and words[0].startswith("-") else " ".join(words) + "\n"


def _match(pattern: re.Pattern[str], text: str, at: int) -> re.Match[str]:
    found = pattern.match(text, at)
    assert found is not None  # noqa: S101 - it matches nothing, too
    return found
