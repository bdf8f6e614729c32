"""The part of YAML that front matter uses: mappings, lists and scalars, each with its place."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.formats.tree import Document


def parse(text: str) -> Document:
    """Read ``text``, the inside of a front matter or a whole file."""
    from promptls.core.formats.yaml_reader import parse as read  # noqa: PLC0415 - most previews have no such text

    return read(text)
