"""The one road from what is asked to a prompt, for the command line, the server, captures and every look at a folder.

    here = look(place, sources)        # where: settings, harnesses in use; look_at(path) is the same for a path
    answer = answered(here, asked)     # the session that is meant, its prompt and its problems

One meaning for all views:

- *URLs are off* where the settings say so: then no URL is asked for, and no problem is one of a URL.
- *Trust*: a session that nobody has described is one whose user has trusted the folder; what waits for that, the prompt
  says (``Prompt.once_trusted``). A session that was recorded says itself whether it is trusted; one that is given is
  not, but for a program that sends nothing before (``Spec.all_waits``). Where the editor's user has not trusted the
  folder (``Sources.is_trusted``), git is not run, no URL is asked for and no recorded session is read.
- *Problems of a folder* are those of the whole project that it is in (``project_of``).
- *The state of git* is asked for wherever a harness sends it, in every folder that the user trusts.
"""

from __future__ import annotations

import os

from promptls import harnesses
from promptls.core import files, specs
from promptls.core.habits import NO_HABITS, no_records
from promptls.core.host import NO_ANSWERS, NO_BUFFERS, local_time, no_git, no_network, switched_off
from promptls.core.settings import DEFAULT
from promptls.core.values import dataclass, replace
from promptls.kit.paths import first_above, is_below
from promptls.sessions.detect import in_use, versions
from promptls.sessions.habits import habits_of
from promptls.sessions.session_facts import NOTHING, session_facts
from promptls.sessions.start import Overrides, is_of_user, place_of, session_of, start_of
from promptls.workspace.machine import home, load_harnesses, local_host
from promptls.workspace.settings_file import at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from promptls.checks.folder import Found
    from promptls.core.habits import Habits, Records
    from promptls.core.host import Buffers, Clock, Disk, Fetch, Git, Host
    from promptls.core.model import GitState, Problem, Prompt, Session
    from promptls.core.servers import ServerAnswer
    from promptls.core.session_line import SessionFacts
    from promptls.core.settings import Settings
    from promptls.sessions.detect import Detected
    from promptls.sessions.start import Place
    from promptls.workspace.settings_file import SettingsFile


NO_URLS = replace(DEFAULT, urls_enabled=False)


def ask_git(directory: str) -> GitState | None:
    """The state of a repository; git is imported only when a harness asks for it."""
    from promptls.git.state import state  # noqa: PLC0415 - few harnesses ask for it

    return state(directory)


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the lookups of a request go.

    ``env``: a copy of the environment, for who makes many hosts. ``with_known_texts``: texts that the user has kept of
    programs take the place of what a preview leaves out; ``with_answers``: what is kept of MCP servers counts without
    these, too. ``with_habits``: what the machine knows of its user counts;
    an answer for a team does not hang on that; nor on what was recorded. ``is_trusted``: whether the user of the editor
    trusts the folder. ``servers``: the answers of MCP servers. ``follows``: a host whose answers hold here, but for
    some files, as ``Host.follow`` takes it.
    """

    fetch: Fetch = no_network
    buffers: Buffers = NO_BUFFERS
    disk: Disk = files
    git: Git = ask_git
    clock: Clock = local_time
    sysroot: str = ""
    env: Mapping[str, str] | None = None
    with_known_texts: bool = True
    with_answers: bool = False
    with_habits: bool = True
    is_trusted: bool = True
    servers: Mapping[str, ServerAnswer] = NO_ANSWERS
    follows: tuple[Host, Collection[str], Collection[str]] | None = None

    def host(self, settings: Settings = NO_URLS) -> Host:
        """A host of its own, which asks for URLs only where the settings have them on."""
        is_asked = self.is_trusted and settings.urls_enabled
        host = local_host(
            fetch=switched_off if settings.urls_switched_off else self.fetch if is_asked else no_network,
            buffers=self.buffers,
            sysroot=self.sysroot,
            disk=self.disk,
            env=self.env,
            git=self.git if self.is_trusted else no_git,
            clock=self.clock,
            with_known_texts=self.with_known_texts,
            with_answers=self.with_answers,
            records=self._records if self.with_habits and self.is_trusted else no_records,
            servers=self.servers,
        )
        if self.follows is not None:
            host.follow(*self.follows)
        return host

    def _records(self, folder: str) -> Records:
        """Imported only where something is recorded."""
        from promptls.workspace.recent import recent  # noqa: PLC0415 - see above

        return recent(home(), os.environ if self.env is None else self.env, folder)

    def at_one_time(self) -> Sources:
        """The same at this moment: prompts that are compared have one date, also when made around midnight."""
        moment = self.clock()
        return replace(self, clock=lambda: moment)

    def asking_git_of(self, start: str) -> Sources:
        """The same, but git is asked for the state of a start in that directory alone: of others, own files matter."""
        git = self.git
        return replace(self, git=lambda directory: git(directory) if directory == start else None)

    def habits(self, host: Host, place: Place, file: SettingsFile, above: Settings) -> Habits:
        """What is known of the user at a place: what they have said in an editor, else in their own file, counts."""
        if not self.with_habits:
            return NO_HABITS
        found = habits_of(
            host,
            place.top if is_below(place.workspace, place.top) else place.workspace,
            above.harnesses or file.own or (),
            is_on=file.settings.habits,
        )
        if host.kind(host.home) == "directory" and not os.access(host.home, os.R_OK | os.X_OK):
            found = replace(found, unread=(f"Your home directory {host.home} cannot be read", *found.unread))
        return replace(found, is_answered=True) if file.own is not None else found


HERE = Sources()
# For answers that are the same on every machine: no program and no session of the user counts.
OF_TEAM = Sources(with_habits=False)


def sources_of(*, with_habits: bool) -> Sources:
    """Where the lookups of a command go: of the user, or for a team."""
    return HERE if with_habits else OF_TEAM


def started_in(path: str | None, here: str) -> str | None:
    """Where somebody who stands in ``here`` starts a harness, to read ``path``; None: in the repository of that.

    That is where they stand, or the folder that they name; to read a file of another place, it is that place, but that
    nobody starts a harness beside a file that it keeps in the home directory.
    """
    if path is None or is_for_every_start(path):
        return here
    if files.kind_of(files.stat_of(path)) == "directory":
        return path
    return here if here and is_below(path, here) and repository_of(here) is not None else None


def is_for_every_start(path: str) -> bool:
    """Whether a file is the user's own, in what a program keeps in the home directory."""
    return is_of_user(local_host(), path)


