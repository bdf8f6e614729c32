"""What a text does not claim: names to be filled in, things still to be made, and what holds only sometimes."""

from __future__ import annotations

import re

from promptls.core.lazy import regex

# A sentence is not looked for further than this, a heading not much further.
AROUND, ABOVE = 300, 8000
# Lines about what is yet to be created, what is not in the repository, or what need not be there.
_HEDGE = regex(
    r"\b(?:creat\w*|generat\w*|new|add\w*|writ\w*|e\.g|example|such as|like|output\w*|ignor\w*|build|built|remov\w*"
    r"|delet\w*|never|no longer|not exist|renam\w*|sav\w*|stor\w*|export\w*|to be|to come|tbd|todo|future|planned"
    r"|proposed|optional\w*|exists?|if (?:it|they|one|any|there|present|available|needed|not|you)|when present"
    r"|missing|absent|untracked|not (?:checked in|committed|tracked)|download\w*|produc\w*|emit\w*|dump\w*"
    r"|cop(?:y|ied|ies)|mov(?:e|ed|ing)|was|were|formerly|previously|instead of|deprecated|legacy|placeholder"
    r"|template\w*|named|naming|(?:that|another|other|sibling|separate|upstream) repo\w*)\b",
    re.IGNORECASE,
)
# What a heading, or the line before a list, says of all that follows.
_HEADED = regex(
    r"\b(?:creat\w*|generat\w*|to be|todo|planned|proposed|future|output\w*|deprecated|removed|legacy|templates?"
    r"|examples?|optional\w*|missing|ignored|exists?|locate|search|look for"
    r"|not (?:available|present|stored|kept|here|there|in this))\b",
    re.IGNORECASE,
)
_EXAMPLE = regex(r"\b(?:examples?|e\.g|for instance|such as)\b", re.IGNORECASE)
# A condition that names what must be there for it: "if the package has a lint script".
_CONDITION = regex(
    r"\b(?:if|when|where|unless|whether) (?!(?:you|we|I|they)\b)[^.!?\n]{0,150}?"
    r"\b(?:has|have|exists?|existing|defines?|provides?|includes?|contains?|supports?|offers?"
    r"|(?:is|are) (?:defined|available|present|there|provided|configured|set up))\b"
    r"|\bif (?:any|available|present|possible|applicable|defined|there is|there are)\b",
    re.IGNORECASE,
)
_COMMAND_HEDGE = regex(
    r"\b(?:e\.g|for example|for instance|such as|something like|or similar|equivalent|no longer|instead of|rather than"
    r"|not exist|there is no|has no|have no|add(?:ing)? an?|creat(?:e|ing) an?|deprecated|removed|renamed"
    r"|placeholder)\b|\b(?:not|no)\s+`?$",
    re.IGNORECASE | re.MULTILINE,
)
# [like this](link): the word is to be replaced.
_WORD = regex(r"[a-z][a-z_-]*|UR[LI]|LINK|PATH|HREF")
_PART = regex(r"[/._-]+")
_FILL_IN = regex(
    r"Y{2,4}|M{2,3}|D{2,3}|HH|SS|YYYYMMDD\w*|YYMMDD|N{1,6}|X{1,6}|x{2,6}|\d*x{2,}|NAME|DATE|TIMESTAMP|TITLE|SLUG|UUID|HASH"
    r"|foo|bar|baz|qux|foobar|my|your|some|name|names|filename|slug|placeholder|whatever|something|somefile|xyz|abc"
    r"|example|examples?\d|lorem|(?:My|Your|Some|Foo|Bar|Example)(?:[A-Z]\w*)?|(?:my|your|some|foo)[A-Z]\w*"
)
_ITEM = regex(r"\s*(?:[-*+]|\d+[.)])\s")
_SENTENCE_END = regex(r"[.!?:]\s|\n\s*\n|\n\s*(?:[-*+]|\d+[.)])\s")


def is_to_fill_in(path: str) -> bool:
    """Whether a path or name has a part that stands for something else: a date, a number, a name to be chosen."""
    *places, last = path.split("/")
    # An example is often a real directory, and seldom a real file's whole name.
    parts = [part for place in places for part in _PART.split(place)] + _PART.split(last.rpartition(".")[0] or last)
    real = ("examples", "example", "names", "name")
    return any(_FILL_IN.fullmatch(part) for part in parts if part not in real or part in last) or "..." in path


def is_only_a_word(target: str) -> bool:
    """Whether the target of a link is a word in place of a path."""
    return _WORD.fullmatch(target) is not None


def is_example(text: str, start: int, end: int) -> bool:
    """Whether the words around a link at ``start`` show how one is written."""
    return _EXAMPLE.search(_around(text, start, end)) is not None


def is_claimed(text: str, start: int, end: int) -> bool:
    """Whether the words around a path at ``start`` say that it is there."""
    around = _around(text, start, end)
    return not _HEDGE.search(around) and not _HEADED.search(_lead(text, start))


def is_told_to_run(text: str, start: int, end: int) -> bool:
    """Whether the words around a command at ``start`` want it run, come what may."""
    around = f"{_lead(text, start)}\n{_around(text, start, end)}"
    return not _CONDITION.search(around) and not _COMMAND_HEDGE.search(around)


def _around(text: str, start: int, end: int) -> str:
    """The line and the sentence that holds a place, without what is there."""
    before, following = text[max(start - AROUND, 0) : start], text[end : end + AROUND]
    line = before.rpartition("\n")[2], following.partition("\n")[0]
    ends = [found.end() for found in _SENTENCE_END.finditer(before)]
    after = _SENTENCE_END.search(following)
    sentence = before[ends[-1] if ends else 0 :], following[: after.start() if after else len(following)]
    return "\n".join(max(pair, key=len) for pair in zip(line, sentence, strict=True))


def _lead(text: str, start: int) -> str:
    """The heading above a place, and the line that introduces its list or block of code."""
    above = text[max(start - ABOVE, 0) : start].splitlines()[:-1]
    heading = next((line for line in reversed(above) if line.startswith("##")), "")
    intro = next((line for line in reversed(above) if line.rstrip().endswith(":")), "")
    at = max((n for n, line in enumerate(above) if line == intro), default=0)
    is_near = bool(intro) and all(
        not line.strip() or line.lstrip().startswith(("-", "*", "+", "`", "~", "|")) or line[:1] in " 0123456789"
        for line in above[at + 1 :]
    )
    at_line = text.rfind("\n", 0, start) + 1
    deep = _indent(text[at_line:start])
    said = next(
        (each for each in reversed(above) if each.strip() and not (_ITEM.match(each) and _indent(each) >= deep)), ""
    )
    # What stands right above a list is about all of it, whatever it ends with.
    is_listed = _ITEM.match(text, at_line) is not None
    return f"{heading}\n{intro if is_near else ''}\n{said if is_listed and said != intro else ''}"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
