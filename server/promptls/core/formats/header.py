"""Front matter that says which files a rule is for: its values, and patterns in the forms that harnesses tolerate."""

from __future__ import annotations

import re

from promptls.core.formats import front_matter, parse_yaml
from promptls.core.lazy import regex
from promptls.core.text import early_range
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.formats.tree import Document, Value
    from promptls.core.model import Range


@dataclass(frozen=True, slots=True)
class Header:
    """The front matter of one file. ``start`` is where its YAML begins in ``text``, ``body`` where it ends."""

    text: str
    start: int = 0
    document: Document | None = None
    body: int = 0

    def value(self, key: str) -> Value | None:
        """The value of ``key``; None if there is none."""
        root = self.document.root if self.document is not None else None
        return root.get(key) if root is not None else None

    def words(self, key: str) -> tuple[str, ...]:
        """The text at ``key`` as one word, or the texts of a list there."""
        value = self.value(key)
        if value is None:
            return ()
        return tuple(self._word(item) for item in (value.items or (value,)) if isinstance(item.data, str))

    def word(self, key: str) -> str:
        """The text at ``key``; "" if there is none."""
        return next(iter(self.words(key)), "")

    def scalar(self, key: str) -> str:
        """The text, the number or the truth value at ``key`` as a text; "" if there is none."""
        value = self.value(key)
        if value is None or value.kind in ("true", "false"):
            return value.kind if value is not None else ""
        if isinstance(value.data, float) and value.data.is_integer():
            return str(int(value.data))
        return str(value.data) if isinstance(value.data, str | int | float) else ""

    def line(self, key: str) -> str | None:
        """What stands behind ``key`` in its line, as it is; for programs that read it so, also where it is no YAML."""
        lines = self.text[self.start : self.body].splitlines()
        return next((each[len(key) + 1 :].strip() for each in lines if each.startswith(f"{key}:")), None)

    def written(self, value: Value) -> str:
        """A value as it is written, with its quotes."""
        return self.text[self.start + value.start : self.start + value.end]

    def is_taken(self, *odd: str) -> bool:
        """Whether a reader takes the front matter that refuses some of ``Document.odd``."""
        return self.is_valid and self.document is not None and not self.document.odd & set(odd)

    @property
    def is_valid(self) -> bool:
        """Whether there is front matter, and it is YAML."""
        return self.document is not None and self.document.fault("front-matter-invalid") is None

    def patterns(self, key: str) -> tuple[str, ...]:
        """The patterns at ``key``: split at commas outside of braces, blank ones left out."""
        parts = (part.strip() for word in self.words(key) for part in split_patterns(word))
        return tuple(part for part in parts if part)

    def is_true(self, key: str) -> bool:
        """Whether ``key`` is YAML's true; the quoted text "true" is not."""
        value = self.value(key)
        return value is not None and value.kind == "true"

    def range(self, key: str) -> Range | None:
        """The range of the value at ``key`` in the file."""
        value = self.value(key)
        return early_range(self.text, self.start + value.start, self.start + value.end) if value else None

    def _word(self, value: Value) -> str:
        as_written = self.written(value)
        return as_written if as_written.startswith(("*", "{")) else str(value.data)


# A pattern without quotes: YAML treats * as an alias and { as a mapping, but harnesses tolerate it.
_BARE = regex(r"^([ \t]*+(?:[\w-]++:|-)[ \t]++)([*{][^\r\n#]*+)(?=(?:#[^\r\n]*+)?\r?$)", re.MULTILINE)


def header(text: str) -> Header:
    """The front matter of a file's ``text``; a file without any has an empty one."""
    matter = front_matter.split(text)
    if matter.document is None:
        return Header(text)
    # The same length, so that offsets do not change.
    masked = _BARE.sub(_as_word, matter.document.text)
    return Header(text, matter.start, parse_yaml(masked), matter.body)


def _as_word(pattern: re.Match[str]) -> str:
    bare = pattern[2].rstrip(" \t")
    return pattern[1] + "x" * len(bare) + pattern[2][len(bare) :]


def split_patterns(text: str) -> list[str]:
    """``text`` split at commas, but not at those between braces."""
    parts: list[str] = []
    start = depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}" and depth > 0)
        if letter == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]
