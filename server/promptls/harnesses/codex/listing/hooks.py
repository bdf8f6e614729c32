"""Hooks whose output goes into the request: each that would run has a placeholder, and none is run (section 11)."""

from __future__ import annotations

import re

from promptls.core.formats import parse_json
from promptls.core.model import Origin, Segment
from promptls.core.text import decode
from promptls.core.values import dataclass
from promptls.kit.candidates import own
from promptls.kit.paths import join
from promptls.kit.segments import by_hook, elided

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from promptls.core.formats.tree import Document, Value
    from promptls.core.host import Host
    from promptls.core.model import Candidate
    from promptls.harnesses.codex.listing.plugins import Plugin
    from promptls.harnesses.codex.start.command_line import Start
    from promptls.harnesses.codex.start.config import CodexConfig
    from promptls.kit.draft import Draft

SESSION, PROMPT = "SessionStart", "UserPromptSubmit"
STARTUP, RESUME, COMPACT = "startup", "resume", "compact"
WHY = "Codex runs the hooks of this file, and what they print goes into the request"
UNTRUSTED = "they run only once the user has trusted them, so the prompt is shown without them"
WHY_OUTPUT = "only running this hook shows what it prints; Codex sends {} tokens of it at most"
LONGEST_MATCHER = 200


@dataclass(frozen=True, slots=True)
class Hook:
    """A command that runs at an event; ``sources`` are the ways in which a session begins that it takes."""

    event: str
    command: str
    origin: Origin
    sources: tuple[str, ...] = ()


def find_hooks(  # noqa: PLR0917 - what decides over hooks
    draft: Draft, host: Host, config: CodexConfig, start: Start, folders: Sequence[str], plugins: Sequence[Plugin]
) -> list[Hook]:
    """The hooks at the two events whose output is sent, in order: the user's, the project's, plugins'.

    (parts: plugin-hooks, hooks-untrusted; captured: hooks-project)
    """
    rule = own(WHY, use="hook")

    def reported(path: str) -> Candidate:
        return rule.loaded(path) if start.are_hooks_trusted else rule.excluded(path, UNTRUSTED)

    found: list[Hook] = []
    for folder in (config.home, *folders):
        path = join(folder, "hooks.json")
        found += _of_file(draft, host, path, reported)
        found += _of_config(draft, config, folder, reported)
    for plugin in plugins:
        for path in plugin.hooks:
            found += _of_file(draft, host, path, reported)
    return found if start.are_hooks_trusted else []


def outputs(hooks: Sequence[Hook], event: str, limit: int, source: str = "") -> Iterator[list[Segment]]:
    """A message for what each hook at an event prints (parts: hooks, hooks-long).

    ``source`` is the way in which a session begins, where that is the event.
    """
    for hook in hooks:
        if hook.event == event and (not source or source in hook.sources):
            yield _output(hook, limit)


def _output(hook: Hook, limit: int) -> list[Segment]:
    """What a hook prints, trimmed: known where it only prints plain words, which are no JSON (captured: hooks)."""
    from promptls.kit.echo import WHY as WHY_KNOWN  # noqa: PLC0415 - few have hooks
    from promptls.kit.echo import printed  # noqa: PLC0415 - the same

    title = f"output of the hook {hook.command}"
    said = printed(hook.command)
    words = said.strip() if said is not None else "{"
    if not words:
        return []
    if words[0] not in "{[":
        return [Segment("runtime", title, words, hook.origin, WHY_KNOWN)]
    return [by_hook(elided("runtime", "codex", title, why=WHY_OUTPUT.format(limit)), hook.origin)]


def _of_file(draft: Draft, host: Host, path: str, reported: Callable[[str], Candidate]) -> Iterator[Hook]:
    contents = host.read(path)
    if contents.state != "file":
        if contents.state != "missing":
            draft.candidates.append(own(WHY, use="hook").unread(path, contents.state))
        return
    document = parse_json(decode(contents.data, keep_bom=True), comments=False)
    fault = document.fault("config-invalid")
    if fault is not None:
        draft.candidates.append(own(WHY, use="hook").failed(path, "Codex cannot read it", faults=(fault,)))
        return
    draft.candidates.append(reported(path))
    yield from _hooks(document, document.root.get("hooks") if document.root is not None else None, path)


def _of_config(draft: Draft, config: CodexConfig, folder: str, reported: Callable[[str], Candidate]) -> Iterator[Hook]:
    for layer in config.layers:
        if layer.path is None or layer.base != folder:
            continue
        if (entry := layer.find(("hooks",))) is not None:
            draft.candidates.append(reported(layer.path))
            yield from _hooks(entry.document, entry.value, layer.path)


def _hooks(document: Document, events: Value | None, path: str) -> Iterator[Hook]:
    for event in (SESSION, PROMPT):
        groups = events.get(event) if events is not None else None
        for group in groups.items if groups is not None else ():
            matcher = group.text("matcher")
            sources = tuple(each for each in (STARTUP, RESUME, COMPACT) if event == SESSION and _matches(matcher, each))
            hooks = group.get("hooks")
            for hook in hooks.items if hooks is not None else ():
                command = hook.text("command")
                if command and (hook.text("type") or "command") == "command":
                    origin = Origin("config", path, range=document.range(hook), name=event)
                    yield Hook(event, command, origin, sources)


def _matches(matcher: str | None, source: str) -> bool:
    """Whether a hook runs when a session begins in this way."""
    if not matcher or matcher == "*":
        return True
    if len(matcher) > LONGEST_MATCHER:
        return False
    try:
        return re.search(rf"\A(?:{matcher})\Z", source) is not None
    except re.error:
        return False
