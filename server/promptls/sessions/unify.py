"""One instruction file for all programs: what becomes of the others, and the proof by previews that no line is lost.

Each other file becomes an import of the one, a link to it, is removed, or is named no longer in a configuration:
whichever leaves every program in use with each line that it had, and with none twice. A file for which nothing does so
is left. Nothing is written here.
"""

from __future__ import annotations

import re
import sys
from collections import Counter

from promptls import harnesses
from promptls.core import specs
from promptls.core.changed import Changed
from promptls.core.changes import followed, rewritten
from promptls.core.formats.header import header
from promptls.core.lazy import regex
from promptls.core.merge import bare_fences, blocks, is_title_of, merged
from promptls.core.model import START, Edit
from promptls.core.paths import is_below, join, name, parent, relative
from promptls.core.text import decode, newlines
from promptls.core.totals import counter_of, prompt_tokens
from promptls.core.values import dataclass, field, replace
from promptls.sessions.detect import detect
from promptls.sessions.kept_lines import line_changes, lines_of, lines_sent
from promptls.sessions.unifiable import unifiable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import Literal

    from promptls.core.host import Host
    from promptls.core.model import Cut, Prompt
    from promptls.sessions.kept_lines import LineChanges, Lines
    from promptls.sessions.unifiable import Source

    How = Literal["removed", "import", "link", "configuration"]

# A line that says something by itself: three words, and no heading.
_SAYS = regex(r"^[^#`|<].*?\w+\W+\w+\W+\w")
# Letters of a line that is shown.
SHOWN = 60
# How often what becomes of each file is reconsidered.
ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Row:
    """What the change does to one program: the lines and tokens of a start in the folder, the worst of all sessions.

    ``again``: those of ``twice`` that two files say in text that differs, or below different headings. ``beyond``:
    lines that are new in the one file, and that a limit, ``cut``, keeps from a start. ``on_read``: the tokens that what
    is read brings then, against before, in the session that saves most of them; None: not looked at.
    """

    harness: str
    version: str
    lines: tuple[int, int]
    tokens: tuple[int, int]
    lost: int
    twice: int
    again: int = 0
    beyond: int = 0
    cut: Cut | None = None
    on_read: int | None = None


@dataclass(frozen=True, slots=True)
class Unified:
    """The change that makes ``target`` the one file.

    ``texts``: the bytes of each file then, by its path with links resolved, None where it is gone; ``links``: those
    that lead to another one. ``how`` says what becomes of each of the other files, ``left`` why one stays as it is,
    and ``already`` which of them lead to it, as "link" or "import".
    ``again``: lines that the one file says twice, because they stand below different headings; ``repeated``: those that
    some program gets more often for that.
    """

    target: str
    texts: dict[str, bytes | None] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    how: dict[str, How] = field(default_factory=dict)
    left: dict[str, str] = field(default_factory=dict)
    already: dict[str, str] = field(default_factory=dict)
    rows: tuple[Row, ...] = ()
    again: int = 0
    repeated: tuple[str, ...] = ()
    # Harnesses of which no file speaks then any more.
    unmarked: tuple[str, ...] = ()
    # Lines of the one file that name one of the others.
    naming: tuple[str, ...] = ()
    # The heading below which the text of a file stands then, though it is of none there.
    below: dict[str, str] = field(default_factory=dict)
    # What the one file says then.
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class _Before:
    """A session as it is, with its lines."""

    prompt: Prompt
    lines: Lines


