"""What the user says in each turn of a session of Claude Code, and what comes with it (surfaces, 8, 11 and 12)."""

from __future__ import annotations

import re

from promptls.core.lazy import regex
from promptls.core.model import COMPUTED, START, Cut, Elided, Origin, Segment
from promptls.core.text import decode, lines_of
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.claude_code.files.on_touch import added
from promptls.harnesses.claude_code.listing.nested_skills import Discovery
from promptls.harnesses.claude_code.message_blocks import NAME, in_reminder
from promptls.harnesses.claude_code.models import PLAN
from promptls.harnesses.claude_code.turns.command_text import Use, plain
from promptls.harnesses.claude_code.turns.hooks import hook_sections
from promptls.harnesses.claude_code.turns.mentions import Attached
from promptls.kit.base import asks_nothing
from promptls.kit.paths import native
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import OpenFile, Turn
    from promptls.harnesses.claude_code.files.on_touch import Reads
    from promptls.harnesses.claude_code.listing.nested_skills import NestedSkills
    from promptls.harnesses.claude_code.listing.skills import Skill, Skills
    from promptls.harnesses.claude_code.message_blocks import Again, Block
    from promptls.harnesses.claude_code.servers import Server
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.harnesses.claude_code.turns.mentions import Attacher
    from promptls.kit.draft import Draft


@dataclass(slots=True)
class TurnContent:
    """What a turn brings.

    ``called`` are the files that are mentioned, as calls of tools, and ``near`` the instruction files near them, each
    block being a message, ahead of the files at start; ``agents`` are AGENTS.md of the same. ``lead`` is a reminder
    before these. ``typed`` are the messages after the files. ``mentioned`` and ``hooked`` are sections of role system,
    the first ones and the last ones; ``resumed`` and ``modes`` are what a new process adds that goes on.
    ``refused`` says why nothing is sent; ``waits``: what is said at start is left for what comes next.
    """

    lead: Block = field(default_factory=list)
    called: list[Block] = field(default_factory=list)
    # How many of them, from the first one on, are messages of their own.
    alone: int = 1
    near: list[Block] = field(default_factory=list)
    # The same without the tags of a reminder.
    bare: list[Block] = field(default_factory=list)
    agents: list[Block] = field(default_factory=list)
    typed: list[list[Block]] = field(default_factory=list)
    mentioned: list[Block] = field(default_factory=list)
    hooked: list[Block] = field(default_factory=list)
    resumed: list[Block] = field(default_factory=list)
    modes: list[Block] = field(default_factory=list)
    # The process that sends it, and what is said of its model, where that is another one than before.
    process: Setup | None = None
    model: list[Block] = field(default_factory=list)
    commits: list[Block] = field(default_factory=list)
    discovery: Discovery = field(default_factory=Discovery)
    # What a connected editor tells.
    editor: list[Block] = field(default_factory=list)
    # What a word of the prompt adds.
    thinking: list[Block] = field(default_factory=list)
    # The skill or command that is typed, with its text; the files near which others are looked for, and those of them
    # that are mentioned and sent.
    used: tuple[Skill, Block] | None = None
    touched: list[str] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    # What a compaction has left to be said with this prompt.
    again: Again | None = None
    # The prompt is a command or skill; the model is then not told how many tokens are left.
    is_command: bool = False
    # At start the model gets the date only; what else is said there comes with the next turn.
    is_alone: bool = False
    refused: str | None = None
    refused_by: Origin | None = None
    waits: bool = False


_THINKING = regex(r"\bultrathink\b", re.IGNORECASE)
# What a command of the shell begins with.
SHELL = "!"
# What looks like the name of a command, if there is none of this name; a path does not (wire: typed-path).
_NAME_OF_COMMAND = regex(r"\w[\w:.-]*", re.ASCII)
_COMMAND = regex(r"/(\S+)\s*(.*)", re.DOTALL)


def command_in(prompt: str | None) -> tuple[str, str] | None:
    """The command that a prompt begins with, a word after a slash, and its arguments; None for other prompts.

    With a blank ahead of the slash it is none (wire: typed-with-blank).
    """
    found = _COMMAND.match(prompt or "")
    return (found[1], found[2].rstrip()) if found else None


def plan_typed(turn: Turn) -> str | None:
    """What is typed behind ``/plan``, which turns the plan mode on; None for other prompts."""
    command = command_in((turn.prompt or "").strip())
    return command[1] if command is not None and command[0] == PLAN else None


def typed_skill(skills: Skills, turn: Turn) -> Skill | None:
    """The command or skill whose name is typed: that of its file, or the one of its front matter."""
    command = command_in(turn.prompt)
    return skills.typed(command[0]) if command is not None else None


def is_carried_out(setup: Setup, skills: Skills, turn: Turn) -> bool:
    """Whether a prompt asks no model: on the screen, a command of the program's own or an unknown one (verify)."""
    command = command_in(turn.prompt)
    if command is None or not setup.is_interactive or not _NAME_OF_COMMAND.fullmatch(command[0]):
        return False
    asks = {"compact", "plan", *setup.facts.forked_commands, *(each.name for each in setup.typed_skills)}
    return command[0] not in asks and not command[0].startswith("mcp__") and typed_skill(skills, turn) is None


