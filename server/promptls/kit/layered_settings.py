"""Settings in several files of JSON with comments, later ones over earlier ones: what a merged key holds, and where."""

from __future__ import annotations

from promptls.core.formats import jsonc
from promptls.core.formats.tree import EMPTY, Document, Value
from promptls.core.model import Fault, Origin
from promptls.core.text import decode
from promptls.core.values import dataclass, field
from promptls.kit.base import type_clause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    # Keys that change what is sent, dotted, with the kinds that are allowed.
    Types = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Setting:
    """A string of a setting with variables replaced, and where it is."""

    text: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class Source:
    """A settings file that could be read."""

    path: str
    document: Document
    types: Types

    def get(self, key: str) -> Value | None:
        """The value at a dotted key; None also where it is of a wrong type or null."""
        value = self._at(key)
        is_set = value is not None and value.kind != "null" and _fits(value, self.types.get(key))
        return value if is_set else None

    def type_faults(self) -> Iterator[Fault]:
        """A fault, whose message is a clause, for each value of a wrong type."""
        for key, kinds in self.types.items():
            value = self._at(key)
            if value is not None and not _fits(value, kinds):
                yield Fault("config-type", self.document.range(value), type_clause(kinds))

    def _at(self, key: str) -> Value | None:
        value: Value | None = self.document.root
        for name in key.split("."):
            value = value.get(name) if value is not None else None
        return value


def read_source(path: str, data: bytes, types: Types) -> tuple[Source, Fault | None]:
    """A settings file, and why it is no JSON object, if it is none: a fault whose message is a clause."""
    document = jsonc.parse(decode(data, keep_bom=True), comments=True, trailing_commas=False)
    root = document.root or EMPTY
    fault = document.fault("config-invalid")
    if fault is None and root.kind != "object":
        fault = Fault("config-type", document.range(root), type_clause(("object",)))
    return Source(path, document, types), fault


@dataclass(slots=True)
class Settings:
    """The merged settings. ``stopped`` says why the harness ends before any request."""

    expand: Callable[[str], str]
    sources: list[Source] = field(default_factory=list)
    stopped: str | None = None
    stopped_by: Origin | None = None

    def strings(self, key: str) -> list[Setting] | None:
        """The strings at a key of the last file that has it; None if none has."""
        for source in reversed(self.sources):
            value = source.get(key)
            if value is not None:
                return list(self._strings(source, value))
        return None

    def all_strings(self, key: str) -> list[Setting]:
        """The strings at a key of every file, in order: lists of this kind are joined, not replaced."""
        return [each for source in self.sources if (value := source.get(key)) for each in self._strings(source, value)]

    def text(self, key: str) -> str | None:
        """The string at a key."""
        found = self.strings(key)
        return found[0].text if found else None

    def is_true(self, key: str, *, default: bool) -> bool:
        """The switch at a key."""
        kinds = [value.kind for source in self.sources if (value := source.get(key))]
        return kinds[-1] == "true" if kinds else default

    def stop(self, says: str, path: str) -> None:
        """The harness ends because of the file at ``path``; the first reason counts."""
        self.stopped = self.stopped or says
        self.stopped_by = self.stopped_by or Origin("config", path=path)

    def _strings(self, source: Source, value: Value) -> Iterator[Setting]:
        for item in value.items if value.kind == "array" else (value,):
            if isinstance(item.data, str):
                where = Origin("config", path=source.path, range=source.document.range(item), name=item.data)
                yield Setting(self.expand(item.data), where)


def _fits(value: Value, kinds: tuple[str, ...] | None) -> bool:
    kind = "boolean" if value.kind in ("true", "false") else value.kind
    return kinds is None or kind in kinds
