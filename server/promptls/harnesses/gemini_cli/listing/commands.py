"""Gemini CLI's own commands: TOML files whose prompt replaces what is typed (surfaces, Commands)."""

from __future__ import annotations

from promptls.core.formats import parse_toml
from promptls.core.lazy import regex
from promptls.core.model import Origin, Segment
from promptls.core.values import dataclass
from promptls.harnesses.gemini_cli.files.places import DEFAULT_NAME
from promptls.harnesses.gemini_cli.turns.mentions import injected, spans
from promptls.kit.candidates import own
from promptls.kit.echo import WHY as WHY_KNOWN
from promptls.kit.echo import printed
from promptls.kit.named import text_at
from promptls.kit.paths import join
from promptls.kit.segments import elided

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.host import Host
    from promptls.harnesses.gemini_cli.files.places import Search
    from promptls.harnesses.gemini_cli.listing.extensions import Extension
    from promptls.harnesses.gemini_cli.turns.mentions import Reader

WHY = "the prompt calls this command, whose text replaces it"
ARGUMENTS, SHELL, FILE = "{{args}}", "!{", "@{"
ENDING, INIT = ".toml", "init"
# Limits of ours.
DEPTH, LONGEST_PART = 16, 50
_NO_NAME = regex(r"[^a-zA-Z0-9_\-.]")


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its prompt and where it is."""

    name: str
    prompt: str
    origin: Origin


def find(search: Search, extensions: Iterable[Extension]) -> dict[str, Command]:
    """Every command by name: the user's, the project's over them, then those of extensions that have a new name."""
    found: dict[str, Command] = {}
    for directory in dict.fromkeys((search.directory, join(search.cwd, ".gemini"))):
        for command in _look(search, join(directory, "commands")):
            found[command.name] = command
    for extension in extensions:
        if extension.is_on:
            for command in _look(search, join(extension.directory, "commands")):
                found.setdefault(command.name, command)
    return found


def _look(search: Search, directory: str) -> Iterator[Command]:
    rule = own("gemini-cli reads the TOML files in its command directories as commands", use="command")
    for path in _files(search.host, directory, DEPTH):
        text = text_at(search.host, path, rule, search.note, keep_bom=True, is_whole=True)
        if text is None:
            continue
        document = parse_toml(text)
        prompt = document.root.get("prompt") if document.root is not None and document.flaw is None else None
        if prompt is None or not isinstance(prompt.data, str) or not prompt.data:
            fault = document.fault("config-invalid")
            reason = "it is not valid TOML" if fault else "it has no prompt that is a text"
            search.note(rule.failed(path, f"{reason}, so it is left out", faults=(fault,) if fault else ()))
            continue
        search.note(rule.loaded(path))
        parts = path.removeprefix(f"{directory}/").removesuffix(ENDING).split("/")
        where = Origin("file", path=path, range=document.range(prompt))
        yield Command(":".join(map(_part, parts)), prompt.data, where)


def _part(name: str) -> str:
    safe = _NO_NAME.sub("_", name)
    return safe if len(safe) <= LONGEST_PART else f"{safe[: LONGEST_PART - 3]}..."


def _files(host: Host, directory: str, depth: int) -> Iterator[str]:
    for entry in sorted(host.entries(directory), key=lambda each: each.name):
        path = join(directory, entry.name)
        if entry.name.endswith(ENDING) and host.kind(path) == "file":
            yield path
        elif depth and host.kind(path) == "directory":
            yield from _files(host, path, depth - 1)


def called(commands: dict[str, Command], typed: str, reader: Reader) -> list[list[Segment]] | None:
    """The parts of the message where ``typed`` calls a command; None where it calls none.

    Files come first, then arguments and the shell; without ``{{args}}`` the whole line follows
    (parts: command-called, command-called-no-args). Between arguments there is one blank (source: commands.ts).
    """
    raw = typed.strip()
    if not raw.startswith("/"):
        return None
    name, _, arguments = " ".join(raw[1:].split()).partition(" ")
    command = commands.get(name)
    if command is None:
        return [_init(reader)] if name == INIT else None
    parts = [_expanded(part, arguments) for part in injected(command.prompt, command.origin, reader)]
    if ARGUMENTS not in command.prompt and arguments:
        parts[-1].append(Segment("runtime", "prompt", f"\n\n{raw}", Origin("argument"), "it has no place of its own"))
    return parts


def _init(reader: Reader) -> list[Segment]:
    """A text of the program's own; nothing is sent where there is a file already (seen by verify)."""
    path = join(reader.search.cwd, DEFAULT_NAME)
    if reader.host.kind(path) is not None:
        says = f"Gemini CLI sends nothing: it does not carry out /{INIT} where there is a {DEFAULT_NAME}."
        reader.search.draft.stop(says, Origin("file", path=path))
    return [elided("runtime", "gemini-cli", f"text of /{INIT}", why="the command is built in", size=reader.facts.init)]


def _expanded(part: Segment, arguments: str) -> list[Segment]:
    """A part with arguments put in; what a command of the shell prints is known of plain words only."""
    if part.elided is not None:
        return [part]
    found: list[Segment] = []
    at = 0
    for start, end in spans(part.text, SHELL):
        found.append(_segment(part, part.text[at:start], arguments))
        found.append(_output(part, part.text[start + len(SHELL) : end - 1].strip()))
        at = end
    found.append(_segment(part, part.text[at:], arguments))
    return found


def _output(part: Segment, command: str) -> Segment:
    """What a command prints, with the line on its end that gemini-cli adds (parts: command-called)."""
    title, said = f"output of {command}", printed(command)
    if said is not None:
        text = f"{said}[Shell command '{command}' terminated by signal 0]"
        return Segment("runtime", title, text, part.origin, WHY_KNOWN)
    why = "promptls runs nothing; gemini-cli puts in what this prints"
    return elided("runtime", "gemini-cli", title, why=why)


def _segment(part: Segment, text: str, arguments: str) -> Segment:
    return Segment("runtime", part.title, text.replace(ARGUMENTS, arguments), part.origin, WHY)
