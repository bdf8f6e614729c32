"""What of a folder's instructions is seldom or never needed: sections of one directory, text beyond limits, skills.

Each is proven by previews or records; whether it may go is for the reader to say.
"""

from __future__ import annotations

from promptls import harnesses
from promptls.core import specs
from promptls.core.changed import after
from promptls.core.formats.markdown import headings
from promptls.core.lines import file_in_prompt, never_sent
from promptls.core.model import START, USED
from promptls.core.paths import is_absolute, join, name, parent
from promptls.core.sections import moved, only_directory
from promptls.core.sizes import sizes
from promptls.core.text import LineIndex, decode, newlines
from promptls.core.totals import counter_of
from promptls.core.values import dataclass, replace
from promptls.sessions.of_file import file_below
from promptls.sessions.start import noting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Literal

    from promptls.core.formats.markdown import Heading
    from promptls.core.host import Host
    from promptls.core.model import Prompt
    from promptls.kit.recording import Recorded

    # When a program gets a section that is moved to its directory.
    When = Literal["start", "read", "elsewhere", "never"]

# Sections of one directory that are tried, and the fewest tokens that are worth a move.
MOST_TRIED, FEWEST = 12, 30


@dataclass(frozen=True, slots=True)
class Local:
    """A section that names one directory only: what each start saves if it moves to ``new``.

    ``then`` says for each program when it would get it: still at start, on reading a file there, only by a start
    there, or never.
    """

    path: str
    first: int
    last: int
    title: str
    directory: str
    new: str
    tokens: dict[str, int]
    then: dict[str, When]

    @property
    def most(self) -> int:
        """The most that a start saves."""
        return max(self.tokens.values(), default=0)


