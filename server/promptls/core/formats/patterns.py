"""Patterns of names and paths, any text allowed: what a bad one means, it matches nothing, and nothing is raised.

The libraries translate single names and lines; what they return is made safe here. A class that holds ranges in the
wrong order, ``[z-a]``, is read without them, as git, minimatch and npm's ``ignore`` read it. Every match takes at most
the length of the pattern times that of the path.
"""

from __future__ import annotations

import re
from functools import lru_cache

from promptls.core.lazy import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pathspec import GitIgnoreSpec

# Limits of ours: braces that mean more, or that are more, are not followed.
MAX_ALTERNATIVES = 1000
MAX_BRACES = 100


def alternatives(pattern: str, *, keep_escapes: bool = False) -> list[str] | None:
    """The patterns that the braces of ``pattern`` expand to; None if there are too many."""
    # Plain paths, the usual case, need no pattern library; a brace that nothing closes is a letter.
    if "\\" not in pattern and ("{" not in pattern or "}" not in pattern):
        return [pattern]
    import bracex  # noqa: PLC0415 - see above

    if pattern.count("{") > MAX_BRACES:
        return None
    try:
        return list(bracex.iexpand(pattern, limit=MAX_ALTERNATIVES, keep_escapes=keep_escapes))
    except (bracex.ExpansionLimitException, RecursionError, ValueError, OverflowError):
        return None


# -- names and paths -------------------------------------------------------------------------------------------


@lru_cache(maxsize=2048)
def name_matcher(
    part: str, *, dot: bool, ignore_case: bool = False, groups: bool = False
) -> Callable[[str], bool] | None:
    """Whether ``part``, a pattern without slashes, matches a name; None if it is not a valid pattern.

    ``dot``: wild cards match hidden names. ``groups``: ``@(a|b)`` and the like are patterns.
    """
    if _SIMPLE.fullmatch(part):
        return _simple(part, dot=dot, ignore_case=ignore_case)
    from wcmatch import fnmatch  # noqa: PLC0415 - simple names, most of them, need no pattern library

    if groups and is_hard(part):
        return None
    flags = (fnmatch.IGNORECASE if ignore_case else fnmatch.CASE) | (fnmatch.DOTMATCH if dot else 0)
    flags |= fnmatch.EXTMATCH if groups else 0
    try:
        include, exclude = fnmatch.translate(_in_order(part), flags=flags)
        yes, no = [_compiled(regex) for regex in include], [_compiled(regex) for regex in exclude]
    except (re.error, RecursionError, ValueError, OverflowError):
        return None
    return lambda name: any(each.match(name) for each in yes) and not any(each.match(name) for each in no)


# Most names: ``AGENTS.md``, ``*.ts``, ``README*``.
_SIMPLE = regex(r"[A-Za-z0-9_.-]*\*?[A-Za-z0-9_.-]+|[A-Za-z0-9_.-]*\*")


def _simple(part: str, *, dot: bool, ignore_case: bool) -> Callable[[str], bool]:
    """``name_matcher`` for a name with one wild card at most, as the library translates it."""
    first = "" if not part.startswith("*") else "(?=.)" if dot else "(?=[^.])"
    source = first + ".*?".join(map(re.escape, part.split("*")))
    match = re.compile(source, re.DOTALL | (re.IGNORECASE if ignore_case else 0)).fullmatch
    return lambda name: match(name) is not None


@lru_cache(maxsize=2048)
def path_matcher(pattern: str, *, dot: bool, ignore_case: bool = False, groups: bool = False) -> Callable[[str], bool]:
    """Whether ``pattern``, without braces, matches a path; ``**`` as a whole part means any number of directories."""
    first, *rest = pattern.split("/")
    parts = [first, *filter(None, rest)]
    if rest and not rest[-1]:  # it means a directory, and paths are those of files
        return _never
    parts = [part for at, part in enumerate(parts) if part != "**" or parts[at - 1 : at] != ["**"]]
    parts += ["*"] if parts[-1] == "**" else []
    tests = [
        None if part == "**" else name_matcher(part, dot=dot, ignore_case=ignore_case, groups=groups) for part in parts
    ]
    if any(test is None and part != "**" for test, part in zip(tests, parts, strict=True)):
        return _never

    may_match = _quick(pattern, tests[-1] or _never)

    def matches(path: str) -> bool:
        if not may_match(path):
            return False
        # The numbers of parts that may come next.
        places = _with_none(0, tests)
        for name in path.split("/"):
            after: set[int] = set()
            for place in places:
                test = tests[place] if place < len(tests) else _never
                if test is None:
                    if dot or not name.startswith("."):
                        after |= _with_none(place, tests)
                elif test(name) if name else parts[place] == "":
                    after |= _with_none(place + 1, tests)
            places = after
        return len(tests) in places

    return matches


