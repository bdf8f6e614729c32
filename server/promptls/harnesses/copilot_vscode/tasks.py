"""The tasks of a workspace, which the first user message names (captured: tasks; source)."""

from __future__ import annotations

import json

from promptls.core.formats import parse_json
from promptls.core.model import Origin, Segment
from promptls.core.paths import native
from promptls.core.text import decode
from promptls.harnesses.copilot_vscode.parts import PROGRAM, attribute
from promptls.kit.base import with_consequence
from promptls.kit.candidates import Rule
from promptls.kit.paths import join
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.formats.tree import Document, Value
    from promptls.harnesses.copilot_vscode.parts import Chat
    from promptls.harnesses.copilot_vscode.workspace import Folder

    Json = str | float | bool | list["Json"] | dict[str, "Json"] | None

# One of these tools has to be offered.
TOOLS = frozenset(("run_task", "create_and_run_task", "get_task_output"))
# What of a task is left out, and the platforms as tasks name them.
PLATFORMS = {"win32": "windows", "darwin": "osx", "linux": "linux"}
LEFT_OUT = ("presentation", "problemMatcher", *PLATFORMS.values())
WHY = f"{PROGRAM} names the tasks that the model may run"
CONSEQUENCE = "VS Code takes no tasks from this file until this is fixed"


def tasks(chat: Chat, offered: set[str]) -> Iterator[Segment]:
    """A paragraph with the tasks of each folder as JSON; nothing where there are none."""
    if TOOLS.isdisjoint(offered):
        return
    opening = "The following tasks can be executed using the run_task tool if they are not already running:\n"
    for folder in chat.workspace.folders:
        path = _path(folder)
        document = _read(chat, path)
        visible = _visible(document)
        if document is None or not visible:
            continue
        yield head(f"{opening}<workspaceFolder path={attribute(native(folder.path))}>\n", "environment", path=path)
        for number, entry in enumerate(visible):
            label, kind = entry.text("label") or str(number), entry.text("type")
            yield head(f"<task id={attribute(f'{kind}: {label}' if kind else label)}>\n", "environment")
            text = json.dumps(_shown(entry, chat.host.platform), indent="\t", ensure_ascii=False)
            origin = Origin("config", path=path, range=document.range(entry), name=label)
            yield Segment("environment", f"task {label}", text, origin, WHY)
            yield tail("\n</task>\n", "environment")
        yield tail("\n</workspaceFolder>\n", "environment")
        opening = ""


def has_tasks(chat: Chat) -> bool:
    """Whether a folder has tasks, for which there is a tool then."""
    aside = chat.aside()
    return any(_visible(_read(aside, _path(folder))) for folder in chat.workspace.folders)


def _path(folder: Folder) -> str:
    return join(folder.path, ".vscode", "tasks.json")


def _visible(document: Document | None) -> list[Value]:
    entries = document.root.get("tasks") if document is not None and document.root is not None else None
    return [each for each in (entries.items if entries is not None else ()) if _is_visible(each)]


def _read(chat: Chat, path: str) -> Document | None:
    contents = chat.host.read(path)
    if contents.state != "file":
        return None
    document = parse_json(decode(contents.data, keep_bom=False), comments=True)
    fault = document.fault("config-invalid")
    faults = (with_consequence(fault, CONSEQUENCE),) if fault is not None else ()
    rule = Rule(WHY, Origin("computed", name=WHY), "config")
    chat.draft.candidates.append(rule.failed(path, faults=faults) if faults else rule.loaded(path))
    return None if faults else document


def _is_visible(entry: Value) -> bool:
    hide = entry.get("hide")
    return bool(entry.get("type") or entry.get("dependsOn")) and (hide is None or hide.kind != "true")


def _shown(entry: Value, platform: str) -> Json:
    """A task without what is left out, and with what it says for this platform."""
    found = {str(key.data): _json(value) for key, value in entry.members if key.data not in LEFT_OUT}
    own = entry.get(PLATFORMS.get(platform, "linux"))
    return {**found, **{str(key.data): _json(value) for key, value in own.members}} if own is not None else found


def _json(value: Value) -> Json:
    if value.kind == "object":
        return {str(key.data): _json(each) for key, each in value.members}
    if value.kind == "array":
        return [_json(each) for each in value.items]
    if value.kind == "number" and isinstance(value.data, float) and value.data.is_integer():
        return int(value.data)
    return {"true": True, "false": False, "null": None}.get(value.kind, value.data)
