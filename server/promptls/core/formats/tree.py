"""The tree that every parser of a structured file returns: values with their places."""

from __future__ import annotations

from promptls.core.model import Fault, Range
from promptls.core.secrets import is_secret
from promptls.core.text import LineIndex
from promptls.core.values import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    Kind = Literal["object", "array", "string", "number", "true", "false", "null"]

# What permissions say, whatever they are for, as in ``"*.secret": "deny"``: no secrets.
ACTIONS = ("allow", "ask", "deny")
# No configuration is nested deeper than this; reading it would overflow the stack.
MAX_DEPTH = 200
TOO_DEEP = "this is nested too deeply or holds too large a number"


@dataclass(frozen=True, slots=True)
class Value:
    """A value and its place: ``start`` and ``end`` are offsets into the text.

    ``data`` is that of a string or number, ``items`` those of an array, ``members`` the keys and values of an
    object in order (of equal keys the last counts).
    """

    kind: Kind
    start: int
    end: int
    data: str | float | None = None
    items: tuple[Value, ...] = ()
    members: tuple[tuple[Value, Value], ...] = ()

    def get(self, key: str) -> Value | None:
        """The value of ``key``; None if this is not an object or has no such key."""
        for name, value in reversed(self.members):
            if name.data == key:
                return value
        return None

    def text(self, key: str) -> str | None:
        """The string at ``key``; None if there is none."""
        value = self.get(key)
        return value.data if value is not None and isinstance(value.data, str) else None

    def names(self) -> Iterator[str]:
        """The keys of an object, each once, in order."""
        return iter(dict.fromkeys(str(name.data) for name, _ in self.members))


EMPTY = Value("object", 0, 0)


def member(key: Value, value: Value) -> tuple[Value, Value]:
    """A key and its value; of a secret, only the place is kept, not the text."""
    if value.kind == "string" and value.data not in ACTIONS and is_secret(str(key.data)):
        return key, Value("string", value.start, value.end, data="")
    return key, value


@dataclass(frozen=True, slots=True)
class Flaw:
    """The first thing that is wrong: offsets and a clause."""

    start: int
    end: int
    message: str


@dataclass(frozen=True, slots=True)
class Document:
    """What could be read of a text, and the first thing that is wrong with it.

    ``odd``: what is no flaw here and one for some readers of YAML: ``again`` (a key twice), ``alias`` (to no anchor),
    ``tag`` (of its own) and ``tab`` (before a value).
    """

    text: str
    root: Value | None
    flaw: Flaw | None
    odd: frozenset[str] = frozenset()
    _index: list[LineIndex] = field(default_factory=list, compare=False, repr=False)

    def range(self, value: Value | Flaw) -> Range:
        """The LSP range of a value or flaw."""
        if not self._index:
            self._index.append(LineIndex(self.text))
        return self._index[0].range(value.start, value.end)

    def fault(self, code: str) -> Fault | None:
        """The flaw under a rule's code, if there is one."""
        return None if self.flaw is None else Fault(code, self.range(self.flaw), self.flaw.message)


class Offsets:
    """Byte offsets of a text in UTF-8 to offsets of its code points."""

    __slots__ = ("_table",)

    def __init__(self, text: str) -> None:
        """Make the table, unless every character is one byte."""
        self._table: list[int] | None = None
        if not text.isascii():
            self._table = []
            for at, letter in enumerate(text):
                self._table.extend([at] * len(letter.encode("utf-8", "replace")))
            self._table.append(len(text))

    def __getitem__(self, byte: int) -> int:
        """The offset of the code point that ``byte`` belongs to."""
        return byte if self._table is None else self._table[byte]
