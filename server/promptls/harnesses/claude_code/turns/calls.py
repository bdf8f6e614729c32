"""Calls of tools: what they say, the calls of the sub-agent that they start, and which files they touch (5).

Nested instruction files come with a file that is touched. Only the forms that were seen to add files count; of others
nothing is said.
"""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.kit.paths import resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from promptls.core.model import Call

# How the model asks ToolSearch for tools by name.
SELECT = "select:"


def input_of(call: Call) -> Mapping[str, object]:
    """The input of a call; empty where it is no JSON object."""
    if call.read is not None:
        return {"file_path": call.read}
    import json  # noqa: PLC0415 - few sessions call other tools

    try:
        given = json.loads(call.input)
    except (ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}


def text_of(given: Mapping[str, object], key: str) -> str:
    """A string of an input; "" where there is none."""
    value = given.get(key)
    return value if isinstance(value, str) else ""


def tool_of(call: Call) -> str:
    """The tool that is called."""
    return "Read" if call.read is not None else call.tool


def within(steps: Iterable[tuple[Call, ...]]) -> Iterator[Call]:
    """Every call of some steps in order, those of sub-agents too."""
    for step in steps:
        for call in step:
            yield call
            yield from within(call.steps or ())


# By tool: the input that names the file, and whether a call that failed counts.
FILE_TOOLS = {
    "Read": ("file_path", True),
    "Edit": ("file_path", False),
    "Write": ("file_path", False),
    "NotebookEdit": ("notebook_path", False),
}
# By command: how many words come before the files. Those in a pipe, after cd, or of ls do not count.
COMMANDS = {"cat": 0, "head": 0, "sed": 1, "grep": 1}
_NOT_PLAIN = regex(r"[|&<>$`()*?{}\n]")
_RECURSIVE = regex(r"-[A-Za-z]*[rR]|--recursive")


def touched(tool: str, given: Mapping[str, object], cwd: str, *, failed: bool = False) -> tuple[str, ...]:
    """The absolute paths of the files whose nested instruction files a call adds, in order.

    Reading a file that does not exist counts (wire: nested-trigger-read-missing); an edit that is refused, and a
    command that fails, do not. AGENTS.md below the working directory comes with the Read tool only.
    """
    if tool in FILE_TOOLS:
        key, also_failed = FILE_TOOLS[tool]
        path = given.get(key)
        return (resolve(cwd, path),) if isinstance(path, str) and path and (also_failed or not failed) else ()
    command = given.get("command")
    if tool != "Bash" or failed or not isinstance(command, str) or _NOT_PLAIN.search(command):
        return ()
    return tuple(resolve(cwd, path) for part in command.split(";") for path in _files(part))


def _files(command: str) -> Iterator[str]:
    """The files that one plain command names."""
    import shlex  # noqa: PLC0415 - few sessions have commands

    try:
        name, *words = shlex.split(command) or [""]
    except ValueError:
        return
    if name not in COMMANDS or (name == "grep" and any(map(_RECURSIVE.match, words))):
        return
    plain = [word for at, word in enumerate(words) if not word.startswith("-") and not _is_count(words, at)]
    yield from plain[COMMANDS[name] :]


def _is_count(words: list[str], at: int) -> bool:
    """Whether a word is the number that an option such as ``-n`` asks for."""
    return at > 0 and words[at].isdigit() and words[at - 1] in ("-n", "-c")
