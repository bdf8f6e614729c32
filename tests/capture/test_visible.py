"""What an enclosed program sees of the disk: itself and the system, and nothing of a user's."""

from __future__ import annotations

import pytest

from promptls.errors import UsageError
from promptls.wire.visible_disk import EMPTY, SYSTEM, Enclosure, enclosure, homes_of, way

HOME, WORKSPACE = "/home/me", "/home/me/src/project"
NODE = "#!/usr/bin/env node\n"
SEARCH = ("/home/me/.nvm/v20/bin", "/usr/bin", "/bin")


class Disk:
    """Paths with the heads of files, or the texts of links as ``-> text``."""

    def __init__(self, files: dict[str, str]) -> None:
        self._files = {"/usr/bin/env": "", "/usr/lib/x": "", "/etc/passwd": "", "/bin": "-> usr/bin", **files}

    def link(self, path: str) -> str | None:
        text = self._files.get(path, "")
        return text.removeprefix("-> ") if text.startswith("-> ") else None

    def kind(self, path: str) -> str | None:
        real = way(path, self)[1]
        if real in self._files:
            return "file"
        return "directory" if any(each.startswith(real + "/") for each in self._files) else None

    def head(self, path: str) -> bytes:
        return self._files.get(way(path, self)[1], "").encode()


def seen(files: dict[str, str], command: str, *, workspace: str = WORKSPACE) -> Enclosure:
    shown = [("/scratch/home", HOME, True), ("/scratch/ws", workspace, True)]
    homes = (HOME, "/home/you", "/root")
    return enclosure(Disk(files), [command], SEARCH, workspace=workspace, homes=homes, shown=shown)


def packages(found: Enclosure) -> list[str]:
    """What is seen besides the system and what is shown."""
    return [target for source, target, _ in found.binds if source == target and target not in SYSTEM]


@pytest.mark.parametrize(
    ("files", "command", "expected"),
    [
        pytest.param({"/usr/bin/codex": ""}, "/usr/bin/codex", [], id="of the system"),
        pytest.param(
            {
                f"{HOME}/.nvm/v20/bin/claude": "-> ../lib/node_modules/@a/claude/cli.js",
                f"{HOME}/.nvm/v20/lib/node_modules/@a/claude/cli.js": NODE,
                f"{HOME}/.nvm/v20/bin/node": "",
            },
            f"{HOME}/.nvm/v20/bin/claude",
            [f"{HOME}/.nvm/v20", f"{HOME}/.nvm/v20/lib/node_modules"],
            id="nvm, with its interpreter",
        ),
        pytest.param(
            {
                f"{HOME}/.local/bin/claude": f"-> {HOME}/.local/share/claude/versions/2.1",
                f"{HOME}/.local/share/claude/versions/2.1": "",
                f"{HOME}/.local/lib/x": "",
            },
            f"{HOME}/.local/bin/claude",
            [f"{HOME}/.local/share/claude/versions"],
            id="one executable by a link",
        ),
        pytest.param(
            {f"{HOME}/.local/bin/codex": "", f"{HOME}/.local/lib/x": "", f"{HOME}/.local/share/keyrings/x": ""},
            f"{HOME}/.local/bin/codex",
            [f"{HOME}/.local/bin"],
            id="the prefix of a home is not one program",
        ),
        pytest.param(
            {f"{HOME}/.cache/promptls/programs/x@1/node_modules/x/x.js": "#!/usr/bin/node\n", "/usr/bin/node": ""},
            f"{HOME}/.cache/promptls/programs/x@1/node_modules/x/x.js",
            [f"{HOME}/.cache/promptls/programs/x@1/node_modules"],
            id="the outermost node_modules",
        ),
        pytest.param(
            {f"{HOME}/node_modules/a/node_modules/b/b.js": ""},
            f"{HOME}/node_modules/a/node_modules/b/b.js",
            [f"{HOME}/node_modules/a/node_modules/b/b.js"],
            id="in what looks like a folder of the user's, the file alone",
        ),
        pytest.param({f"{HOME}/claude": ""}, f"{HOME}/claude", [f"{HOME}/claude"], id="in the home itself"),
        pytest.param({f"{HOME}/Downloads/claude": ""}, f"{HOME}/Downloads/claude", [f"{HOME}/Downloads/claude"]),
        pytest.param({"/home/you/claude": ""}, "/home/you/claude", ["/home/you/claude"], id="in another's home"),
        pytest.param({"/home/claude": ""}, "/home/claude", ["/home/claude"], id="above homes"),
        pytest.param({"/claude": ""}, "/claude", ["/claude"], id="at the top"),
        pytest.param({f"{EMPTY[1]}/x": ""}, f"{EMPTY[1]}/x", [f"{EMPTY[1]}/x"], id="in an empty directory"),
        pytest.param(
            {f"{HOME}/src/claude": ""}, f"{HOME}/src/claude", [f"{HOME}/src/claude"], id="above the workspace"
        ),
        pytest.param(
            {"/opt/agent/bin/agent": "", "/opt/agent/lib/x": ""}, "/opt/agent/bin/agent", ["/opt/agent"], id="a prefix"
        ),
        pytest.param({"/opt/agent/agent": ""}, "/opt/agent/agent", ["/opt/agent"], id="a directory of its own"),
        pytest.param(
            {
                "/srv/venv/bin/agent": "#!/srv/venv/bin/python\n",
                "/srv/venv/bin/python": "-> /srv/py/bin/python3",
                "/srv/venv/lib/x": "",
                "/srv/venv/pyvenv.cfg": "",
                "/srv/py/bin/python3": "",
                "/srv/py/lib/x": "",
            },
            "/srv/venv/bin/agent",
            ["/srv/py", "/srv/venv"],
            id="an environment of Python, and the Python it is of",
        ),
    ],
)
def test_a_program_is_seen_with_its_package(files: dict[str, str], command: str, expected: list[str]) -> None:
    assert packages(seen(files, command)) == expected


