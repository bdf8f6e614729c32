"""Which instruction files Kimi Code sends, and which it only names when something near them is read.

[source] is the package of that version.
"""

from __future__ import annotations

from promptls.core.values import dataclass, field, replace
from promptls.harnesses.kimi_code.touched import touched
from promptls.kit.candidates import own
from promptls.kit.chain import Chain, Frame, Reading, from_git_root
from promptls.kit.javascript import trimmed
from promptls.kit.paths import first_above, join, name, native, upwards
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Call, Segment
    from promptls.kit.chain import FileText
    from promptls.kit.writer import Writer

OWN, AGENTS = ".kimi-code/AGENTS.md", ("AGENTS.md", "agents.md")
NAMED = "the model is told its path, and gets its text only if it reads it"


def _trimmed(text: str) -> Iterator[tuple[int, int]]:
    """The text without white space around it [source: trim]."""
    start, end = trimmed(text)
    if end > start:
        yield start, end


# Bytes that are no UTF-8 are removed (wire: encodings, utf16); links are followed (wire: symlinks).
READING = Reading(keeps_bom=False, parts=_trimmed, empty="it is blank", not_utf_8="removed")
# The first that has text (wire: empty-file).
PROJECT = Chain(
    (OWN, AGENTS),
    f"Kimi Code loads {OWN}, then {AGENTS[0]}, else {AGENTS[1]}, of each directory from the git root down to the "
    "working directory",
    where=from_git_root,
    reading=READING,
    takes_first="text",
)
USER = Chain(("AGENTS.md",), "Kimi Code loads AGENTS.md of its own directory for all folders", reading=READING)
SHARED = Chain(
    (AGENTS,),
    "Kimi Code loads AGENTS.md, else agents.md, of ~/.agents for all folders",
    reading=READING,
    takes_first="text",
)
# It is there also without any file, and a fence in a file ends it (wire: skills-places; captured: imports).
FENCE = "```````"
FRAME = Frame(label="<!-- From: {path} -->\n", between="\n\n")
WHY_NAMED = "Kimi Code names the instruction files on the way to what a tool reads, each once"
OPENING = (
    "<system-reminder>\nThe following AGENTS.md file(s) apply to paths accessed by your recent tool call, but were not "
    "included in your system prompt:\n"
)
CLOSING = "Read them before making changes in those directories.\n</system-reminder>"


def at_start(writer: Writer, home: str) -> list[FileText]:
    """The user's files, then those of the project, root first; each path once.

    (wire: root-names, chain-root-to-cwd, kimi-home-env, below-home)
    """
    found = [*writer.find(USER, [home]), *writer.find(SHARED, [join(writer.host.home, ".agents")])]
    known = {each.path for each in found}
    for file in writer.find(PROJECT):
        if file.path in known:
            again = own(PROJECT.why).duplicate(file.path, "it is loaded for all folders", of=file.path)
            writer.change(file, replace(file, candidate=again))
        else:
            found.append(file)
    return found


@dataclass(slots=True)
class Named:
    """The files that reads have named: ``known`` are those of the system message."""

    writer: Writer
    known: set[str]
    told: set[str] = field(default_factory=set)

    def message(self, step: tuple[Call, ...]) -> list[Segment]:
        """What is said after the results of a step.

        (wire: nested-outside, nested-empty, nested-read-itself, nested-tools)
        """
        host = self.writer.host
        paths: list[str] = []
        for call in step:
            for directory, file in touched(self.writer, call):
                itself = file if file is not None and name(file) in AGENTS and host.kind(file) == "file" else None
                for path in self._near(directory):
                    if path not in {*self.known, *self.told, *paths} and path != itself:
                        rule = own(WHY_NAMED, at=call.at)
                        self.writer.draft.candidates.append(rule.excluded(path, NAMED, state="named"))
                        paths.append(path)
        self.told.update(paths)
        lines = (tail(f"- {native(path)}\n") for path in paths)
        return [head(OPENING), *lines, tail(CLOSING)] if paths else []

    def _near(self, directory: str) -> Iterator[str]:
        """The files of the chain from the git root of a directory down to it; outside of one, only its own."""
        host = self.writer.host
        # What is not there is looked for in the nearest directory above that is.
        start = next((each for each in upwards(directory) if host.kind(each) == "directory"), "/")
        top = first_above(host, start, ".git") or start
        for place in [*upwards(start, top)][::-1]:
            for file in PROJECT.look(host, place):
                if file.is_sent:
                    yield file.path
