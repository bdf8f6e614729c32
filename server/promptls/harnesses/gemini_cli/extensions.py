"""Gemini CLI's extensions: which are installed, and which are switched on here."""

from __future__ import annotations

import re

from promptls.core.formats import jsonc
from promptls.core.formats.tree import EMPTY, Value
from promptls.core.model import Fault
from promptls.core.text import decode
from promptls.core.values import dataclass
from promptls.harnesses.base import type_clause, with_consequence
from promptls.harnesses.candidates import own
from promptls.harnesses.shared.paths import join, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.harnesses.gemini_cli.places import Search

EXTENSION_FILE = "gemini-extension.json"
INSTALL_FILE = ".gemini-extension-install.json"
ENABLEMENT_FILE = "extension-enablement.json"


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
    for entry in search.host.entries(home):
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


def _json(search: Search, path: str) -> Value | None:
    contents = search.host.read(path)
    if contents.state != "file":
        return None
    document = jsonc.parse(decode(contents.data, keep_bom=True), comments=False)
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