def test_links_on_the_way_are_seen() -> None:
    files = {
        f"{HOME}/.local/bin/x": "-> ../share/x/now",
        f"{HOME}/.local/share/x/now": "-> 1",
        f"{HOME}/.local/share/x/1": "",
    }
    links = dict(seen(files, f"{HOME}/.local/bin/x").links)
    assert links[f"{HOME}/.local/bin/x"] == "../share/x/now"
    assert links[f"{HOME}/.local/share/x/now"] == "1"
    assert links["/bin"] == "usr/bin"


def test_what_is_shown_is_where_its_path_leads() -> None:
    found = seen({"/home/me": "-> /data/me", "/data/me/src/project/x": ""}, "/usr/bin/env")
    assert ("/scratch/home", "/data/me", True) in found.binds
    assert ("/scratch/ws", "/data/me/src/project", True) in found.binds
    assert ("/home/me", "/data/me") in found.links


def test_nothing_else_is_seen() -> None:
    found = seen({}, "/usr/bin/env")
    sources = {source for source, _, writable in found.binds if source}
    assert sources == {"/scratch/home", "/scratch/ws", "/usr", "/etc"}
    assert {target for source, target, _ in found.binds if not source} == set(EMPTY)
    assert {source for source, _, writable in found.binds if source and writable} == {"/scratch/home", "/scratch/ws"}


def test_a_directory_comes_before_what_is_in_it() -> None:
    targets = [target for _, target, _ in seen({"/opt/a/bin/x": "", "/opt/a/lib/x": ""}, "/opt/a/bin/x").binds]
    assert all(not earlier.startswith(later + "/") for at, later in enumerate(targets) for earlier in targets[:at])


def test_a_home_in_the_system_is_empty() -> None:
    found = enclosure(Disk({"/usr/people/x": ""}), [], [], workspace="/w", homes=("/usr/people", "/usr"), shown=())
    assert ("", "/usr/people", True) in found.binds
    assert ("/usr", "/usr", False) in found.binds


@pytest.mark.parametrize(
    "files",
    [
        {"/opt/x/x": "#!/home/me/src/project/python\n", f"{WORKSPACE}/python": ""},
        {"/opt/x/x": f"-> {WORKSPACE}/x", f"{WORKSPACE}/x": ""},
        {"/opt/x/x": "#!/opt/y/node\n", "/opt/y/node": f"-> {WORKSPACE}/node", f"{WORKSPACE}/node": ""},
    ],
)
def test_a_program_that_leads_into_the_workspace_is_refused(files: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="leads into the workspace, and nothing there is run"):
        seen(files, "/opt/x/x")


def test_links_in_a_circle_end() -> None:
    assert seen({"/opt/x": "-> y", "/opt/y": "-> x"}, "/opt/x").binds


def test_homes_are_those_of_people() -> None:
    text = "root:x:0:0::/root:/bin/sh\nbin:x:2:2::/bin:/bin/sh\nme:x:1000:1000::/home/me:/bin/sh\nbroken\n"
    assert homes_of(text) == ["/home/me", "/root"]
    users = {999: False, 1000: True, 65533: True, 65534: False}
    assert {user: homes_of(f"a:x:{user}:0::/home/a:/bin/sh") == ["/home/a"] for user in users} == users
    assert homes_of("a:x:²:0::/home/a:/bin/sh\nb:x:1000:0::/:/bin/sh\nc:x:1000:0::/home/c\n") == []
