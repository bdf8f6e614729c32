"""Files, directories and agents that a prompt of Claude Code mentions with ``@`` (surfaces, 12).

The request has each file as if a tool had read it: a block with the call and one with the result.
"""

from __future__ import annotations

import re
from operator import itemgetter

from promptls.core.lazy import regex
from promptls.core.model import START, Origin, Segment
from promptls.core.secrets import is_config, masked_file
from promptls.core.spec import ending
from promptls.core.text import decode, is_binary, whole
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.claude_code.files.rules import is_refused
from promptls.harnesses.claude_code.message_blocks import NAME, PICTURE, in_reminder, kilobytes, own_text
from promptls.harnesses.claude_code.turns import large_reads
from promptls.kit.candidates import Rule, our_cut
from promptls.kit.paths import home_or, native, resolve
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.files import Contents
    from promptls.harnesses.claude_code.message_blocks import Block
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.harnesses.claude_code.turns.large_reads import Page, Size
    from promptls.harnesses.claude_code.versions import Facts
    from promptls.kit.draft import Draft

WHY = "the prompt mentions it with @"
RESULT = "result of reading "
HELD = "the running program has its text already, so that a mention adds nothing"
BINARY = "it is binary by the end of its name, and such files are not read"


@dataclass(frozen=True, slots=True)
class Mention:
    """One ``@name``: what follows the sign, and the lines that are asked for, the first one being 1."""

    target: str
    first: int | None = None
    last: int | None = None


@dataclass(slots=True)
class Attached:
    """What the mentions of a text bring: messages of one block each, files, and sections of role system."""

    messages: list[Block] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    # With those that do not exist: what is near them comes all the same (wire: mention-missing).
    touched: list[str] = field(default_factory=list)
    sections: list[Block] = field(default_factory=list)
    # Files of which all lines are sent.
    whole: list[str] = field(default_factory=list)
    # How many of the messages are not joined with others (captured: mention-large).
    alone: int = 1


# In quotation marks, or up to white space; after white space or at the beginning.
_MENTION = regex(r'(?<!\S)@(?:"([^"]+)"|([^\s"]\S*))')
# A path, perhaps with lines; another fragment has no effect (captured: mention-fragments).
_TARGET = regex(r"([^#]+)(?:#L(\d{1,15})(?:-(\d{1,15}))?)?(?:#[^#]*)?")
_AGENT = regex(r"(?<!\S)@(?:\"([\w:.@-]+) \(agent\)\"|agent-([\w:.@-]+))", re.ASCII)
# Else a path is in quotation marks in a command.
_PLAIN = regex(r"[\w@+=:,./-]+", re.ASCII)


def mentions(text: str) -> Iterator[Mention]:
    """The files that a text mentions, in order, each spelling once (captured: mention-order, mention-syntax).

    Those in quotation marks are first (captured: mention-quoted-order).
    """
    seen: set[str] = set()
    for found in sorted(_MENTION.finditer(text), key=lambda found: found[1] is None):
        target = found[1] or _up_to_a_word(found[2])
        if not target or target in seen:
            continue
        seen.add(target)
        if parts := _TARGET.fullmatch(target):
            first, last = (int(number) if number else None for number in (parts[2], parts[3] or parts[2]))
            yield Mention(parts[1], first, last)


def _up_to_a_word(target: str) -> str:
    """What is left without the stops at the end: a name ends where a word ends, in JavaScript's sense."""
    end = len(target)
    while end and not _is_word(target[end - 1]):
        end -= 1
    return target[:end]


def _is_word(letter: str) -> bool:
    return letter.isascii() and (letter.isalnum() or letter == "_")