@dataclass(frozen=True, slots=True)
class Speech:
    """Works out what turns bring."""

    draft: Draft
    setup: Setup
    skills: Skills
    attacher: Attacher
    reads: Reads
    nested: NestedSkills | None
    servers: list[Server]
    # Files of which it was told that the editor has them open.
    opened: set[str] = field(default_factory=set)

    def content_of(self, turn: Turn, at: str = START) -> TurnContent:
        """What one turn brings at the event ``at``."""
        if self.setup.is_interactive and (turn.prompt or "").startswith(SHELL):
            return self._run((turn.prompt or "").removeprefix(SHELL).rstrip())
        command, skill = command_in(turn.prompt), typed_skill(self.skills, turn)
        if command is not None and skill is not None:
            said = self._used(skill, command[1], at)
        elif self.setup.is_interactive and (given := plan_typed(turn)) is not None:
            from promptls.harnesses.claude_code.turns.local_commands import turns_on_plan  # noqa: PLC0415 - few type it

            # The task stands in the command only, and the mode is told with what comes next (seen by verify).
            said = TurnContent(typed=turns_on_plan(self.setup, given, is_on=self.setup.mode == PLAN), is_alone=True)
        elif command is not None and command[0] in {each.name for each in self.setup.typed_skills}:
            why = f"the user types /{command[0]}"
            size = next((each.text for each in self.setup.facts.late_skills if each.name == command[0]), None)
            text = elided("instructions", NAME, f"text of /{command[0]}", why=why, size=size)
            said = TurnContent(typed=[[_tags(command[0], command[1])], [[text]]], is_command=True)
        elif command is not None and (server := self._server(command)):
            title = f"prompt of the server {server.name}"
            why = "the server gives this text when its prompt is typed"
            text = Segment("runtime", title, f"⟪{title}⟫", server.origin, why, cache="turn", elided=Elided(title))
            # (captured: mcp-prompt)
            said = TurnContent(typed=[[[*_tags(*command), tail("\n", "runtime")], [text]]], is_alone=True)
        elif command is not None and is_carried_out(self.setup, self.skills, turn):
            origin = Origin("argument", name=f"/{command[0]}")
            said = TurnContent(refused=asks_nothing(NAME, origin.name or ""), refused_by=origin)
        else:
            said = TurnContent(typed=[[[_typed(turn.prompt)]]])
            is_like_one = command is not None and _NAME_OF_COMMAND.fullmatch(command[0])
            if command is not None and is_like_one and not self.setup.is_bare:
                from promptls.harnesses.claude_code.turns.unknown_commands import reminder  # noqa: PLC0415 - few type one

                said.lead = reminder(self.setup, self.skills, command[0])
            # Of a path nothing is looked for in the prompt (wire: typed-path).
            said.is_alone = (turn.prompt or "").startswith("/") and not is_like_one
            self._attach(said, "" if said.is_alone else turn.prompt or "", turn.attached, at)
        said.hooked = hook_sections(self.draft, self.setup, "UserPromptSubmit", at=at)
        said.thinking = self._thinking(turn.prompt or "")
        if self.setup.has_editor and turn.open:
            self._open(said, turn.open[0], at)
        return said

    def _run(self, command: str) -> TurnContent:
        """A command that the user runs: the model is asked by itself (captured: interactive-shell-then)."""
        from promptls.harnesses.claude_code.turns.local_commands import shell  # noqa: PLC0415 - few sessions have one

        return TurnContent(typed=shell(self.setup, command), is_alone=True)

    def _open(self, said: TurnContent, opened: OpenFile, at: str) -> None:
        """The file that an editor shows, once; its instruction files, but not its skills (captured: ide-opened)."""
        if has_selection(opened):
            said.editor = [selection(self.setup, opened)]
        elif opened.path not in self.opened:
            self.opened.add(opened.path)
            said.editor = [open_file(self.setup, opened)]
            said.touched = [*said.touched, opened.path]
            near = self.reads.near([opened.path], at)
            said.near += [entry.in_reminder() for entry in near]
            said.bare += [entry.bare() for entry in near]

    def _thinking(self, prompt: str) -> list[Block]:
        """A section for a word that asks for more thinking (captured: ultrathink)."""
        size = self.setup.facts.thinking_note
        if size is None or self.setup.is_bare or not _THINKING.search(prompt):
            return []
        why = "the prompt has the word ultrathink"
        return [[elided("runtime", NAME, "note on thinking", why=why, size=size)]]

    def _used(self, skill: Skill, given: str, at: str) -> TurnContent:
        """A command or skill that is typed: its name in tags, then its text (cases command-typed, skill-typed)."""
        if not skill.is_for_users:
            # (captured: skill-typed-not-user-invocable)
            says = f"Claude Code sends nothing: the skill {skill.name} is for the model only. Ask for it in words."
            self.draft.candidates.append(skill.rule(at).excluded(skill.path, "user-invocable keeps it from users"))
            return TurnContent(refused=says, refused_by=_user_invocable(skill))
        self.skills.used.append(skill.name)
        text = Use(skill, given, f"the user types /{skill.name}", self.setup).text()
        said = TurnContent(typed=[[_tags(skill.name, given, skill.path)], [text]], is_command=True, used=(skill, text))
        self._attach(said, plain(text), (), at)
        return said

    def _attach(self, said: TurnContent, text: str, attached: tuple[str, ...], at: str) -> None:
        """Files that the text mentions, and then the instruction files near them (wire: nested-trigger-at-mention)."""
        found = Attached() if self.setup.is_bare else self.attacher.attach(text, attached, at)
        said.mentioned = found.sections
        said.called, said.alone = found.messages, found.alone
        said.touched, said.read = found.touched, found.files
        self.reads.known.update(found.files)
        # (captured: mention-agents-md)
        beside = [self.reads.agents(path, at) for path in found.files]
        said.agents = [in_reminder(added(entries, "prompt.mention")) for entries in beside if entries]
        near = self.reads.near(found.touched, at)
        said.near, said.bare = [entry.in_reminder() for entry in near], [entry.bare() for entry in near]
        if self.nested is not None:
            said.discovery = self.nested.discover(found.files, at)

    def _server(self, command: tuple[str, str]) -> Server | None:
        """The MCP server whose prompt is typed as ``/mcp__server__prompt``."""
        return next((server for server in self.servers if command[0].startswith(server.prefix)), None)


