"""The order in which JavaScript's ``localeCompare`` puts names."""

from __future__ import annotations

from functools import lru_cache

# Marks in the order of the Unicode Collation Algorithm's root; any other one comes after them.
_MARKS = {letter: chr(at) for at, letter in enumerate("\t\n\v\f\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$")}

TYPE_CHECKING = False
if TYPE_CHECKING:
    Key = tuple[tuple[tuple[bool, bool, str], ...], str, str, str]


@lru_cache(maxsize=4096)
def key(text: str) -> Key:
    """A key to sort by: marks, digits, then letters; of equal ones, those without accents and small ones first.

    Exact for ASCII, and for letters that are ASCII without their accents; other letters are in the order of their
    code points.
    """
    plain, accents = text, ""
    if not text.isascii():
        import unicodedata  # noqa: PLC0415 - names are seldom anything but ASCII

        parts = unicodedata.normalize("NFD", text)
        plain = "".join(letter for letter in parts if not unicodedata.combining(letter))
        accents = "".join(letter for letter in parts if unicodedata.combining(letter))
    return tuple(map(_primary, plain)), accents, plain.swapcase(), text


@lru_cache(maxsize=256)
def _primary(letter: str) -> tuple[bool, bool, str]:
    return letter.isalpha(), letter.isdecimal(), _MARKS.get(letter) or letter.lower()