@dataclass(frozen=True, slots=True)
class Beyond:
    """Lines of a file that a limit keeps from every program that looks at them."""

    path: str
    first: int
    last: int
    tokens: int
    limit: str
    programs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill that a program lists at start, and in how many recorded sessions it was called."""

    harness: str
    path: str
    tokens: int
    called: int
    of: int


# -- sections of one directory -----------------------------------------------------------------------------------------


def local_sections(starts: Sequence[Prompt], root: str, host: Host) -> list[Local]:
    """The sections of files in ``root`` that name one directory below it only, those that cost most first."""
    found: list[tuple[Local, Heading]] = []
    for path in _at_start(starts, root, host):
        text = newlines(decode(host.read(path).data, keep_bom=False))
        end = 0
        for heading in headings(text):
            section = text[heading.start : heading.end]
            place = only_directory(section, root, host) if heading.start >= end and heading.level > 1 else None
            tokens = _cost(starts, path, section, host) if place is not None else {}
            if place is not None and max(tokens.values(), default=0) >= FEWEST:
                end = heading.end
                index = LineIndex(text)
                first, last = (index.position(each)[0] for each in (heading.start, heading.end - 1))
                new = join(place, name(path))
                found.append((Local(path, first, last, heading.title, place, new, tokens, {}), heading))
    found.sort(key=lambda each: (-each[0].most, each[0].path, each[0].first))
    return [replace(each, then=_when_moved(each, heading, starts, host)) for each, heading in found[:MOST_TRIED]]


def _at_start(starts: Sequence[Prompt], root: str, host: Host) -> Iterator[str]:
    """The instruction files in ``root`` that some start has, with links resolved; a nested one has the same name."""
    nested = {each for prompt in starts for each in specs.of(prompt.session.harness).nested}
    yield from dict.fromkeys(
        host.realpath(each.path)
        for prompt in starts
        for each in prompt.candidates
        if each.path is not None
        and each.use == "instruction"
        and each.outcome in USED
        and each.at == START
        and host.realpath(parent(each.path)) == root
        and name(host.realpath(each.path)) in nested
    )


def _cost(starts: Sequence[Prompt], path: str, section: str, host: Host) -> dict[str, int]:
    """What a start of each program that has the file pays for a section."""
    loaded = {
        each.session.harness: each
        for each in starts
        if any(c.path is not None and host.realpath(c.path) == path and c.outcome in USED for c in each.candidates)
    }
    return {harness: counter_of(each)(section) for harness, each in loaded.items()}


def _when_moved(found: Local, heading: Heading, starts: Sequence[Prompt], host: Host) -> dict[str, When]:
    text = newlines(decode(host.read(found.path).data, keep_bom=False))
    old = decode(host.read(found.new).data, keep_bom=False) if host.kind(found.new) == "file" else ""
    section = text[heading.start : heading.end]
    changed = after(host, moved(found.path, text, heading, section, found.new, old))
    read = file_below(host, found.directory, found.new)
    says = max((line.strip() for line in section.splitlines()[1:]), key=len, default="")
    return {
        each.session.harness: _when_sent(each, found.directory, read, says, changed)
        for each in starts
        if each.session.harness in found.tokens
    }


def _when_sent(start: Prompt, directory: str, read: str | None, line: str, host: Host) -> When:
    session = replace(start.session, turns=())
    if _contains(harnesses.preview(session, host), line):
        return "start"
    turns = noting(session.harness, (read,)) if read is not None else ()
    if turns and _contains(harnesses.preview(replace(session, turns=turns), host), line):
        return "read"
    return "elsewhere" if _contains(harnesses.preview(replace(session, cwd=directory), host), line) else "never"


def _contains(prompt: Prompt, line: str) -> bool:
    return any(line in segment.text for message in prompt.messages for segment in message.segments)


# -- text beyond a limit -----------------------------------------------------------------------------------------------


def beyond_limits(prompts: Sequence[Prompt], host: Host) -> list[Beyond]:
    """The lines that a limit keeps from every program that looks at their file."""
    limited = dict.fromkeys(
        host.realpath(each.path)
        for prompt in prompts
        for each in prompt.candidates
        if each.cut is not None and not each.cut.is_ours and each.path is not None and each.use == "instruction"
    )
    return [each for path in limited for each in _beyond(path, prompts, host)]


def _beyond(path: str, prompts: Sequence[Prompt], host: Host) -> Iterator[Beyond]:
    text = decode(host.read(path).data, keep_bom=False)
    lines = newlines(text).split("\n")
    standings = []
    for prompt in prompts:
        names = {each.path for each in prompt.candidates if each.path and host.realpath(each.path) == path}
        if names:
            standings.append(file_in_prompt(prompt, names, text))
    count = counter_of(prompts[0])
    for each in never_sent(standings):
        # The half of a line is no line that could go.
        first = each.range.start_line + (1 if each.range.start_character else 0)
        last = each.range.end_line
        if each.reason in ("cut", "dropped") and each.cut is not None and first <= last:
            programs = tuple(dict.fromkeys(standing.prompt.session.harness for standing in standings))
            tokens = count("\n".join(lines[first : last + 1]))
            yield Beyond(path, first, last, tokens, each.cut.limit, programs)


# -- skills ------------------------------------------------------------------------------------------------------------


def skills_of(start: Prompt, recorded: Sequence[Recorded], host: Host) -> list[Skill]:
    """The skills that a program lists at start, and how often each was called in recorded sessions; the idle first."""
    called = [{host.realpath(path) for path in _called(each)} for each in recorded]
    rows = [
        Skill(
            start.session.harness,
            each.name,
            each.tokens,
            sum(host.realpath(each.name) in paths for paths in called),
            len(recorded),
        )
        for each in sizes(start, is_by_file=True)
        if each.kind == "skills" and is_absolute(each.name, start.session.cwd)
    ]
    return sorted(rows, key=lambda each: (bool(each.called), -each.tokens, each.path))


def _called(recorded: Recorded) -> Iterable[str]:
    """What a session called or read, and what it touched otherwise."""
    yield from recorded.reads
    yield from (each.target for each in recorded.touched if is_absolute(each.target, recorded.cwd))
    for request in recorded.requests:
        yield from request.entered
