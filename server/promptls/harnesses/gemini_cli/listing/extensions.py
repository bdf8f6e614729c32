"""Gemini CLI's extensions: which are installed, and which are switched on here."""

from __future__ import annotations

import re

from promptls.core.formats import parse_json
from promptls.core.formats.tree import EMPTY, Value
from promptls.core.model import Fault, Origin
from promptls.core.text import decode
from promptls.core.values import dataclass, replace
from promptls.harnesses.gemini_cli.files.places import DEFAULT_NAME, ContextFile, sort_key
from promptls.kit.base import type_clause, with_consequence
from promptls.kit.candidates import own
from promptls.kit.paths import is_below, join, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.harnesses.gemini_cli.files.places import Search

EXTENSION_FILE = "gemini-extension.json"
INSTALL_FILE = ".gemini-extension-install.json"
ENABLEMENT_FILE = "extension-enablement.json"
WHY = "an extension that is switched on provides it"


@dataclass(frozen=True, slots=True)
class Extension:
    """An extension that is valid. ``config`` is its description; ``is_on``: it is switched on for this folder."""

    name: str
    directory: str
    config: Value
    is_on: bool

    @property
    def file(self) -> str:
        """The file that describes it."""
        return join(self.directory, EXTENSION_FILE)


def read_extensions(search: Search, chosen: Sequence[str] | None) -> list[Extension]:
    """Every extension in ``~/.gemini/extensions``. ``chosen`` are the names of the command line, if there are any."""
    if not search.settings.is_true("admin.extensions.enabled", default=True):
        return []
    home = join(search.directory, "extensions")
    rules = _enablement(search, join(home, ENABLEMENT_FILE))
    found: list[Extension] = []
    for entry in sorted(search.host.entries(home), key=lambda each: each.name):
        directory = join(home, entry.name)
        if search.host.kind(directory) != "directory":
            continue
        install = _json(search, join(directory, INSTALL_FILE))
        if install and install.text("type") == "link":
            directory = resolve(search.cwd, install.text("source") or directory)
        config = _json(search, join(directory, EXTENSION_FILE))
        if config is None:
            continue
        name = config.text("name") or ""
        if not config.text("version") or not re.fullmatch(r"[a-zA-Z0-9-]+", name):
            why = "gemini-cli skips the extension, because it has no valid name and version"
            search.note(own(why, use="config").failed(join(directory, EXTENSION_FILE)))
            continue
        found.append(Extension(name, directory, config, _is_on(name, search.cwd, chosen, rules)))
    return found


def extension_files(search: Search, extensions: Sequence[Extension]) -> list[ContextFile]:
    """The context files of every extension that is switched on, sorted by path (wire: extension-context)."""
    found = [place for extension in extensions for place in _of_extension(search, extension)]
    return sorted(found, key=lambda place: sort_key(place.path))


def _of_extension(search: Search, extension: Extension) -> Iterator[ContextFile]:
    config, directory = extension.config, extension.directory
    names = config.get("contextFileName")
    if names is not None and names.kind == "array":
        texts = [item.data for item in names.items if isinstance(item.data, str)]
    else:
        texts = [config.text("contextFileName") or DEFAULT_NAME]
    for text in texts:
        place = resolve(directory, f"./{text}")
        rule = own(f"{WHY} ({extension.name})")
        if "${" in text:
            variable = replace(rule, origin=Origin("argument", name=text))
            search.note(variable.excluded(None, f"promptls does not model variables in {text}"))
        elif not is_below(place, directory):
            why = "gemini-cli skips the extension, because its context files must lie inside of it"
            search.note(replace(rule, why=why).outside(place))
            return
        elif search.host.kind(place) is None:
            search.note(rule.missing(place, "there is no such file"))
        elif not extension.is_on:
            search.note(replace(rule, why=f"the extension {extension.name} is switched off here").disabled(place))
        else:
            yield ContextFile(place, rule.why, rule.origin)


def _json(search: Search, path: str) -> Value | None:
    contents = search.host.read(path)
    if contents.state != "file":
        return None
    document = parse_json(decode(contents.data, keep_bom=True), comments=False)
    fault = document.fault("config-invalid")
    if fault is None and document.root is not None and document.root.kind != "object":
        fault = Fault("config-type", document.range(document.root), type_clause(("object",)))
    if fault is not None:
        fault = with_consequence(fault, "gemini-cli skips this file until it is fixed")
        search.note(own("gemini-cli skips what it cannot read", use="config").failed(path, faults=(fault,)))
        return None
    return document.root


def _enablement(search: Search, path: str) -> dict[str, list[str]]:
    """Extension to its rules: paths, ``!`` switches off, ``*`` at the end means what is below too."""
    root = _json(search, path) or EMPTY
    return {
        str(key.data): [str(rule.data) for rule in (value.get("overrides") or EMPTY).items]
        for key, value in root.members
    }


def _is_on(called: str, cwd: str, chosen: Sequence[str] | None, rules: dict[str, list[str]]) -> bool:
    if chosen:
        return [each.lower() for each in chosen] != ["none"] and called.lower() in (each.lower() for each in chosen)
    enabled = True
    for rule in rules.get(called, ()):
        base = rule.removeprefix("!")
        # A slash before a star belongs to what may be missing: /a/* is /a, /a/ and all below.
        pattern = re.sub(r"(/?)\\\*", r"(\1.*)?", re.escape(base))
        if re.fullmatch(pattern, cwd.rstrip("/") + "/"):
            enabled = not rule.startswith("!")
    return enabled