@dataclass(frozen=True, slots=True)
class _Made:
    """The files after a change, as ``Unified`` has them, and the host that sees them; ``lines`` are the new file's."""

    texts: dict[str, bytes | None]
    links: dict[str, str]
    how: dict[str, How]
    target: str
    real: str
    host: Host
    lines: Counter[str]
    # Those of each file that becomes one.
    old: tuple[Counter[str], ...]
    # Lines of the files that may go: front matter, titles that name the file, and marks of fences without a language.
    no_loss: Counter[str]

    def judged(self, before: _Before) -> tuple[LineChanges, str]:
        """What becomes of the lines of a session, and what newly cuts the file."""
        prompt = self.prompt(before)
        sent = lines_sent(prompt, self.host.realpath)
        found = line_changes(before.lines, sent, self.touched, self.lines, self.no_loss, old=self.old)
        was = {each.path for each in before.prompt.candidates if each.cut is not None}
        cut = (each for each in prompt.candidates if each.cut is not None and each.path not in was)
        return found, next((each.cut.limit for each in cut if each.cut is not None and not each.cut.is_ours), "")

    @property
    def touched(self) -> set[str]:
        """The files that are changed, or that the others are put together in."""
        return {*self.texts, *self.links, self.real}

    def prompt(self, before: _Before) -> Prompt:
        """The prompt of the same session."""
        return harnesses.preview(before.prompt.session, self.host)


def unified(
    target: str, prompts: Sequence[Prompt], host: Host, listed: Collection[str], leave: Iterable[str] = ()
) -> Unified:
    """The change for the directory of ``target``.

    ``prompts`` are those of every session that matters, harness by harness; ``listed`` are the files that git knows.
    ``leave``: files and folders that stay as they are.
    """
    real = host.realpath(target)
    kind, directory = host.kind(target), host.realpath(parent(target))
    # One to itself resolves to itself.
    is_circle = kind is None and any(each.name == name(target) for each in host.entries(directory))
    if is_circle or (kind != "file" and real != join(directory, name(target))):
        return Unified(target, left={target: "it is a link that leads to no file"})
    starts = [_Before(each, lines_sent(each, host.realpath)) for each in _starts(parent(target), prompts, host)]
    sessions = [*starts, *(_Before(each, lines_sent(each, host.realpath)) for each in prompts)]
    found = unifiable(target, [each.prompt for each in starts], host, listed)
    sources, left = list(found.sources), found.left
    for each in [each for each in sources if any(is_below(each.path, path) for path in leave)]:
        sources.remove(each)
        left[each.path] = "you have asked for that"
    while sources:
        made = _best(sources, starts, target, host)
        judged = [(each, *made.judged(each)) for each in sessions]
        wrong = next((each for each in judged if each[1].lost or each[1].twice or each[2]), None)
        if wrong is None:
            rows = tuple(_rows([each[:2] for each in judged], len(starts), made))
            is_moved = len(sources) == 1 and host.kind(target) is None
            if is_moved and all(each.lines[1] <= each.lines[0] for each in rows):
                break  # the only file would have another name
            again = sum(count - 1 for line, count in made.lines.items() if count > 1 and _SAYS.search(line))
            unmarked = tuple(_unmarked(rows, parent(target), host, made.host))
            repeated = tuple(dict.fromkeys(line for each in judged for line in each[1].again))
            done = Unified(target, made.texts, made.links, made.how, left, found.already, rows, again, repeated)
            below = dict(_below(sources, target, host))
            data = made.host.read(made.real).data
            return replace(done, unmarked=unmarked, naming=tuple(_naming(made)), below=below, data=data)
        worst = max(sources, key=lambda each: len(each.data)) if wrong[2] else _worst(sources, wrong[0], made, host)
        left[worst.path] = _objection(*wrong, name(target))
        sources.remove(worst)
    return Unified(target, left=left, already=found.already)


def _starts(directory: str, prompts: Sequence[Prompt], host: Host) -> Iterator[Prompt]:
    """A start of each program in the directory."""
    sessions = {(each.session.harness, each.session.version): each.session for each in reversed(prompts)}
    for session in reversed(sessions.values()):
        yield harnesses.preview(replace(session, cwd=directory, turns=()), host)


def _best(sources: Sequence[Source], starts: Sequence[_Before], target: str, host: Host) -> _Made:
    """The change of all the files that loses least, sends least twice, and has what is usual for each file."""
    options = {each.path: _options(each, target, host) for each in sources}
    chosen = {path: several[0] for path, several in options.items()}
    best = _change(sources, chosen, target, host)
    least = _harm(best, starts)
    for _ in range(ROUNDS):
        before = least
        for path, several in options.items():
            for each in several if least else ():
                if each != chosen[path]:
                    made = _change(sources, {**chosen, path: each}, target, host)
                    harm = _harm(made, starts, least)
                    if harm < least:
                        chosen[path], best, least = each, made, harm
        if least == before or not least:
            break
    return best


