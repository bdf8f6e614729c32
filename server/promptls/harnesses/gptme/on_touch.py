"""Agent files that come with a file that gptme reads or writes, in a system message after the tool's result.

What says "source" was read in the program's package and not seen on the wire. Sections are those of its specification.
"""

from __future__ import annotations

from promptls.core.formats import parse_toml
from promptls.core.text import decode
from promptls.core.values import replace
from promptls.harnesses.gptme.config import FILES
from promptls.harnesses.gptme.files import READING, TREE, above, embedded
from promptls.kit.candidates import Rule
from promptls.kit.paths import home_or, is_below, join, native, parent, relative, resolve, upwards
from promptls.kit.segments import head, tail
from promptls.kit.tool_calls import given

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Call, Segment
    from promptls.harnesses.gptme.files import Search
    from promptls.kit.chain import FileText

# The tools whose calls bring files, and what in their input is a path [source: hooks/tool_target_instructions.py].
TOOLS = ("save", "append", "patch", "morph", "read")
ONE, SEVERAL = ("path", "file", "directory", "cwd"), ("paths", "files")
WHY = "with a file that gptme reads or writes come the agent files on the way to it, the deepest first, each once"
TAG = "agent-instructions"
WHY_NOTE = "gptme says that it has loaded the file"
WHY_FOREIGN = "the folder is the workspace of another agent, and gptme says that it did not load its files"
SKIPPED_FILES = "reached per-event injection cap of {} files."
SKIPPED_BYTES = "would exceed per-event budget of {} bytes."
CHAIN = replace(TREE, why=WHY, reading=replace(READING, ends_if=(), not_utf_8="left out"))


def on_touch(search: Search, call: Call) -> list[Segment]:
    """The message that follows a call (wire: nested-read, nested-patch, nested-caps)."""
    paths, most = _touched(search, call), search.facts.brought_files
    if call.tool == "shell":
        # A change of directory has no limits, and begins at the top [source: hooks/agents_md_inject.py].
        files, most = [each for path in paths for each in _files(search, call, [path])], 0
    else:
        files = _files(search, call, paths)[::-1]
    parts: list[list[Segment]] = []
    sent: list[FileText] = []
    left, foreign = search.facts.brought_bytes, set[str]()
    for file in files:
        other = _foreign(search.host, file.path, search.cwd)
        words, size = " ".join(file.text.split()), len(file.text.encode())
        rule = Rule(WHY, file.candidate.origin, at=call.at)
        if other is not None:
            if other not in foreign:
                parts.append([search.writer.own(f"notice of {other}", why=WHY_FOREIGN, layer="runtime")])
            foreign.add(other)
            note = rule.excluded(file.path, f"{other} is the workspace of another agent")
        elif words in search.texts:
            search.known[search.host.realpath(file.path)] = file.path
            same = search.texts[words]
            note = rule.duplicate(file.path, f"its text is that of {same}, which was sent", of=same)
        elif most and len(sent) >= most:
            parts.append(_skipped(search, file, SKIPPED_FILES.format(most)))
            note = rule.dropped(file.path, f"gptme adds at most {most} files with one call of a tool")
        elif most and size > left:
            parts.append(_skipped(search, file, SKIPPED_BYTES.format(search.facts.brought_bytes)))
            note = rule.dropped(file.path, f"gptme adds at most {search.facts.brought_bytes} bytes with one call")
        else:
            search.known[search.host.realpath(file.path)] = file.path
            search.texts[words] = file.path
            left -= size
            sent.append(file)
            parts += [_whole(search, file), [search.writer.own("note of the file", why=WHY_NOTE, layer="runtime")]]
            continue
        search.writer.change(file, replace(file, candidate=note))
    joined = [each for number, part in enumerate(parts) for each in ([tail("\n\n")] if number else []) + part]
    return [*joined, *embedded(search, sent)]


def _touched(search: Search, call: Call) -> list[str]:
    """The directories of what a call names: that of a file, also of one that is not there yet."""
    if call.read is not None:
        return [parent(search.host.realpath(call.read))]
    values = given(call)
    if call.tool == "shell":
        first, _, there = str(values.get("command") or "").strip().partition(" ")
        return [_real(search, there)] if first == "cd" and there and " " not in there else []
    if call.tool not in TOOLS:
        return []
    named = [str(values[key]) for key in ONE if values.get(key)]
    for key in SEVERAL:
        lines = str(values.get(key) or "").replace(",", "\n").splitlines()
        named += [each.strip() for each in lines if each.strip()]
    real = [_real(search, each) for each in named]
    return list(dict.fromkeys(each if search.host.kind(each) == "directory" else parent(each) for each in real))


def _real(search: Search, written: str) -> str:
    return search.host.realpath(home_or(search.host.home, written) or resolve(search.cwd, written))


def _files(search: Search, call: Call, directories: list[str]) -> list[FileText]:
    """The agent files down to each directory that were not sent yet, from the top."""
    found: dict[str, FileText] = {}
    for directory in directories:
        for place in above(search.host, directory):
            for file in CHAIN.look(search.host, place, call.at):
                real = search.host.realpath(file.path)
                is_new = real not in search.known and real not in found
                if not is_new and search.host.kind(file.path) is not None:
                    continue
                search.writer.draft.candidates.append(file.candidate)
                if file.is_sent:
                    found[real] = file
    return list(found.values())


def _foreign(host: Host, path: str, cwd: str) -> str | None:
    """The workspace of another agent that a file is in (captured: nested-foreign) [source]; None if it is in none.

    It is the nearest directory above the file whose gptme.toml names an agent, unless gptme works in it.
    """
    home = host.realpath(host.home)
    for place in upwards(parent(path)):
        name = agent_of(host, place)
        if name:
            is_own = is_below(cwd, place) or name == agent_of(host, cwd)
            return None if is_own else place
        if place == home:
            break
    return None


def agent_of(host: Host, directory: str) -> str:
    """The agent whose workspace a directory is; "" if it is none."""
    for each in FILES:
        contents = host.read(join(directory, each))
        if contents.state == "file":
            root = parse_toml(decode(contents.data, keep_bom=True)).root
            agent = root.get("agent") if root is not None else None
            return (agent.text("name") if agent is not None else None) or ""
    return ""


def _shown(search: Search, path: str) -> str:
    """A path, from the home directory if it is below that [source]."""
    real, home = search.host.realpath(path), search.host.home
    return f"~/{native(relative(real, home), home)}" if is_below(real, home) else native(real)


def _whole(search: Search, file: FileText) -> list[Segment]:
    path = _shown(search, file.path)
    begin = f'<{TAG} source="{path}">\n# Agent Instructions ({path})\n\n'
    search.sent |= {search.host.realpath(file.path), file.path}
    return [head(begin, path=file.path), *file.segments, tail(f"\n</{TAG}>")]


def _skipped(search: Search, file: FileText, says: str) -> list[Segment]:
    tag = f"{TAG}-skipped"
    return [tail(f'<{tag} source="{_shown(search, file.path)}">\nSkipped: {says}\n</{tag}>')]
