"""opencode's commands: which template a name means, and what it becomes (surfaces, 4)."""

from __future__ import annotations

import re

from promptls.core.lazy import regex
from promptls.core.model import COMPUTED, START, Call, Origin, Segment
from promptls.core.values import dataclass
from promptls.harnesses.opencode.listing.skills import RELATIVE_REFERENCES
from promptls.harnesses.opencode.turns.messages import SessionMessage
from promptls.kit.candidates import argument
from promptls.kit.echo import WHY as WHY_KNOWN
from promptls.kit.echo import outcome
from promptls.kit.javascript import SPACE
from promptls.kit.numbered_read import read_label, read_result
from promptls.kit.paths import home_or, native, parent, resolve
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.harnesses.opencode.listing.skills import Skills
    from promptls.harnesses.opencode.start.entries import Command
    from promptls.harnesses.opencode.start.setup import Setup
    from promptls.harnesses.opencode.turns.messages import Conversation
    from promptls.kit.numbered_read import Nested

WHY_MENTION = "the command mentions a file or folder, from the worktree root on"
# The first part of what a sub-agent's run of a command leaves in the session.
REMARK = "remark that a tool was run"
WHY = "--command names this command, whose text replaces what is typed"
_ARGUMENT = regex(r"""\[Image\s+\d+\]|"[^"]*"|'[^']*'|[^\s"']+""", re.IGNORECASE)
_NUMBERED = regex(r"\$(\d+)")
_SHELL = regex(r"!`([^`]+)`")
_MENTION = regex(r"(?<![\w`])@(\.?[^\s`,.]*(?:\.[^\s`,.]+)*)")
_SPECIAL = regex(r"\$[$&]")


@dataclass(frozen=True, slots=True)
class Called:
    """A command that is called: its segments, and the agent and model that it asks for."""

    text: list[Segment]
    agent: str | None = None
    model: str | None = None
    is_subtask: bool = False


def call(setup: Setup, skills: Skills, name: str, arguments: str) -> Called | None:
    """The command ``name`` with ``arguments``; None if there is none. A skill is one too (surfaces, 2)."""
    command = setup.config.entries.commands.get(name)
    if command is not None and command.template is not None:
        text = [*_shelled(setup, expanded(command.template, arguments), command.origin or COMPUTED)]
        return Called(text, command.agent, command.model, _is_subtask(setup, command))
    if name in setup.facts.commands:
        size = setup.facts.commands[name]
        size = None if size is None else size + len(native(setup.root)) + len(arguments)
        own = elided("runtime", "opencode", f"command {name}", why="the command is built in", size=size)
        return Called([own], is_subtask=name in setup.facts.subtasks)
    server, colon, _ = name.partition(":")
    if colon and server in setup.config.entries.servers:
        why = f"the MCP server {server} says what it is"
        return Called([elided("runtime", "opencode", f"prompt {name}", why=why)])
    skill = skills.by_name.get(name)
    file = skill.whole(setup.host) if skill is not None else None
    if file is None:
        return None
    base = f"\n\nBase directory for this skill: {native(parent(file.path))}\n{RELATIVE_REFERENCES}"
    # The line ends of the file stay, and what is typed may stand after all of it (captured: command-skill).
    body, _, typed = expanded(f"{file.text[file.start :]}{base}", arguments).rpartition(base)
    return Called([*_shelled(setup, body, file.body_origin), tail(base, "runtime"), tail(typed, "runtime")])


def unknown(setup: Setup, name: str) -> tuple[str, Origin]:
    """Why opencode ends: there is no such command (surfaces, 4.1)."""
    setup.draft.candidates.append(argument(name, "no command, skill or MCP prompt has this name", use="command"))
    return f"opencode ends, because there is no command {name}. Fix --command.", Origin("argument", name=name)


def _is_subtask(setup: Setup, command: Command) -> bool:
    if command.is_subtask is not None:
        return command.is_subtask
    return command.agent is not None and setup.agents.mode(command.agent) == "subagent"


