"""One way to a session: the place of the current file, the settings there and what is asked for become a ``Session``.

``workspace/request.py`` goes this way for the command line and the server, so they cannot show different prompts:

    place = place_of(host, path)                                 # where
    settings = settings_file.at(host, place).settings            # what the settings say there
    found = in_use(host, place.directory, place.top, settings)   # which harnesses are in use there
    session = session_of(place, settings, found, Overrides(model="x"))

What the settings say of a harness (its version, model, agent, arguments, hints and tools) belongs to the harness that
they name, or else to the one that is found at the place. Another harness gets none of it. Overrides belong to the
harness that is asked for.
"""

from __future__ import annotations

from promptls import harnesses
from promptls.core import specs
from promptls.core.habits import NO_HABITS, Own, Recent
from promptls.core.model import OpenFile, Session, Turn, reading
from promptls.core.settings import only_for
from promptls.core.values import dataclass, replace
from promptls.errors import UsageError
from promptls.kit.paths import first_above, is_below, parent, resolve
from promptls.sessions.detect import choose, with_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from promptls.core.habits import Habits
    from promptls.core.host import Host
    from promptls.core.model import Request
    from promptls.core.settings import Settings
    from promptls.core.spec import Spec
    from promptls.sessions.detect import Detected


@dataclass(frozen=True, slots=True)
class Place:
    """Where a session is looked for.

    ``directory`` holds the current file, which is read at ``reads``. In ``workspace`` the harness is started if nobody
    says otherwise. Settings, and files that show which harness it is, count from ``directory`` up to ``top``.
    ``cwd`` is a start that is asked for. ``is_start``: it is about a start in the workspace, wherever the user usually
    starts; ``usual`` is where they last did, where it is not.
    """

    directory: str
    workspace: str
    top: str
    reads: tuple[str, ...] = ()
    cwd: str | None = None
    is_start: bool = False
    usual: str | None = None

    def start(self, settings: Settings) -> str:
        """Where a session starts of which nothing else is said."""
        return self.cwd or settings.cwd or self.usual or self.workspace


@dataclass(frozen=True, slots=True)
class Overrides:
    """What is asked for in place of what the settings say; None where nothing is.

    ``cwd`` is for ``place_of``; ``turns`` are all that happens, and with ``is_of_file`` the current file counts, too.
    ``open`` are the files of the editor, where they take the place of the current file. ``is_given``: it is described
    as a whole, so what the user usually does says only which version they have. ``is_trusted``: whether
    the user trusts the folder, None where a session is given that does not say so; who describes none is taken to.
    """

    harness: str | None = None
    cwd: str | None = None
    turns: tuple[Turn, ...] | None = None
    is_of_file: bool = False
    open: tuple[OpenFile, ...] | None = None
    model: str | None = None
    agent: str | None = None
    args: tuple[str, ...] | None = None
    hints: tuple[str, ...] | None = None
    folders: tuple[str, ...] = ()
    is_trusted: bool | None = True
    interactive: bool | None = None
    editor: bool | None = None
    mode: str | None = None
    request: Request | None = None
    is_given: bool = False


# The mode of a program that prints its answers, where nobody has chosen one.
USUAL_MODE = "default"


def noting(harness: str, paths: Iterable[str]) -> tuple[Turn, ...]:
    """The turns of a session in which a harness takes note of files: a tool reads them, or they are attached."""
    if not specs.of(harness).counts_attached:
        return reading(paths)
    attached = tuple(paths)
    return (Turn(attached=attached),) if attached else ()


def place_of(
    host: Host,
    path: str | None,
    folder: str | None = None,
    *,
    cwd: str | None = None,
    here: str | None = None,
    may_be_missing: bool = False,
    is_start: bool = False,
) -> Place:
    """The place of the file or directory at ``path``, if one is in hand.

    ``folder`` is the one that is open in an editor, ``cwd`` the start that is asked for; relative, it starts in the
    folder. ``here`` takes the place of a workspace where there is neither a folder nor a git repository.
    A file of the user's own is looked at from there, too.
    ``may_be_missing``: a file that is not there is read, too. ``is_start``: a start in the folder is meant, as it is
    where ``path`` is a directory.
    """
    path, folder = (host.spelled(each) if each is not None else None for each in (path, folder))
    kind = host.kind(path) if path is not None else None
    beside = path if path is None or kind == "directory" else parent(path)
    if path is not None and kind != "directory" and (folder or here) and is_of_user(host, path):
        beside = folder or here
    cwd = resolve(folder or beside or here or "/", cwd) if cwd is not None else None
    directory = beside or cwd or folder or here or "/"
    opened = next((each for each in (cwd, folder) if each is not None and is_below(directory, each)), None)
    repository = first_above(host, opened or directory, ".git")
    workspace = opened or repository or here or directory
    top = repository or workspace
    is_read = path is not None and kind != "directory" and (kind is not None or may_be_missing)
    return Place(
        directory=directory,
        workspace=workspace,
        top=top if is_below(directory, top) else directory,
        reads=(path,) if path is not None and is_read else (),
        cwd=cwd,
        is_start=is_start or kind == "directory",
    )


def may_be_of_user(path: str, home: str) -> bool:
    """The same by the path alone, without a look at the disk: so is a file of a repository that is hidden there."""
    return is_below(path, home) and path[len(home.rstrip("/")) :].startswith("/.")


