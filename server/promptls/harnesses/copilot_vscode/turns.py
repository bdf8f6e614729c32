"""What the user sends: attachments, the open editor, the prompt, and what the calls of the model add.

(parts: applyto-forms-attached, read-tool)
"""

from __future__ import annotations

import json
import re

from promptls.core.lazy import regex
from promptls.core.model import COMPUTED, Elided, Origin, Segment
from promptls.core.paths import native
from promptls.core.text import decode, lines_of
from promptls.core.values import dataclass
from promptls.harnesses.copilot_vscode.languages import language, path_comment
from promptls.harnesses.copilot_vscode.parts import PROGRAM, attribute
from promptls.harnesses.copilot_vscode.settings import EDITOR_CONTEXT
from promptls.harnesses.copilot_vscode.tree import tree
from promptls.kit.candidates import Rule
from promptls.kit.javascript import trimmed
from promptls.kit.paths import name, resolve
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import OpenFile, Range, Turn
    from promptls.harnesses.copilot_vscode.parts import Chat

WHY_ATTACHED = "the user attached it"
WHY_SELECTED = "something is selected in the open editor"
WHY_OPEN = f"{PROGRAM} names the open file"
WHY_CALLED = "the prompt calls it by its name"
WHY_TYPED = "the user typed it"
WHY_READ = "a tool read it"
READ = "read_file"
_COMMAND = regex(r"/([\w\-.:]+)(?=\s|\Z)")
_FENCE = regex(r"^\s*(```+)", re.MULTILINE)
_FRONT = regex(r"---[ \t\r\n]")
_FRONT_END = regex(r"[\r\n]---\s*")


@dataclass(frozen=True, slots=True)
class Called:
    """A prompt file or skill that a prompt calls."""

    path: str
    arguments: str


def called(prompt: str | None, commands: dict[str, str]) -> Called | None:
    """What ``/name`` at the beginning of a prompt calls; ``commands`` are files by name."""
    found = _COMMAND.match(prompt or "")
    if prompt is None or found is None or found[1] not in commands:
        return None
    return Called(commands[found[1]], prompt[found.end() :].strip())


def counted(turn: Turn) -> list[str]:
    """The files that patterns are matched with: what is attached, and the active editor if something is selected.

    (parts: applyto-open-editor, applyto-open-editor-selection)
    """
    active = active_editor(turn)
    selected = [active.path] if active is not None and _is_selected(active.selection) else []
    return [*turn.attached, *selected]


def active_editor(turn: Turn) -> OpenFile | None:
    """The editor that has the focus: the last of those that are open."""
    return turn.open[-1] if turn.open else None


def _is_selected(selection: Range | None) -> bool:
    return selection is not None and (
        (selection.start_line, selection.start_character) != (selection.end_line, selection.end_character)
    )


def attachments(chat: Chat, turn: Turn, *, is_agent: bool = True) -> Iterator[Segment]:
    """The attached files and folders in their tags, then the selection with its file.

    (parts: mode-ask-attach) Outside of agent mode the order is the reverse, and paths are comments.
    """
    parts = [list(_attached(chat, path, is_agent=is_agent)) for path in turn.attached]
    selected = list(_selected(chat, turn, is_agent=is_agent))
    ordered = [*parts, selected] if is_agent else [selected, *reversed(parts)]
    if any(ordered):
        yield head("<attachments>\n")
        for each in ordered:
            yield from each
        yield tail("\n</attachments>\n")


