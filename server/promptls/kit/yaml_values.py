"""What programs in Python and JavaScript make of the values of front matter: PyYAML's, and those of js-yaml."""

from __future__ import annotations

from promptls.core.lazy import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.formats.header import Header
    from promptls.core.formats.tree import Value

# What each does not take of ``Document.odd``.
PYTHON = ("alias", "tag")
# The one of PyYAML that is not libyaml's.
SLOW_PYTHON = (*PYTHON, "tab")
JAVASCRIPT = ("again", "alias", "tag")
# What is plain, and no text for PyYAML, which reads YAML 1.1.
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("yes", "true", "on"), True),
    **dict.fromkeys(("no", "false", "off"), False),
    **dict.fromkeys(("null", "~", "")),
}
_INTEGER = regex(r"[-+]?(?:0b_*+[01][01_]*|0x_*+[0-9A-Fa-f][0-9A-Fa-f_]*|0[0-7_]*|[1-9][0-9_]*)")
_FLOAT = regex(r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\._*+[0-9][0-9_]*(?:[eE][-+][0-9]+)?)")
# Letters of the longest number: Python refuses to write those of some thousand digits.
LONGEST_NUMBER = 1000
_DATE = regex(r"\d{4}-\d\d-\d\d")
_TIME = regex(r"\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d")


def python(front: Header, value: Value) -> object:
    """What ``yaml.safe_load`` makes of a value."""
    if value.kind == "object":
        return {_key(front, key): python(front, each) for key, each in value.members}
    if value.kind == "array":
        return [python(front, each) for each in value.items]
    plain = _plain(front, value)
    return value.data if plain is None else _typed(plain, str(value.data) if value.kind == "string" else plain)


def _key(front: Header, key: Value) -> object:
    """A key; a list or a mapping, which can be none in Python, as it is written."""
    return front.written(key) if key.kind in ("object", "array") else python(front, key)


def as_json(front: Header, value: Value) -> str:
    """What ``load`` of js-yaml makes of a value, as ``JSON.stringify`` writes it."""
    import json  # noqa: PLC0415 - only where a value is no text

    return json.dumps(_javascript(front, value), separators=(",", ":"), ensure_ascii=False)


def _javascript(front: Header, value: Value) -> object:
    if value.kind == "object":
        return {str(key.data): _javascript(front, each) for key, each in value.members}
    if value.kind == "array":
        return [_javascript(front, each) for each in value.items]
    if value.kind == "string":
        date = is_date(front, value)
        return f"{value.data}T00:00:00.000Z" if date and _DATE.fullmatch(str(value.data)) else value.data
    if isinstance(value.data, float):
        return int(value.data) if value.data.is_integer() else value.data
    return {"true": True, "false": False}.get(value.kind)


def is_date(front: Header, value: Value | None) -> bool:
    """Whether a value is a date or a time, which js-yaml makes no text of."""
    plain = _plain(front, value) if value is not None and value.kind == "string" else None
    return plain is not None and (_DATE.fullmatch(plain) or _TIME.match(plain)) is not None


def _plain(front: Header, value: Value) -> str | None:
    """The letters of a scalar without quotes; None for any other."""
    written = front.written(value)
    return None if written.startswith(("'", '"', "|", ">", "*")) else written


def _typed(plain: str, text: str) -> object:
    if len(plain) > LONGEST_NUMBER:
        return text
    low = plain.lower()
    if low in _WORDS and plain in (low, low.capitalize(), low.upper()):
        return _WORDS[low]
    digits = plain.replace("_", "")
    if _INTEGER.fullmatch(plain):
        bare = digits.lstrip("+-")
        base = 2 if bare.startswith("0b") else 16 if bare.startswith("0x") else 8 if bare.startswith("0") else 10
        return int(digits, base)
    return float(digits) if _FLOAT.fullmatch(plain) else text