_PLAIN = regex(r"[\w .*?/-]+", re.ASCII)
# One of several letters, or texts; or a group, which some dialects take for a part of the name.
_CHOICE = regex(r"\[[!^]?[\w.-]+\]|\{[^{}\[\]\\]*\}|\([\w .|-]*\)")
# What is between the texts that a pattern spells out: wild cards, blanks, which some dialects drop, and ``./``.
_BETWEEN = regex(r"[*? ]+|(?<![^/])\.{1,2}(?![^/])")


def _quick(pattern: str, last: Callable[[str], bool]) -> Callable[[str], bool]:
    """Whether a path may match: among thousands few have what the pattern names, and a last name that fits."""
    text = needed(pattern)

    def may_match(path: str) -> bool:
        if path.isascii() and text not in path.lower():
            return False
        return last(path[path.rfind("/") + 1 :])

    return may_match


def needed(pattern: str) -> str:
    """The longest text, in lower case, that each path of ASCII has which ``pattern`` matches, in whatever dialect.

    "" where that is not plain to see.
    """
    pattern = _CHOICE.sub("*", pattern)
    if not _PLAIN.fullmatch(pattern) or "//" in pattern:
        return ""
    return max((each.strip("/") for each in _BETWEEN.split(pattern)), key=len).lower()


_GROUP = regex(r"[*+?@!]\(")
_REPEATED = regex(r"[*+]\(([\w.|-]*)\)")
MAX_WILD_BESIDE_GROUPS = 4


def is_hard(part: str) -> bool:
    """Whether matching one name may take forever: groups make the regular expression try every way to read it."""
    groups = len(_GROUP.findall(part))
    if not groups:
        return False
    for repeated in re.finditer(r"[*+]\(", part):
        group = _REPEATED.match(part, repeated.start())
        first = [alternative[:1] for alternative in group[1].split("|")] if group else []
        # With one way to read a name there is nothing to try.
        if not group or groups > 1 or "" in first or len(set(first)) < len(first):
            return True
    return part.count("*") + groups > MAX_WILD_BESIDE_GROUPS


def _with_none(place: int, tests: list[Callable[[str], bool] | None]) -> set[int]:
    """``place``, and the next one where ``**`` may match no directory."""
    return {place, place + 1} if place < len(tests) and tests[place] is None else {place}


def _never(_: str) -> bool:
    return False


# -- lines of .gitignore ---------------------------------------------------------------------------------------


def ignoring(lines: Iterable[str], *, posix_classes: bool = False) -> GitIgnoreSpec:
    """Lines as in .gitignore; an invalid pattern has no effect. ``posix_classes``: git supports ``[[:alpha:]]``."""
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - as above

    read = _posix if posix_classes else str
    return GitIgnoreSpec.from_lines(map(read, lines), pattern_factory=_line_pattern())


@lru_cache(maxsize=1)
def _line_pattern():  # type: ignore[no-untyped-def] # noqa: ANN202 - a class that is made when its base is imported
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern  # noqa: PLC0415 - as above

    class Line(GitIgnoreSpecPattern):
        """A line of .gitignore whose regular expression is safe."""

        @classmethod
        def pattern_to_regex(cls, pattern):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN206 - as in its base
            try:
                regex, include = super().pattern_to_regex(_inside(_in_order(pattern)))
                if regex is None or include is None:
                    return None, None
                regex = _linear(_plain_sets(regex))
                re.compile(regex)
            except (re.error, RecursionError, ValueError, OverflowError):
                return None, None
            return regex, include

    return Line


_ANYTHING, _ANY_PARTS = "[^/]*", "(?:/.+)?"


def _linear(regex: str) -> str:
    """The library's expression of a line with its wild cards read in one way only.

    What is between two wild cards is taken where it is found first: any later place leaves less for the rest.
    """
    head = "^(?:.+/)?" if regex.startswith("^(?:.+/)?") else "^" if regex.startswith("^") else ""
    chunks = regex[len(head) :].split(_ANY_PARTS)
    starred = [_one_way(chunk) for chunk in chunks]
    if len(starred) == 1 or not head:
        return head + _ANY_PARTS.join(starred)
    first = f"^(?>(?:.+?/)??{starred[0]}(?=/))" if head != "^" else f"^{starred[0]}"
    return "".join([first, *(f"(?>(?:/.+?)??{each}(?=/))" for each in starred[1:-1]), _ANY_PARTS, starred[-1]])