@dataclass(frozen=True, slots=True)
class Attacher:
    """Looks at what a text mentions. ``agents`` are the names of those that there are.

    ``held``: files of which the running process has the whole text.
    """

    draft: Draft
    setup: Setup
    agents: frozenset[str]
    held: set[str] = field(default_factory=set)

    def attach(self, text: str, attached: Iterable[str] = (), at: str = START) -> Attached:
        """What the mentions in ``text`` bring, then the files ``attached``, at the event ``at``."""
        found = Attached()
        for mention in (*mentions(text), *map(Mention, attached)):
            self._attach(found, mention, at)
        # It reads those of one prompt at once (parts: skill-typed).
        self.held.update(found.whole)
        # As of files, those in quotation marks are first (captured: mention-agent-quoted).
        agents = sorted(
            ((match[1] is None, match[1] or match[2]) for match in _AGENT.finditer(text)), key=itemgetter(0)
        )
        found.sections += [self._agent(name) for _, name in dict.fromkeys(agents) if name in self.agents]
        return found

    def _attach(self, found: Attached, mention: Mention, at: str) -> None:
        setup = self.setup
        path = home_or(setup.home, mention.target) or resolve(setup.cwd, mention.target)
        rule = Rule(WHY, Origin("argument", name=f"@{mention.target}"), "prompt", at)
        if is_refused(setup, path):
            self.draft.candidates.append(rule.excluded(path, "permissions keep it unread"))
            return
        kind = setup.host.kind(path)
        if kind == "directory":
            self.draft.candidates.append(rule.loaded(path))
            found.messages += self._directory(path, rule)
            return
        if path in self.held:
            self.draft.candidates.append(rule.duplicate(path, HELD, of=path))
            return
        found.touched.append(path)
        contents = setup.host.read(path)
        if contents.state != "file":
            # Most words with an @ mean no file.
            if not mention.target.startswith("agent-"):
                self.draft.candidates.append(rule.unread(path, contents.state))
        elif contents.size > setup.facts.mention_limit:
            reason = f"it has more than {setup.facts.mention_limit} bytes"
            self.draft.candidates.append(rule.dropped(path, reason))
            self._leave_out(found, path, contents.size)
        elif ending(path) in setup.facts.binary_ends:
            self.draft.candidates.append(rule.excluded(path, BINARY))
            found.files.append(path)  # what comes beside a file comes with it (wire: read-binary-mentioned)
        else:
            self._attach_file(found, mention, path, contents, rule)

    def _attach_file(self, found: Attached, mention: Mention, path: str, contents: Contents, rule: Rule) -> None:
        """Its lines; of those that are too large some, or a sentence in their place (captured: mention-large)."""
        size, lines, note = self._size(mention, path, contents)
        if size is not None and size.is_large:
            reason = f"it has about {size.tokens:,} tokens, and a read answers with {size.most:,}"
            self.draft.candidates.append(rule.dropped(path, reason))
            self._leave_out(found, path, contents.size)
        else:
            self.draft.candidates.append(rule.read(path, contents))
            found.files.append(path)
            if mention.first is None and not note:
                found.whole.append(path)
            if note and not found.messages:
                found.alone = 2
            found.messages += self._file(path, lines, contents, rule, is_part=bool(note) and mention.first is not None)
            found.messages += [note] if note else []

    def _size(self, mention: Mention, path: str, contents: Contents) -> tuple[Size | None, Mention, Block]:
        """The size of the lines that are tried last, these lines, and what says that they are not all."""
        facts = self.setup.facts
        if not facts.reads_are_numbered or not is_in_lines(facts, path, contents):
            return None, mention, []
        lines = lines_of(readable(path, contents), mention.first, mention.last)
        size = large_reads.size_of(self.setup, path, "\n".join(lines))
        less = f"its first {facts.mention_lines:,} lines or nothing"
        self.draft.note(large_reads.note_on_count(self.setup, size, less))
        if not size.is_large:
            return size, mention, []
        first = mention.first or 1
        part = replace(mention, first=first, last=first + facts.mention_lines - 1)
        of_range = " of the range" if mention.first is not None else ""
        says = f"Note: The file {native(path)} was too large and has been truncated to the first "
        says += f"{facts.mention_lines} lines{of_range}. "
        rest = elided("runtime", NAME, "note on a part of a file", why=WHY, size=facts.mention_lines_note)
        note = in_reminder([head(says, "runtime", path=path), replace(rest, cache="turn")])
        return large_reads.size_of(self.setup, path, "\n".join(lines[: facts.mention_lines])), part, note

    def called(self, path: str, rule: Rule) -> list[Block]:
        """A file as if a tool had read it now: the call and the result."""
        return self._file(path, Mention(path), self.setup.host.read(path), rule)

    def _file(
        self, path: str, mention: Mention, contents: Contents, rule: Rule, *, is_part: bool = False
    ) -> list[Block]:
        """Numbered lines, the empty one at the end too (cases mention-2500-lines, mention-long-line)."""
        most = self.setup.facts.mention_lines if is_part else self._lines_of(mention)
        part = f',"offset":{mention.first},"limit":{most}' if most else ""
        call = f'Called the Read tool with the following input: {{"file_path":{_json(native(path))}{part}}}'
        if ending(path) in self.setup.facts.pictures:
            return [self._call(call, path, rule), not_in_lines(path, PICTURE)]  # (wire: read-picture-mentioned)
        result = [head("Result of calling the Read tool:\n", "runtime", path=path)]
        shown = numbered(self.setup.facts, path, contents, rule.why, mention.first, mention.last)
        return [self._call(call, path, rule), in_reminder([*result, *shown])]

    def _lines_of(self, mention: Mention) -> int:
        """How many lines its call asks for; 0 where it does not name them."""
        if not self.setup.facts.mention_names_lines or not mention.first or mention.last is None:
            return 0
        return max(mention.last - mention.first + 1, 0)

    def _directory(self, path: str, rule: Rule) -> list[Block]:
        """The names in it, in the order of the disk (captured: mention-files)."""
        shown = native(path)
        given = f'{{"command":{_json(f"ls {_quoted(path)}")},"description":{_json(f"Lists files in {shown}")}}}'
        names = "\n".join(entry.name for entry in self.setup.host.entries(path))
        origin = Origin("computed", path=path)
        listing = Segment("runtime", f"names in {path}", names, origin, rule.why, cache="turn")
        result = [head("Result of calling the Bash tool:\n", "runtime", path=path), listing]
        return [self._call(f"Called the Bash tool with the following input: {given}", path, rule), in_reminder(result)]

    @staticmethod
    def _call(text: str, path: str, rule: Rule) -> Block:
        title = f"{rule.origin.name} as a call of a tool"
        origin = Origin("computed", path=path, name=rule.origin.name)
        return in_reminder([Segment("runtime", title, text, origin, rule.why, cache="turn")])

    def _leave_out(self, found: Attached, path: str, size: int) -> None:
        """A sentence in its place (case mention-big), among the files where reminders are inline (captured)."""
        says = self._too_big(path, size)
        if self.setup.is_inline:
            found.alone = found.alone if found.messages else 0
            found.messages.append(in_reminder(says))
        else:
            found.sections.append(says)

    def _too_big(self, path: str, size: int) -> Block:
        why, length = "the prompt mentions a file that is too large", self.setup.facts.mention_too_big
        says = elided("runtime", NAME, "what it says of a large file", why=why, size=length)
        return [head(f"The user @-mentioned {native(path)} ({kilobytes(size)}). ", "runtime", path=path), says]

    def _agent(self, name: str) -> Block:
        """A sentence (case mention-agent)."""
        why, size = "the prompt mentions this agent with @", self.setup.facts.mention_agent
        says = elided("runtime", NAME, f"what it says of agent {name}", why=why, size=size)
        return [head(f'The user has expressed a desire to invoke the agent "{name}". ', "runtime"), says]


