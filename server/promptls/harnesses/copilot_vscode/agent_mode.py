"""The request of agent mode, of Plan and of custom agents: a system message, one on the workspace, one for each turn.

(parts: all-kinds-at-root, subagent, second-turn)
"""

from __future__ import annotations

import json

from promptls.core.model import COMPUTED, START, Elided, Segment, Turn
from promptls.core.paths import native
from promptls.core.values import dataclass, replace
from promptls.harnesses.copilot_vscode import hooks, turns
from promptls.harnesses.copilot_vscode.environment import environment
from promptls.harnesses.copilot_vscode.files import instructions
from promptls.harnesses.copilot_vscode.listing import agents
from promptls.harnesses.copilot_vscode.listing.index import SUBAGENT, index
from promptls.harnesses.copilot_vscode.modes import PLAN, subagent_mode
from promptls.harnesses.copilot_vscode.parts import PROGRAM, UNKNOWN, lead, own_text
from promptls.harnesses.copilot_vscode.settings import IN_SYSTEM_MESSAGE
from promptls.kit.base import iso_date
from promptls.kit.paths import join
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Call
    from promptls.harnesses.copilot_vscode.listing.agents import Agent
    from promptls.harnesses.copilot_vscode.modes import Mode
    from promptls.harnesses.copilot_vscode.parts import Chat

WHY_DATA = f"{PROGRAM} names folders of the user's data"
WHY_DATE = f"{PROGRAM} names the date"


