"""What commands may do: the sandbox, its roots, and who is asked. Two parts of the prompt are views of it.

Sections named here are those of the specification of surfaces; [source] is the public source text.
"""

from __future__ import annotations

from promptls.core.model import COMPUTED
from promptls.core.values import dataclass, field
from promptls.harnesses.codex.start.command_line import INTERACTIVE
from promptls.harnesses.codex.start.trust import trust_level
from promptls.kit.paths import home_or, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from promptls.core.formats.tree import Value
    from promptls.core.host import Host
    from promptls.core.model import Origin
    from promptls.harnesses.codex.start.command_line import Start
    from promptls.harnesses.codex.start.config import CodexConfig, ConfigValue

    Access = Literal["read", "write", "deny"]
    Approval = Literal["never", "on-request", "granular"]

READ_ONLY, WRITE, FULL = "read-only", "workspace-write", "danger-full-access"
# The profiles of Codex's own, as ``default_permissions`` names them (captured: perm-profile-builtin; [source]).
PROFILES = {":workspace": WRITE, ":read-only": READ_ONLY, ":danger-full-access": FULL}
# Below each root that may be written to, these may not, whether they are there or not (section 4).
PROTECTED = (".git", ".agents", ".codex", ".aws")
SLASH_TMP = "/tmp"  # noqa: S108 - the path that Codex names
TABLE = "sandbox_workspace_write"
# Another model, by its name now and by an older one.
REVIEWERS = ("auto_review", "guardian_subagent")
CATEGORIES = ("sandbox_approval", "rules", "skill_approval", "mcp_elicitations")


@dataclass(frozen=True, slots=True)
class Entry:
    """What may be done with a place: a path, a pattern, or one of Codex's own names, such as ``:root``."""

    access: Access
    place: str

    @property
    def kind(self) -> Literal["path", "glob", "special"]:
        """How the place is written."""
        if self.place.startswith(":"):
            return "special"
        return "glob" if any(letter in self.place for letter in "*?[") else "path"


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The sandbox of a session. ``origin`` is what decides over ``mode``; ``roots`` are those of the workspace.

    ``entries`` are () without a sandbox. ``writable`` are the roots that the permission part names, sorted.
    """

    mode: str
    origin: Origin
    roots: tuple[str, ...]
    has_network: bool
    entries: tuple[Entry, ...] = ()
    writable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Approvals:
    """Who is asked before a command runs: ``categories`` are those of a granular policy, each on or off."""

    policy: Approval
    origin: Origin
    is_reviewed: bool = False
    categories: dict[str, bool] = field(default_factory=dict)


def approvals(config: CodexConfig, start: Start) -> Approvals:
    """``codex exec`` asks only where another model answers, whatever else the configuration says (section 5).

    (seen by verify)
    """
    reviewer = config.find("approvals_reviewer")
    is_reviewed = reviewer is not None and reviewer.value.data in REVIEWERS
    if start.is_approved:
        return Approvals("on-request", start.option("--approve-for-me"), is_reviewed=True)
    # A review asks nobody, on the screen either (captured: interactive-review).
    if start.is_unlimited or start.is_review or not (is_reviewed or start.mode in INTERACTIVE):
        return Approvals("never", COMPUTED)
    entry = config.find("approval_policy")
    origin = entry.origin() if entry is not None else COMPUTED
    if start.approval is not None:
        entry, origin = None, start.option("--ask-for-approval")
    if "never" in (start.approval, entry.value.data if entry is not None else None):
        return Approvals("never", origin)
    granular = entry.value.get("granular") if entry is not None else None
    if granular is None:
        return Approvals("on-request", origin, is_reviewed)
    on = {name: (value := granular.get(name)) is not None and value.kind == "true" for name in CATEGORIES}
    return Approvals("granular", origin, is_reviewed, on)


def sandbox(host: Host, config: CodexConfig, start: Start) -> Sandbox:
    """The sandbox: an option, a profile of permissions, ``sandbox_mode``, else by the project's trust (section 5)."""
    profile = config.find("default_permissions")
    table = config.find("permissions", str(profile.value.data)) if profile is not None else None
    own = start.sandbox or (FULL if start.is_unlimited else WRITE if start.is_approved else None)
    named = config.find("sandbox_mode")
    mode, origin = own, start.option("--sandbox")
    if mode is None and profile is not None and table is not None:
        return _of_profile(config, start, profile, table)
    if mode is None and profile is not None and profile.value.data in PROFILES:
        mode, origin = PROFILES[str(profile.value.data)], profile.origin()
    elif mode is None and named is not None:
        mode, origin = str(named.value.data), named.origin()
    elif mode is None:
        level = trust_level(host, config, start.cwd)
        is_known = level is not None or config.is_trusted
        mode, origin = (WRITE if is_known else READ_ONLY), level.origin() if level is not None else COMPUTED
    if mode == WRITE:
        return _writing(host, config, start, origin)
    entries = (Entry("read", ":root"),) if mode == READ_ONLY else ()
    roots = _roots(host, config, start)
    return Sandbox(mode, origin, roots, mode == FULL, entries)


