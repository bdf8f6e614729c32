"""Configurations: reading one, and several over each other; what a key holds then, and where that is said."""

from __future__ import annotations

from promptls.core.formats import parse_json
from promptls.core.formats.tree import EMPTY, Document, Value
from promptls.core.model import Fault, Origin
from promptls.core.text import decode
from promptls.core.values import dataclass, field, replace
from promptls.kit.base import CONFIG_LIMIT, LARGE_CONFIG, type_clause, with_consequence
from promptls.kit.candidates import not_modelled, own
from promptls.kit.paths import name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from promptls.core.host import Host
    from promptls.kit.draft import Draft

    # Keys that change what is sent, dotted, with the kinds that are allowed.
    Types = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Setting:
    """A string of a setting with variables replaced, and where it is."""

    text: str
    origin: Origin


def strings(path: str, document: Document, value: Value | None) -> Iterator[Setting]:
    """A string, or the strings of a list, in the configuration at ``path``; nothing else counts."""
    for item in () if value is None else value.items if value.kind == "array" else (value,):
        if isinstance(item.data, str):
            yield Setting(item.data, Origin("config", path=path, range=document.range(item), name=item.data))


def at(root: Value | None, dotted: str) -> Value | None:
    """The value at ``a.b``: at ``b`` of the object at ``a``."""
    found = root
    for key in dotted.split("."):
        found = found.get(key) if found is not None else None
    return found


@dataclass(frozen=True, slots=True)
class ConfigReader:
    """How a program reads a kind of configuration, and what becomes of one that it cannot use.

    ``reason``: that, as a clause; ``until``: the same as the end of what is said of the fault in it, "" where nothing
    is said of one. ``ends``: why the program ends then, a sentence with ``{path}``; "" where it goes on. ``wrong``
    finds what makes all of a file useless. ``not_modelled``: keys, ``a.b`` for one below another, that change what is
    sent in a way that promptls does not know.
    """

    why: str
    parse: Callable[[str], Document]
    reason: str
    until: str = ""
    ends: str = ""
    keeps_bom: bool = False
    wrong: Callable[[Document], Fault | None] = lambda _document: None
    not_modelled: tuple[str, ...] = ()

    def read(self, draft: Draft, host: Host, path: str) -> Document | None:
        """The configuration at ``path``, if it is there and counts; the draft is told what came of it. Never raises."""
        rule = own(self.why, use="config")
        contents = host.read(path)
        if contents.state != "file":
            draft.candidates.append(rule.unread(path, contents.state))
            return None
        if contents.size > LARGE_CONFIG:
            draft.notes.append(f"{path} is ignored: {CONFIG_LIMIT}.")
            draft.candidates.append(rule.cut(path, CONFIG_LIMIT))
            return None
        document = self.parse(decode(contents.data, keep_bom=self.keeps_bom))
        fault = document.fault("config-invalid") or self.wrong(document)
        if fault is None:
            draft.candidates.append(rule.loaded(path))
            unknown = (each for each in self.not_modelled if at(document.root, each) is not None)
            draft.candidates += [not_modelled(f"{each} of {name(path)}") for each in unknown]
            return document
        faults = (with_consequence(fault, self.until),) if self.until else ()
        draft.candidates.append(rule.failed(path, self.reason, faults=faults))
        if self.ends:
            draft.stop(self.ends.format(path=path), Origin("config", path=path))
        return None


@dataclass(frozen=True, slots=True)
class Source:
    """A settings file that could be read."""

    path: str
    document: Document
    types: Types

    def get(self, key: str) -> Value | None:
        """The value at a dotted key; None also where it is of a wrong type or null."""
        value = at(self.document.root, key)
        is_set = value is not None and value.kind != "null" and _fits(value, self.types.get(key))
        return value if is_set else None

    def type_faults(self) -> Iterator[Fault]:
        """A fault, whose message is a clause, for each value of a wrong type."""
        for key, kinds in self.types.items():
            value = at(self.document.root, key)
            if value is not None and not _fits(value, kinds):
                yield Fault("config-type", self.document.range(value), type_clause(kinds))


def read_source(path: str, data: bytes, types: Types) -> tuple[Source, Fault | None]:
    """A settings file, and why it is no JSON object, if it is none: a fault whose message is a clause."""
    document = parse_json(decode(data, keep_bom=True), comments=True, trailing_commas=False)
    root = document.root or EMPTY
    fault = document.fault("config-invalid")
    if fault is None and root.kind != "object":
        fault = Fault("config-type", document.range(root), type_clause(("object",)))
    return Source(path, document, types), fault


@dataclass(slots=True)
class Settings:
    """The merged settings: later sources over earlier ones. ``expand`` replaces variables."""

    expand: Callable[[str], str]
    sources: list[Source] = field(default_factory=list)

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

    def _strings(self, source: Source, value: Value) -> Iterator[Setting]:
        return (replace(each, text=self.expand(each.text)) for each in strings(source.path, source.document, value))


def _fits(value: Value, kinds: tuple[str, ...] | None) -> bool:
    kind = "boolean" if value.kind in ("true", "false") else value.kind
    return kinds is None or kind in kinds