def is_of_user(host: Host, path: str) -> bool:
    """Whether a file is in what a program keeps in the home directory, such as ~/.claude: it is for every start."""
    if not may_be_of_user(path, host.home):
        return False
    repository = first_above(host, parent(path), ".git")
    return repository is None or is_below(host.home, repository)


def existing_start(host: Host, place: Place) -> Place:
    """``place``, if the start that is asked for is there.

    Raises:
        UsageError: it is not, or is no directory.
    """
    kind = host.kind(place.cwd) if place.cwd is not None else "directory"
    if kind is None:
        raise UsageError(f"There is no directory {place.cwd}; check the path.")
    if kind != "directory":
        raise UsageError(f"{place.cwd} is not a directory; check the path.")
    return place


def session_of(
    place: Place, settings: Settings, found: Sequence[Detected], asked: Overrides, habits: Habits = NO_HABITS
) -> Session:
    """The session to show at a place; ``found`` are the harnesses in use there."""
    usual = habits if not asked.is_given else versions_only(habits)
    start = start_of(asked.harness or choose(found, settings), named(settings, found), usual)
    mode = asked.mode or (None if asked.is_given else start.mode)
    interactive = asked.interactive if asked.interactive is not None or asked.is_given else start.interactive
    editor = asked.editor or (None if asked.is_given or asked.interactive is not None else start.editor)
    if editor:
        interactive = None
    elif asked.interactive is None and mode in specs.of(start.harness).screen_modes:
        interactive = True
    return replace(
        start,
        cwd=(place if not asked.is_given else replace(place, usual=None)).start(settings),
        turns=_turns(_noted(start.harness, place, asked), asked),
        model=asked.model or start.model,
        agent=asked.agent or start.agent,
        args=start.args if asked.args is None else asked.args,
        hints=start.hints if asked.hints is None else asked.hints,
        folders=asked.folders,
        is_trusted=_is_trusted(specs.of(start.harness), asked),
        interactive=interactive,
        editor=editor,
        mode=mode,
        request=asked.request,
    )


def _is_trusted(spec: Spec, asked: Overrides) -> bool:
    """Whether the user trusts the folder: of a program that sends nothing before, what happened says so."""
    has_happened = any(turn != Turn() for turn in asked.turns or ())
    is_trusted = asked.is_trusted if asked.is_trusted is not None else spec.all_waits and has_happened
    return is_trusted and not spec.is_trusted_if_told


def _noted(harness: str, place: Place, asked: Overrides) -> tuple[Turn, ...]:
    """What the current file is to a session; where open files count, it is open as they are."""
    if asked.open is not None and specs.of(harness).counts_attached:
        return (Turn(open=asked.open),)
    return noting(harness, place.reads)


def _turns(noted: tuple[Turn, ...], asked: Overrides) -> tuple[Turn, ...]:
    """The turns that are asked for; where the current file counts, too, it comes first in the last of them."""
    if asked.turns is None:
        return noted
    if not (noted and asked.is_of_file):
        return asked.turns
    first, last = noted[0], asked.turns[-1] if asked.turns else Turn()
    both = replace(last, attached=first.attached + last.attached, steps=first.steps + last.steps)
    return (*asked.turns[:-1], both)


def named(settings: Settings, found: Sequence[Detected]) -> Settings:
    """The settings with a harness: what is said of no harness by name is said of the one that would be shown."""
    return settings if settings.harness else replace(settings, harness=choose(found, settings))


def start_of(harness: str, settings: Settings, habits: Habits = NO_HABITS) -> Session:
    """A session of ``harness`` without a place, in a folder that the user trusts.

    ``settings`` name the harness that they are for. What they leave open is as the user has it: the version that is
    installed, else the one that was recorded last, and the model and agent of that session.
    """
    name, version = harnesses.split(with_version(harness, settings))
    own = only_for(settings, name)
    user = habits.of(name) or Own(name)
    last = user.recent or Recent(name, "")
    later = specs.of(name).later
    shown = version or harnesses.split(user.chosen)[1] or user.version or last.version
    start = Session(
        name,
        "",
        shown,
        model=own.model or last.model,
        agent=own.agent or last.agent,
        args=own.args or last.mode_args,
        is_trusted=True,
        # Where nobody has said so, a program of the user's is one that they see.
        interactive=last.interactive is not False if habits.of(name) and "interactive" in later else None,
        editor=last.editor,
        mode=last.mode if is_mode_known(last) else None,
        program=user.program_of(shown),
    )
    return replace(start, hints=own.hints, tools=own.tools)


def is_mode_known(last: Recent) -> bool:
    """Whether the rules of a harness know the mode of its session; that of one that prints may be the usual one."""
    is_usual = last.mode == USUAL_MODE and last.interactive is False
    return last.mode in specs.of(last.harness).modes and not is_usual


def versions_only(habits: Habits) -> Habits:
    """The habits without how the user last started each harness, but for its version."""

    def without(own: Own) -> Own:
        last = own.recent
        return replace(own, recent=Recent(last.harness, last.cwd, version=last.version)) if last is not None else own

    return replace(habits, own=tuple(map(without, habits.own)))