def _attached(chat: Chat, path: str, *, is_agent: bool) -> Iterator[Segment]:
    shown = attribute(name(path))
    if chat.host.kind(path) == "directory":
        entries = tree(chat.host, path, chat.facts.tree_limit, dot=True)
        yield head(f"<attachment id={shown} folderPath={attribute(native(path))}>\n", "runtime", path=path)
        text = f"The user attached the folder `{native(path)}` which has the following structure: ```\n{entries}\n```"
        yield Segment("runtime", path, text, Origin("computed", path=path), WHY_ATTACHED)
        yield tail("\n</attachment>\n", "runtime")
    elif is_agent:
        opening = f"<attachment id={shown} filePath={attribute(native(path))}>\n"
        yield from _file(chat, path, opening, "\n</attachment>\n", WHY_ATTACHED)
    else:
        opening = f"<attachment id={shown}>\n{path_comment(path)}"
        yield from _file(chat, path, opening, "\n</attachment>\n", WHY_ATTACHED)


def code(chat: Chat, path: str) -> Iterator[Segment]:
    """A file as code in a fence, under a comment with its path (parts: mode-edit)."""
    contents = chat.host.read(path)
    fence = _fence(decode(contents.data, keep_bom=False))
    yield from _file(chat, path, f"{fence}{language(path)}\n{path_comment(path)}", f"\n{fence}", WHY_ATTACHED)


def _fence(text: str) -> str:
    """A fence that is longer than any in ``text``."""
    return "`" * max([3, *(len(each[1]) + 1 for each in _FENCE.finditer(text))])


def _file(chat: Chat, path: str, opening: str, closing: str, why: str) -> Iterator[Segment]:
    """The whole text of a file without white space around it; nothing where it cannot be read."""
    contents = chat.host.read(path)
    if contents.state != "file":
        rule = Rule(why, Origin("argument", name=path), "prompt")
        chat.draft.candidates.append(rule.unread(path, contents.state))
        return
    text = decode(contents.data, keep_bom=False)
    start, end = trimmed(text)
    yield head(opening, "runtime", path=path)
    yield Segment("runtime", path, text[start:end], _stretch(path, text, start, end), why)
    yield tail(closing, "runtime")


def _stretch(path: str, text: str, start: int, end: int) -> Origin:
    return Origin("file", path=path, range=lines_of(text).range(start, end))


def _selected(chat: Chat, turn: Turn, *, is_agent: bool) -> Iterator[Segment]:
    """What is selected in the active editor, and the whole of its file (parts: applyto-open-editor-selection)."""
    editor = active_editor(turn)
    if editor is None or editor.selection is None or not _is_selected(editor.selection):
        return
    path, selection = editor.path, editor.selection
    contents = chat.host.read(path)
    if contents.state != "file":
        return
    text = decode(contents.data, keep_bom=False)
    index = lines_of(text)
    start = index.offset(selection.start_line, selection.start_character)
    end = index.offset(selection.end_line, selection.end_character)
    first, last = trimmed(text[:end], start)
    fence = _fence(text[start:end])
    comment = "" if is_agent else path_comment(path)
    yield head(
        f"<attachment id={attribute(f'file:{name(path)}')}>\nUser's active selection:\nExcerpt from {name(path)}, "
        f"lines {selection.start_line + 1} to {selection.end_line + 1}:\n{fence}{language(path)}\n{comment}",
        path=path,
    )
    yield Segment("runtime", path, text[first:last], _stretch(path, text, first, last), WHY_SELECTED)
    yield tail(f"\n{fence}\n</attachment>\n")
    if not (start == 0 and end == len(text)):
        tag = f"<attachment filePath={attribute(native(path))}>" if is_agent else "<attachment>"
        opening = f"{tag}\nUser's active file for additional context:\n{comment}"
        yield from _file(chat, path, opening, "\n</attachment>\n", WHY_SELECTED)


def editor_context(chat: Chat, turn: Turn) -> Iterator[Segment]:
    """The path of the active editor, which is sent also where its text is not (parts: applyto-open-editor)."""
    editor = active_editor(turn)
    if editor is None or not chat.settings.is_on(EDITOR_CONTEXT):
        return
    lines = editor.selection
    selected = (
        f"The current selection is from line {lines.start_line + 1} to line {lines.end_line + 1}."
        if lines is not None and _is_selected(lines)
        else ""
    )
    yield head("<editorContext>\n", "runtime")
    text = f"The user's current file is {native(editor.path)}. {selected}"
    yield Segment("runtime", "open editor", text, Origin("computed", path=editor.path), WHY_OPEN)
    yield tail("\n</editorContext>\n", "runtime")


