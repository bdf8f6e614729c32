"""Gemini CLI's settings: which files, how they are merged, and what must be known before (source: settings.ts).

Also whether the folder is trusted, which decides whether the workspace's own settings count.
"""

from __future__ import annotations

import re

from promptls.core.lazy import regex
from promptls.core.model import Origin
from promptls.core.values import replace
from promptls.kit.base import with_consequence
from promptls.kit.candidates import NOTHING, STATE_SAYS, Rule, own
from promptls.kit.configs import Settings, Source, read_source
from promptls.kit.paths import is_below, join, parent, resolve, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from promptls.core.host import Host
    from promptls.kit.draft import Draft

SYSTEM, SYSTEM_WINDOWS = "/etc/gemini-cli/settings.json", "C:/ProgramData/gemini-cli/settings.json"
TRUST_LEVELS = ("TRUST_FOLDER", "TRUST_PARENT", "DO_NOT_TRUST")
# Keys that change what is sent, with the kinds that are allowed.
TYPES = {
    "context.fileName": ("string", "array"),
    "context.importFormat": ("string",),
    "context.memoryBoundaryMarkers": ("array",),
    "context.includeDirectories": ("array",),
    "security.folderTrust.enabled": ("boolean",),
    "model.name": ("string",),
}
WITHOUT_EFFECT = {
    "security.allowedExtensions": "promptls does not model that it may keep extensions from being loaded",
    "security.blockGitExtensions": "promptls does not model that it may keep extensions from being loaded",
    "context.discoveryMaxDirs": "gemini-cli reads this setting and never uses it: it does not look below any more",
}

_VARIABLE = regex(r"\$(?:(\w+)|\{([^}]+?)(?::-([^}]*))?\})")

_WITHOUT_BRACKETS = regex(r"\$(\w+)")


def expanded(text: str, env: Mapping[str, str]) -> str:
    """``$NAME``, ``${NAME}`` and ``${NAME:-default}`` replaced; what is not set stays."""

    def value(found: re.Match[str]) -> str:
        default: str = found[3] if found[3] is not None else found[0]
        return env.get(found[1] or found[2], default)

    # After the last bracket none is closed, and the pattern would look for the end from each one.
    end = text.rfind("}") + 1
    return _VARIABLE.sub(value, text[:end]) + _WITHOUT_BRACKETS.sub(
        lambda found: env.get(found[1], found[0]), text[end:]
    )


def home_of(host: Host) -> str:
    """The directory that holds ``.gemini``."""
    return host.env.get("GEMINI_CLI_HOME") or host.home


def read_settings(draft: Draft, host: Host, cwd: str, *, skip_trust: bool) -> tuple[Settings, bool]:
    """The settings and whether the folder is trusted.

    System defaults, user, workspace, system: later over earlier. The workspace's own count if it is trusted, and are
    not read in the home directory; whether it is trusted is decided without them. ``skip_trust`` lets the program
    start, and the workspace's own settings still do not count (captured: settle-trust-skip).
    """
    env, home = host.env, home_of(host)
    usual = SYSTEM_WINDOWS if host.platform == "win32" else SYSTEM
    system = env.get("GEMINI_CLI_SYSTEM_SETTINGS_PATH") or usual
    defaults = env.get("GEMINI_CLI_SYSTEM_DEFAULTS_PATH") or join(parent(system), "system-defaults.json")
    user, workspace = join(home, ".gemini", "settings.json"), join(cwd, ".gemini", "settings.json")
    settings = Settings(lambda text: expanded(text, env))
    found = {path: _load(draft, host, path) for path in (defaults, user, system)}
    own = None
    if host.realpath(cwd) != host.realpath(home):
        own = _load(draft, host, workspace)
    settings.sources = [source for path in (defaults, user, system) if (source := found[path])]
    trusted = _is_trusted(draft, host, settings, cwd, home)
    if own is not None and trusted:
        settings.sources.insert(len(settings.sources) - bool(found[system]), own)
    elif own is not None and skip_trust:
        _set_aside(draft, own)
    for source in settings.sources:
        for key, why in WITHOUT_EFFECT.items():
            value = source.get(key)
            if value is not None and (value.items or value.members or value.kind in ("true", "number")):
                origin = Origin("config", path=source.path, range=source.document.range(value), name=key)
                draft.candidates.append(Rule(why, origin).excluded())
    return settings, trusted or skip_trust


def _set_aside(draft: Draft, own: Source) -> None:
    at = next(at for at, each in enumerate(draft.candidates) if each.path == own.path)
    why = "gemini-cli does not read the settings of a folder that is not trusted, also with --skip-trust"
    draft.candidates[at] = replace(
        draft.candidates[at], outcome="excluded", rule=why, reason="", faults=(), state="untrusted"
    )


def _load(draft: Draft, host: Host, path: str) -> Source | None:
    """A file that is no JSON object ends the program; one with values of a wrong type only leads to a warning."""
    rule = own("gemini-cli reads its settings here", use="config")
    contents = host.read(path)
    if contents.state in NOTHING:
        draft.candidates.append(rule.missing(path, STATE_SAYS[contents.state]))
        return None
    if contents.state != "file":
        draft.candidates.append(rule.unread(path, contents.state, ", and gemini-cli ends"))
        _stop(draft, path)
        return None
    source, fault = read_source(path, contents.data, TYPES)
    if fault is not None:
        fault = with_consequence(fault, "gemini-cli ends until this is fixed")
        draft.candidates.append(rule.failed(path, "it is not valid, and gemini-cli ends", faults=(fault,)))
        _stop(draft, path)
        return None
    says = "gemini-cli warns about it; promptls ignores it"
    faults = tuple(with_consequence(each, says) for each in source.type_faults())
    draft.candidates.append(rule.loaded(path, faults=faults))
    return source


def _stop(draft: Draft, path: str) -> None:
    says = f"gemini-cli ends, because it cannot read its settings {path}. Fix them."
    draft.stop(says, Origin("config", path=path))


def _is_trusted(draft: Draft, host: Host, settings: Settings, cwd: str, home: str) -> bool:
    """The environment, else the setting that switches trust off, else the longest rule that holds the folder."""
    asked = host.env.get("GEMINI_CLI_TRUST_WORKSPACE")
    if asked in ("true", "false"):
        return asked == "true"
    if not settings.is_true("security.folderTrust.enabled", default=True):
        return True
    path = host.env.get("GEMINI_CLI_TRUSTED_FOLDERS_PATH") or join(home, ".gemini", "trustedFolders.json")
    source = _load(draft, host, path)
    if source is None or source.document.root is None:
        return _is_taken_for_trusted(draft, cwd)
    rules: list[tuple[str, bool]] = []
    for name, level in source.document.root.members:
        rule = resolve(cwd, str(name.data))
        if level.data not in TRUST_LEVELS:
            _stop(draft, path)
            continue
        place = parent(rule) if level.data == "TRUST_PARENT" else rule
        if is_below(host.realpath(cwd), host.realpath(place)):
            rules.append((rule, level.data != "DO_NOT_TRUST"))
    if not rules:
        return _is_taken_for_trusted(draft, cwd)
    _, trusted = max(rules, key=lambda each: len(each[0]))
    return trusted


def _is_taken_for_trusted(draft: Draft, cwd: str) -> bool:
    """Nothing says whether the folder is trusted; where it is not, nothing at all is sent."""
    if draft.session.is_trusted:
        *_, top = upwards(cwd)
        draft.once_trusted.append(top)
    return draft.session.is_trusted
