"""Qwen Code's settings: which files, how they are merged, and whether the folder is trusted (source: settings.ts)."""

from __future__ import annotations

import re

from promptls.core.lazy import regex
from promptls.core.model import Origin
from promptls.core.values import dataclass
from promptls.kit.base import with_consequence
from promptls.kit.candidates import NOTHING, own
from promptls.kit.configs import Settings, Source, read_source
from promptls.kit.paths import is_below, join, parent, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.kit.draft import Draft

SYSTEM, SYSTEM_WINDOWS = "/etc/qwen-code/settings.json", "C:/ProgramData/qwen-code/settings.json"
SYSTEM_MAC = "/Library/Application Support/QwenCode/settings.json"
TYPES = {
    "context.fileName": ("string", "array"),
    "context.importFormat": ("string",),
    "context.includeDirectories": ("array",),
    "context.loadFromIncludeDirectories": ("boolean",),
    "security.folderTrust.enabled": ("boolean",),
    "model.name": ("string",),
}
TRUST = "security.folderTrust.enabled"
LEVELS = ("TRUST_FOLDER", "TRUST_PARENT", "DO_NOT_TRUST")
WHY_SETTINGS = "Qwen Code reads its settings here"
_VARIABLE = regex(r"\$(?:(\w+)|\{([^}]+)\})")


@dataclass(frozen=True, slots=True)
class Setup:
    """The merged settings, and the place of the global files. ``is_trusted``: the folder's own files count."""

    settings: Settings
    directory: str
    is_trusted: bool


def read_setup(draft: Draft, host: Host, cwd: str) -> Setup:
    """System defaults, user, workspace, system: later over earlier; the workspace's own only where it is trusted."""
    directory = _directory(host, cwd)
    settings = Settings(lambda text: expanded(text, host))
    usual = {"win32": SYSTEM_WINDOWS, "darwin": SYSTEM_MAC}.get(host.platform, SYSTEM)
    system = host.env.get("QWEN_CODE_SYSTEM_SETTINGS_PATH") or usual
    defaults = host.env.get("QWEN_CODE_SYSTEM_DEFAULTS_PATH") or join(parent(system), "system-defaults.json")
    below, above = (
        [source for path in paths if (source := _load(draft, host, path, may_be_broken=False))]
        for paths in ((defaults, join(directory, "settings.json")), (system,))
    )
    settings.sources = [*below, *above]
    is_trusted = _is_trusted(draft, host, settings, cwd, directory)
    path = join(cwd, ".qwen", "settings.json")
    if host.realpath(cwd) == host.realpath(host.home):
        pass  # the same file as the user's
    elif not is_trusted:
        if host.kind(path) == "file":
            why = "Qwen Code does not read the settings of a folder that is not trusted"
            draft.candidates.append(own(why, use="config").excluded(path, state="untrusted"))
    elif workspace := _load(draft, host, path, may_be_broken=True):
        settings.sources = [*below, workspace, *above]
    return Setup(settings, directory, is_trusted)


def expanded(text: str, host: Host) -> str:
    """``$NAME`` and ``${NAME}`` replaced; what is not set stays."""
    # Not after the last bracket: the pattern would look for one from every place on.
    end = text.rfind("}") + 1
    found = _VARIABLE.sub(lambda name: host.env.get(name[1] or name[2], name[0]), text[:end])
    return found + re.sub(r"\$(\w+)", lambda name: host.env.get(name[1], name[0]), text[end:])


def _directory(host: Host, cwd: str) -> str:
    """The directory of the global files; QWEN_HOME moves it (wire: qwen-home)."""
    moved = host.env.get("QWEN_HOME")
    if not moved:
        return join(host.home, ".qwen")
    return resolve(cwd, host.home + moved[1:] if moved == "~" or moved.startswith("~/") else moved)


def _load(draft: Draft, host: Host, path: str, *, may_be_broken: bool) -> Source | None:
    """A file of settings. A broken one of the workspace is emptied by the program; any other one ends it.

    (wire: settings-broken)
    """
    rule = own(WHY_SETTINGS, use="config")
    contents = host.read(path)
    if contents.state != "file":
        draft.candidates.append(rule.unread(path, contents.state))
        if contents.state not in NOTHING:
            says = f"Qwen Code ends, because it cannot read its settings {path}. Fix them."
            draft.stop(says, Origin("config", path=path))
        return None
    source, fault = read_source(path, contents.data, TYPES)
    if fault is None:
        says = "promptls ignores it"
        faults = tuple(with_consequence(each, says) for each in source.type_faults())
        draft.candidates.append(rule.loaded(path, faults=faults))
        return source
    if may_be_broken and fault.code == "config-invalid":
        shown = with_consequence(fault, f"Qwen Code ignores the file, copies it to {path}.corrupted and empties it")
        draft.candidates.append(rule.failed(path, "it is not valid, and Qwen Code empties it", faults=(shown,)))
        return None
    shown = with_consequence(fault, "Qwen Code ends until this is fixed")
    draft.candidates.append(rule.failed(path, "it is not valid, and Qwen Code ends", faults=(shown,)))
    draft.stop(f"Qwen Code ends, because its settings {path} are not valid. Fix them.", Origin("config", path=path))
    return None


def _is_trusted(draft: Draft, host: Host, settings: Settings, cwd: str, directory: str) -> bool:
    """Every folder, unless a setting asks for trust: then the deepest rule that holds the folder decides.

    (wire: trust-asked, trust-folder, trust-parent)
    """
    if not settings.is_true(TRUST, default=False):
        return True
    path = host.env.get("QWEN_CODE_TRUSTED_FOLDERS_PATH") or join(directory, "trustedFolders.json")
    source = _load(draft, host, path, may_be_broken=False)
    best, trusted = -1, draft.session.is_trusted
    for name, level in source.document.root.members if source and source.document.root else ():
        rule = resolve(cwd, str(name.data))
        place = parent(rule) if level.data == "TRUST_PARENT" else rule
        depth = place.rstrip("/").count("/")
        is_denied = level.data == "DO_NOT_TRUST"
        if level.data not in LEVELS or not is_below(host.realpath(cwd), host.realpath(place)):
            continue
        if depth > best or (depth == best and is_denied):
            best, trusted = depth, not is_denied
    return trusted