def _harm(made: _Made, sessions: Sequence[_Before], most: int = sys.maxsize) -> int:
    """How many lines are lost, or sent twice; not all of them are counted beyond ``most``."""
    harm = 0
    for each in sessions:
        kept_lines, _ = made.judged(each)
        harm += kept_lines.lost.total() + kept_lines.twice.total()
        if harm >= most:
            break
    return harm


def _worst(sources: Sequence[Source], harmed: _Before, made: _Made, host: Host) -> Source:
    """The file without which the change harms a session least."""
    target = made.target

    def without(source: Source) -> int:
        rest = [each for each in sources if each is not source]
        return _harm(_change(rest, made.how, target, host), [harmed]) if rest else 0

    return min(reversed(sources), key=without)


def _objection(before: _Before, found: LineChanges, cut: str, target: str) -> str:
    """What stands against a change, as a clause."""
    title = specs.of(before.prompt.session.harness).title
    if not found.lost and not found.twice:
        return f"{title} would not get all of {target}: {cut}"
    some = found.lost or found.twice
    count, first = some.total(), next((line for line in some if _SAYS.search(line)), next(iter(some)))
    first = first if len(first) <= SHOWN else f"{first[: SHOWN - 1]}…"
    lines = f"{count:,} line{'' if count == 1 else 's'}"
    return f"{title} would " + (f"lose {lines}" if found.lost else f"get {lines} twice") + f", such as “{first}”"


def _options(source: Source, target: str, host: Host) -> list[How]:
    """What can become of a file, the usual first: a name that people look for stays."""
    found: list[How] = ["removed"]
    if source.named_by and all(each.range is not None for each in source.named_by):
        found = ["configuration", "removed"]
    rest: list[How] = ["import", "link"] if host.kind(target) != "directory" else []
    imports = any(specs.of(each).imports is not None for each in source.readers)
    is_by_name = any(name(source.path) in specs.of(each).nested for each in source.readers)
    return [*rest, *found] if imports and is_by_name else [*found, *rest]


def _change(sources: Sequence[Source], chosen: dict[str, How], target: str, host: Host) -> _Made:
    """The files after what is chosen for each."""
    real = host.realpath(target)
    data = host.read(target).data if host.kind(target) == "file" else None
    first = sources[0] if data is None else None
    own = decode(data or b"", keep_bom=False) if first is None else first.text
    others = [each for each in sources if each is not first]
    start = (name(target) if first is None else name(first.path), newlines(own))
    whole = merged([start, *((name(each.path), each.text) for each in others)])
    line_end = ("\r\n" if b"\r\n" in (data or b"") else "\n") if first is None else first.line_end
    added = whole[len(start[1]) :].replace("\n", line_end)
    kept_bytes = data if first is None and data is not None else _without_front_matter(sources[0])
    texts: dict[str, bytes | None] = {real: kept_bytes + added.encode()}
    links: dict[str, str] = {}
    for each in sources:
        how = chosen[each.path]
        if how == "link":
            links[each.path] = real
        elif how == "import":
            line = f"@{relative(target, parent(each.path))}"
            texts[each.path] = f"{each.mark}{line}{each.line_end}".encode()
        else:
            texts[each.path] = None
        if how == "configuration":
            _rename(each, target, host, texts)
    chosen = {each.path: chosen[each.path] for each in sources}
    titles = (line for each in sources for line in lines_of(each.text) if is_title_of(line, name(each.path)))
    no_loss = Counter(line for each in sources for line in lines_of(each.front_matter))
    no_loss.update(titles)
    no_loss.update(line for each in sources for line in bare_fences(newlines(each.text)))
    if added == "" and data is not None:
        del texts[real]
    changed = Changed(host.disk, {**host.opened(), **texts}, links)
    old = tuple(Counter(lines_of(each)) for each in (own, *(source.text for source in sources)))
    seen = host.elsewhere(changed)
    return _Made(texts, links, dict(chosen), target, real, seen, Counter(lines_of(whole)), old, no_loss)


