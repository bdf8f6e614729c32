"""Settings of Claude Code: which files are read, what is in force, and what a wrong type does (specification, 9)."""

from __future__ import annotations

from promptls.core.formats import parse_json
from promptls.core.formats.tree import EMPTY
from promptls.core.model import Fault, Origin
from promptls.core.text import decode
from promptls.core.values import dataclass
from promptls.kit.base import type_clause, with_consequence
from promptls.kit.candidates import Rule, own
from promptls.kit.paths import join, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.formats.tree import Document, Value
    from promptls.core.host import Host
    from promptls.kit.args import Arguments
    from promptls.kit.draft import Draft

SOURCES = ("user", "project", "local")


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of one settings file."""

    value: Value
    origin: Origin
    scope: str
    document: Document

    def part(self, value: Value, name: str) -> Origin:
        """The origin of a value inside of this one."""
        return Origin(self.origin.kind, self.origin.path, range=self.document.range(value), name=name)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings files that are read, weakest first: user, project, local, --settings, managed."""

    layers: tuple[tuple[str, Origin, Document], ...] = ()

    def every(self, key: str) -> Iterator[Setting]:
        """The values of ``key``, weakest first."""
        for scope, origin, document in self.layers:
            value = document.root.get(key) if document.root else None
            if value is not None:
                where = Origin(origin.kind, origin.path, range=document.range(value), name=key)
                yield Setting(value, where, scope, document)

    def last(self, key: str) -> Setting | None:
        """The value of ``key`` that counts."""
        found = list(self.every(key))
        return found[-1] if found else None

    def text(self, key: str) -> str | None:
        """The string that counts, if it is one."""
        found = self.last(key)
        return found.value.data if found and isinstance(found.value.data, str) else None

    def is_false(self, key: str) -> bool:
        """Whether the value that counts is ``false``."""
        found = self.last(key)
        return found is not None and found.value.kind == "false"

    def words(self, key: str, inner: str) -> Iterator[str]:
        """The strings of the list at ``inner`` of ``key``; the lists of all files are joined."""
        for setting in self.every(key):
            listed = setting.value.get(inner)
            for item in listed.items if listed else ():
                if isinstance(item.data, str):
                    yield item.data

    def member(self, key: str, inner: str) -> tuple[Setting, Value] | None:
        """The value at ``inner`` of ``key`` that counts, with its setting: the objects of all files are merged."""
        found = [(setting, value) for setting in self.every(key) if (value := setting.value.get(inner)) is not None]
        return found[-1] if found else None

    def env(self) -> Iterator[tuple[str, str, Origin]]:
        """The variables that the settings set, weakest first; they come before those of the environment."""
        for setting in self.every("env"):
            for key, value in setting.value.members:
                as_text = value.data if isinstance(value.data, str) else setting.document.text[value.start : value.end]
                yield str(key.data), as_text, setting.part(value, f"env.{key.data}")


def read_settings(  # noqa: PLR0917 - where each of the files is
    draft: Draft,
    host: Host,
    command: Arguments,
    cwd: str,
    root: str | None,
    directory: str,
    managed: str,
    sources: tuple[str, ...],
) -> Settings:
    """The cwd's own settings of the project; of those above it only the local ones of the git root, which come last.

    (9; wire: settings-local-of-the-root)
    """
    local = join(".claude", "settings.local.json")
    places = [
        ("user", join(directory, "settings.json")),
        ("project", join(cwd, ".claude", "settings.json")),
        *(("local", join(place, local)) for place in dict.fromkeys((cwd, root or cwd))),
    ]
    layers: list[tuple[str, Origin, Document]] = []
    for scope, path in places:
        if scope in sources:
            layers += _file(draft, host, scope, path)
        elif host.kind(path) is not None:
            why = f"--setting-sources leaves out the {scope} settings"
            rule = Rule(why, Origin("argument", name="--setting-sources"), "config")
            draft.candidates.append(rule.disabled(path))
    given = command.last("settings")
    if given is not None and given.lstrip().startswith("{"):
        origin, document = Origin("argument", name="--settings"), parse_json(given, comments=False)
        reasons = [f"{key} has the wrong type" for key, _, _ in _wrong_types(document)]
        reasons = ["it is not valid JSON"] if document.flaw else reasons
        if reasons:
            rule = Rule("--settings is ignored as a whole", origin, "config")
            draft.candidates.append(rule.failed(None, reasons[0]))
        else:
            layers.append(("flag", origin, document))
    elif given:
        layers += _file(draft, host, "flag", resolve(cwd, given))
    layers += _file(draft, host, "managed", join(managed, "managed-settings.json"))
    return Settings(tuple(layers))


