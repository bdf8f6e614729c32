"""promptls.toml, or ``[tool.promptls]`` of pyproject.toml: found, read and checked.

The harnesses that a user has chosen in their own file are theirs alone: no folder is checked for them.
"""

from __future__ import annotations

from promptls.core import specs
from promptls.core.files import expand_home
from promptls.core.formats.tree import EMPTY
from promptls.core.model import Fault
from promptls.core.settings import DEFAULT, Settings, over
from promptls.core.text import decode
from promptls.core.values import dataclass, replace
from promptls.kit.paths import join, parent, resolve, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from promptls.core.formats.tree import Document, Value
    from promptls.core.host import Host
    from promptls.kit.base import HintFlaw
    from promptls.sessions.start import Place

OWN, SHARED = "promptls.toml", "pyproject.toml"
SECTION = b"[tool.promptls"
HARNESSES = "harnesses"
CONSEQUENCE = "promptls ignores it"


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A settings file: its path, its settings, and what is wrong in it. ``path`` is "" if there is no file.

    ``own``: the harnesses that the user has chosen for all folders, in a file of their own; () where they have said to
    go by what is found, None where they have said nothing.
    """

    path: str = ""
    settings: Settings = DEFAULT
    faults: tuple[Fault, ...] = ()
    own: tuple[str, ...] | None = None

    @property
    def directory(self) -> str:
        """Where its relative paths and patterns start."""
        return parent(self.path)


NONE = SettingsFile()


def at(host: Host, place: Place, above: Settings = DEFAULT) -> SettingsFile:
    """The settings that hold at a place: ``above``, which an editor or a command line has, over those of the file."""
    if above.cwd is not None:
        above = replace(above, cwd=resolve(place.workspace, expand_home(above.cwd)))
    found = find(host, place.directory, place.top)
    return replace(found, settings=over(above, found.settings))


def find(host: Host, directory: str, workspace: str) -> SettingsFile:
    """The nearest settings file from ``directory`` up to ``workspace``; promptls.toml first in each."""
    found = next(filter(None, (_in(host, place) for place in upwards(directory, workspace))), NONE)
    own = chosen_by_user(host)
    return replace(found, own=own) if own is not None else found


def chosen_by_user(host: Host) -> tuple[str, ...] | None:
    """The harnesses that the user has chosen for all folders, as ``SettingsFile.own`` has them."""
    path = of_user(host.home, host.env)
    if host.kind(path) != "file":
        return None
    # What reads all settings takes longer to import than a preview takes.
    from promptls.core.formats import parse_toml  # noqa: PLC0415 - most folders have no such file

    root = parse_toml(decode(host.read(path).data, keep_bom=False)).root
    listed = root.get(HARNESSES) if root is not None else None
    if listed is None or listed.kind != "array":
        return None
    return tuple(specs.canonical(item.data) for item in listed.items if isinstance(item.data, str) and item.data)


def of_user(home: str, env: Mapping[str, str]) -> str:
    """The user's own settings file, for all folders."""
    return join(env.get("XDG_CONFIG_HOME") or join(home, ".config"), "promptls", OWN)


def _in(host: Host, place: str) -> SettingsFile | None:
    own, shared = join(place, OWN), join(place, SHARED)
    if host.kind(own) == "file":
        return _read(host, own)
    if host.kind(shared) == "file" and SECTION in host.read(shared).data:
        return _read(host, shared)
    return None


def _read(host: Host, path: str) -> SettingsFile:
    from promptls.core.formats import parse_toml  # noqa: PLC0415 - as above
    from promptls.workspace.options import resolve_file  # noqa: PLC0415 - pydantic costs more than a preview

    document = parse_toml(decode(host.read(path).data, keep_bom=False))
    root: Value | None = document.root
    for key in ("tool", "promptls") if path.endswith("/" + SHARED) else ():
        root = root.get(key) if root else None
    root = root if root is not None and root.kind == "object" else EMPTY
    if document.flaw is not None:
        clause = document.flaw.message
        says = f"{clause[:1].upper()}{clause[1:]}; {CONSEQUENCE} until this is fixed."
        return SettingsFile(path, DEFAULT, (Fault("config-invalid", document.range(document.flaw), says),))
    settings, wrong = resolve_file(_plain(root))
    faults = [*_unknown_keys(document, root, ()), *_unknown_names(document, root)]
    for each in wrong:
        # As TOML calls it.
        clause = each.message.replace("an object", "a table")
        says = f"{clause[:1].upper()}{clause[1:]}; {CONSEQUENCE}. Fix or remove it."
        faults.append(Fault("config-type", document.range(_at(root, each.place)), says))
    faults += _wrong_hints(document, root, settings)
    base = parent(path)
    if settings.cwd is not None:
        settings = replace(settings, cwd=resolve(base, expand_home(settings.cwd)))
    settings = replace(
        settings, budgets=tuple(replace(each, directory=resolve(base, each.directory)) for each in settings.budgets)
    )
    faults += _wrong_budgets(document, root, host, base)
    return SettingsFile(path, settings, tuple(faults))