def _in_order(sources: Sequence[Source], first: Source | None, own: str, target: str) -> list[tuple[str, str]]:
    """The texts that are put together, each with the name of its file."""
    start = (name(target) if first is None else name(first.path), newlines(own))
    return [start, *((name(each.path), each.text) for each in sources if each is not first)]


def _below(sources: Sequence[Source], target: str, host: Host) -> Iterator[tuple[str, str]]:
    """Each file whose text begins without a heading, and that below which it stands then."""
    data = host.read(target).data if host.kind(target) == "file" else None
    first = sources[0] if data is None else None
    own = decode(data or b"", keep_bom=False) if first is None else first.text
    texts = _in_order(sources, first, own, target)
    whole = texts[0][1]
    for count, source in enumerate((each for each in sources if each is not first), 2):
        before, whole = whole, merged(texts[:count])
        said, added = blocks(before), blocks(whole[len(before) :].lstrip("\n"))
        if said and added and not added[0].level:
            last = said[-1]
            heading = last.text.strip().lstrip("#").strip() if last.level else last.below
            if heading:
                yield source.path, heading


def _without_front_matter(source: Source) -> bytes:
    if not source.front_matter:
        return source.data
    body = decode(source.data, keep_bom=False)
    return (source.mark + body[header(body).body :]).encode()


def _rename(source: Source, target: str, host: Host, texts: dict[str, bytes | None]) -> None:
    """Name the one file in the configurations that name the other."""
    for each in source.named_by:
        if each.path is None or each.range is None or each.name is None:
            continue
        path = host.realpath(each.path)
        data = texts.get(path) or host.read(path).data
        text = decode(data, keep_bom=True)
        entry = followed(each.name, source.path, source.path, target)
        if entry is not None:
            texts[path] = rewritten(text, [Edit(path, each.range, entry)]).encode()


def _unmarked(rows: Sequence[Row], directory: str, before: Host, then: Host) -> Iterator[str]:
    """The harnesses that the directory is configured for now, and not then."""
    was, now = ({each.name for each in detect(host, directory, directory)} for host in (before, then))
    yield from (each.harness for each in rows if each.harness in was - now)


def _naming(made: _Made) -> Iterator[str]:
    """The lines of the one file that name another one, which says nothing of its own any more."""
    names = "|".join(re.escape(relative(path, parent(made.target))) for path in made.how)
    named = re.compile(rf"(?<![\w./-])(?:\./)?(?:{names})(?![\w/-])")
    yield from (line for line in made.lines if named.search(line))


def _rows(judged: Sequence[tuple[_Before, LineChanges]], starts: int, made: _Made) -> Iterator[Row]:
    """A row for each program: it has a start in the directory, and further sessions."""
    for before, found in judged[:starts]:
        session = before.prompt.session
        own = [each for other, each in judged if other.prompt.session.harness == session.harness]
        then = made.prompt(before)
        tokens = tuple(prompt_tokens(each, counter_of(each), at=START) for each in (before.prompt, then))
        yield Row(
            session.harness,
            session.version,
            (found.before, found.after),
            (tokens[0], tokens[1]),
            max(each.lost.total() for each in own),
            max(each.twice.total() + each.again.total() for each in own),
            max(each.again.total() for each in own),
            *_beyond(then, made),
        )


def _beyond(prompt: Prompt, made: _Made) -> tuple[int, Cut | None]:
    """How many lines that are new in the one file a limit keeps from a prompt, and the limit."""
    real = made.host.realpath
    cut = next((e.cut for e in prompt.candidates if e.cut and e.path is not None and real(e.path) == made.real), None)
    sent: Counter[str] = sum(lines_sent(prompt, real).values(), Counter())
    return ((made.lines - made.old[0]) - sent).total() if cut else 0, cut
