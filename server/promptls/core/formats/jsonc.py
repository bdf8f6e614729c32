"""JSON, with comments and trailing commas if the dialect allows them, halfway typed or not."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.formats.tree import Document


def parse(text: str, *, comments: bool, trailing_commas: bool = True) -> Document:
    """Read ``text``. ``comments`` allows comments and, unless ``trailing_commas`` is off, trailing commas."""
    from promptls.core.formats import json_reader  # noqa: PLC0415 - most previews have no such text

    return json_reader.parse(text, comments=comments, trailing_commas=trailing_commas)
