"""``<environment_context>``: where Codex works, since when, and what it may do there (section 4 of the surfaces)."""

from __future__ import annotations

import re

from promptls.core.model import COMPUTED, Segment
from promptls.core.values import replace
from promptls.kit.base import iso_date
from promptls.kit.paths import native
from promptls.kit.segments import elided, escaped, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.harnesses.codex.start.sandbox import Entry, Sandbox

TITLE = "environment context"
OPENING, CLOSING = "<environment_context>\n", "\n</environment_context>"
WHY_ZONE = "nothing in /etc says which time zone it is"
WHY = "Codex describes the machine and the sandbox after the instruction files"
# Codex names one of these from the login shell, and Bash instead of any other [source].
SHELLS = ("bash", "zsh", "sh")
ZONES = "/zoneinfo/"


def environment(host: Host, cwd: str, sandbox: Sandbox, *, has_time: bool) -> list[Segment]:
    """The part, to the letter (parts: env-escape, perm-ws-options); nothing of git (parts: git-state).

    ``has_time``: the day and the time zone are in it (seen by verify).
    """
    machine = f"  <cwd>{escaped(native(cwd))}</cwd>\n  <shell>{_shell(host)}</shell>\n"
    files = f"  <filesystem>{_file_system(sandbox)}</filesystem>"
    if not has_time:
        return [Segment("environment", TITLE, f"{OPENING}{machine}{files}{CLOSING}", COMPUTED, WHY)]
    return _framed(host, machine, f"\n{files}")


def moment(host: Host) -> list[Segment]:
    """The part with the day and the time zone only."""
    return _framed(host, "", "")


def _framed(host: Host, before: str, after: str) -> list[Segment]:
    machine = f"{OPENING}{before}  <current_date>{iso_date(host)}</current_date>\n  <timezone>"
    zone = _zone(host)
    rest = f"</timezone>{after}{CLOSING}"
    if zone is not None:
        return [Segment("environment", TITLE, machine + escaped(zone) + rest, COMPUTED, WHY)]
    unknown = replace(elided("environment", "codex", "time zone", why=WHY_ZONE), frame="tail")
    return [Segment("environment", TITLE, machine, COMPUTED, WHY), unknown, tail(rest, "environment")]


def _file_system(sandbox: Sandbox) -> str:
    roots = "".join(f"<root>{escaped(native(root))}</root>" for root in sandbox.roots)
    profile = '<permission_profile type="disabled"><file_system type="unrestricted" /></permission_profile>'
    if sandbox.entries:
        entries = "".join(map(_entry, sandbox.entries))
        system = f'<file_system type="restricted">{entries}</file_system>'
        profile = f'<permission_profile type="managed">{system}</permission_profile>'
    return f"<workspace_roots>{roots}</workspace_roots>{profile}"


def _entry(entry: Entry) -> str:
    denied = ' escalatable="false"' if entry.access == "deny" else ""
    place = f"<{entry.kind}>{escaped(native(entry.place))}</{entry.kind}>"
    return f'<entry access="{entry.access}"{denied}>{place}</entry>'


def _shell(host: Host) -> str:
    """The login shell of the user's entry in the data base of users; SHELL counts for nothing (parts: env-shell-sh).

    Without an entry for the home directory or the user, it is Bash.
    """
    entries = [line.split(":") for line in host.read("/etc/passwd").data.decode("utf-8", "replace").splitlines()]
    users = [entry for entry in entries if len(entry) > LOGIN_SHELL]
    name = host.env.get("USER") or host.env.get("LOGNAME")
    by_home = next((user for user in users if user[HOME] == host.home), None)
    own = by_home or next((user for user in users if user[0] == name), None)
    shell = own[LOGIN_SHELL].strip().rpartition("/")[2] if own else ""
    return shell if shell in SHELLS else SHELLS[0]


# The fields of an entry.
HOME, LOGIN_SHELL = 5, 6


def _zone(host: Host) -> str | None:
    """The name of the time zone: where /etc/localtime leads, else /etc/timezone; TZ counts for nothing.

    (parts: env-timezone)
    """
    _, found, name = host.realpath("/etc/localtime").rpartition(ZONES)
    if found:
        return re.sub(r"\A(?:posix|right)/", "", name)
    return host.read("/etc/timezone").data.decode("utf-8", "replace").strip() or None
