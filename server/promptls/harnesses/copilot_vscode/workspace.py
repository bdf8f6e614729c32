"""What is open in VS Code: its folders, the directories above them that count, and the folder of the user's data."""

from __future__ import annotations

from promptls.core.formats import parse_json
from promptls.core.model import Origin
from promptls.core.text import decode
from promptls.core.values import dataclass, replace
from promptls.kit import args
from promptls.kit.candidates import Rule
from promptls.kit.paths import is_below, join, name, parent, resolve, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.formats.tree import Document, Value
    from promptls.core.host import Host
    from promptls.kit.draft import Draft

ENDING = ".code-workspace"
USER_DATA = "--user-data-dir"
PROFILE = "--profile"
VALUES = {USER_DATA: "user-data", PROFILE: "profile"}
# Where VS Code keeps the user's data, by platform (documentation of its settings).
USUAL = {"darwin": "Library/Application Support/Code", "win32": "AppData/Roaming/Code"}


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of the workspace, and its name."""

    path: str
    name: str


@dataclass(frozen=True, slots=True)
class Workspace:
    """What is open. ``file`` is the .code-workspace, if there is one.

    ``user`` is the User folder of the profile in use, ``data`` that of all profiles; None where they are not known.
    """

    folders: tuple[Folder, ...]
    file: str | None = None
    document: Document | None = None
    user: str | None = None
    data: str | None = None

    def folder_of(self, path: str) -> Folder | None:
        """The innermost folder that holds ``path``."""
        found = [each for each in self.folders if is_below(path, each.path)]
        return max(found, key=lambda each: len(each.path), default=None)

    def roots(self, host: Host, *, with_parents: bool) -> list[str]:
        """The directories in which files are looked for: the folders, and with parents those above them.

        A repository's root has a directory ``.git``; without one nothing above counts (parts: parent-repo-on).
        """
        roots: dict[str, None] = {}
        for folder in self.folders:
            roots[folder.path] = None
            for each in _parents(host, folder.path) if with_parents else ():
                roots[each] = None
        return list(roots)


def _parents(host: Host, folder: str) -> list[str]:
    found: list[str] = []
    for directory in upwards(folder):
        found.append(directory)
        if host.kind(join(directory, ".git")) == "directory":
            return found
        if parent(directory) == host.home:
            break
    return []


def opened(draft: Draft, host: Host) -> Workspace:
    """The workspace that a session opens: the folders of the session, those of its .code-workspace, or its directory.

    (parts: multi-root)
    """
    session = draft.session
    command = args.read(session.args, values=VALUES)
    files = [resolve(session.cwd, each) for each in command.rest if each.endswith(ENDING)]
    data, user = _user(draft, host, command)
    for option in (*command.unknown, *(each for each in command.rest if not each.endswith(ENDING))):
        why = f"promptls does not know what {option} changes; the prompt is shown as without it"
        draft.candidates.append(Rule(why, Origin("argument", name=option)).excluded())
    folders = tuple(Folder(each, name(each)) for each in session.folders)
    found = Workspace(folders or (Folder(session.cwd, name(session.cwd)),), user=user, data=data)
    return _of_file(draft, host, found, files[-1]) if files else found


def _of_file(draft: Draft, host: Host, workspace: Workspace, path: str) -> Workspace:
    rule = Rule("the workspace file names the folders", Origin("argument", name=path), "config")
    contents = host.read(path)
    if contents.state != "file":
        draft.candidates.append(rule.unread(path, contents.state))
        return workspace
    document = parse_json(decode(contents.data, keep_bom=False), comments=True)
    fault = document.fault("config-invalid")
    draft.candidates.append(rule.failed(path, faults=(fault,)) if fault else rule.loaded(path))
    entries = document.root.get("folders") if document.root is not None else None
    folders = tuple(_folders(entries.items if entries is not None else (), parent(path)))
    return replace(workspace, folders=folders or workspace.folders, file=path, document=document)


def _folders(entries: Sequence[Value], beside: str) -> Iterator[Folder]:
    for entry in entries:
        path = entry.text("path")
        if path:
            place = resolve(beside, path)
            yield Folder(place, entry.text("name") or name(place))


# -- the user's data ---------------------------------------------------------------------------------------------


def _user(draft: Draft, host: Host, command: args.Arguments) -> tuple[str | None, str | None]:
    """The folder of the user's data, and that of the profile in use in it (parts: all-kinds-at-root)."""
    given = command.last("user-data")
    portable = host.env.get("VSCODE_PORTABLE")
    if given:
        data = join(resolve(draft.session.cwd, given), "User")
    elif portable:
        data = join(portable, "user-data", "User")
    else:
        data = join(host.home, USUAL.get(host.platform, ".config/Code"), "User")
        # Another edition of VS Code, or one on another machine, has another one.
        if host.kind(data) != "directory":
            return None, None
    profile = command.last("profile")
    return data, _profile(draft, host, data, profile) if profile else data


def _profile(draft: Draft, host: Host, data: str, profile: str) -> str:
    """The folder of a profile, by the record that VS Code keeps of them."""
    record = join(data, "globalStorage", "storage.json")
    contents = host.read(record)
    document = parse_json(decode(contents.data, keep_bom=False), comments=True)
    profiles = document.root.get("userDataProfiles") if document.root is not None else None
    for each in profiles.items if profiles is not None else ():
        if each.text("name") == profile and each.text("location"):
            return join(data, "profiles", str(each.text("location")))
    why = f"there is no profile {profile}; VS Code then starts with an empty one"
    draft.candidates.append(Rule(why, Origin("argument", name=PROFILE), "config").missing(record))
    return join(data, "profiles", profile)