def _writing(host: Host, config: CodexConfig, start: Start, origin: Origin) -> Sandbox:
    """``workspace-write``: the roots, the temporary directories, and what is protected below the roots."""
    roots = _roots(host, config, start)
    has_slash = not config.is_on(TABLE, "exclude_slash_tmp", default=False)
    has_variable = not config.is_on(TABLE, "exclude_tmpdir_env_var", default=False)
    temporary = [":slash_tmp"] * has_slash + [":tmpdir"] * has_variable
    entries = (
        Entry("read", ":root"),
        *(Entry("write", place) for place in (*roots, *temporary)),
        *(Entry("read", resolve(root, name)) for name in PROTECTED for root in roots),
    )
    variable = host.env.get("TMPDIR", "")
    more = [*([SLASH_TMP] if has_slash else []), *([variable] if has_variable and variable.startswith("/") else [])]
    network = config.is_on(TABLE, "network_access", default=False)
    return Sandbox(WRITE, origin, roots, network, entries, _sorted((*roots, *more)))


def _roots(host: Host, config: CodexConfig, start: Start) -> tuple[str, ...]:
    """The roots of the workspace: ``writable_roots`` are among them in each mode (captured: roots-of-read-only)."""
    listed = config.find(TABLE, "writable_roots")
    own: list[str] = []
    if listed is not None:
        paths = [str(item.data) for item in listed.names()]
        own = [home_or(host.home, path) or resolve(listed.base, path) for path in paths]
    return tuple(dict.fromkeys((start.cwd, *own, *start.added)))


def _of_profile(config: CodexConfig, start: Start, profile: ConfigValue, table: ConfigValue) -> Sandbox:
    """A profile of the user's: its entries by the text of their keys on each level (section 4).

    Nothing is protected besides.
    """
    name = str(profile.value.data)
    entries: list[Entry] = []
    files = table.value.get("filesystem")
    for key, value in sorted(files.members if files is not None else (), key=lambda member: str(member[0].data)):
        place = str(key.data)
        if value.kind == "object":
            members = sorted(value.members, key=lambda member: str(member[0].data))
            entries += [_entry(_below(start.cwd, str(inner.data)), access) for inner, access in members]
        else:
            entries.append(_entry(place, value))
    writable = [each.place for each in entries if each.access == "write" and each.kind == "path"]
    mode = WRITE if any(each.access == "write" for each in entries) else READ_ONLY
    roots = tuple(dict.fromkeys((start.cwd, *start.added)))
    network = config.is_on("permissions", name, "network", "enabled", default=False)
    return Sandbox(mode, profile.origin(), roots, network, tuple(entries), _sorted(writable))


def _entry(place: str, access: Value) -> Entry:
    return Entry(access.data if access.data in ("read", "write") else "deny", place)  # type: ignore[arg-type] # narrowed


def _below(cwd: str, name: str) -> str:
    return cwd if name == "." else f"{cwd.rstrip('/')}/{name}"


def _sorted(paths: Sequence[str]) -> tuple[str, ...]:
    """As paths are sorted, name by name, so ``/tmp`` stands before what is in it (parts: perm-ws-options).

    With a drive nothing was captured; it counts for nothing here.
    """
    return tuple(sorted(dict.fromkeys(paths), key=lambda path: path[path.find("/") :].split("/")))