def readable(path: str, contents: Contents) -> str:
    """The text of a file. Secrets of a configuration become stars: between numbers they could not be told any more."""
    text = decode(contents.data, keep_bom=False)
    return masked_file(path, text) if is_config(path) else text


def lines_of(text: str, first: int | None = None, last: int | None = None) -> list[str]:
    """The lines of a text, the empty one at the end too, or those that are asked for, from 1 on."""
    return re.split(r"\r?\n", text)[(first or 1) - 1 : last]


def is_in_lines(facts: Facts, path: str, contents: Contents) -> bool:
    """Whether a file is read as numbered lines."""
    return ending(path) not in facts.pictures | facts.not_lines and not is_binary(contents.data)


def numbered(  # noqa: PLR0917 - what is read, and which lines
    facts: Facts,
    path: str,
    contents: Contents,
    why: str,
    first: int | None = None,
    last: int | None = None,
    *,
    page: Page | None = None,
) -> Block:
    """A file's lines as the tool that reads shows them: with numbers; of a large one a ``page``."""
    if ending(path) in facts.pictures | facts.not_lines:
        return not_in_lines(path, PICTURE if ending(path) in facts.pictures else RESULT)
    text = page.text if page is not None else readable(path, contents)
    at = (first or 1) - 1
    lines = lines_of(text, first, last)
    if not text or not lines or is_binary(contents.data):
        return not_in_lines(path, RESULT, "Claude Code says something of its own on a file without text")
    shown = "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, at + 1))
    origin = Origin("file", path=path, range=whole(text))
    cut = page.cut if page is not None else our_cut(contents)
    found = [Segment("runtime", path, shown, origin, why, cache="turn", cut=cut)]
    if "\ufffd" in text and not _is_utf_8(contents.data):
        # (captured: read-undecodable)
        note = elided("runtime", NAME, "note on its encoding", why="it is not UTF-8", size=facts.undecodable)
        found += [tail("\n\n", "runtime"), replace(note, cache="turn")]
    return found


def not_in_lines(path: str, title: str, why: str = "Claude Code sends it as a picture, pages or cells") -> Block:
    """What a file is sent as, where it is not numbered lines: its size is not known."""
    return [own_text(f"{title}{path}", why)]


def _is_utf_8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _quoted(path: str) -> str:
    """A path in a command (captured: mention-quoted-directory)."""
    shown = native(path)
    return shown if _PLAIN.fullmatch(path) else "'" + shown.replace("'", "'\"'\"'") + "'"


def _json(text: str) -> str:
    import json  # noqa: PLC0415 - few sessions mention a file

    return json.dumps(text, ensure_ascii=False)