def _file(draft: Draft, host: Host, scope: str, path: str) -> list[tuple[str, Origin, Document]]:
    rule = own(f"Claude Code reads the {scope} settings here", use="config")
    contents = host.read(path)
    if contents.state != "file":
        draft.candidates.append(rule.unread(path, contents.state))
        return []
    document = parse_json(decode(contents.data, keep_bom=False), comments=False)
    fault = document.fault("config-invalid")
    if fault is not None:
        fault = with_consequence(fault, "Claude Code cannot read these settings until this is fixed")
        draft.candidates.append(rule.failed(path, "it is not valid JSON", faults=(fault,)))
        return []
    faults = tuple(_type_faults(document))
    if faults:
        reason = "a value has the wrong type, so the whole file is ignored"
        draft.candidates.append(rule.failed(path, reason, faults=faults))
        return []
    draft.candidates.append(rule.loaded(path))
    return [(scope, Origin("config", path=path), document)]


def read_json(host: Host, path: str) -> Document | None:
    """A file of JSON; None where there is none, and where it has a comment (wire: settle-settings-comments)."""
    contents = host.read(path)
    if contents.state != "file":
        return None
    document = parse_json(decode(contents.data, keep_bom=False), comments=False)
    return None if document.flaw else document


def json_root(host: Host, path: str) -> Value:
    """What a file of JSON says; nothing where it cannot be read."""
    document = read_json(host, path)
    return (document and document.root) or EMPTY


# -- types -----------------------------------------------------------------------------------------------------

TEXT, NUMBER, TRUTH = ("string",), ("number",), ("true", "false")
LIST, OBJECT = ("array",), ("object",)
# A list of strings: the only kind whose items are looked at.
WORDS = ("array", "string")
# What Claude Code expects of the keys it knows. A value of another type, also null, makes it ignore the whole file;
# a key it does not know does no harm (wire: settle-settings-type-*, settle-settings-broken*).
KINDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        (
            *("agent", "apiKeyHelper", "autoMemoryDirectory", "awsAuthRefresh", "awsCredentialExport", "claudeMd"),
            *("forceLoginMethod", "gcpAuthRefresh", "language", "minimumVersion", "model", "otelHeadersHelper"),
            *("outputStyle", "plansDirectory", "attribution.commit", "attribution.pr", "permissions.defaultMode"),
            *("statusLine.type", "statusLine.command"),
        ),
        TEXT,
    ),
    **dict.fromkeys(
        (
            *("allowManagedHooksOnly", "allowManagedMcpServersOnly", "allowManagedPermissionRulesOnly"),
            *("alwaysThinkingEnabled", "autoMemoryEnabled", "disableAllHooks", "disableBundledSkills"),
            *("enableAllProjectMcpServers", "fastMode", "includeCoAuthoredBy", "includeGitInstructions"),
            *("prefersReducedMotion", "promptSuggestionEnabled", "respectGitignore", "showThinkingSummaries"),
            *("skipDangerousModePermissionPrompt", "skipWebFetchPreflight", "spinnerTipsEnabled"),
            *("syntaxHighlightingDisabled", "terminalProgressBarEnabled"),
        ),
        TRUTH,
    ),
    **dict.fromkeys(
        ("cleanupPeriodDays", "feedbackSurveyRate", "skillListingBudgetFraction", "skillListingMaxDescChars"), NUMBER
    ),
    **dict.fromkeys(
        (
            *("allowedHttpHookUrls", "availableModels", "claudeMdExcludes", "companyAnnouncements"),
            *("disabledMcpjsonServers", "enabledMcpjsonServers", "httpHookAllowedEnvVars"),
            "permissions.additionalDirectories",
        ),
        WORDS,
    ),
    **dict.fromkeys(
        (
            *("allowedMcpServers", "deniedMcpServers", "strictKnownMarketplaces", "blockedMarketplaces"),
            # One rule that is none of them is skipped, and the others count.
            *("permissions.allow", "permissions.ask", "permissions.deny"),
        ),
        LIST,
    ),
    **dict.fromkeys(
        (
            *("attribution", "enabledPlugins", "env", "extraKnownMarketplaces", "fileSuggestion", "hooks"),
            *("modelOverrides", "permissions", "pluginConfigs", "sandbox", "skillOverrides", "statusLine"),
        ),
        OBJECT,
    ),
}


def _type_faults(document: Document) -> Iterator[Fault]:
    for _, value, kinds in _wrong_types(document):
        clause = "this must be true or false" if kinds == TRUTH else type_clause(kinds)
        fault = Fault("config-type", document.range(value), clause)
        yield with_consequence(fault, "Claude Code ignores this whole file until it is fixed")


def _wrong_types(document: Document) -> Iterator[tuple[str, Value, tuple[str, ...]]]:
    """Each key with a value of the wrong type, that value, and the types that it may have."""
    for key, kinds in KINDS.items():
        outer, _, inner = key.partition(".")
        value = document.root.get(outer) if document.root else None
        if value is not None and inner:
            value = value.get(inner)
        if value is None:
            continue
        if kinds is WORDS:
            yield from ((key, item, TEXT) for item in value.items if item.kind != "string")
        allowed = LIST if kinds is WORDS else kinds
        if value.kind not in allowed:
            yield key, value, allowed
