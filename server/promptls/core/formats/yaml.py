"""The part of YAML that front matter uses: mappings, lists and scalars, each with its place."""

from __future__ import annotations

from promptls.core.formats.tree import Flaw
from promptls.core.lazy import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.formats.tree import Document, Value


def parse(text: str) -> Document:
    """Read ``text``, the inside of a front matter or a whole file."""
    from promptls.core.formats.yaml_reader import parse as read  # noqa: PLC0415 - most previews have no such text

    return read(text)


_ANCHOR = regex(r"(?<=[:\s])&(\S*)")
_NOT_IN_A_NAME = regex(r"[^A-Za-z0-9_-]")


def odd_anchor(text: str, key: Value, value: Value) -> Flaw | None:
    """The anchor between a key and its value in ``text``, if its name has other characters than libyaml allows."""
    anchor = _ANCHOR.search(text, key.end, value.start)
    if anchor is None or not _NOT_IN_A_NAME.search(anchor[1]):
        return None
    return Flaw(anchor.start(), anchor.end(), f"the value of {key.data} begins with &, which YAML reserves")