def _tags(name: str, given: str, path: str | None = None) -> Block:
    """What names a command that is typed (captured: command-empty-arguments)."""
    tags = f"<command-message>{name}</command-message>\n<command-name>/{name}</command-name>"
    named: Block = [head(tags, "runtime", path=path)]
    if given:
        argument = Segment("runtime", "arguments", given, Origin("argument", name="arguments"), WHY_TYPED)
        named += [head("\n<command-args>", "runtime"), argument, tail("</command-args>", "runtime")]
    return named


def _user_invocable(skill: Skill) -> Origin:
    value = skill.front.get("user-invocable")
    return skill.origin(*skill.front.span(value)) if value is not None else skill.rule().origin


WHY_TYPED = "the user's own words are the last block of the first message"


def _typed(prompt: str | None) -> Segment:
    if prompt:
        return Segment("runtime", "prompt of the user", prompt, COMPUTED, WHY_TYPED, cache="turn")
    unknown, text = Elided("user's prompt"), "⟪what the user types⟫"
    return Segment("runtime", "prompt of the user", text, COMPUTED, WHY_TYPED, cache="turn", elided=unknown)


# -- what a connected editor says: the file that is open in it, and what is selected (captured: ide) -------------------

WHY_OPEN = "the file is open in the editor that is connected"
WHY_SELECTED = "this is selected in the editor that is connected"


def has_selection(opened: OpenFile) -> bool:
    """Whether anything is selected: then that is told, and not the file (captured: ide-selected)."""
    where = opened.selection
    return bool(opened.text) or (where is not None and where.start != where.end)


def open_file(setup: Setup, opened: OpenFile) -> Block:
    """That a file is open (captured: ide-opened)."""
    note = elided("runtime", NAME, "note on the open file", why=WHY_OPEN, size=setup.facts.ide_opened_note)
    says = head(f"The user opened the file {native(opened.path)}", "runtime", path=opened.path)
    return [says, replace(note, cache="turn")]


def selection(setup: Setup, opened: OpenFile) -> Block:
    """The lines that are selected, up to a limit (captured: ide-selected, ide-selected-long)."""
    where, limit = opened.selection, setup.facts.ide_selection_limit
    text = opened.text if opened.text is not None else _selected(setup, opened)
    lines = (where.start_line + 1, where.end_line + 1) if where is not None else (1, 1 + text.count("\n"))
    cut = Cut(limit, len(text), "characters", f"a selection may have {limit:,} characters", is_fixed=True)
    shown = Segment("runtime", "selection", text[:limit], COMPUTED, WHY_SELECTED, cache="turn")
    note = elided("runtime", NAME, "note on the selection", why=WHY_SELECTED, size=setup.facts.ide_selected_note)
    place = f"The user selected the lines {lines[0]} to {lines[1]} from {native(opened.path)}:\n"
    found = [head(place, "runtime", path=opened.path), shown]
    if len(text) > limit:
        end = elided("runtime", NAME, "note on the end of the selection", why=WHY_SELECTED)
        found = [found[0], replace(shown, cut=cut), replace(end, cache="turn")]
    return [*found, tail("\n\n", "runtime"), replace(note, cache="turn")]


def _selected(setup: Setup, opened: OpenFile) -> str:
    contents, where = setup.host.read(opened.path), opened.selection
    if contents.state != "file" or where is None:
        return ""
    text = decode(contents.data, keep_bom=False)
    index = lines_of(text)
    return text[index.offset(*where.start) : index.offset(*where.end)]
