"""The directories of a folder in which some harness gets what it does not get elsewhere, and the sessions there."""

from __future__ import annotations

from bisect import bisect_left

from promptls import harnesses
from promptls.core import specs
from promptls.core.map import Sessions
from promptls.core.values import replace
from promptls.kit.paths import is_below, parent
from promptls.sessions.of_folder import (
    FEW,
    PROSE,
    UNFIT,
    configured_names,
    is_of_a_program,
    nested_files,
    scoped_rules,
    set_up,
)
from promptls.sessions.of_rule import directories_for, files_for
from promptls.sessions.start import noting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Prompt
    from promptls.sessions.of_folder import Places


def sessions_by_directory(host: Host, found: Places, prompts: Sequence[Sequence[Prompt]]) -> dict[str, list[Sessions]]:
    """By directory, the root of ``found`` first: the prompts of each harness there.

    ``prompts`` are those of every session that matters, of one harness in each entry, that of the root first.
    """
    firsts = [first for first, *_ in prompts]
    reads = _reads(host, found, [each for entry in prompts for each in entry])
    return {
        directory: [_sessions(host, first, directory, files) for first in firsts] for directory, files in reads.items()
    }


def sessions_of_each(host: Host, found: Places, prompts: Sequence[Sequence[Prompt]]) -> list[list[Prompt]]:
    """For each harness, the start at the root, one in each directory, and those that read one file alone."""
    reads = _reads(host, found, [each for entry in prompts for each in entry])
    every = dict.fromkeys(file for files in reads.values() for file in files)
    made: list[list[Prompt]] = []
    for first, *_ in prompts:
        top = first.session
        sessions = [replace(top, cwd=each) for each in reads if each != top.cwd]
        sessions += [replace(top, turns=turns) for each in every if (turns := noting(top.harness, (each,)))]
        made.append([first, *(harnesses.preview(each, host) for each in sessions)])
    return made


def _sessions(host: Host, first: Prompt, directory: str, files: tuple[str, ...]) -> Sessions:
    top = first.session
    start = first if directory == top.cwd else harnesses.preview(replace(top, cwd=directory), host)
    turns = noting(top.harness, files)
    return Sessions(start, harnesses.preview(replace(top, turns=turns), host) if turns else None)


def and_of_folder(every: Sequence[Sequence[Prompt]], prompts: Sequence[Sequence[Prompt]]) -> list[list[Prompt]]:
    """``every``, and for each harness those of ``prompts`` that are started in no folder of some program's.

    They read files in such folders, too, where a program may find further instructions.
    """
    return [
        [*several, *(each for each in rest if "/." not in each.session.cwd)]
        for several, (_, *rest) in zip(every, prompts, strict=True)
    ]


def _reads(host: Host, found: Places, prompts: Sequence[Prompt]) -> dict[str, tuple[str, ...]]:
    """By directory: a file to read there, and those that rules are for; each in no deeper one of the directories."""
    wanted: dict[str, None] = {found.root: None}
    instructions: set[str] = set()
    matches: list[str] = []
    for prompt in prompts:
        if prompt.session.cwd != found.root:
            continue
        names = {*specs.of(prompt.session.harness).nested, *configured_names(prompt, found.root)}
        nested = nested_files(found, names)
        wanted.update(dict.fromkeys(nested))
        instructions.update(path for paths in nested.values() for path in paths)
        wanted.update(dict.fromkeys(set_up(host, prompt.session.harness, found)))
        for rule, patterns in scoped_rules(host, prompt):
            wanted.update(dict.fromkeys(directories_for(found.root, rule, patterns)))
            matches += files_for(host, found.root, rule, patterns, found.indexed()).files
    directories = dict.fromkeys(
        each
        for each in sorted(wanted)
        if is_below(each, found.root) and not is_of_a_program(each, found.root) and host.kind(each) == "directory"
    )
    reads: dict[str, list[str]] = {
        each: _a_file(host, found.files, each, directories, instructions) for each in directories
    }
    for match in dict.fromkeys(matches):
        reads[_holder(match, reads, found.root)].append(match)
    return {each: tuple(dict.fromkeys(files)) for each, files in reads.items()}


def _a_file(
    host: Host, files: Sequence[str], directory: str, directories: Collection[str], but: Collection[str]
) -> list[str]:
    """A file that is read as text and is in ``directory``, but in no deeper one of ``directories``; [] if none is.

    One that may be instructions only if there is no other, and none of ``but``.
    """
    head = f"{directory.rstrip('/')}/"
    prose: list[str] = []
    at, left = bisect_left(files, head), FEW
    while at < len(files) and left and files[at].startswith(head):
        path = files[at]
        holder = _holder(path, directories, directory)
        if holder != directory:
            at = bisect_left(files, f"{holder}0")  # "0" is the letter after "/"
            continue
        if "/." not in path[len(directory) :] and not path.endswith(UNFIT) and path not in but:
            if not path.endswith(PROSE):
                left -= 1
                if host.kind(path) == "file":
                    return [path]
            elif not prose and host.kind(path) == "file":
                prose = [path]
        at += 1
    return prose


def _holder(path: str, directories: Collection[str], root: str) -> str:
    """The deepest of ``directories`` that ``path`` is in; ``root`` if it is in none below that."""
    place = parent(path)
    while place != root and place not in directories and is_below(place, root):
        place = parent(place)
    return place
