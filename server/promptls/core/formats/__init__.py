"""File formats with exact ranges: each parser returns what could be read and the faults, and never raises.

A reader is imported with the first text of its format: most previews have none.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.formats.tree import Document


def parse_json(text: str, *, comments: bool, trailing_commas: bool = True) -> Document:
    """Read JSON, halfway typed or not. ``comments`` allows comments and, unless that is off, trailing commas."""
    from promptls.core.formats import json_reader  # noqa: PLC0415 - most previews have no such text

    return json_reader.parse(text, comments=comments, trailing_commas=trailing_commas)


def parse_toml(text: str) -> Document:
    """Read TOML. A whole number's ``data`` is an ``int``; a date or time, which JSON has not, is of kind null."""
    from promptls.core.formats import toml_reader  # noqa: PLC0415 - most previews have no such text

    return toml_reader.parse(text)


def parse_yaml(text: str) -> Document:
    """Read the part of YAML that front matter uses, mappings, lists and scalars: a front matter or a whole file."""
    from promptls.core.formats import yaml_reader  # noqa: PLC0415 - most previews have no such text

    return yaml_reader.parse(text)
