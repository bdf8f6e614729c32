"""Which lines of which files stand in the texts of a request, found by the texts alone.

A program may leave lines out, cut, indent or number them, and change their ends, so it is looked for line by line: a
stretch of lines of a file that follow each other in the text, the longest first. Stretches of one file that follow
each other with little between them are one ``Stood``. What a program adds within the first or the last line of a file
is not part of it. In a text that is JSON, such as the result of a tool, its strings are looked into.
"""

from __future__ import annotations

import json
from bisect import bisect_right

from promptls.core.lazy import regex
from promptls.core.paths import name
from promptls.core.values import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Literal

    Form = Literal["as it is", "with other line ends", "numbered", "indented", "in JSON", "changed"]

# Characters that say by themselves that a stretch is of a file; of a whole file fewer do.
LEAST, LEAST_OF_WHOLE = 24, 6
# Characters of the program's own between two stretches of one file.
BETWEEN = 2000
# Places of one line that are looked at.
MOST_PLACES = 8
# Characters of what stands before and after a file.
AROUND = 200
# Files of so many lines are looked for as a whole, too: their first line may stand within another one.
SHORT = 2
# What stands for a character in a string of JSON, or is around one.
_ESCAPE = regex(r"\\(?:[\"\\/bfnrt]|u[0-9a-fA-F]{4})|\"")
_NUMBER = regex(r"^\s*\d+(?:[→|:\t]|\s*[│|]|\s)\s?")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines of a file, from 1, and where they stand in a text."""

    first: int
    last: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Stood:
    """What of a file stands in a text. ``lines`` is how many the file has, up to the last that is not blank.

    ``before`` and ``after``: what stands around it, up to the next file. ``is_cut``: its end was not sent. ``also``:
    files with the same lines.
    """

    path: str
    stretches: tuple[Stretch, ...]
    lines: int
    form: Form = "as it is"
    before: str = ""
    after: str = ""
    is_whole: bool = False
    is_cut: bool = False
    also: tuple[str, ...] = ()

    @property
    def start(self) -> int:
        """Where it begins in the text."""
        return self.stretches[0].start

    @property
    def end(self) -> int:
        """Where it ends in the text."""
        return self.stretches[-1].end

    @property
    def size(self) -> int:
        """Its characters in the text."""
        return sum(each.end - each.start for each in self.stretches)


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    text: str
    lines: tuple[_Line, ...]

    @property
    def size(self) -> int:
        return sum(len(each.text.strip()) for each in self.lines)

    @property
    def filled(self) -> list[int]:
        return [at for at, each in enumerate(self.lines) if each.text.strip()]


class Files:
    """Files whose lines are looked for."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        """Note each line of each text, by its path."""
        self._files = [_File(path, text, tuple(_lines(text))) for path, text in texts.items() if text.strip()]
        self._places: dict[str, list[tuple[int, int]]] = {}
        for number, file in enumerate(self._files):
            for at, line in enumerate(file.lines):
                places = self._places.setdefault(line.text.strip(), [])
                if len(places) < MOST_PLACES:
                    places.append((number, at))
        self._places.pop("", None)

    def stood(self, text: str) -> tuple[Stood, ...]:
        """What of the files stands in a text, in its order."""
        found = self._stood(text)
        if not text.lstrip().startswith(("{", "[", '"')):
            return found
        inside = tuple(_escaped_again(text, self._stood(_ESCAPE.sub(_character, text))))
        return inside if sum(each.size for each in inside) > sum(each.size for each in found) else found

    def _stood(self, text: str) -> tuple[Stood, ...]:
        runs = [*self._runs(text), *self._short(text)]
        runs.sort(key=lambda each: (each.start, -each.end))
        kept: list[Stood] = []
        for each in runs:
            if not kept or each.start >= kept[-1].end:
                kept.append(each)
        return tuple(self._finished(text, _joined(kept)))

    def _runs(self, text: str) -> Iterator[Stood]:
        said = [*_lines(text)]
        at = 0
        while at < len(said):
            found = self._longest(said, at)
            if found is None:
                at += 1
                continue
            stood, at = found
            if stood is not None:
                yield stood

    def _longest(self, said: Sequence[_Line], at: int) -> tuple[Stood | None, int] | None:
        """The longest stretch that begins with a line of the text, and the line after it."""
        best: tuple[int, int, int, int] | None = None
        same: list[str] = []
        for number, line in self._candidates(said[at].text):
            end, last, size = self._extent(said, at, self._files[number], line)
            if best is None or size > best[0]:
                best, same = (size, number, line, last), []
                until = end
            elif size == best[0]:
                same.append(self._files[number].path)
        if best is None:
            return None
        size, number, line, last = best
        file = self._files[number]
        enough = LEAST if size < file.size else LEAST_OF_WHOLE
        if size < enough:
            return None, until
        first_text = file.lines[line].text.strip()
        start = said[at].start + max(said[at].text.rfind(first_text), 0)
        end_line = said[until - 1]
        end = end_line.start + len(end_line.text.rstrip())
        filled = file.filled
        stretch = Stretch(line + 1, last + 1, start, end)
        whole = line <= filled[0] and last >= filled[-1]
        return Stood(file.path, (stretch,), filled[-1] + 1, is_whole=whole, also=tuple(dict.fromkeys(same))), until

    def _candidates(self, text: str) -> list[tuple[int, int]]:
        plain = text.strip()
        return self._places.get(plain) or self._places.get(_unnumbered(plain)) or []

    def _extent(self, said: Sequence[_Line], at: int, file: _File, line: int) -> tuple[int, int, int]:
        """The line of the text after a stretch, its last line of the file, and its characters."""
        end, last, size = at, line, 0
        here, there = at, line
        while here < len(said) and there < len(file.lines):
            one, other = said[here].text.strip(), file.lines[there].text.strip()
            is_blank_numbered = not other and one.isdecimal()
            if one != other and _unnumbered(one) != other and not is_blank_numbered:
                # A program may leave blank lines out, or put some in.
                if not other:
                    there += 1
                    continue
                break
            if other:
                end, last, size = here + 1, there, size + len(other)
            here, there = here + 1, there + 1
        return end, last, size

    def _short(self, text: str) -> Iterator[Stood]:
        """Whole files of few lines, anywhere in a text."""
        for file in self._files:
            plain, filled = file.text.strip(), file.filled
            if len(filled) <= SHORT and len(plain) >= LEAST_OF_WHOLE:
                at = text.find(plain)
                while at >= 0:
                    if not _is_in_word(text, at, at + len(plain)):
                        stretch = Stretch(filled[0] + 1, filled[-1] + 1, at, at + len(plain))
                        yield Stood(file.path, (stretch,), filled[-1] + 1, is_whole=True)
                    at = text.find(plain, at + len(plain))

    def _finished(self, text: str, found: Sequence[Stood]) -> Iterator[Stood]:
        texts = {each.path: each for each in self._files}
        for number, each in enumerate(found):
            ahead = found[number - 1].end if number else 0
            behind = found[number + 1].start if number + 1 < len(found) else len(text)
            file = texts[each.path]
            wide = _widened(text, each, file, ahead, behind)
            before = text[max(ahead, wide.start - AROUND) : wide.start]
            whose = _named(before, (each.path, *each.also))
            yield replace(
                wide,
                path=whose,
                also=tuple(path for path in (each.path, *each.also) if path != whose),
                form=_form(text, wide, file),
                before=before,
                after=text[wide.end : min(behind, wide.end + AROUND)],
            )


def _character(escape: re.Match[str]) -> str:
    """The character that is meant; a string begins and ends as if it were a line."""
    found: str = "\n" if escape[0] == '"' else json.loads(f'"{escape[0]}"')
    return found


def _escaped_again(text: str, found: Iterable[Stood]) -> Iterator[Stood]:
    """What stands in a text without its escapes, with places of the text as it is."""
    ends, gone = [0], [0]
    for escape in _ESCAPE.finditer(text):
        gone.append(gone[-1] + len(escape[0]) - 1)
        ends.append(escape.end() - gone[-1])

    def place(at: int) -> int:
        return at + gone[bisect_right(ends, at) - 1]

    for each in found:
        stretches = tuple(replace(one, start=place(one.start), end=place(one.end)) for one in each.stretches)
        yield replace(
            each,
            stretches=stretches,
            form="in JSON" if each.form == "as it is" else each.form,
            before=text[place(each.start - len(each.before)) : place(each.start)],
            after=text[place(each.end) : place(each.end + len(each.after))],
        )


def _joined(found: Iterable[Stood]) -> list[Stood]:
    """Stretches of one file that follow each other, as one."""
    kept: list[Stood] = []
    for each in found:
        last = kept[-1] if kept else None
        if (
            last is not None
            and last.path == each.path
            and last.stretches[-1].last < each.stretches[0].first
            and each.start - last.end <= BETWEEN
        ):
            kept[-1] = replace(last, stretches=(*last.stretches, *each.stretches), also=())
        else:
            kept.append(each)
    return kept


def _widened(text: str, stood: Stood, file: _File, ahead: int, behind: int) -> Stood:
    """A stretch with the parts of lines that stand before and after it: a label may share the first line with it."""
    first, last = stood.stretches[0], stood.stretches[-1]
    above = next((at for at in range(first.first - 2, -1, -1) if file.lines[at].text.strip()), None)
    if above is not None:
        wanted = file.lines[above].text.strip()
        before = text[ahead : first.start].rstrip()
        if len(wanted) >= LEAST_OF_WHOLE and before.endswith(wanted):
            first = replace(first, first=above + 1, start=ahead + len(before) - len(wanted))
    below = next((at for at in range(last.last, len(file.lines)) if file.lines[at].text.strip()), None)
    if below is not None:
        wanted = file.lines[below].text.strip()
        rest = text[last.end : behind]
        space = len(rest) - len(rest.lstrip())
        alike = shared(rest[space:], wanted)
        if alike >= LEAST_OF_WHOLE:
            last = replace(last, last=below + 1, end=last.end + space + alike)
    stretches = (
        (replace(first, last=last.last, end=last.end),)
        if len(stood.stretches) == 1
        else (first, *stood.stretches[1:-1], last)
    )
    filled = file.filled
    is_last_whole = text[: last.end].endswith(file.lines[last.last - 1].text.strip())
    is_cut = last.last < filled[-1] + 1 or not is_last_whole
    whole = stretches[0].first <= filled[0] + 1 and not is_cut
    return replace(stood, stretches=stretches, is_whole=whole and len(stretches) == 1, is_cut=is_cut)


def _form(text: str, stood: Stood, file: _File) -> Form:
    """How the text of a file was changed on its way."""
    forms: list[Form] = []
    for each in stood.stretches:
        said = text[each.start : each.end]
        if said in file.text:
            forms.append("as it is")
        elif said.replace("\r\n", "\n") in file.text.replace("\r\n", "\n"):
            forms.append("with other line ends")
        else:
            forms.append(_changed(said, [line.text for line in file.lines[each.first - 1 : each.last]]))
    return next((each for each in forms if each != "as it is"), "as it is")


def _changed(said: str, known: Sequence[str]) -> Form:
    lines = [each.strip() for each in said.splitlines()]
    if any(line and _unnumbered(line) != line for line in lines) and not any(
        _unnumbered(each.strip()) != each.strip() for each in known
    ):
        return "numbered"
    return "indented" if lines == [each.strip() for each in known] else "changed"


def _named(before: str, paths: Sequence[str]) -> str:
    """Of files with the same lines the one whose path or name stands nearest before them; else the first."""
    for part in (lambda path: path, name):
        found = [(before.rfind(part(path)), path) for path in paths if part(path) in before]
        if found:
            return max(found)[1]
    return paths[0]


def _unnumbered(text: str) -> str:
    return _NUMBER.sub("", text, count=1).strip()


def shared(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    most = min(len(one), len(other))
    return next((at for at in range(most) if one[at] != other[at]), most)


def _is_in_word(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    return (before.isalnum() and text[start].isalnum()) or (after.isalnum() and text[end - 1].isalnum())


def _lines(text: str) -> Iterator[_Line]:
    at = 0
    for line in text.splitlines(keepends=True):
        yield _Line(line.rstrip("\r\n"), at)
        at += len(line)
