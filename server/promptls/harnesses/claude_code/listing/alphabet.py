"""The order of names in Claude Code's lists: that of Unicode's root collation (surfaces, 2 and 9)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    Key = tuple[list[int], str, list[bool]]

# Blanks and punctuation in their order; digits and letters follow.
_PUNCTUATION = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"


def alphabet(word: str) -> Key:
    """The place of a name: its letters, then their accents, then their case (cases skills-sort, sort-lang-c)."""
    plain, accents = (word, "") if word.isascii() else _without_accents(word)
    return [_rank(letter) for letter in plain.lower()], accents, [letter.isupper() for letter in plain]


def _rank(letter: str) -> int:
    at = _PUNCTUATION.find(letter)
    return at if at >= 0 else len(_PUNCTUATION) + ord(letter)


def _without_accents(word: str) -> tuple[str, str]:
    import unicodedata  # noqa: PLC0415 - few names have such letters

    letters = unicodedata.normalize("NFD", word)
    accents = "".join(letter for letter in letters if unicodedata.combining(letter))
    return "".join(letter for letter in letters if not unicodedata.combining(letter)), accents
