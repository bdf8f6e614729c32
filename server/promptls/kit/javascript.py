"""Strings as JavaScript programs count and trim them: white space of its own, lengths in UTF-16 units."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.formats.tree import Value


# What String.prototype.trim removes: Python's strip() knows others, and not the byte order mark.
SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


def trim_end(text: str) -> str:
    """``text.trimEnd()``."""
    return text.rstrip(SPACE)


def trimmed(text: str, start: int = 0) -> tuple[int, int]:
    """Where ``text.slice(start).trim()`` begins and ends in ``text``."""
    body = text[start:]
    kept = body.strip(SPACE)
    begin = start + len(body) - len(body.lstrip(SPACE)) if kept else start
    return begin, begin + len(kept)


def head(text: str, limit: int) -> int:
    """The offset after the first ``limit`` UTF-16 units; a letter that is cut in two is left out."""
    if text.isascii():
        return min(max(limit, 0), len(text))
    used = 0
    for at, letter in enumerate(text):
        used += 2 if letter > "\uffff" else 1
        if used > limit:
            return at
    return len(text)


def tail(text: str, limit: int) -> int:
    """The offset where the last ``limit`` UTF-16 units begin; a letter that is cut in two is left out."""
    if text.isascii():
        return len(text) - head(text, limit)
    used = 0
    for at in reversed(range(len(text))):
        used += 2 if text[at] > "\uffff" else 1
        if used > limit:
            return at + 1
    return 0


def as_string(value: Value) -> str | None:
    """``String(value)`` of a string, number or truth value; None for everything else."""
    if isinstance(value.data, float):
        # Beyond this, exponents are written.
        is_plain = value.data.is_integer() and abs(value.data) < 1e21  # noqa: PLR2004 - see above
        return str(int(value.data)) if is_plain else repr(value.data)
    return value.data if value.kind == "string" else value.kind if value.kind in ("true", "false") else None