def _plain(value: Value) -> Any:
    if value.kind == "object":
        return {str(name.data): _plain(inner) for name, inner in value.members}
    if value.kind == "array":
        return [_plain(item) for item in value.items]
    return {"true": True, "false": False}.get(value.kind, value.data)


def _unknown_keys(document: Document, table: Value, place: tuple[str, ...]) -> list[Fault]:
    from promptls.workspace.options import is_known, known_keys  # noqa: PLC0415 - see above

    faults: list[Fault] = []
    known = known_keys(place) or ()
    for key, value in table.members:
        name = str(key.data)
        if not is_known(place, name, is_table=value.kind == "object"):
            where = f" in [{'.'.join(place)}]" if place else ""
            says = f"promptls has no key “{name}”{where}{_did_you_mean(name, known)}."
            faults.append(Fault("config-key", document.range(key), says))
        elif value.kind == "object":
            faults += _unknown_keys(document, value, (*place, name))
    return faults


def _unknown_names(document: Document, root: Value) -> list[Fault]:
    """Harnesses and rules that do not exist."""
    from promptls import harnesses  # noqa: PLC0415 - see above
    from promptls.checks.rules.catalogue import RULES  # noqa: PLC0415 - see above

    faults: list[Fault] = []
    named = [*(root.get("harnesses") or EMPTY).items, *filter(None, [root.get("harness")])]
    for value in named:
        name = value.data.partition("@")[0] if isinstance(value.data, str) else ""
        if name and specs.canonical(name) not in harnesses.names():
            says = f"promptls does not support the harness “{name}”{_did_you_mean(name, harnesses.names())}."
            faults.append(Fault("config-key", document.range(value), says))
    for key, _ in (root.get("rules") or EMPTY).members:
        if key.data not in RULES:
            says = f"promptls has no rule “{key.data}”{_did_you_mean(str(key.data), RULES)}."
            faults.append(Fault("config-key", document.range(key), says))
    return faults


def _wrong_budgets(document: Document, root: Value, host: Host, base: str) -> list[Fault]:
    """Budgets of directories and harnesses that do not exist."""
    from promptls import harnesses  # noqa: PLC0415 - see above

    faults: list[Fault] = []
    for directory, table in (root.get("budgets") or EMPTY).members:
        if table.kind == "object" and host.kind(resolve(base, str(directory.data))) != "directory":
            says = f"There is no directory “{directory.data}”, so its budget limits nothing; fix or remove it."
            faults.append(Fault("config-key", document.range(directory), says))
        for key in (key for _, value in table.members if value.kind == "object" for key, _ in value.members):
            name = str(key.data)
            if specs.canonical(name) not in harnesses.names():
                says = f"promptls does not support the harness “{name}”{_did_you_mean(name, harnesses.names())}."
                faults.append(Fault("config-key", document.range(key), says))
    return faults


def _flaw(ask: HintFlaw, text: str, settings: Settings) -> tuple[str, str] | None:
    """What a harness says of a hint; nothing where it raises."""
    from promptls.harnesses.faults import sentence_of  # noqa: PLC0415 - few folders have hints

    try:
        return ask(text, settings.tools)
    except Exception as error:  # noqa: BLE001 - the other harnesses must not fail with it
        sentence_of("what is wrong with hints", error)
        return None


def _wrong_hints(document: Document, root: Value, settings: Settings) -> list[Fault]:
    """Hints whose tags are malformed: reported here, where they are written."""
    if not settings.hints:
        return []
    from promptls import harnesses  # noqa: PLC0415 - few folders have hints
    from promptls.core import specs  # noqa: PLC0415 - the same

    asked = [harnesses.get(each.name).hint_flaw for each in specs.every() if each.has_hints]
    faults = []
    for value in (root.get("hints") or EMPTY).items:
        text = value.data if isinstance(value.data, str) else ""
        flaw = next((found for ask in asked if ask and (found := _flaw(ask, text, settings))), None)
        if flaw is not None:
            says = f"This hint is malformed: {flaw[1]}. Fix it."
            faults.append(Fault("hint-invalid", document.range(value), says))
    return faults


def _did_you_mean(name: str, known: Any) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only when something is wrong

    close = get_close_matches(name, list(known), n=1)
    return f"; write “{close[0]}”" if close else "; remove it"


def _at(root: Value, place: tuple[str | int, ...]) -> Value:
    """The value at ``place``, or the closest one that exists."""
    value = root
    for step in place:
        inner = value.get(str(step)) if value.kind == "object" else None
        if value.kind == "array" and isinstance(step, int) and step < len(value.items):
            inner = value.items[step]
        if inner is None:
            break
        value = inner
    return value