def project_of(directory: str, top: str | None = None) -> str:
    """The folder that a directory is looked at in: what settings are for, else its git repository, else itself.

    So what is found in a directory does not hang on whether it is looked at alone. ``top``: no folder above this one.
    """
    host = local_host()
    place = place_of(host, directory, directory)
    found = at(host, place).directory if at(host, place).path else place.top
    is_inside = is_below(directory, found) and (top is None or is_below(found, top))
    return found if is_inside else directory


def repository_of(directory: str) -> str | None:
    """The git repository that holds a directory, None where there is none."""
    return first_above(local_host(), directory, ".git")


@dataclass(frozen=True, slots=True)
class Here:
    """What is known of a place before a harness is chosen.

    ``settings`` are those that count: the user's over those of ``file``. ``found`` are the harnesses in use, the one to
    show first; ``habits`` says which of them the user has. ``host`` has looked that up.
    """

    place: Place
    file: SettingsFile
    settings: Settings
    found: tuple[Detected, ...]
    host: Host
    sources: Sources
    habits: Habits = NO_HABITS

    def host_of_prompts(self) -> Host:
        """``host``, or another one where the settings, which it was made before, have another say on URLs."""
        asks = self.sources.fetch is not no_network
        is_another = self.settings.urls_switched_off or (asks and not self.settings.urls_enabled)
        return self.sources.host(self.settings) if is_another else self.host

    @property
    def start(self) -> str:
        """Where the user starts a program here, as far as is known; a view of a folder is of a start there."""
        return self.place.start(self.settings)

    def names(self) -> list[str]:
        """The harnesses in use, with their versions where the settings name one; the usual one where none is."""
        return versions(list(self.found), self.settings) or [harnesses.fallback()]


@dataclass(frozen=True, slots=True)
class Answer:
    """A session, the prompt that it gets, and the host through which that was made.

    ``looked_at``: the harnesses that the question is about.
    """

    here: Here
    session: Session
    prompt: Prompt
    host: Host
    looked_at: tuple[str, ...]
    asked: Overrides = NOTHING

    @property
    def session_facts(self) -> SessionFacts:
        """Which session this is, and what that was taken from."""
        return session_facts(self.prompt, self.here.settings, self.here.found, self.here.habits, self.asked)

    def found(self) -> Found:
        """The prompt, and the problems that it shows by itself."""
        from promptls.checks import prompt_problems  # noqa: PLC0415 - a capture needs none

        return self.prompt, prompt_problems(self.prompt, self.here.settings)

    def problems(
        self, own: Found | None = None, beside: Callable[[], Iterable[Found]] | None = None
    ) -> tuple[Problem, ...]:
        """The problems of the prompt, as severe as the settings say, without those that other sessions disprove.

        ``own``: what has been ``found``; ``beside`` gives that of the others. Without it, they are those of a start of
        each harness that is looked at.
        """
        own = own or self.found()
        if not own[1]:
            return ()
        from promptls.checks.folder import session_problems  # noqa: PLC0415 - only for problems

        folder = (self.here.place.workspace, self.here.place.top)
        return tuple(session_problems(own, self.here.settings, self.host, folder, beside or self._starts))

    def _starts(self) -> Iterator[Found]:
        """Of a start in the workspace: of this harness, and of the others."""
        from promptls.checks import prompt_problems  # noqa: PLC0415 - only for problems

        shown = self.prompt.session.harness
        others = [each for each in self.looked_at if harnesses.split(each)[0] != shown]
        for session in (
            replace(self.session, turns=()),
            *(start_of(each, self.here.settings, self.here.habits) for each in others),
        ):
            prompt = harnesses.preview(replace(session, cwd=self.here.place.workspace), self.host)
            yield prompt, prompt_problems(prompt, self.here.settings)


