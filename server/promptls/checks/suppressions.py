"""Comments that suppress a problem: ``<!-- promptls: ignore CODE reason -->``, for what follows."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import accumulate

from promptls.checks.rules import find_rule, problem
from promptls.core.lazy import regex
from promptls.core.model import Edit, Fix
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from promptls.core.host import Host
    from promptls.core.model import Problem, Range

MARK = b"promptls: ignore"
# No group is possessive: early releases of Python 3.11 match such a group wrongly.
_COMMENT = regex(r"<!--\s*+promptls: ignore\s++((?:(?!-->)\S)+)(?=\s|-->)(?:(?!-->).)*-->", re.DOTALL)
_FRONT_MATTER = regex(r"---[ \t]*\r?\n(?:.*?\n)??---[ \t]*(?:\r?\n|$)", re.DOTALL)
_ITEM = regex(r"\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)")
_FENCE = regex(r"\s{0,3}(`{3,}|~{3,})")
_RUN = regex(r"`{3,}|~{3,}")


@dataclass(frozen=True, slots=True)
class Suppression:
    """A comment: the code that it suppresses, from which line to which (both included), and where it is."""

    code: str
    first: int
    last: int
    range: Range


def unsuppressed(
    problems: Iterable[Problem], host: Host, texts: Iterable[str] = (), is_off: Callable[[str], bool] | None = None
) -> list[Problem]:
    """The problems that no comment suppresses, and one for each comment in ``texts`` that suppresses nothing.

    ``is_off``: codes that nobody looks for now, whose comments may suppress nothing.
    """
    every = list(problems)
    known = {path: suppressions(host, path) for path in dict.fromkeys([*texts, *(each.path for each in every)])}
    left: list[Problem] = []
    used: set[tuple[str, Suppression]] = set()
    for (path, code), found in _by_rule(every).items():
        ours = sorted((each for each in known[path] if each.code == code), key=lambda each: each.first)
        places = sorted(each.range.start_line for each in found)
        used.update((path, each) for each in ours if bisect_right(places, each.last) > bisect_left(places, each.first))
        starts, ends = [each.first for each in ours], [*accumulate((each.last for each in ours), max)]
        for each in found:
            before = bisect_right(starts, each.range.start_line)
            if not before or ends[before - 1] < each.range.start_line:
                left.append(each)
    kept = set(map(id, left))
    left = [each for each in every if id(each) in kept]
    unused = [(path, found) for path in dict.fromkeys(texts) for found in known[path] if (path, found) not in used]
    return left + [_unused(path, found) for path, found in unused if is_off is None or not is_off(found.code)]


def _by_rule(problems: Iterable[Problem]) -> dict[tuple[str, str], list[Problem]]:
    """The problems by file and code."""
    found: dict[tuple[str, str], list[Problem]] = {}
    for each in problems:
        found.setdefault((each.path, each.code), []).append(each)
    return found


def suppressions(host: Host, path: str) -> tuple[Suppression, ...]:
    """The comments in the file at ``path``; those in code are none."""
    contents = host.read(path)
    if MARK not in contents.data:
        return ()
    from promptls.core.formats import markdown  # noqa: PLC0415 - few files have such comments

    text = decode(contents.data, keep_bom=False)
    matter = _FRONT_MATTER.match(text)
    body = matter.end() if matter else 0
    index = LineIndex(text)
    lines = re.split(r"\r\n|\n|\r", text)
    comments = [
        (body + span.start + comment.start(), body + span.start + comment.end(), comment[1])
        for span in markdown.parse(text[body:])
        if span.kind in ("html", "tag")
        for comment in _comments(text[body + span.start : body + span.end])
    ]
    beginning = body + len(text[body:]) - len(text[body:].lstrip())
    ends = _block_ends(lines) if comments else []
    found: list[Suppression] = []
    for start, end, code in comments:
        is_first = start == beginning
        # What is wrong with a whole file is said on its first line, where front matter may be.
        first = 0 if is_first else index.position(start)[0]
        last = index.position(end)[0]
        rule = find_rule(code) if is_first else None
        ending = len(lines) if rule is not None and rule.of_file else max(ends[last + 1], last)
        found.append(Suppression(code, first, ending, index.range(start, end)))
    return tuple(found)


def _comments(piece: str) -> Iterator[re.Match[str]]:
    # Not after the last end: the pattern would look for one from every beginning.
    return _COMMENT.finditer(piece, 0, piece.rfind("-->") + 3)


def _block_ends(lines: list[str]) -> list[int]:
    """For each line the last line of the block that begins at it or after comments from it on; -1 without any.

    One item more than lines. Worked out from the end, so that many comments take no longer than one.
    """
    size = len(lines)
    ends = [-1] * (size + 1)
    of_text, of_list = [0] * size, [0] * size
    closings: dict[str, list[tuple[int, int]]] = {"`": [], "~": []}
    following = size  # the nearest line below that is not blank
    for at in reversed(range(size)):
        line, bare = lines[at], lines[at].strip()
        of_text[at] = of_text[at + 1] if following == at + 1 < size else at
        goes_on = following < size and (
            following == at + 1 or lines[following][0] in " \t" or _ITEM.match(lines[following])
        )
        of_list[at] = of_list[following] if goes_on else at
        closing = _closing(closings, bare, at)
        if not bare or bare.startswith("<!-- promptls:"):
            ends[at] = ends[at + 1]
        elif _FENCE.match(line):
            ends[at] = size - 1 if closing is None else closing
        else:
            ends[at] = (of_list if _ITEM.match(line) else of_text)[at]
        following = at if bare else following
    return ends


def _closing(closings: dict[str, list[tuple[int, int]]], line: str, at: int) -> int | None:
    """The nearest line below that closes the fence on ``line``, which then may close those above.

    ``closings``: for each mark the fences below, line and length, without those that a longer one hides.
    """
    run = _RUN.match(line)
    if run is None:
        return None
    below = closings[line[0]]
    while below and below[-1][1] < len(run[0]):
        below.pop()
    found = below[-1][0] if below else None
    below.append((at, len(run[0])))
    return found


def _unused(path: str, found: Suppression) -> Problem:
    if find_rule(found.code):
        says = f"No {found.code} problem follows any more. Remove this comment."
    else:
        says = f"There is no rule {found.code}, so this comment has no effect. Fix the code."
    fixes = (Fix("Remove the comment", (Edit(path, found.range),)),)
    return problem("suppression-unused", path, found.range, says, fixes=fixes)
