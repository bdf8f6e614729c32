"""The front matter of skills, as programs in JavaScript read it."""

from __future__ import annotations

import re

from promptls.core.formats import front_matter, parse_yaml
from promptls.core.formats.header import Header
from promptls.core.lazy import regex
from promptls.core.model import Origin

# A value that contains a colon: some programs try once more with quotes around each.
_COLON_INSIDE = regex(r"^([A-Za-z_]+:[ \t]+)([^\s\"'\[{|>].*:[ \t].*)$", re.MULTILINE)


def skill_header(text: str, *, mends: bool) -> Header | None:
    """The front matter of a skill, empty where there is none; None if it cannot be read.

    ``mends``: the program puts values with a colon in quotes. Then it is not known where they are in the text.
    """
    matter = front_matter.split(text)
    document = matter.document
    if document is None or document.flaw is None:
        return Header(text, matter.start, document, matter.body)
    if not mends:
        return None
    import json  # noqa: PLC0415 - few skills are mended

    mended = parse_yaml(_COLON_INSIDE.sub(lambda found: f"{found[1]}{json.dumps(found[2])}", document.text))
    return Header("", 0, mended, matter.body) if mended.flaw is None else None


def said_in(path: str, header: Header, key: str) -> Origin:
    """Where the value of ``key`` is in the file at ``path``; the file, if that is not known."""
    return Origin("file", path=path, range=header.range(key) if header.text else None)