def expanded(template: str, arguments: str) -> str:
    """The text with the arguments put in (parts: command-md, command-order, command-plain)."""
    numbers = [int(number) for number in _NUMBERED.findall(template)]
    highest = max((0, *numbers))
    words = [_unquoted(word) for word in _ARGUMENT.findall(arguments)]

    def numbered(found: re.Match[str]) -> str:
        number = int(found[1])
        if number > len(words):
            return ""
        if number == highest:
            return " ".join(words[number - 1 :]) if number else " ".join(words[-1:])
        return words[number - 1] if number else "undefined"

    # As JavaScript replaces: in what is put in, these two signs stand for something.
    given = _SPECIAL.sub(lambda sign: "$" if sign[0] == "$$" else "$ARGUMENTS", arguments)
    text = _NUMBERED.sub(numbered, template).replace("$ARGUMENTS", given)
    if not numbers and "$ARGUMENTS" not in template and arguments.strip(SPACE):
        text = f"{text}\n\n{arguments}"
    return text.strip(SPACE)


def _unquoted(word: str) -> str:
    word = word[1:] if word[0] in "\"'" else word
    return word[:-1] if word[-1:] in ("'", '"') else word


def _shelled(setup: Setup, text: str, origin: Origin) -> Iterator[Segment]:
    """The text; what a command of the shell in it prints is known of plain words only, because nothing is run.

    Whether it fails does not count (parts: command-shell).
    """
    at = 0
    for found in _SHELL.finditer(text):
        yield Segment("runtime", "command", text[at : found.start()], origin, WHY)
        said = outcome(found[1], setup.host.env.get("HOME", ""))
        title, why = f"output of {found[1]}", "promptls runs nothing; opencode puts in what this prints"
        if said is not None:
            yield Segment("runtime", title, said.text, origin, WHY_KNOWN)
        else:
            yield elided("runtime", "opencode", title, why=why)
        at = found.end()
    yield Segment("runtime", "command", text[at:], origin, WHY)


# -- what the text mentions (surfaces, 4.3: command-shell, command-agent-mention) ----------------------------------


def mentioned(
    setup: Setup, nested: Nested, text: list[Segment], *, why: str = WHY_MENTION, at: str = START
) -> Iterator[list[Segment]]:
    """A file or folder is read; an agent is called upon. What is neither stays as it is."""
    known = "".join(" " if segment.elided else segment.text for segment in text)
    for mention in dict.fromkeys(_MENTION.findall(known)):
        path = home_or(setup.flag.home, mention) or resolve(setup.root, mention)
        if mention and setup.host.kind(path) is not None:
            yield [read_label(path, why)]
            yield read_result(setup.read_tool, setup.host, path, nested.reminder(path, at))
        elif mention in setup.agents.names():
            size = setup.facts.agent_mention
            hint = elided("runtime", "opencode", "hint to start the agent", why="the text mentions an agent", size=size)
            yield [hint, head(mention, "runtime")]


def run_apart(talk: Conversation, called: Called, at: str, agent: str) -> None:
    """The messages where a sub-agent has run the command: what it answered is not known (parts: command-subtask)."""
    facts = talk.setup.facts
    why = "the command is run by a sub-agent, and this is the request after it"
    answer = [
        head('<task id="', "runtime"),
        elided("runtime", "opencode", "number of the task", why=why),
        tail('" state="completed">\n<task_result>\n', "runtime"),
        elided("runtime", "opencode", f"answer of agent {called.agent or agent}", why=why),
        tail("\n</task_result>\n</task>", "runtime"),
    ]
    remark = elided("runtime", "opencode", REMARK, why=why, size=facts.subtask_before)
    goes_on = elided("runtime", "opencode", "request to go on", why=why, size=facts.subtask_after)
    talk.say([[remark]], at, agent)
    talk.messages.append(SessionMessage("step", at, agent, results=[(Call(tool="task"), answer)]))
    talk.say([[goes_on]], at, agent)
