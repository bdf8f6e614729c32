"""Rules files: which commands may run without a question. Those that are allowed are named in the prompt (section 5).

They are Starlark. Of it, promptls reads what such files are made of: calls of ``prefix_rule`` with texts and lists.
"""

from __future__ import annotations

import json
import re
from itertools import chain, product

from promptls.core.lazy import regex
from promptls.core.model import Cut, Fault, Origin, Segment
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass
from promptls.kit.base import LARGE_CONFIG
from promptls.kit.candidates import own
from promptls.kit.paths import join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.host import Host
    from promptls.harnesses.codex.versions import Permissions
    from promptls.kit.draft import Draft

    Words = tuple[str, ...]

WHY = "Codex names the commands of its rules files that may run without a question"
TITLE = "\n\n## Approved command prefixes\nThe following prefix rules have already been approved: "
TRUNCATED = "...\n[Some commands were truncated]"
SETTING = "the list of approved commands has a limit"


@dataclass(frozen=True, slots=True)
class Prefix:
    """A command that is allowed: its first words, and the rule that says so."""

    words: Words
    origin: Origin

    @property
    def line(self) -> str:
        """As it is listed."""
        return "- [" + ", ".join(json.dumps(word, ensure_ascii=False) for word in self.words) + "]"

    @property
    def key(self) -> tuple[int, int, Words]:
        """What the list is sorted by: the number of words, their length in bytes, the words."""
        return len(self.words), sum(len(word.encode("utf-8", "replace")) for word in self.words), self.words


def approved(draft: Draft, host: Host, folders: Sequence[str], facts: Permissions) -> list[Segment]:
    """The section with the approved prefixes of ``rules/*.rules`` below each folder; [] without any.

    (parts: perm-approve-for-me-project, rules-many)
    """
    found = {prefix.words: prefix for folder in folders for prefix in _read(draft, host, join(folder, "rules"))}
    prefixes = sorted(found.values(), key=lambda prefix: prefix.key)
    if not prefixes:
        return []
    segments = [Segment("instructions", "approved commands", TITLE, prefixes[0].origin, WHY, frame="head")]
    left = facts.prefix_characters
    for at, prefix in enumerate(prefixes[: facts.prefixes]):
        line = ("\n" if at else "") + prefix.line
        cut = Cut(left, len(line), "characters", SETTING) if len(line) > left else None
        segments.append(Segment("instructions", "approved command", line[:left], prefix.origin, WHY, cut=cut))
        left -= len(line)
        if left < 0:
            break
    if left < 0 or len(prefixes) > facts.prefixes:
        segments.append(Segment("instructions", "frame", TRUNCATED, Origin("computed"), WHY, frame="tail"))
    return segments


def _read(draft: Draft, host: Host, folder: str) -> Iterator[Prefix]:
    for name in sorted(entry.name for entry in host.entries(folder) if entry.name.endswith(".rules")):
        path, rule = join(folder, name), own(WHY, use="command")
        contents = host.read(path)
        if contents.state != "file":
            draft.candidates.append(rule.unread(path, contents.state))
            continue
        text = decode(contents.data[:LARGE_CONFIG], keep_bom=False)
        index = LineIndex(text)
        calls, flaw = parse(text)
        for start, end, words in calls:
            where = Origin("file", path, range=index.range(start, end))
            yield from (Prefix(each, where) for each in words)
        if flaw is None:
            draft.candidates.append(rule.loaded(path))
            continue
        says = "promptls cannot read this rule, so it shows the commands without it"
        fault = Fault("config-invalid", index.range(flaw, flaw + 1), f"{says}. Check its brackets and quotes.")
        draft.candidates.append(rule.loaded(path, says, faults=(fault,)))


_TOKEN = regex(
    r"""(?P<text>"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')|(?P<name>[A-Za-z_]\w*+)|(?P<mark>[()\[\],=])"""
    r"""|(?P<other>\#[^\n]*+|\s++|.)""",
    re.DOTALL,
)
# A value: a text, or a list of them (Starlark has more, which no rule needs).
Value = str | list["Value"] | None


def parse(text: str) -> tuple[list[tuple[int, int, list[Words]]], int | None]:
    """Each rule that allows a command, as its start, its end and the words of its prefixes; and the first flaw.

    A text instead of a list of alternatives is a single word. An alternative for the first word makes two prefixes;
    after it, one word (parts: perm-approve-for-me; [source]). The decision is "allow" where it is missing
    [source].
    """
    tokens = [found for found in _TOKEN.finditer(text) if found.lastgroup != "other"]
    rules: list[tuple[int, int, list[Words]]] = []
    flaw, at = None, 0
    while at < len(tokens):
        is_call = tokens[at][0] == "prefix_rule" and at + 1 < len(tokens) and tokens[at + 1][0] == "("
        if not is_call:
            at += 1
            continue
        start = tokens[at].start()
        found = _arguments(tokens, at + 2)
        if found is None:
            flaw = start if flaw is None else flaw
            at += 2
            continue
        given, at = found
        pattern = given.get("pattern")
        if given.get("decision", "allow") == "allow" and isinstance(pattern, list) and pattern:
            rules.append((start, tokens[at - 1].end(), _prefixes(pattern)))
    return rules, flaw


def _prefixes(pattern: list[Value]) -> list[Words]:
    first, *rest = [each if isinstance(each, list) else [each] for each in pattern]
    after = [f"[{'|'.join(map(str, each))}]" if len(each) > 1 else str(each[0] if each else "") for each in rest]
    return [tuple(chain(words, after)) for words in product([str(word) for word in first])]


def _arguments(tokens: list[re.Match[str]], at: int) -> tuple[dict[str, Value], int] | None:
    """The named arguments of a call, from after its bracket, and the place after it; None where it is not one."""
    given: dict[str, Value] = {}
    while at < len(tokens):
        if tokens[at][0] == ")":
            return given, at + 1
        if tokens[at][0] == ",":
            at += 1
            continue
        if tokens[at].lastgroup != "name" or at + 2 >= len(tokens) or tokens[at + 1][0] != "=":
            return None
        name = tokens[at][0]
        found = _value(tokens, at + 2)
        if found is None:
            return None
        given[name], at = found
    return None


def _value(tokens: list[re.Match[str]], at: int) -> tuple[Value, int] | None:
    """The text, name or list that begins at a token, and the place after it; None where it is none, or has no end."""
    token = tokens[at]
    if token.lastgroup == "text":
        return _unquoted(token["text"]), at + 1
    if token.lastgroup == "name":
        return None, at + 1
    if token[0] != "[":
        return None
    open_lists: list[list[Value]] = [[]]
    for place in range(at + 1, len(tokens)):
        token = tokens[place]
        if token[0] == "[":
            inner: list[Value] = []
            open_lists[-1].append(inner)
            open_lists.append(inner)
        elif token[0] == "]":
            done = open_lists.pop()
            if not open_lists:
                return done, place + 1
        elif token.lastgroup == "text":
            open_lists[-1].append(_unquoted(token["text"]))
        elif token[0] != ",":
            return None
    return None


def _unquoted(literal: str) -> str:
    inner = literal[1:-1]
    return re.sub(r"\\(.)", lambda found: ESCAPES.get(found[1], found[1]), inner) if "\\" in inner else inner


ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