def request(chat: Chat, prompt: str | None, call: Called | None, *, tag: str) -> Iterator[Segment]:
    """What was typed; the file that it calls comes before it (parts: prompt-file, skill-called)."""
    yield head(f"<{tag}>\n", "runtime")
    if call is not None:
        yield from _called(chat, call)
        arguments = f" with these arguments: {call.arguments}" if call.arguments else ""
        text = f"Follow instructions in #prompt:{name(call.path)}{arguments}"
        yield Segment("runtime", "prompt", text, COMPUTED, WHY_TYPED, cache="turn")
    elif prompt is None:
        text = "⟪what the user types⟫"
        yield Segment("runtime", "prompt", text, COMPUTED, WHY_TYPED, cache="turn", elided=Elided("prompt"))
    else:
        yield Segment("runtime", "prompt", prompt, COMPUTED, WHY_TYPED, cache="turn")
    yield tail(f"\n</{tag}>", "runtime")


def _called(chat: Chat, call: Called) -> Iterator[Segment]:
    """The text of a prompt file or skill behind its front matter, of which two dashes remain."""
    contents = chat.host.read(call.path)
    rule = Rule(WHY_CALLED, Origin("argument", name=f"/{name(call.path)}"), "command")
    if contents.state != "file":
        chat.draft.candidates.append(rule.unread(call.path, contents.state))
        return
    chat.draft.candidates.append(rule.read(call.path, contents))
    text = decode(contents.data, keep_bom=False)
    start = 0
    if _FRONT.match(text):
        closing = _FRONT_END.search(text, 3)
        start = closing.end() - 3 if closing else 0
    opening = f"<attachment id={attribute(f'prompt:{name(call.path)}')} filePath={attribute(native(call.path))}>\n"
    yield head(f"{opening}Prompt instructions file:\n", path=call.path)
    yield Segment("instructions", call.path, text[start:], _stretch(call.path, text, start, len(text)), WHY_CALLED)
    yield tail("\n</attachment>\n")


# -- what tools add ----------------------------------------------------------------------------------------------


def result(chat: Chat, tool: str, arguments: str, *, is_followed: bool) -> list[Segment]:
    """What a call of a tool adds: the text of a file that is read, else a placeholder (parts: read-tool).

    ``is_followed``: something comes after it in the message (parts: hooks).
    """
    read = _read(chat, arguments, is_followed=is_followed) if tool == READ else None
    if read is not None:
        return read
    title = f"result of {tool}"
    return [Segment("runtime", title, f"⟪{title}⟫", COMPUTED, WHY_READ, cache="turn", elided=Elided(title))]


def _read(chat: Chat, arguments: str, *, is_followed: bool) -> list[Segment] | None:
    given = json.loads(arguments)
    path = given.get("filePath")
    if not isinstance(path, str):
        return None
    path = resolve(chat.draft.session.cwd, path)
    contents = chat.host.read(path)
    if contents.state != "file":
        return None
    text = decode(contents.data, keep_bom=False)
    lines = text.split("\n")
    first, last = _number(given.get("startLine"), 1), _number(given.get("endLine"), len(lines))
    index = lines_of(text)
    start, end = index.offset(first - 1, 0), index.offset(last, 0) if last < len(lines) else len(text)
    # The break behind the last of some lines is left out; that of the file is the end of the message.
    if last < len(lines) or not is_followed:
        end = max(start, start + len(text[start:end].rstrip("\r\n")))
    return [Segment("runtime", path, text[start:end], _stretch(path, text, start, end), WHY_READ, cache="turn")]


def _number(value: object, default: int) -> int:
    return max(1, value) if isinstance(value, int) else default
