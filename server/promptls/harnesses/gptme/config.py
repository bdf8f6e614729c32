"""gptme's configurations: gptme.toml of a project, with gptme.local.toml over it, and config.toml of the user.

What says "source" was read in the program's package and not seen on the wire.
"""

from __future__ import annotations

from promptls.core.formats import parse_toml
from promptls.core.formats.tree import EMPTY
from promptls.core.model import Fault, Origin
from promptls.core.values import dataclass
from promptls.kit.configs import ConfigReader, Setting, strings
from promptls.kit.paths import join, parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from promptls.core.formats.tree import Document, Value
    from promptls.core.host import Host
    from promptls.kit.draft import Draft

    # A configuration that could be read: where it is, and what it says.
    Layer = tuple[str, Document]

FILES = ("gptme.toml", ".github/gptme.toml")
LOCAL = "gptme.local.toml"
LISTS = ("files", "exclude")


def _wrong(document: Document) -> Fault | None:
    """A list of files that is none, or holds anything but texts (captured: no request)."""
    root = document.root or EMPTY
    table = root.get("prompt")
    holder = table if table is not None and table.kind == "object" else root
    for key in LISTS:
        value = holder.get(key)
        is_list = value is not None and value.kind == "array"
        if value is not None and not (is_list and all(isinstance(each.data, str) for each in value.items)):
            return Fault("config-type", document.range(value), "this must be a list of strings")
    return None


READER = ConfigReader(
    "gptme reads the configuration of the project here",
    parse=parse_toml,
    reason="it is not valid, and gptme ends",
    until="gptme ends until this is fixed",
    ends="gptme ends, because it cannot read {path}. Fix it.",
    wrong=_wrong,
)
USER_READER = ConfigReader(
    "gptme reads the configuration of the user here",
    parse=parse_toml,
    reason="it is not valid, and gptme ends",
    until="gptme ends until this is fixed",
    ends="gptme ends, because it cannot read {path}. Fix it.",
)


@dataclass(frozen=True, slots=True)
class Project:
    """What a project says. ``files`` is None where it names none; ``name`` is that of its agent."""

    prompt: Setting | None = None
    base: Setting | None = None
    system: Setting | None = None
    files: tuple[Setting, ...] | None = None
    exclude: tuple[Setting, ...] = ()
    name: Setting | None = None
    lessons: tuple[Setting, ...] = ()
    has_command: bool = False


def read_project(draft: Draft, host: Host, directory: str) -> Project:
    """The configuration of a directory, not of one above it (wire: toml-github, toml-local, toml-prompt-files).

    Where there is a table ``prompt``, its keys count and those at the top do not (wire: agent-path).
    """
    path = next((at for each in FILES if host.kind(at := join(directory, each)) is not None), None)
    if path is None:
        return Project()
    known = [each.path for each in draft.candidates]
    paths = [path, *([local] if host.kind(local := join(parent(path), LOCAL)) is not None else [])]
    quiet = type(draft)(draft.session)
    layers: list[Layer] = []
    for each in paths:
        # A configuration that is asked for twice is told of once.
        document = READER.read(quiet if each in known else draft, host, each)
        layers += [(each, document)] if document is not None else []
    table = _at(layers, ("prompt",))
    is_table = table is not None and table[2].kind == "object"
    within = ("prompt",) if is_table else ()
    files = _at(layers, (*within, "files"))
    return Project(
        prompt=_text(_at(layers, (*within, "prompt"))),
        base=_text(_at(layers, (*within, "base_prompt"))),
        system=_text(_at(layers, ("prompt", "system"))) if is_table else None,
        files=tuple(strings(*files)) if files is not None else None,
        exclude=_all(_at(layers, ("prompt", "exclude"))) if is_table else (),
        name=_text(_at(layers, ("agent", "name"))),
        lessons=_all(_at(layers, ("lessons", "dirs"))),
        has_command=_at(layers, (*within, "context_cmd")) is not None,
    )


@dataclass(frozen=True, slots=True)
class User:
    """What config.toml of the user says."""

    files: tuple[Setting, ...] = ()
    projects: Mapping[str, Setting] | None = None
    fragments: Mapping[str, Setting] | None = None
    lessons: tuple[Setting, ...] = ()


def read_user(draft: Draft, host: Host, path: str) -> User:
    """The keys that reach a prompt which nobody waits for (captured: user-config) [source]."""
    document = USER_READER.read(draft, host, path)
    layers = [(path, document)] if document is not None else []
    return User(
        files=_all(_at(layers, ("prompt", "files"))),
        projects=_table(_at(layers, ("prompt", "project"))),
        fragments=_table(_at(layers, ("prompt", "fragments"))),
        lessons=_all(_at(layers, ("lessons", "dirs"))),
    )


def _at(layers: Iterable[Layer], keys: tuple[str, ...]) -> tuple[str, Document, Value] | None:
    """The value at a place in the last configuration that has it."""
    last = None
    for path, document in layers:
        value: Value | None = document.root
        for key in keys:
            value = value.get(key) if value is not None else None
        last = (path, document, value) if value is not None else last
    return last


def _text(found: tuple[str, Document, Value] | None) -> Setting | None:
    """A text, and where it stands in its file."""
    if found is None or not isinstance(found[2].data, str) or not found[2].data:
        return None
    path, document, value = found
    return Setting(str(value.data), Origin("config", path=path, range=document.range(value), name=str(value.data)))


def _all(found: tuple[str, Document, Value] | None) -> tuple[Setting, ...]:
    return tuple(strings(*found)) if found is not None else ()


def _table(found: tuple[str, Document, Value] | None) -> dict[str, Setting]:
    if found is None:
        return {}
    path, document, value = found
    named = ((str(key.data), _text((path, document, each))) for key, each in value.members)
    return {key: said for key, said in named if said is not None}
