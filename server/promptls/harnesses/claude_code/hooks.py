"""Hooks of Claude Code that may add text to the request: programs, which promptls does not run (surfaces, 11)."""

from __future__ import annotations

import re

from promptls.core.formats import jsonc
from promptls.core.lazy import regex
from promptls.core.model import START, Elided, Origin, Segment
from promptls.core.secrets import masked
from promptls.core.text import decode
from promptls.core.values import dataclass
from promptls.harnesses.candidates import Rule
from promptls.harnesses.claude_code.settings import Setting
from promptls.harnesses.frames import head
from promptls.harnesses.shared.echo import WHY as WHY_KNOWN
from promptls.harnesses.shared.echo import printed
from promptls.harnesses.shared.paths import join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.harnesses.claude_code.blocks import Block
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.harnesses.draft import Draft


@dataclass(frozen=True, slots=True)
class Hook:
    """A program that runs at an event, and the entry of the settings that says so."""

    event: str
    command: str
    origin: Origin

    @property
    def why(self) -> str:
        """Why text may stand there."""
        if self.event == "PreToolUse":
            # (captured: hook-pretool-deny)
            return (
                "a hook of PreToolUse runs before the call; what it adds is sent here, why it denies the call as result"
            )
        return f"a hook of {self.event} runs here, and what it gives back is sent, if anything"

    def section(self, limit: int, subject: str) -> Block:
        """What it gives back, or a placeholder (captured: hook-session-start-plain, hook-prompt-submit, hook-tools)."""
        title = f"output of the {self.event} hook {masked(self.command)}"
        said = printed(self.command) if self.event in PRINTED else None
        if said is not None and len(said) <= limit:
            says = Segment("runtime", title, said.rstrip(), self.origin, f"{self.why}; {WHY_KNOWN}", cache="turn")
        else:
            why = f"{self.why}, in whole up to {limit:,} characters"
            says = Segment("runtime", title, f"⟪{title}⟫", self.origin, why, cache="turn", elided=Elided(title))
        label = LABELS.get(self.event, "").format(subject)
        return [*([head(label, "runtime")] if label else []), says]


# What these print is sent as it is (cases all-surfaces, plugin-dir).
PRINTED = ("SessionStart", "UserPromptSubmit")
# How it is announced; of the others that is not known. What hooks of tools print is not sent, only what they add.
LABELS = {
    "SessionStart": "SessionStart:{} hook success: ",
    "UserPromptSubmit": "UserPromptSubmit hook success: ",
    "PreToolUse": "PreToolUse:{} hook additional context: ",
    "PostToolUse": "PostToolUse:{} hook additional context: ",
}


def hook_sections(draft: Draft, setup: Setup, event: str, subject: str = "", at: str = START) -> list[Block]:
    """A placeholder for each hook of an event; the order is that in which they end, which nobody knows.

    ``subject`` is what its matcher is compared with: the tool, or how the session was started.
    """
    found: list[Block] = []
    for hook in hooks(setup, event, subject):
        draft.candidates.append(Rule(hook.why, hook.origin, "hook", at).loaded(hook.origin.path))
        found.append(hook.section(setup.facts.hook_limit, subject))
    return found


def _of_plugins(setup: Setup) -> Iterator[Setting]:
    """Hooks of plugins (case plugin-dir)."""
    for plugin in setup.plugins:
        path = join(plugin.root, HOOKS_FILE)
        contents = setup.host.read(path)
        if contents.state != "file":
            continue
        document = jsonc.parse(decode(contents.data, keep_bom=False), comments=False)
        value = document.root.get("hooks") if document.root else None
        if value is not None:
            where = Origin("config", path=path, range=document.range(value), name="hooks")
            yield Setting(value, where, "plugin", document)


HOOKS_FILE = "hooks/hooks.json"
# Other matchers are regular expressions, which are not tried: such a hook may run.
_NAMES = regex(r"[\w|]*", re.ASCII)


def hooks(setup: Setup, event: str, subject: str = "") -> Iterator[Hook]:
    """The commands of all settings for an event (captured: hook-scopes, hook-disabled)."""
    disabled = setup.settings.last("disableAllHooks")
    if setup.is_bare or (disabled is not None and disabled.value.kind == "true"):
        return
    for setting in (*setup.settings.every("hooks"), *_of_plugins(setup)):
        groups = setting.value.get(event)
        for group in groups.items if groups is not None else ():
            matcher = group.text("matcher") or ""
            if subject and matcher and _NAMES.fullmatch(matcher) and subject not in matcher.split("|"):
                continue
            listed = group.get("hooks")
            for entry in listed.items if listed is not None else ():
                command = entry.get("command")
                if command is not None and isinstance(command.data, str):
                    yield Hook(event, command.data, setting.part(command, command.data))
