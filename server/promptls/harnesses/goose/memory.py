"""What Goose's memory extension keeps for all folders, and says at the start of a session.

[source] is the public source of about that version.
"""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.kit.candidates import own
from promptls.kit.chain import Reading, Stretches
from promptls.kit.paths import is_link, join
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Segment
    from promptls.harnesses.goose.files import Search
    from promptls.kit.chain import FileText

NAME = "memory"
ENDING = ".txt"
WHY = "the memory extension says what is kept for all folders, in any order"
WHY_LOCAL = "the memory extension sends what it keeps of a project only when its tool is called"
UNTAGGED = "untagged"
READING = Reading(layer="memory", not_utf_8="left out")
_LINE = regex(r"([^\n]*?)(?:\r?\n|\Z)")


def is_on(search: Search) -> bool:
    """Whether the extension is: by --with-builtin, or by a configuration (wire: memory-builtin) [source]."""
    command = search.writer.command
    if NAME in builtins(search):
        return True
    for _, document in search.documents if "--no-profile" not in command.switches else ():
        extensions = document.root.get("extensions") if document.root is not None else None
        memory = extensions.get(NAME) if extensions is not None else None
        enabled = memory.get("enabled") if memory is not None else None
        if enabled is not None:
            return enabled.kind == "true"
    return False


def builtins(search: Search) -> set[str]:
    """The extensions that --with-builtin names."""
    return {name for each in search.writer.command.values.get("--with-builtin", ()) for name in each.split(",")}


def memories(search: Search) -> list[Segment]:
    """Each file of the directory under its name; GOOSE_PATH_ROOT does not move it (wire: memory-builtin) [source]."""
    host, note = search.writer.host, search.writer.draft.candidates.append
    local = join(search.writer.cwd, ".goose", NAME)
    for each in sorted(entry.name for entry in host.entries(local)):
        note(own(WHY_LOCAL, use="prompt").excluded(join(local, each), "it belongs to the project"))
    place, rule, kept = join(search.user, NAME), own(WHY), dict.fromkeys(map(_category, _memory_files(search)))
    found = {each: READING.file(host, join(place, each + ENDING), rule) for each in kept}
    flawed = next((file.path for file in found.values() if file.candidate.state == "not-utf-8"), None)
    for file in found.values():
        is_lost = flawed is not None and file.path != flawed
        why = f"{flawed} is not UTF-8, so that nothing is said"
        note(rule.excluded(file.path, why, other=flawed) if is_lost else file.candidate)
    if flawed is not None or not found:
        return []
    listed = [part for category, file in found.items() for part in _listed(category, file)]
    return [tail("\n\nGlobal Memories:\n", "memory"), *listed]


def note_unsaid(search: Search) -> None:
    """Say what turns the extension on, of each file that it keeps."""
    for each in _memory_files(search):
        why = "it is off; --with-builtin memory turns it on, as does the configuration"
        search.writer.draft.candidates.append(own(WHY).disabled(join(search.user, NAME, each), why))


def _memory_files(search: Search) -> list[str]:
    host, place = search.writer.host, join(search.user, NAME)
    names = sorted(each.name for each in host.entries(place))
    return [each for each in names if host.kind(join(place, each)) == "file" and not is_link(host, join(place, each))]


def _category(name: str) -> str:
    return name.replace(ENDING, "")


def _listed(category: str, file: FileText) -> list[Segment]:
    stretches = Stretches(file.segments)
    parts = [head(f"\nCategory: {category}\n", "memory", path=file.path)]
    for start, end in (each for lines in _entries(file.text).values() for each in lines):
        parts += [tail("- ", "memory"), *stretches.between(start, end), tail("\n", "memory")]
    return parts


def _entries(text: str) -> dict[str, list[tuple[int, int]]]:
    """The lines of each entry by its tags, as offsets: of the same tags, the last one counts [source: retrieve]."""
    found: dict[str, list[tuple[int, int]]] = {}
    at = 0
    for entry in text.split("\n\n"):
        lines = [(at + each.start(1), at + each.end(1)) for each in _LINE.finditer(entry) if each[0]]
        if entry.startswith("#"):
            (start, end), *others = lines
            found[" ".join(text[start + 1 : end].split())] = others
        else:
            found.setdefault(UNTAGGED, []).extend(lines)
        at += len(entry) + 2
    return found
