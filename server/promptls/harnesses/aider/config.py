"""Where Aider is told which files to read: the command line, the environment, or the nearest configuration.

Sections named here are those of the harness specification for Aider; [source] is the package of that version.
"""

from __future__ import annotations

import re

from promptls.core.formats import parse_yaml
from promptls.core.formats.tree import EMPTY
from promptls.core.lazy import regex
from promptls.core.model import Origin
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass
from promptls.harnesses.aider.options import CONFIG, READ
from promptls.kit.candidates import own
from promptls.kit.configs import ConfigReader
from promptls.kit.paths import join, parent, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.host import Host
    from promptls.kit.args import Arguments
    from promptls.kit.draft import Draft

NAME = ".aider.conf.yml"
VARIABLE = "AIDER_READ"

READER = ConfigReader(
    f"Aider reads {NAME} of the home directory, of the git root and of the working directory",
    parse=parse_yaml,
    reason="it is not valid, and Aider ends",
    until="Aider ends until this is fixed",
    ends="Aider ends, because it cannot read {path}. Fix it.",
)
WHY_ENV = f"Aider takes {VARIABLE} from .env of the home directory, of the git root and of the working directory"

# A line of .env; of the others nothing is looked at.
_LINE = regex(rf"^[ \t]*(?:export[ \t]+)?{VARIABLE}[ \t]*=(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Entry:
    """A path as somebody wrote it. ``beside`` is what it would be if it counted from its own file."""

    written: str
    origin: Origin
    beside: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A list of paths that one place names, and that place in words."""

    title: str
    entries: tuple[Entry, ...]
    path: str | None = None


@dataclass(slots=True)
class Config:
    """What is configured: the lists, the one that counts first, and the model."""

    sources: list[Source]
    model: str | None = None


def read_config(draft: Draft, host: Host, cwd: str, root: str | None, command: Arguments) -> Config:
    """The lists in the order in which they count: each replaces those after it (wire: cli-plus-conf; section 3)."""
    config = Config([])
    given = command.values.get(READ, ())
    if given:
        origin = Origin("argument", name=READ)
        config.sources.append(Source(READ, tuple(Entry(each, origin) for each in given)))
    config.sources += _of_environment(draft, host, _places(host, cwd, root))
    named = command.last(CONFIG)
    files = [*([resolve(cwd, named)] if named else []), *(join(each, NAME) for each in _places(host, cwd, root))]
    for path in files:
        config.sources += _of_file(draft, host, config, path, cwd)
    return config


def _places(host: Host, cwd: str, root: str | None) -> list[str]:
    """The directories of configurations, the one that counts most first (wire: conf-from-subdir, conf-home-only)."""
    return list(dict.fromkeys((cwd, *([root] if root is not None else []), host.home)))


def _of_environment(draft: Draft, host: Host, places: Sequence[str]) -> Iterator[Source]:
    """``AIDER_READ``: .env counts for more than the environment of the process (captured: env-read) [source]."""
    for place in places:
        path = join(place, ".env")
        contents = host.read(path)
        text = decode(contents.data, keep_bom=True) if contents.state == "file" else ""
        value, start = variable(text)
        if value:
            draft.candidates.append(own(WHY_ENV, use="config").loaded(path))
            where = LineIndex(text).range(start, start + len(value))
            origin = Origin("config", path=path, range=where, name=VARIABLE)
            yield Source(path, tuple(Entry(each, origin) for each in _listed(value.strip("\"'"))), path)
            return
    if given := host.env.get(VARIABLE):
        origin = Origin("argument", name=VARIABLE)
        yield Source(VARIABLE, tuple(Entry(each, origin) for each in _listed(given)))


def variable(text: str) -> tuple[str, int]:
    """The value of ``AIDER_READ`` in a .env, as it is written, and where it begins; "" if there is none."""
    found = _LINE.search(text) if VARIABLE in text else None
    value = found[1].strip() if found is not None else ""
    return value, text.index(value, found.start(1)) if found is not None else 0


def _listed(value: str) -> list[str]:
    """One path, or several in brackets [source: configargparse]."""
    if not (value.startswith("[") and value.endswith("]")):
        return [value]
    return [each.strip().strip("\"'") for each in value[1:-1].split(",") if each.strip()]


def _of_file(draft: Draft, host: Host, config: Config, path: str, cwd: str) -> Iterator[Source]:
    """``read`` of a configuration: a text or a list (wire: conf-read-string, conf-read-list)."""
    document = READER.read(draft, host, path)
    if document is None:
        return
    root = document.root or EMPTY
    config.model = config.model or root.text("model")
    value = root.get("read")
    items = () if value is None else value.items if value.kind == "array" else (value,)
    entries = tuple(
        Entry(
            str(item.data),
            Origin("config", path=path, range=document.range(item), name=str(item.data)),
            resolve(parent(path), str(item.data)) if parent(path) != cwd else None,
        )
        for item in items
        if item.data is not None
    )
    if value is not None:
        yield Source(path, entries, path)