def look(place: Place, sources: Sources = HERE, settings: Settings = DEFAULT, host: Host | None = None) -> Here:
    """What is known of a place; ``settings`` win over those of the folder.

    ``host``: one that has looked at the place before, for who asks often.
    """
    host = host or sources.host(DEFAULT)
    file = at(host, place, settings)
    habits = sources.habits(host, place, file, settings)
    found = in_use(host, place.directory, place.top, file.settings, habits=habits, start=place.workspace)
    return Here(
        replace(place, usual=_usual(host, place, habits)), file, file.settings, tuple(found), host, sources, habits
    )


def look_at(
    path: str,
    folder: str | None = None,
    sources: Sources = HERE,
    settings: Settings = DEFAULT,
    host: Host | None = None,
) -> Here:
    """What is known of the place of a file or directory; ``folder`` is the one that is open around it."""
    host = host or sources.host(DEFAULT)
    return look(place_of(host, path, folder), sources, settings, host)


def _usual(host: Host, place: Place, habits: Habits) -> str | None:
    """Where the user last started a program in the workspace or below it, if that is not asked for and still there."""
    last = habits.last
    if place.is_start or last is None or not is_below(last.cwd, place.workspace):
        return None
    return last.cwd if last.cwd != place.workspace and host.kind(last.cwd) == "directory" else None


def session_at(here: Here, asked: Overrides = NOTHING) -> Session:
    """The session that is asked for at a place."""
    return session_of(here.place, here.settings, here.found, asked, here.habits)


def delegated(here: Here, asked: Overrides, agent: str) -> Overrides:
    """``asked``, and the start of a sub-agent then; ``agent`` is its name, with its task after a colon.

    Raises:
        UsageError: the harness starts no sub-agents, as far as its rules know.
    """
    from promptls.sessions.later import delegating  # noqa: PLC0415 - few sessions have a later life

    session = session_at(here, asked)
    turns = delegating(session.harness, session.turns, agent)
    return replace(asked, harness=asked.harness or session.harness, turns=turns, is_of_file=False)


def answered(here: Here, asked: Overrides, host: Host | None = None, among: Iterable[str] = ()) -> Answer:
    """The prompt of the session that is asked for; ``host``: the one to make it through.

    ``among``: all harnesses that the question is about; without them it is the one that is named, or those in use.

    Raises:
        UsageError: there is no such harness or version.
    """
    host = host or here.host_of_prompts()
    session = session_at(here, asked)
    looked_at = tuple(among) or ((asked.harness,) if asked.harness else tuple(here.names()))
    return Answer(here, session, harnesses.preview(session, host), host, looked_at, asked)


def each_answered(here: Here, only: Iterable[str] = ()) -> list[Answer]:
    """The prompts of the session at a place for each harness in use there, or for those that are named.

    Raises:
        UsageError: there is no such harness or version.
    """
    names = tuple(map(specs.canonical, only)) or tuple(here.names())
    host = here.host_of_prompts()
    return [answered(here, Overrides(harness=each), host, names) for each in names]


# -- the prompts of a session that reads one file: one for each harness in use there -----------------------------------


@dataclass(frozen=True, slots=True)
class FilePrompts:
    """The prompts for a file, made through ``host``, and what is known of its place."""

    here: Here
    answers: tuple[Answer, ...]

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """The prompts, a harness each."""
        return tuple(each.prompt for each in self.answers)

    @property
    def host(self) -> Host:
        """What has looked up everything."""
        return self.here.host


def file_prompts(path: str, *, here: str, only: Sequence[str] = (), sources: Sources = HERE) -> FilePrompts:
    """The prompts of sessions that read the file at ``path``, without URLs.

    ``here`` takes the place of a workspace where there is no repository; ``only``: harnesses in place of those in use.

    Raises:
        UsageError: there is no such harness or version.
    """
    load_harnesses()
    host = sources.host()
    known = look(place_of(host, path, started_in(path, here), here=here), sources, NO_URLS, host)
    return FilePrompts(known, tuple(each_answered(known, only)))
