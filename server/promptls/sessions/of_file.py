"""The sessions that say what a harness does with one file: every view of a file takes them from here."""

from __future__ import annotations

from promptls import harnesses
from promptls.core import specs
from promptls.core.paths import is_hidden
from promptls.core.values import dataclass
from promptls.kit.paths import is_below, join, name, parent, upwards
from promptls.sessions.of_folder import is_of_a_program, scoped_rules, set_up
from promptls.sessions.of_rule import files_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Prompt
    from promptls.sessions.of_folder import Places
    from promptls.sessions.of_rule import Found

    # Makes the prompt of a start in a directory and of what is read then; None if it cannot.
    Ask = Callable[[str, tuple[str, ...]], Prompt | None]

# How far below a directory a file to read is looked for.
MAX_DEPTH = 3
# Files whose text is searched for a name, and the starts beside them.
MOST_NAMING, MOST_STARTS = 300, 10


@dataclass(frozen=True, slots=True)
class Asked:
    """The file at ``path`` that a question is about, in the folder ``root``.

    ``places``, where they are known, say who else in the folder might name the file. ``start``: where the one who asks
    starts, if that is not the root.
    """

    host: Host
    root: str
    path: str
    places: Places | None = None
    start: str | None = None


def of_file(file: Asked, harness: str, ask: Ask, *, is_brief: bool = False) -> Iterator[Prompt]:
    """The prompts that say what ``harness`` does with a file; that of the usual start first.

    They are of sessions that start where the one who asks does, in the root, beside the file or the file that it is a
    link to, and in each directory between that is configured for the harness; that read a file near it; if nobody has
    looked at it yet and it is in a folder of some program's, beside that; and if it is a rule for some files only, one
    of these.
    ``is_brief``: no start beside the file where another session has looked at it.
    """
    host, root, path = file.host, file.root, file.path
    directories = dict.fromkeys(parent(each) for each in (path, host.realpath(path)) if is_below(each, root))
    directories = directories or {parent(path): None}
    made: list[Prompt] = []

    def asked(cwd: str, *reads: str) -> Iterator[Prompt]:
        prompt = ask(cwd, reads)
        if prompt is not None:
            made.append(prompt)
            yield prompt

    near = list(dict.fromkeys(read for each in directories if (read := file_below(host, each, path))))
    usual = dict.fromkeys((file.start or root, root))
    for start in usual:
        yield from asked(start)
        if near or not is_brief:
            yield from asked(start, *(near or [path]))
    every = (start for each in directories for start in _starts(host, root, each, harness))
    tops = (root, host.home)
    starts = dict.fromkeys(
        start for start in every if start not in usual and not any(is_of_a_program(start, top) for top in tops)
    )
    for start in starts if not is_brief else ():
        yield from asked(start)
        if start not in directories and near:
            yield from asked(start, *near)
    for start in starts if is_brief else ():
        if not any(_looks_at(host, prompt, path) for prompt in made):
            yield from asked(start)
    yield from _of_holder(file, made, asked)
    for cwd, reads in _scopes(file, made):
        yield from asked(cwd, *reads)
    yield from _of_others(file, harness, made, asked)


def _of_others(
    file: Asked, harness: str, made: Sequence[Prompt], asked: Callable[..., Iterator[Prompt]]
) -> Iterator[Prompt]:
    """If nothing has brought the file yet: the sessions that have who names it elsewhere."""
    host = file.host
    if file.places is None or any(_brings(host, prompt, file.path) for prompt in made):
        return
    for start in _naming(host, file.places, file.path, harness):
        yield from asked(start)
        read = file_below(host, start, file.path)
        if read is not None:
            yield from asked(file.root, read)


def file_below(host: Host, directory: str, path: str) -> str | None:
    """The first file by name in or below ``directory`` other than ``path``, not far down."""
    level = [directory]
    for _ in range(MAX_DEPTH):
        entries = [(join(place, entry.name), entry) for place in level for entry in host.entries(place)]
        entries.sort(key=lambda each: each[0])
        for file, entry in entries:
            # A link to it is the file itself.
            if not entry.is_directory and file != path and not (entry.is_link and host.is_same(file, path)):
                return file
        level = [place for place, entry in entries if entry.is_directory and not entry.name.startswith(".")]
    return None


def _of_holder(file: Asked, made: Sequence[Prompt], asked: Callable[..., Iterator[Prompt]]) -> Iterator[Prompt]:
    """If nobody has looked at the file yet: a start in the directory with the program's folder that it is in.

    Without a repository, many harnesses look into the .agents of the directory that they start in, and of no other.
    """
    folders = parent(file.path).split("/")
    last = max((at for at, each in enumerate(folders) if is_hidden(each)), default=0)
    if last and not any(_looks_at(file.host, prompt, file.path) for prompt in made):
        yield from asked("/".join(folders[:last]) or "/")


def _starts(host: Host, root: str, directory: str, harness: str) -> Iterator[str]:
    """The directories above ``directory`` that are configured for the harness, the uppermost first; then itself."""
    evidence = specs.of(harnesses.split(harness)[0]).evidence
    between = [place for place in upwards(directory, root) if place not in (directory, root)]
    yield from reversed([each for each in between if any(host.kind(join(each, entry)) for entry in evidence)])
    yield directory


def _scopes(file: Asked, made: Sequence[Prompt]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """If the file is a rule for some files only: where it waits for one of these, and which to read there."""
    starts: dict[str, tuple[str, ...]] = {}
    for prompt in made:
        for rule, patterns in scoped_rules(file.host, prompt):
            if file.host.is_same(rule, file.path):
                starts.setdefault(prompt.session.cwd, patterns)
    for cwd, patterns in starts.items():
        reads = meant(file, patterns).files
        if reads:
            yield cwd, reads


def meant(file: Asked, patterns: tuple[str, ...]) -> Found:
    """The files that a rule with these patterns may be for."""
    return files_for(file.host, file.root, file.path, patterns, file.places.indexed() if file.places else None)


def _naming(host: Host, found: Places, path: str, harness: str) -> list[str]:
    """The directories of files of the harness's own that have the name of the file in their text, or are links to it.

    Of very many files only the first are looked at.
    """
    names = specs.of(harness).nested
    files = [file for last in names for file in found.named.get(last, ())]
    files += [join(each, entry) for each in set_up(host, harness, found) for entry in specs.of(harness).evidence]
    wanted = name(path).encode("utf-8", "replace")
    naming = [
        parent(file)
        for file in sorted(dict.fromkeys(files))[:MOST_NAMING]
        if host.kind(file) == "file" and (wanted in host.read(file).data or host.is_same(file, path))
    ]
    return list(dict.fromkeys(naming))[:MOST_STARTS]


def _looks_at(host: Host, prompt: Prompt, path: str) -> bool:
    return any(each.path is not None and host.is_same(each.path, path) for each in prompt.candidates)


def _brings(host: Host, prompt: Prompt, path: str) -> bool:
    """Whether the text of the file is in the prompt, by whatever name."""
    return any(
        each.path is not None and each.outcome in ("loaded", "cut") and host.is_same(each.path, path)
        for each in prompt.candidates
    )
