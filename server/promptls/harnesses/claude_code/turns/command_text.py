"""The text of a command or skill that is used: what is put into it, and what stays open (surfaces, 8)."""

from __future__ import annotations

import re

from promptls.core.lazy import regex
from promptls.core.model import Elided, Origin, Segment
from promptls.core.text import lines_of
from promptls.core.values import dataclass, field
from promptls.kit.echo import WHY as WHY_KNOWN
from promptls.kit.echo import printed
from promptls.kit.paths import native
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.harnesses.claude_code.listing.skills import Skill
    from promptls.harnesses.claude_code.message_blocks import Block
    from promptls.harnesses.claude_code.setup import Setup

# What stands for something else: an argument, a variable, the output of a shell command.
_PLACE = regex(
    r"\\(?P<escape>\$\d{1,4})"
    r"|\$ARGUMENTS\[(?P<index>\d{1,4})\]"
    r"|(?P<all>\$ARGUMENTS)"
    r"|\$(?P<number>\d{1,4})(?!\w)"
    r"|\$\{(?P<variable>CLAUDE_\w+)\}"
    r"|\$(?P<name>[A-Za-z_]\w*)(?![\w\[])"
    r"|```!\s*(?P<fence>.*?)\s*```"
    r"|(?<!\S)!`(?P<shell>[^`\n]+)`",
    re.DOTALL | re.ASCII,
)
WHY_RUN = "Claude Code runs this command and sends what it prints; promptls runs nothing"
WHY_ARGUMENTS = "the arguments of the command or skill"
EFFORT = "medium"  # unless an option asks for another (case command-typed)


@dataclass(slots=True)
class Use:
    """A skill or command that is used with the arguments ``given``; ``why`` says by whom."""

    skill: Skill
    given: str
    why: str
    setup: Setup
    has_substituted: bool = False
    words: tuple[str, ...] = field(default_factory=tuple)

    def text(self) -> Block:
        """What is sent of it (cases skill-typed, command-typed, skill-big-body)."""
        self.words = _words(self.given)
        self.skill = self.skill.whole(self.setup.host)
        found = list(self._pieces())
        if self.skill.kind == "skill":
            directory = native(self.skill.directory)
            found.insert(0, head(f"Base directory for this skill: {directory}\n\n", path=self.skill.path))
        if self.given and not self.has_substituted:
            # (case command-typed-s45; captured: command-no-placeholder)
            found += [tail("\n\nARGUMENTS: "), self._argument(self.given)]
        return found

    def _pieces(self) -> Iterator[Segment]:
        skill = self.skill
        at = skill.front.body
        for place in _PLACE.finditer(skill.text, at):
            put = self._replacement(place)
            if put is not None:
                yield from self._literal(at, place.start())
                yield from put
                at = place.end()
        yield from self._literal(at, len(skill.text))

    def _literal(self, start: int, end: int) -> Iterator[Segment]:
        skill = self.skill
        where = Origin("file", path=skill.path, range=lines_of(skill.text).range(start, end))
        yield Segment("instructions", skill.path, skill.text[start:end], where, self.why, cache="turn")

    def _replacement(self, place: re.Match[str]) -> list[Segment] | None:
        """What is put there; None where the text stays (cases command-typed, command-typed-s45)."""
        if place["escape"] is not None:
            return [*self._literal(*place.span("escape"))]
        if place["variable"] is not None:
            return self._variable(place["variable"])
        command = place["shell"] or place["fence"]
        if command is not None:
            return [self._output(command, place)]
        if place["all"] is not None:
            word: str | None = self.given
        elif place["name"] is not None:
            word = self._named(place["name"])
        else:
            word = self._numbered(int(place["index"] or place["number"]))
        if word is None:
            return None
        self.has_substituted = True
        return [self._argument(word)] if word else []

    def _numbered(self, number: int) -> str | None:
        """The first one is number 0; one that is missing leaves the text as it is."""
        return self.words[number] if number < len(self.words) else None

    def _named(self, name: str) -> str | None:
        """``arguments`` of the front matter names them in order (captured: command-named-arguments)."""
        value = self.skill.front.get("arguments")
        names = [] if value is None else [str(item.data) for item in value.items]
        if value is not None and isinstance(value.data, str):
            names = re.findall(r"[^\s,]+", value.data)
        return self._numbered(names.index(name)) if name in names else None

    def _variable(self, name: str) -> list[Segment] | None:
        skill, setup = self.skill, self.setup
        if name == "CLAUDE_SESSION_ID":
            why = "Claude Code puts the id of the session here"
            unknown = Elided("session id", setup.facts.session_id)
            text = f"⟪the id of the session, {unknown.size} characters⟫"
            return [Segment("runtime", "session id", text, Origin("computed", name=name), why, elided=unknown)]
        values = {
            "CLAUDE_PROJECT_DIR": setup.cwd,
            "CLAUDE_EFFORT": setup.command.last("effort") or EFFORT,
            "CLAUDE_SKILL_DIR": skill.directory if skill.kind == "skill" else None,
            "CLAUDE_PLUGIN_ROOT": skill.root,
        }
        value = values.get(name)
        why = f"the value of {name}"
        return None if value is None else [Segment("runtime", name, native(value), Origin("computed", name=name), why)]

    def _output(self, command: str, place: re.Match[str]) -> Segment:
        """What a shell command prints, or a placeholder for it (case command-shell)."""
        where = lines_of(self.skill.text).range(place.start(), place.end())
        origin = Origin("file", path=self.skill.path, range=where, name=command)
        title = f"output of {command}"
        said = printed(command, self.setup.host.env.get("HOME", ""))
        if said is not None:
            return Segment("runtime", title, said.rstrip("\n"), origin, WHY_KNOWN, cache="turn")
        return Segment("runtime", title, f"⟪{title}⟫", origin, WHY_RUN, cache="turn", elided=Elided(title))

    @staticmethod
    def _argument(text: str) -> Segment:
        return Segment("runtime", "arguments", text, Origin("argument", name="arguments"), WHY_ARGUMENTS, cache="turn")


def plain(block: Block) -> str:
    """The text of a block as far as it is known, in which mentions are looked for."""
    return "".join(segment.text for segment in block if segment.elided is None and segment.frame is None)


def _words(given: str) -> tuple[str, ...]:
    """Arguments as a shell parts them; by blanks where the quotation marks are not closed."""
    import shlex  # noqa: PLC0415 - few sessions have commands

    try:
        return tuple(shlex.split(given))
    except ValueError:
        return tuple(given.split())
