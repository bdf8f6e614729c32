"""hidden-characters, secret: what is sent and should not be."""

from __future__ import annotations

import re
from functools import lru_cache

from promptls.checks.rules import problem
from promptls.core.model import Edit, Fix, Range
from promptls.core.secrets import has_mark, known_keys
from promptls.core.text import BOM, LineIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Problem, Prompt, Segment
    from promptls.core.settings import Settings

    Find = tuple[str, int, int]

# Patterns are compiled where they are first needed: most texts need none of them.
# So many places of one text are reported; there are files that hide something at each letter.
MOST = 100
HIDDEN = (
    "[\u00ad\u180e\u200b\u2060-\u2064\u206a-\u206f\ufeff]+"  # of no width
    "|[\u202a-\u202e\u2066-\u2069]+"  # change the direction
    "|[\U000e0000-\U000e007f]+"  # tags
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}"  # variants of nothing, which can spell bytes
    "|[\u200e\u200f\u061c](?=[ -~])"  # marks of direction before Latin letters
    "|(?<=[ -~])[\u200c\u200d]+(?=[ -~])"  # joiners that join nothing
)
# The tags that make a black flag that of a country; more would be a text.
BLACK_FLAG, FLAG = "\U0001f3f4", "[\U000e0030-\U000e007a]{3,6}\U000e007f"
KINDS = (("\u202a", "\u202e"), ("\u2066", "\u2069"))

# Words such as EXAMPLE in it make it none.
PLACEHOLDER = r"(?i)example|xxxx|your|placeholder|0000|1234567890|\.\.\."


def check(prompt: Prompt, _settings: Settings) -> Iterator[Problem]:
    """A problem for each hidden stretch and each secret in a file that is sent."""
    harness = prompt.session.harness
    for message in prompt.messages:
        for segment in message.segments:
            if segment.origin.kind != "file" or not segment.origin.path or segment.elided:
                continue
            if segment.layer == "tools" and (found := finds(segment.text)):
                yield from _in_list(segment, found, harness)
            if segment.layer not in ("instructions", "provider", "memory"):
                continue
            found = finds(segment.text)
            lines = LineIndex(segment.text) if found else None
            for code, start, end in found[:MOST]:
                says = _says(code, segment.text[start:end], harness)
                path, where = segment.origin.path, _place(segment, lines.range(start, end) if lines else Range())
                fix = Fix("Remove the hidden characters", (Edit(path, where),), is_safe=True)
                fixes = (fix,) if code == "hidden-characters" else ()
                yield problem(code, path, where, says, harness=harness, fixes=fixes)


def _in_list(segment: Segment, found: tuple[Find, ...], harness: str) -> Iterator[Problem]:
    """The same of a description in a list, whose words need not be written as in the file: one problem of a kind."""
    for code, start, end in {code: (code, start, end) for code, start, end in reversed(found)}.values():
        says = _says(code, segment.text[start:end], harness)
        yield problem(code, segment.origin.path or "", segment.origin.range or Range(), says, harness=harness)


def finds(text: str) -> tuple[Find, ...]:
    """Code, start and end of what is hidden or secret in ``text``."""
    return () if text.isascii() and not has_mark(text) else _finds(text)


@lru_cache(maxsize=256)
def _finds(text: str) -> tuple[Find, ...]:
    # A byte order mark at the beginning is the encoding's.
    hidden = () if text.isascii() else (m for m in re.finditer(HIDDEN, text) if m.start() or m[0] != BOM)
    hidden = (m for m in hidden if not (re.fullmatch(FLAG, m[0]) and text[m.start() - 1 : m.start()] == BLACK_FLAG))
    secret = (m for m in known_keys(text) if not re.search(PLACEHOLDER, m[0]))
    return (
        *(("hidden-characters", m.start(), m.end()) for m in hidden),
        *(("secret", m.start(), m.end()) for m in secret),
    )


def _says(code: str, found: str, harness: str) -> str:
    if code == "secret":
        return f"This looks like a secret, and {harness} sends it with every request. Remove it and rotate it."
    points = ", ".join(dict.fromkeys(f"U+{ord(letter):04X}" for letter in found))
    turns = any(first <= letter <= last for letter in found for first, last in KINDS)
    what = "characters that reverse the text direction" if turns else "invisible characters"
    return f"This text contains {what} ({points}), and {harness} sends them. Remove them."


def _place(segment: Segment, where: Range) -> Range:
    """The range in the file of a stretch of the segment."""
    at = segment.origin.range or Range()
    # Editors do not count a byte order mark.
    mark = 1 if segment.text.startswith(BOM) else 0
    first = at.start_character - mark
    return Range(
        at.start_line + where.start_line,
        where.start_character + (first if where.start_line == 0 else 0),
        at.start_line + where.end_line,
        where.end_character + (first if where.end_line == 0 else 0),
    )
