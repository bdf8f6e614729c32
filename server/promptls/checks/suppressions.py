"""Comments that silence a problem: ``<!-- promptls: ignore CODE reason -->``, for what follows."""

from __future__ import annotations

import re

from promptls.checks.rules import RULES, problem
from promptls.core.formats import markdown
from promptls.core.model import Edit, Fix
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from promptls.core.host import Host
    from promptls.core.model import Problem, Range

MARK = b"promptls: ignore"
_COMMENT = re.compile(r"<!--\s*promptls: ignore\s+(\S+)(?:\s+(?:(?!-->).)*)?\s*-->", re.DOTALL)
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?:.*?\n)??---[ \t]*(?:\r?\n|$)", re.DOTALL)
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)")
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class Suppression:
    """A comment: the code that it silences, from which line to which (both included), and where it stands."""

    code: str
    first: int
    last: int
    range: Range


def silence(
    problems: Iterable[Problem], host: Host, texts: Iterable[str] = (), is_off: Callable[[str], bool] | None = None
) -> list[Problem]:
    """The problems that no comment silences, and one for each comment in ``texts`` that silences nothing.

    ``is_off``: codes that nobody looks for now, whose comments may silence nothing.
    """
    every = list(problems)
    known = {path: suppressions(host, path) for path in dict.fromkeys([*texts, *(each.path for each in every)])}
    used: set[tuple[str, Suppression]] = set()
    left: list[Problem] = []
    for each in every:
        silencing = [found for found in known[each.path] if _silences(found, each)]
        used.update((each.path, found) for found in silencing)
        if not silencing:
            left.append(each)
    unused = [(path, found) for path in dict.fromkeys(texts) for found in known[path] if (path, found) not in used]
    return left + [_unused(path, found) for path, found in unused if is_off is None or not is_off(found.code)]


def suppressions(host: Host, path: str) -> tuple[Suppression, ...]:
    """The comments in the file at ``path``; those in code are none."""
    contents = host.read(path)
    if MARK not in contents.data:
        return ()
    text = decode(contents.data, keep_bom=False)
    matter = _FRONT_MATTER.match(text)
    body = matter.end() if matter else 0
    index = LineIndex(text)
    lines = re.split(r"\r\n|\n|\r", text)
    comments = [
        (body + span.start + comment.start(), body + span.start + comment.end(), comment[1])
        for span in markdown.parse(text[body:])
        if span.kind in ("html", "tag")
        for comment in _COMMENT.finditer(text[body + span.start : body + span.end])
    ]
    found: list[Suppression] = []
    for start, end, code in comments:
        # What is wrong with a whole file is said on its first line, where front matter may stand.
        is_first = not text[body:start].strip()
        first = 0 if is_first else index.position(start)[0]
        found.append(Suppression(code, first, _end_of_block(lines, index.position(end)[0]), index.range(start, end)))
    return tuple(found)


def _end_of_block(lines: list[str], comment: int) -> int:
    """The last line of the block that follows the line ``comment``; comments in between belong to it."""
    at = comment + 1
    while at < len(lines) and (not lines[at].strip() or lines[at].strip().startswith("<!-- promptls:")):
        at += 1
    if at >= len(lines):
        return comment
    fence = _FENCE.match(lines[at])
    if fence:
        closing = (line for line in range(at + 1, len(lines)) if lines[line].strip().startswith(fence[1]))
        return next(closing, len(lines) - 1)
    is_list = _ITEM.match(lines[at]) is not None
    last = at
    for line in range(at + 1, len(lines)):
        text = lines[line]
        if not text.strip():
            if not is_list:
                break
        elif is_list and not lines[line - 1].strip() and not (text[0] in " \t" or _ITEM.match(text)):
            break
        else:
            last = line
    return last


def _silences(found: Suppression, problem: Problem) -> bool:
    return found.code == problem.code and found.first <= problem.range.start_line <= found.last


def _unused(path: str, found: Suppression) -> Problem:
    if found.code in RULES:
        says = f"Nothing here is {found.code} any more. Remove this comment."
    else:
        says = f"There is no rule {found.code}, so this comment silences nothing. Correct the code."
    fixes = (Fix("Remove the comment", (Edit(path, found.range),)),)
    return problem("suppression-unused", path, found.range, says, fixes=fixes)
