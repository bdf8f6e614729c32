"""Hooks of Claude Code that may add text to the request: programs, which promptls does not run (surfaces, 11)."""

from __future__ import annotations

import re

from promptls.core.formats import parse_json
from promptls.core.lazy import regex
from promptls.core.model import START, Elided, Origin, Segment
from promptls.core.secrets import masked
from promptls.core.values import dataclass, replace
from promptls.harnesses.claude_code.settings import Setting, read_json
from promptls.kit.candidates import Rule
from promptls.kit.echo import WHY as WHY_KNOWN
from promptls.kit.echo import outcome
from promptls.kit.paths import join
from promptls.kit.segments import head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.harnesses.claude_code.message_blocks import Block
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.kit.draft import Draft


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

    def section(self, limit: int, subject: str, home: str) -> Block | None:
        """What it gives back, or a placeholder (captured: hook-session-start-plain, hook-prompt-submit, hook-tools).

        None where the hook is known to add nothing. ``home`` is the value of HOME.
        """
        title = f"output of the {self.event} hook {masked(self.command)}"
        label = LABELS.get(self.event, "").format(subject)
        known = self._known(home)
        if known is not None and not known.text:
            return None
        if known is not None and len(known.text) <= limit:
            why = f"{self.why}; {WHY_KNOWN}"
            says = Segment("runtime", title, known.text, self.origin, why, cache="turn")
            name = self.event if self.event in PRINTED else label.partition(" hook ")[0]
            label = CONTEXT.format(name) if known.is_context else label
        else:
            why = f"{self.why}, in whole up to {limit:,} characters"
            says = Segment(
                "runtime", title, f"⟪{title}⟫", self.origin, why, cache="turn", elided=Elided(title, is_of_hook=True)
            )
        return [*([head(label, "runtime")] if label else []), says]

    def _known(self, home: str) -> _Known | None:
        """What it adds, as far as that shows without running it; "" for nothing (captured: hook-fail, hook-tools)."""
        found = outcome(self.command, home) if self.event in LABELS else None
        if found is None or found.status == BLOCKS:
            return None
        said = "" if found.status else found.text.rstrip()
        if said.startswith("{"):
            return _context(said, self.event)
        if said and self.event == "SubagentStart":
            return None
        return _Known(said if self.event in PRINTED else "")


@dataclass(frozen=True, slots=True)
class _Known:
    """What a hook adds. ``is_context``: it says so, in JSON; else it is what the hook prints."""

    text: str
    is_context: bool = False


def _context(said: str, event: str) -> _Known | None:
    """What JSON adds; None where it may do something else (captured: hook-session-start-json, hook-system-message)."""
    document = parse_json(said, comments=False)
    root = document.root
    if document.flaw is not None or root is None or not set(root.names()) <= HARMLESS:
        return None
    own = root.get("hookSpecificOutput")
    if own is None:
        return _Known("")
    context = own.text("additionalContext")
    only = set(own.names()) == {"hookEventName", "additionalContext"}
    return _Known(context, is_context=True) if only and own.text("hookEventName") == event and context else None


# The status by which a hook blocks.
BLOCKS = 2
# Keys that do nothing else to the request.
HARMLESS = {"hookSpecificOutput", "systemMessage", "suppressOutput"}
CONTEXT = "{} hook additional context: "
# What these print is sent as it is (cases all-surfaces, plugin-dir).
PRINTED = ("SessionStart", "UserPromptSubmit")
# How it is announced; of the others that is not known. What hooks of tools print is not sent, only what they add.
LABELS = {
    "SubagentStart": "SubagentStart hook additional context: ",
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
        if section := hook.section(setup.facts.hook_limit, subject, setup.host.env.get("HOME", "")):
            found.append(section)
    return found


def hooks_again(draft: Draft, setup: Setup, at: str, before: Iterable[str]) -> list[Block]:
    """What hooks of SessionStart add where a new process takes a session up.

    ``before`` says how it was started until then: a text that it has from there is not sent again (requests:
    resume-hooks).
    """
    said = {
        section[-1].text
        for subject in before
        for hook in hooks(setup, "SessionStart", subject)
        if (section := hook.section(setup.facts.hook_limit, subject, setup.host.env.get("HOME", "")))
        and section[-1].elided is None
    }
    found = hook_sections(draft, setup, "SessionStart", RESUME, at)
    left = [section for section in found if section[-1].text not in said]
    for section in left:
        if section[-1].elided is not None:
            section[-1] = replace(section[-1], why=f"{section[-1].why}, but not what it has given back before")
    return left


RESUME = "resume"


def printed_by_hooks(draft: Draft, setup: Setup, event: str, subject: str, at: str) -> Iterator[tuple[str, Block]]:
    """The commands of an event of which everything that they print is sent, each with that, or a placeholder."""
    for hook in hooks(setup, event, subject):
        draft.candidates.append(Rule(hook.why, hook.origin, "hook", at).loaded(hook.origin.path))
        command = masked(hook.command)
        title = f"output of the {event} hook {command}"
        found = outcome(hook.command, setup.host.env.get("HOME", ""))
        if found is None:
            yield (
                command,
                [
                    Segment(
                        "runtime",
                        title,
                        f"⟪{title}⟫",
                        hook.origin,
                        hook.why,
                        "turn",
                        elided=Elided(title, is_of_hook=True),
                    )
                ],
            )
        elif not found.status and (text := found.text.rstrip()):
            yield command, [Segment("runtime", title, text, hook.origin, f"{hook.why}; {WHY_KNOWN}", "turn")]


def _of_plugins(setup: Setup) -> Iterator[Setting]:
    """Hooks of plugins (case plugin-dir)."""
    for plugin in setup.plugins:
        path = join(plugin.root, HOOKS_FILE)
        document = read_json(setup.host, path)
        if document and document.root and (value := document.root.get("hooks")):
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
    for setting in (*setup.settings.every("hooks"), *_of_plugins(setup), *setup.agent_hooks):
        groups = setting.value.get(event)
        for group in groups.items if groups is not None else ():
            matcher = group.text("matcher") or ""
            if subject and matcher and _NAMES.fullmatch(matcher) and subject not in matcher.split("|"):
                continue
            listed = group.get("hooks")
            for entry in listed.items if listed is not None else ():
                command = entry.get("command")
                if command is not None and isinstance(command.data, str):
                    is_own = setting.scope == "agent"
                    where = replace(setting.origin, name=command.data) if is_own else None
                    yield Hook(event, command.data, where or setting.part(command, command.data))
