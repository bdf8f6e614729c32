"""Where a text stands in prompts, and why not: it is in a file of which that piece is left out, or in none."""

from __future__ import annotations

import re

from promptls.core.lines import file_in_prompt
from promptls.core.model import Range
from promptls.core.near import near
from promptls.core.secrets import masked, masked_file
from promptls.core.table import OWN_NAME
from promptls.core.text import LineIndex, units
from promptls.core.values import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from promptls.core.lines import LeftOut, Sent
    from promptls.core.model import Prompt

# So many lines of a file, or of a text that is none, are looked at: more say nothing new.
MOST = 20
# A line with more than this share of the words is what was meant; how like a word must be to be one of them.
_MEANT, _LIKE = 0.5, 0.7


@dataclass(frozen=True, slots=True)
class Source:
    """A line that has the text: of a file, by all its ``names``, or of something else that is called ``title``.

    ``range`` is where the text stands in the file, and ``line`` the line that it begins in, with stars for secrets.
    """

    names: tuple[str, ...]
    range: Range
    line: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A place of the text in a prompt: the message, and the line of it, both from 0."""

    source: Source
    message: int
    line: int


@dataclass(frozen=True, slots=True)
class Hits:
    """Where a prompt has the text, and the sources of which it does not have it, each with what takes it away."""

    prompt: Prompt
    places: tuple[Place, ...]
    left_out: tuple[tuple[Source, LeftOut], ...]


@dataclass(frozen=True, slots=True)
class Found:
    """Every source of a text, and what comes of them in each prompt, in the order of the prompts."""

    sources: tuple[Source, ...]
    hits: tuple[Hits, ...]


def find(text: str, prompts: Sequence[Prompt], files: Mapping[tuple[str, ...], str]) -> Found:
    """Look for ``text``, in which white space is like any other, in ``files``: text by all names of the file.

    What a prompt has of none of them, such as what is typed or fetched, is looked through as well, but not what a tool
    reads.
    """
    wanted = _pattern(text)
    of_files = [(names, source) for names, content in files.items() for source in _in_file(wanted, names, content)]
    with_it = {names: files[names] for names, _ in of_files}
    known = frozenset(name for names in files for name in names)
    sources = [source for _, source in of_files]
    hits = []
    for prompt in prompts:
        places: list[Place] = []
        left_out: list[tuple[Source, LeftOut]] = []
        for names, content in with_it.items():
            stands = file_in_prompt(prompt, names, content)
            for source in (each for its_names, each in of_files if its_names == names):
                places += _places(prompt, source, stands.sent)
                if not any(each.source is source for each in places):
                    left_out += [(source, each) for each in stands.left_out if _meets(each.range, source.range)][:1]
        others = list(_elsewhere(wanted, prompt, known))
        sources += [each.source for each in others if each.source not in sources]
        hits.append(Hits(prompt, tuple(sorted((*places, *others), key=_order)), tuple(left_out)))
    return Found(tuple(sources), tuple(hits))


def meant(text: str, files: Mapping[tuple[str, ...], str]) -> Source | None:
    """The line that has most of the words of a text, or words that are like them; the first of equals."""
    contents = {names: [(line, _words(line)) for line in content.split("\n")] for names, content in files.items()}
    known = {word for lines in contents.values() for _, words in lines for word in words}
    words = {each if each in known else near(each, known, _LIKE) or each for each in _words(text)}
    best: tuple[int, Source] | None = None
    for names, lines in contents.items():
        for number, (line, its_words) in enumerate(lines):
            shared = len(words & its_words)
            if shared > (best[0] if best else _MEANT * len(words)):
                best = shared, Source(names, Range(number, 0, number, units(line)), line)
    if best is None:
        return None
    source = best[1]
    shown = masked_file(source.names[0], files[source.names]).split("\n")[source.range.start_line]
    return replace(source, line=shown.strip())


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(r"\s+".join(map(re.escape, text.split())))


def _words(text: str) -> set[str]:
    return {each.lower() for each in re.findall(r"\w+", text)}


def _in_file(wanted: re.Pattern[str], names: tuple[str, ...], content: str) -> Iterator[Source]:
    """One source for each line in which the text begins."""
    index: LineIndex | None = None
    shown = ""
    lines: set[int] = set()
    for found in wanted.finditer(content):
        if index is None:
            index, shown = LineIndex(content), masked_file(names[0], content)
        where = index.range(found.start(), found.end())
        if where.start_line not in lines:
            lines.add(where.start_line)
            yield Source(names, where, _line(shown, found.start()))
        if len(lines) == MOST:
            return


def _line(text: str, at: int) -> str:
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    return text[start : end if end >= 0 else len(text)].strip()


def _places(prompt: Prompt, source: Source, sent: Iterable[Sent]) -> Iterator[Place]:
    for each in sent:
        if each.range.start <= source.range.start < each.range.end:
            yield Place(source, _number(prompt, each), each.line_of(source.range.start_line))


def _number(prompt: Prompt, sent: Sent) -> int:
    return next(number for number, each in enumerate(prompt.messages) if each is sent.message)


def _elsewhere(wanted: re.Pattern[str], prompt: Prompt, known: frozenset[str]) -> Iterator[Place]:
    """Where the text stands in something else than one of the files."""
    for number, message in enumerate(prompt.messages):
        line = 0
        for segment in message.segments:
            origin = segment.origin
            is_known = origin.path in known and origin.range is not None
            # The text of a file that is read says nothing of the instructions.
            is_read = segment.layer == "runtime" and origin.path is not None
            is_own = segment.elided is None and not is_known and not is_read
            found = list(wanted.finditer(segment.text))[:MOST] if is_own else []
            starts = {segment.text.count("\n", 0, each.start()): each.start() for each in reversed(found)}
            for below, start in sorted(starts.items()):
                shown = masked(_line(segment.text, start))
                title = OWN_NAME if segment.frame else segment.title
                source = Source((), Range(), shown, origin.url or origin.path or title)
                yield Place(source, number, line + below)
            line += segment.text.count("\n")


def _meets(one: Range, other: Range) -> bool:
    return one.start <= other.end and other.start <= one.end


def _order(place: Place) -> tuple[int, int]:
    return place.message, place.line