def _one_way(chunk: str) -> str:
    pieces = re.sub(r"(?:\[\^/\]\*)+", _ANYTHING, chunk).split(_ANYTHING)
    out = [pieces[0]]
    for at, piece in enumerate(pieces[1:], 1):
        is_last = at == len(pieces) - 1
        out.append(_ANYTHING + piece if is_last or "(" in piece else f"(?>[^/]*?{piece})")
    return "".join(out)


# -- classes ---------------------------------------------------------------------------------------------------

_POSIX = {
    "alnum": "A-Za-z0-9", "alpha": "A-Za-z", "blank": " \t", "cntrl": "\x01-\x1f\x7f", "digit": "0-9",
    "graph": "!-~", "lower": "a-z", "print": " -~", "punct": "!-,.:-@[-`{-~", "space": " \t-\r",
    "upper": "A-Z", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_CLASS_OF_NAME = regex(r"\[:([a-z]{1,6}):\]")
_RANGE = regex(r"([^\\])-([^\\\]])", re.DOTALL)


def brackets(pattern: str) -> list[tuple[int, int]]:
    """Where the classes of ``pattern`` begin and end: from ``[`` to just after ``]``."""
    found: list[tuple[int, int]] = []
    last, at = pattern.rfind("]"), 0
    while at < last:
        if pattern[at] == "\\":
            at += 2
            continue
        if pattern[at] != "[":
            at += 1
            continue
        inside = at + 1 + (pattern[at + 1 : at + 2] in ("!", "^"))
        end = inside + (pattern[inside : inside + 1] == "]")
        while end <= last and pattern[end] != "]":
            end += 2 if pattern[end] == "\\" else 1
        if end > last:
            break
        found.append((at, end + 1))
        at = end + 1
    return found


def turned_range(pattern: str) -> str | None:
    """The first range of ``pattern`` that ends before it begins, such as ``z-a``."""
    for start, end in brackets(pattern):
        body = start + 1 + (pattern[start + 1] in "!^")
        for found in _RANGE.finditer(pattern, body, end - 1):
            if found[1] > found[2]:
                return found[0]
    return None


def _inside(pattern: str) -> str:
    """``a/**`` means what is in ``a`` and not ``a`` itself, of which a later line may name a file (git, gitignore)."""
    bare = pattern.rstrip(" ")
    return f"{bare}/*" if bare.endswith("/**") and bare not in ("/**", "!/**") else pattern


def _in_order(pattern: str) -> str:
    """``pattern`` without reversed ranges; a class that contains nothing else matches nothing."""
    if turned_range(pattern) is None:
        return pattern
    pieces, at = [], 0
    for start, end in brackets(pattern):
        body = start + 1 + (pattern[start + 1] in "!^")
        kept = _RANGE.sub(lambda found: "" if found[1] > found[2] else found[0], pattern[body : end - 1])
        # No name has a slash; and what is not in an empty class is any letter.
        instead = "?" if body > start + 1 else "[\0]"
        pieces += [pattern[at:start], f"{pattern[start:body]}{kept}]" if kept else instead]
        at = end
    return "".join([*pieces, pattern[at:]])


def _posix(line: str) -> str:
    """``line`` with the letters of ``[:alpha:]`` and the like in place of their name; "" for an unknown name."""
    names = {found[1] for found in _CLASS_OF_NAME.finditer(line)}
    if not names <= _POSIX.keys():
        return ""
    return _CLASS_OF_NAME.sub(lambda found: _POSIX[found[1]], line)


_SET_MARKS = ("[", "--", "&&", "~~", "||")


def _plain_sets(regex: str) -> str:
    """``regex`` with characters in its classes escaped that later Python versions may treat as special."""
    if not any(mark in regex for mark in ("[[", *_SET_MARKS[1:])) and regex.count("[") == regex.count("]"):
        return regex
    out: list[str] = []
    at, inside, first = 0, False, 0
    while at < len(regex):
        letter = regex[at]
        if letter == "\\":
            out.append(regex[at : at + 2])
            at += 2
            continue
        if not inside and letter == "[":
            inside, first = True, at + 1 + (regex[at + 1 : at + 2] == "^")
        elif inside and letter == "]" and at > first:
            inside = False
        elif inside and (letter == "[" or (letter in "-&~|" and regex[at - 1] == letter)):
            out.append("\\")
        out.append(letter)
        at += 1
    return "".join(out)


def _compiled(regex: str) -> re.Pattern[str]:
    return re.compile(_plain_sets(regex))