@dataclass(frozen=True, slots=True)
class Request:
    """A request being written: what it is made of."""

    chat: Chat
    custom: list[Agent]
    mode: Mode
    hooks: list[hooks.Hook]

    def write(self) -> None:
        """Every message of the session's last request."""
        self._turns(self.chat.draft.session.turns or (Turn(),), self._start())

    def _start(self) -> int:
        """The messages before the first turn; how many there are.

        (parts: user-settings-message) A setting moves the instructions into a user message.
        """
        draft = self.chat.draft
        is_system = self.chat.settings.is_on(IN_SYSTEM_MESSAGE)
        base, block = [*self._base()], [*self._customizations(is_system=is_system)]
        if is_system:
            base, block = [*base, *block], []
        draft.add_message("system", [*base, *self._variables()], index=0)
        draft.add_message("user", _ended(block), index=1)
        first = 2 if block else 1
        draft.add_message("user", _ended([*environment(self.chat, self.mode.offered)]), index=first)
        return first + 1

    # -- the system message --------------------------------------------------------------------------------------

    def _base(self) -> Iterator[Segment]:
        """The program's own prompt; it contains what MCP servers say (parts: mcp-server)."""
        family, is_whole = self.mode.family, self.mode.is_whole
        servers = list(hooks.servers(self.chat))
        if not servers:
            yield own_text("system prompt", family.base if is_whole else None, "provider")
            return
        before = family.before_servers if is_whole else None
        after = family.base - before if family.base is not None and before is not None else None
        yield own_text("system prompt, up to the tools", before, "provider")
        yield from servers
        yield own_text("system prompt, from the tools on", after, "provider")

    def _customizations(self, *, is_system: bool) -> Iterator[Segment]:
        """Lists, files and texts of settings, then the agent of the session (parts: all-kinds-at-root)."""
        chat, mode = self.chat, self.mode
        files = instructions.listed(chat)
        inside = [
            *index(chat, files, self.custom, mode),
            *(part for each in instructions.attachments(chat, files, mode.counted, is_edit=False) for part in each),
            *instructions.texts(chat),
        ]
        if inside:
            yield from lead(chat, is_system=is_system)
            yield head("<instructions>\n")
            yield from inside
            yield tail("\n</instructions>\n")
        if mode.agent is not None:
            yield from agents.instructions(chat, mode.agent)
        elif mode.kind == PLAN:
            yield head("<modeInstructions>\n")
            yield own_text("instructions of the mode", chat.facts.plan)
            yield tail("\n</modeInstructions>\n")

    def _variables(self) -> Iterator[Segment]:
        """The end of the system message (parts: all-kinds-at-root)."""
        user = self.chat.workspace.user
        known = None if user is not None else Elided("folder of the user's data")

        def data(place: str) -> Segment:
            text = native(join(user, place)) if user is not None else f"{UNKNOWN}/{place}"
            return Segment("environment", "folder of the user's data", text, COMPUTED, WHY_DATA, elided=known)

        def unknown(title: str) -> Segment:
            return Segment("environment", title, "⟪id⟫", COMPUTED, WHY_DATA, elided=Elided(title))

        yield tail("The following template variables are available for this session:\n", "environment")
        yield tail("- VSCODE_USER_PROMPTS_FOLDER: ", "environment")
        yield data("prompts")
        yield tail("\n- VSCODE_TARGET_SESSION_LOG: ", "environment")
        yield data("workspaceStorage/")
        yield unknown("id of the workspace")
        yield tail("/GitHub.copilot-chat/debug-logs/", "environment")
        yield unknown("id of the conversation")
        yield tail(
            "\nWhen a skill or instruction references {{VSCODE_VARIABLE_NAME}}, substitute the corresponding value "
            "above.",
            "environment",
        )

    # -- the conversation ----------------------------------------------------------------------------------------

    def _turns(self, all_turns: tuple[Turn, ...], at: int) -> None:
        """The messages of each turn and of each call, from place ``at`` on (parts: second-turn).

        What the model says takes a place, too, before each step and at the end of each turn.
        """
        for number, turn in enumerate(all_turns, 1):
            events = (hooks.SESSION_START, hooks.PROMPT) if number == 1 else (hooks.PROMPT,)
            event = START if number == 1 else f"turn:{number}"
            self.chat.draft.add_message("user", self._user(turn, events), index=at, at=event)
            at += 1
            for step in turn.steps:
                for place, call in enumerate(step, 1):
                    self._call(call, at + place)
                at += 1 + len(step)
            at += 1

    def _user(self, turn: Turn, events: tuple[str, ...]) -> Iterator[Segment]:
        chat = self.chat
        yield from turns.attachments(chat, turn)
        yield head("<context>\n", "environment")
        text = f"The current date is {iso_date(chat.host)}."
        yield Segment("environment", "date", text, COMPUTED, WHY_DATE, cache="turn")
        yield tail("\n", "environment")
        yield from hooks.context(self.hooks, *events)
        yield tail("</context>\n", "environment")
        yield from turns.editor_context(chat, turn)
        yield head("<reminderInstructions>\n", "provider")
        if self.mode.reminders != 0:
            yield own_text("reminders", self.mode.reminders, "provider")
        yield tail("\n</reminderInstructions>\n", "provider")
        yield from turns.request(chat, turn.prompt, turns.called(turn.prompt, self.mode.commands), tag="userRequest")

    def _call(self, call: Call, at: int) -> None:
        """What one call adds: its result, and for a sub-agent its own request (parts: subagent)."""
        tool, given = call.tool, call.input
        if call.read is not None:
            tool, given = turns.READ, json.dumps({"filePath": call.read})
        if tool == SUBAGENT:
            self._subagent(json.loads(given), call.at)
        after = list(hooks.before_tool(self.hooks))
        parts = [*turns.result(self.chat, tool, given, is_followed=bool(after)), *after]
        self.chat.draft.add_message("tool", parts, index=at, at=call.at)

    def _subagent(self, given: dict[str, object], event: str) -> None:
        """A sub-agent gets all instructions and the lists without agents, and its own text (parts: subagent)."""
        agent = next((each for each in self.custom if each.name == given.get("agentName")), None)
        chat = self.chat.aside()
        prompt = given.get("prompt")
        turn = Turn(prompt=prompt if isinstance(prompt, str) else None)
        inner = Request(chat, self.custom, subagent_mode(chat, self.mode, agent), [])
        inner._turns((turn,), inner._start())
        self.chat.draft.messages += [replace(message, at=event) for message in chat.draft.messages]


def _ended(parts: list[Segment]) -> list[Segment]:
    """A message ends without a line break."""
    return [*parts[:-1], replace(parts[-1], text=parts[-1].text.rstrip("\n"))] if parts else []
