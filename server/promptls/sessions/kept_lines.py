"""What an edit does to the lines that programs get: those of files in a prompt, before and after it."""

from __future__ import annotations

from collections import Counter

from promptls.core.lazy import regex
from promptls.core.model import START
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from promptls.core.model import Prompt

    # The lines of each file, by its path with links resolved.
    Lines = Mapping[str, Counter[str]]

_IMPORT = regex(r"@\S+")
# Two letters, and no mark of a fence or heading: of two files that have one, each has text of its own below it.
_SAYS = regex(r"(?!```|~~~|#{1,6}\s).*?[^\W\d_]{2}")


@dataclass(frozen=True, slots=True)
class LineChanges:
    """How many lines of files a prompt has before and after, and what is lost, or sent more often than any file says.

    ``again`` is what the new file says more often than any one file did: in text that differs, or below other headings.
    A line that is an import is none: what it brings counts.
    """

    before: int
    after: int
    lost: Counter[str]
    twice: Counter[str]
    again: Counter[str]


def lines_sent(prompt: Prompt, target: Callable[[str], str] = str) -> Lines:
    """The lines of instruction files in a prompt, without blank ones; ``target`` resolves links."""
    found: dict[str, Counter[str]] = {}
    if prompt.stopped is not None:
        return found
    texts: dict[str, list[str]] = {}
    for message in prompt.messages:
        for each in message.segments:
            path = each.origin.path
            if path is None or each.elided is not None or each.frame:
                continue
            if each.layer != "runtime" or message.at == START:
                texts.setdefault(target(path), []).append(each.text)
    for path, pieces in texts.items():
        found[path] = Counter(line for text in pieces for line in lines_of(text))
    return found


def lines_of(text: str) -> list[str]:
    """The lines of a text without white space around them, and without blank ones."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def line_changes(
    before: Lines,
    after: Lines,
    touched: Collection[str],
    new: Counter[str],
    no_loss: Counter[str],
    *,
    old: Iterable[Counter[str]] = (),
) -> LineChanges:
    """What becomes of the lines where the files that are ``touched`` become one whose lines are ``new``.

    Of what two of these files say, once is enough, and as often as the new file says it is not too often. Lines in
    ``no_loss`` may go: front matter, and titles that name the file. ``old``: the lines of each file that becomes one.
    """
    others = _sum(lines for path, lines in before.items() if path not in touched)
    needed = _most(lines for path, lines in before.items() if path in touched)
    was, now = _sum(before.values()), _sum(after.values())
    lost = (others + (needed - no_loss)) - now
    for line in [each for each in lost if _IMPORT.fullmatch(each)]:
        del lost[line]
    most = was | (others + (needed | new))
    # A limit may leave the half of a line.
    twice = Counter({line: count for line, count in (now - most).items() if most[line]})
    more = (now - (was | (others + (needed | _most(old))))) - twice
    again = Counter({line: count for line, count in more.items() if new[line] and _SAYS.match(line)})
    return LineChanges(_number(was), _number(now), lost, twice, again)


def _number(lines: Counter[str]) -> int:
    return sum(count for line, count in lines.items() if not _IMPORT.fullmatch(line))


def _sum(some: Iterable[Counter[str]]) -> Counter[str]:
    whole: Counter[str] = Counter()
    for each in some:
        whole.update(each)
    return whole


def _most(some: Iterable[Counter[str]]) -> Counter[str]:
    whole: Counter[str] = Counter()
    for each in some:
        whole |= each
    return whole
