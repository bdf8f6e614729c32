"""Whose prompts differ: between two states of a folder, two harnesses, two files or two sessions."""

from __future__ import annotations

from promptls import harnesses
from promptls.core import budgets
from promptls.core.compare import compare
from promptls.core.paths import upwards
from promptls.core.table import OWN
from promptls.core.totals import loaded_files
from promptls.core.values import dataclass, replace
from promptls.errors import UsageError
from promptls.git.listing import Listing
from promptls.sessions.of_folder import again, wanted_names
from promptls.sessions.start import existing_start, noting, place_of
from promptls.workspace.folder_prompts import budgets_of, folder_prompts
from promptls.workspace.machine import load_harnesses
from promptls.workspace.request import NO_URLS, OF_TEAM, answered, file_prompts, look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.budgets import Spent
    from promptls.core.compare import Comparison, Known
    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session
    from promptls.core.sizes import Kind
    from promptls.git.revision import Revision, Tracked
    from promptls.sessions.start import Overrides
    from promptls.workspace.folder_prompts import FolderPrompts
    from promptls.workspace.request import Sources

# What is typed and read.
TYPED: tuple[Kind, ...] = ("typed",)
# What the texts of hidden folders end in.
TEXTS = (".md", ".mdc", ".json", ".jsonc", ".toml", ".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Used:
    """What is used of a budget before and after; ``is_new`` and ``is_gone``: it is only in the settings of one."""

    before: Spent
    after: Spent
    is_new: bool = False
    is_gone: bool = False


def of_revisions(
    root: str, before: str, after: str | None, only: Sequence[str] = (), sources: Sources = OF_TEAM
) -> tuple[list[Comparison], list[Used]]:
    """The prompts of the folder ``root`` at two revisions, and budgets; None: as it is now. Nothing is checked out.

    Raises:
        UsageError: there is no repository or revision, or no such harness.
    """
    sources = sources.at_one_time()
    new = _at_revision(root, after, only, sources) if after is not None else _now(root, only, sources)
    # What is read is the same, as far as it can be.
    old = _at_revision(root, before, only, sources, read_in(new))
    return list(between(old, new)), _budgets(old, new)


def _budgets(old: FolderPrompts, new: FolderPrompts) -> list[Used]:
    """Each budget of the settings now, then those that are gone."""
    was, now = ({budgets.key(each): each for each in side.settings.budgets} for side in (old, new))
    keys = list({**now, **was})
    before = budgets_of(old, [was.get(each) or now[each] for each in keys])
    after = budgets_of(new, [now.get(each) or was[each] for each in keys])
    return [
        Used(one, other, each not in was, each not in now) for each, one, other in zip(keys, before, after, strict=True)
    ]


def of_harnesses(root: str, before: str, after: str) -> list[Comparison]:
    """The prompts of two harnesses in each session of ``root`` that matters for one of them, a start there first.

    Raises:
        UsageError: there is no such harness or version.
    """
    sources = OF_TEAM.at_one_time()
    old, new = (_now(root, (each,), sources) for each in (before, after))
    was, now = ({_at(each): each for each in side.prompts} for side in (old, new))
    return [
        compare(
            was.get(place) or _prompt_elsewhere(old, *place),
            now.get(place) or _prompt_elsewhere(new, *place),
            new.host.realpath,
            # What a harness says of itself is the same elsewhere.
            without=not_counted(place[1]) if number == 0 else (*not_counted(place[1]), *OWN),
            is_read=bool(place[1]),
        )
        for number, place in enumerate(dict.fromkeys((*was, *now)))
    ]


def _at(prompt: Prompt) -> tuple[str, tuple[str, ...]]:
    """Where the session was started, and the files that it takes note of."""
    return prompt.session.cwd, noted(prompt.session)


def read_in(found: FolderPrompts) -> list[str]:
    """All files that the sessions of a folder take note of, sorted."""
    return sorted({path for each in found.prompts for path in noted(each.session)})


def noted(session: Session) -> tuple[str, ...]:
    """The files that a session reads, and those that are attached to its prompts."""
    return tuple(dict.fromkeys((*session.reads, *(path for turn in session.turns for path in turn.attached))))


def not_counted(paths: Sequence[str]) -> tuple[Kind, ...]:
    """What does not count in a session that takes note of ``paths``: they are its own, not the folder's.

    In a start without any, all counts, so that its total is that of every view.
    """
    return TYPED if paths else ()


def _prompt_elsewhere(side: FolderPrompts, cwd: str, noted: Sequence[str]) -> Prompt:
    """The prompt of such a session of the harness that was looked at."""
    start = side.prompts[0].session
    return harnesses.preview(replace(start, cwd=cwd, turns=noting(start.harness, noted)), side.host)


def of_files(
    before: str, after: str, here: str, only: Sequence[str] = (), sources: Sources = OF_TEAM
) -> list[Comparison]:
    """The prompts of sessions that read one file or the other, a harness each.

    Raises:
        UsageError: there is no such harness or version.
    """
    sources = sources.at_one_time()
    looked = [file_prompts(path, here=here, only=only, sources=sources) for path in (before, after)]
    old, new = ({each.session.harness: each for each in side.prompts} for side in looked)
    target = looked[1].host.realpath
    return [compare(old.get(each), new.get(each), target, without=TYPED) for each in dict.fromkeys((*new, *old))]


def of_sessions(before: Overrides, after: Overrides, here: str) -> list[Comparison]:
    """The last requests of two sessions.

    Raises:
        UsageError: one is of a directory, harness or version that does not exist.
    """
    load_harnesses()
    host = OF_TEAM.host()
    old, new = (_of_session(each, host, here) for each in (before, after))
    return [compare(old, new, host.realpath)]


def _of_session(asked: Overrides, host: Host, here: str) -> Prompt:
    place = existing_start(host, place_of(host, None, cwd=asked.cwd, here=here))
    return answered(look(place, OF_TEAM, NO_URLS, host), asked).prompt


def _now(root: str, only: Sequence[str], sources: Sources) -> FolderPrompts:
    with Listing(root) as listing:
        return folder_prompts(root, listing, sources, settings=NO_URLS, only=only)


def _at_revision(
    root: str, name: str, only: Sequence[str], sources: Sources, read: Sequence[str] = ()
) -> FolderPrompts:
    from promptls.git.revision import revision  # noqa: PLC0415 - only if a revision is requested

    disk = revision(root, name)
    if not disk.holds(root):
        raise UsageError(f"{root} is not in the repository of {name}; choose a folder in it.")
    asked = replace(sources, disk=disk)
    return folder_prompts(root, tracked_at(disk, root), asked, settings=NO_URLS, only=only, read_before=read)


def tracked_at(disk: Revision, root: str) -> Tracked:
    """The files of a commit; what programs are likely to read of them is asked for at once."""
    from promptls.git.revision import Tracked, read_ahead  # noqa: PLC0415 - only if a revision is requested

    found = Tracked(disk, root)
    wanted = wanted_names()
    inner = ((path, path[len(root) :]) for path in found.tracked())
    likely = (path for path, name in inner if ("/." in name and name.endswith(TEXTS)) or has_name(name, wanted))
    read_ahead(disk.tops[1], disk.texts(likely))
    return found


def has_name(path: str, wanted: frozenset[str]) -> bool:
    """Whether a file, or a directory that it is in, has a name that means something to a program."""
    return not wanted.isdisjoint(path.split("/"))


def between(before: FolderPrompts, after: FolderPrompts, known: Known | None = None) -> Iterator[Comparison]:
    """Each session that matters in one of two states, in both; ``known``: as ``compare`` takes it."""
    for was, now in _pairs(before, after):
        # What a harness says of itself names the directory.
        typed = not_counted((*noted(was.session), *noted(now.session)))
        without = typed if was.session.cwd == now.session.cwd else (*typed, *OWN)
        yield compare(was, now, after.host.realpath, without=without, known=known)


def _pairs(before: FolderPrompts, after: FolderPrompts) -> list[tuple[Prompt, Prompt]]:
    """Each session in both states. Of one that reads files which one of the two has not, what both have is read.

    Else what these files bring would look lost, or new, although other files bring it as before.
    """
    old, new = ({_session(each): each for each in side.prompts} for side in (before, after))
    found: list[tuple[Prompt, Prompt]] = []
    others: list[tuple[Prompt, list[str], bool]] = []
    for key in dict.fromkeys((*new, *old)):
        prompt, is_new = (new[key], True) if key in new else (old[key], False)
        there = before.host if is_new else after.host
        shared = [path for path in noted(prompt.session) if there.kind(path) is not None]
        if (key in old and key in new) or len(shared) == len(noted(prompt.session)):
            found.append((old.get(key) or _again(prompt, there), new.get(key) or _again(prompt, there)))
        else:
            others.append((prompt, shared, is_new))
    for prompt, shared, is_new in others:
        session, start = prompt.session, _start(prompt)
        read = [{*noted(now.session)} for _, now in found if _start(now) == start]
        if not any(each.issuperset(shared) for each in read):
            session = replace(session, turns=noting(session.harness, shared))
            found.append((again(session, before.host), again(session, after.host)))
        sent = {path for pair in found if _start(pair[1]) == start for path in loaded_files(pair[is_new])}
        if any(before.host.read(each) != after.host.read(each) for each in {*loaded_files(prompt)} - sent):
            found.append((_again(prompt, before.host), prompt) if is_new else (prompt, _again(prompt, after.host)))
    return found


def _start(prompt: Prompt) -> tuple[str, str, str]:
    session = prompt.session
    return session.harness, session.version, session.cwd


def _session(prompt: Prompt) -> object:
    session = prompt.session
    return session.harness, session.version, session.cwd, session.turns


def _again(prompt: Prompt, host: Host) -> Prompt:
    """The same session elsewhere; where its directory is not there, in the nearest one above."""
    cwd = next(each for each in upwards(prompt.session.cwd) if host.kind(each) == "directory")
    return again(replace(prompt.session, cwd=cwd), host)
