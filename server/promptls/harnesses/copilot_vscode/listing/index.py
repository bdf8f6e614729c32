"""The lists before the instruction files: instructions files, skills and agents (parts: all-kinds-at-root)."""

from __future__ import annotations

from promptls.core.model import Origin, Segment
from promptls.core.paths import native
from promptls.harnesses.copilot_vscode.files.instructions import pattern_of
from promptls.harnesses.copilot_vscode.listing import agents, skills
from promptls.harnesses.copilot_vscode.parts import PROGRAM, escaped, own_text, scalar
from promptls.harnesses.copilot_vscode.settings import USE_NESTED
from promptls.kit.candidates import Rule
from promptls.kit.paths import join, parent
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.harnesses.copilot_vscode.listing.agents import Agent
    from promptls.harnesses.copilot_vscode.modes import Mode
    from promptls.harnesses.copilot_vscode.parts import Chat

WHY_ROW = f"{PROGRAM} lists every instructions file, for the model to read with a tool"
WHY_NESTED = f"{PROGRAM} lists AGENTS.md of every directory while {USE_NESTED} is on"
# The tools without which there is no list of files, and none of agents (parts: agent-without-read).
READING = ("read_file", "run_in_terminal")
SUBAGENT = "runSubagent"
# The directories that a search of the workspace leaves out by default (files.exclude, search.exclude).
NOT_SEARCHED = frozenset((".git", ".svn", ".hg", ".DS_Store", "node_modules", "bower_components"))


def index(chat: Chat, files: list[str], custom: list[Agent], mode: Mode) -> list[Segment]:
    """The lists that the tools of the mode allow; [] where they are all empty."""
    tools, used = mode.offered, mode.agent
    parts: list[Segment] = []
    if not tools.isdisjoint(READING):
        reader = next(each for each in READING if each in tools)
        parts += [*_files(chat, files, reader), *skills.rows(chat, skills.found(chat), reader)]
    else:
        for skill in skills.found(chat):
            reason = "the agent of the session has no tool to read it with"
            chat.draft.candidates.append(skill.rule.unscoped(skill.path, reason))
    if SUBAGENT in tools:
        parts += agents.rows(chat, custom, used)
    else:
        why = "the agent of the session has no tool to run sub-agents with"
        rule = Rule(why, Origin("computed", name=why), "agent")
        chat.draft.candidates += [rule.unscoped(each.path) for each in custom if each is not used]
    return _with_one_line_less(parts)


def _with_one_line_less(parts: list[Segment]) -> list[Segment]:
    """Between the lists there are two blank lines, after the last one there is one."""
    return [*parts[:-1], tail(parts[-1].text.removesuffix("\n"))] if parts else []


def _files(chat: Chat, files: list[str], reader: str) -> Iterator[Segment]:
    rows = [*(_row(chat, path) for path in files), *_nested(chat)]
    if rows:
        yield head("<instructions>\n")
        yield own_text(
            "paragraph before the list of instructions files", chat.facts.instructions_preamble + len(reader)
        )
        yield tail("\n")
        yield from rows
        yield tail("</instructions>\n\n\n")


def _row(chat: Chat, path: str) -> Segment:
    matter = chat.head(path)
    description = escaped(scalar(matter, "description")) if matter is not None else ""
    pattern = escaped(pattern_of(matter, path)) if matter is not None else ""
    return _listed(path, description, pattern, WHY_ROW)


def _listed(path: str, description: str, pattern: str, why: str) -> Segment:
    text = "".join(
        (
            f"<instruction>\n<file>{native(path)}</file>\n",
            f"<description>{description}</description>\n" if description else "",
            f"<applyTo>{pattern}</applyTo>\n" if pattern else "",
            "</instruction>\n",
        )
    )
    return Segment("instructions", f"row for {path}", text, Origin("computed", name=path), why)


def _nested(chat: Chat) -> Iterator[Segment]:
    """A row for AGENTS.md of each directory of the workspace, in the order that was captured (parts: nested-on).

    The program searches in parallel, so that its order may differ from run to run.
    """
    if not (chat.settings.is_on(USE_NESTED) and chat.settings.is_on("chat.useAgentsMdFile")):
        return
    origin = chat.settings.origin(USE_NESTED)
    for folder in chat.workspace.folders:
        for path in sorted(_search(chat, folder.path), reverse=True):
            place = parent(path)[len(folder.path) :].lstrip("/")
            if place and len(chat.workspace.folders) > 1:
                place = f"{folder.name} • {place}"
            if place:
                chat.draft.candidates.append(Rule(WHY_NESTED, origin).unscoped(path))
            says = f"Instructions for folder '{place}'" if place else "Instructions for the workspace"
            yield _listed(path, escaped(says), "", WHY_NESTED)


def _search(chat: Chat, directory: str) -> Iterator[str]:
    """AGENTS.md in any spelling at or below a directory."""
    entries = chat.host.entries(directory)
    chat.draft.steps.spend(entries)
    for entry in entries:
        path = join(directory, entry.name)
        if entry.is_directory and entry.name not in NOT_SEARCHED and not chat.draft.steps.is_spent:
            yield from _search(chat, path)
        elif entry.name.lower() == "agents.md" and chat.host.kind(path) == "file":
            yield path
