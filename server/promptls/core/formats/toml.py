"""TOML: tables, dotted keys and values, each with its place."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.formats.tree import Document


def parse(text: str) -> Document:
    """Read ``text``. A whole number's ``data`` is an ``int``; a date or time, which JSON has not, is of kind null."""
    from promptls.core.formats import toml_reader  # noqa: PLC0415 - most previews have no such text

    return toml_reader.parse(text)
