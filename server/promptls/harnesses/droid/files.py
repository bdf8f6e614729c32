"""Which guidelines and design files Droid takes: at start, and with what a tool reads.

[source] is the JavaScript in the program of that version.
"""

from __future__ import annotations

from promptls.core.text import units
from promptls.core.values import dataclass, field, replace
from promptls.kit.budget import Budget
from promptls.kit.candidates import own
from promptls.kit.chain import Chain, Reading
from promptls.kit.javascript import head as first
from promptls.kit.javascript import trim_end
from promptls.kit.paths import first_above, is_below, is_link, join, name, native, parent, resolve, upwards
from promptls.kit.segments import head, tail
from promptls.kit.tool_calls import given

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Call, Segment
    from promptls.harnesses.droid.versions import Facts
    from promptls.kit.chain import FileText
    from promptls.kit.writer import Writer

PLACES = (".factory", ".agents", ".agent")
CLAUDE, AGENTS = ("CLAUDE.md", "Claude.md"), ("AGENTS.md", "Agents.md", "agents.md")
DESIGN = ("DESIGN.md", "Design.md", "design.md")
# Tools that bring files, each with how its input names a place (captured: nested-read-tools).
LOOKING = {
    "Read": ("file_path", "path"),
    "LS": ("directory_path", "path"),
    "Grep": ("path",),
    "Glob": ("folder", "path"),
}
SEARCHING = ("Grep", "Glob")
LINK = "{} is a link, and no link is followed"


def _to_the_end(text: str) -> Iterator[tuple[int, int]]:
    """The text without white space after it [source: trimEnd]."""
    if kept := trim_end(text):
        yield 0, len(kept)


# Sent with their marks, line ends and replaced bytes (wire: encodings); blank ones as an empty block, and links never
# (wire: empty-file, symlinks).
READING = Reading(parts=_to_the_end, sends_empty=True, follows_links=False)
WHY = (
    "Droid loads CLAUDE.md and AGENTS.md of each directory from the working directory up to the git root, of its "
    ".factory, .agents and .agent, and of those in the home directory"
)
# One of each family, which is of names that differ in case (wire: root-names, rnd-101).
GUIDELINES = Chain((CLAUDE, AGENTS), WHY, reading=READING)
DESIGNS = Chain((DESIGN,), "Droid loads DESIGN.md of the directories in which it looks for AGENTS.md", reading=READING)
# Each name for itself [source: checkDirForGuidelines].
NESTED = Chain(
    (*CLAUDE, *AGENTS),
    "reading a file adds CLAUDE.md and AGENTS.md of the directories on the way to it",
    reading=replace(READING, sends_empty=True),
)


@dataclass(slots=True)
class Search:
    """What every part of the search needs.

    ``home`` is where Droid looks for what is the user's; ``sent`` are the files whose whole text is in the prompt,
    links followed.
    """

    writer: Writer
    facts: Facts
    home: str
    sent: set[str] = field(default_factory=set)

    @property
    def host(self) -> Host:
        """What is seen of the disk."""
        return self.writer.host

    @property
    def root(self) -> str | None:
        """The nearest directory that has a .git of any kind (wire: no-git, nested-git, beyond-git-root)."""
        return first_above(self.host, self.writer.cwd, ".git")

    def own_places(self) -> list[str]:
        """Those in the home directory."""
        return [join(self.home, each) for each in PLACES]

    def directories(self) -> list[str]:
        """Where guidelines are looked for, the working directory first; never in the home directory itself.

        (wire: chain-root-to-cwd; captured: below-home, home-is-cwd)
        """
        personal = self.own_places()
        found: list[str] = []
        for each in upwards(self.writer.cwd, self.root or self.writer.cwd):
            found += [] if each == self.home else [each]
            found += [path for path in (join(each, place) for place in PLACES) if path not in personal]
        return list(dict.fromkeys((*found, *personal)))

    def find(self, chain: Chain, directories: list[str], at: str = "start") -> list[FileText]:
        """The files of a chain; none of a directory that is a link, which is said of each (wire: symlinks)."""
        found: list[FileText] = []
        for each in directories:
            if not is_link(self.host, each):
                found += self.writer.find(chain, [each], at)
                continue
            for path in (join(each, base) for base in chain.every_name):
                if self.host.kind(path) == "file":
                    rule = own(chain.why, at=at)
                    says = LINK.format(each)
                    self.writer.draft.candidates.append(rule.excluded(path, says, state="link"))
        return found


# -- at start ----------------------------------------------------------------------------------------------------------


def at_start(search: Search) -> list[Segment]:
    """The files of the project and then the user's, guidelines before design files (wire: root-names)."""
    directories = search.directories()
    kinds = (
        (GUIDELINES, "coding_guidelines", "guidelines"),
        (DESIGNS, "design_guidelines", "design files"),
    )
    blocks: dict[bool, list[list[Segment]]] = {False: [], True: []}
    personal = search.own_places()
    for chain, tag, what in kinds:
        files = search.find(chain, directories)
        shown = within_budget(search, files, tag, what)
        for is_own in (False, True):
            of_kind = [each for file, each in shown if (file.directory in personal) is is_own]
            if of_kind:
                joined = [
                    part for number, each in enumerate(of_kind) for part in ([tail("\n\n")] if number else []) + each
                ]
                blocks[is_own].append([*joined, tail("\n")])
    project, own_files = blocks[False], blocks[True]
    if not project and not own_files:
        return [tail("\n\n\n")]
    intro = head(
        "\n# Codebase and user instructions are shown below. Instructions from files closest to your current directory "
        "take precedence over those further up the hierarchy.\n"
    )
    return [
        intro,
        *([head("## Project Instructions:\n")] if project else []),
        *(part for each in project for part in each),
        tail("\n"),
        *([head("## Personal Global Instructions:\n")] if own_files else []),
        *(part for each in own_files for part in each),
        tail("\n"),
    ]


def within_budget(search: Search, files: list[FileText], tag: str, what: str) -> list[tuple[FileText, list[Segment]]]:
    """Each file in its frame, as far as the budget goes; the file that crosses it is cut, and all after it are dropped.

    Frames count, and white space after a text does not (wire: large-two, large-nested-root) [source].
    """
    facts, writer = search.facts, search.writer
    limit = f"Droid sends {facts.budget} characters of {what}, those of the working directory first"
    budget = Budget(facts.budget, "characters", limit, None)
    found: list[tuple[FileText, list[Segment]]] = []
    opening, closing = f"<{tag}>\n", f"\n</{tag}>"
    is_over = False
    for file in files:
        label = head(f"% cat {_shown_path(search, file)}\n{opening}", path=file.path)
        size = units(file.text) + len(opening) + len(closing)
        rule = own(GUIDELINES.why if tag.startswith("coding") else DESIGNS.why)
        if not is_over and size <= budget.left:
            budget.spend(size)
            found.append((file, [label, *file.segments, tail(closing)]))
            search.sent.add(search.host.realpath(file.path))
            continue
        kept = budget.left - facts.mark if not is_over and budget.left > facts.least else 0
        is_over = True
        end = len(trim_end(file.text[: first(file.text, kept)]))
        cut = budget.cut(end, len(file.text)) if file.text else None
        outcome = rule.cut if end else rule.dropped
        rest = writer.change(file, file.first(end, cut, outcome(file.path, budget.limit, cut=cut)))
        if end:
            mark = f"\n... [truncated - guidelines exceed {facts.budget} character limit]"
            found.append((rest, [label, *rest.segments, tail(mark + closing)]))
    return found


def _shown_path(search: Search, file: FileText) -> str:
    """Of the user's files, the last two names [source]; they are the same wherever the home directory is moved.

    (wire: home-override)
    """
    if file.directory in search.own_places():
        return f"~/{name(file.directory)}/{name(file.path)}"
    return native(file.path)


# -- with a read -------------------------------------------------------------------------------------------------------


def touched(search: Search, call: Call) -> str | None:
    """The directory that a call looks into (captured: nested-read-tools) [source: touchedDirs]."""
    host, cwd = search.host, search.writer.cwd
    if call.read is not None:
        return parent(call.read) if host.kind(call.read) == "file" else None
    if call.tool not in LOOKING:
        return None
    values = given(call)
    named = next((str(values[key]) for key in LOOKING[call.tool] if values.get(key)), None)
    if named is None:
        return cwd if call.tool in SEARCHING else None
    path = resolve(cwd, named)
    kind = host.kind(path)
    if kind == "file":
        return None if call.tool == "LS" else parent(path)
    return path if kind == "directory" else None


def on_the_way(search: Search, target: str) -> list[str]:
    """The directories whose files come with a look into ``target``, outermost first.

    (wire: nested-read-outside) [source]
    """
    host = search.host
    home = host.home
    if any(is_below(target, join(home, place)) for place in PLACES):
        return []
    top, has_top = search.root or search.writer.cwd, False
    if not is_below(target, top):
        root = first_above(host, target, ".git")
        if root is not None and not is_below(home, root):
            top, has_top = root, True
        elif is_below(target, home):
            top = home
        else:
            return []
    return [each for each in upwards(target, top) if has_top or each != top][::-1]


def brought(search: Search, call: Call) -> list[FileText]:
    """The files that come with a call that reads or searches, each once; one that has no room is left out.

    (wire: nested-read, nested-read-large, nested-symlink-dir) A link is not followed, and takes the file that it leads
    to with it if that has a later name in the same directory [source: checkDirForGuidelines].
    """
    target = touched(search, call)
    if target is None:
        return []
    found: list[FileText] = []
    limit = f"Droid adds {search.facts.budget_of_call} characters of guidelines to one read"
    budget = Budget(search.facts.budget_of_call, "characters", limit, None)
    for each in on_the_way(search, target):
        for file in search.find(NESTED, [each, *(join(each, place) for place in PLACES)], call.at):
            real = search.host.realpath(file.path)
            size = units(search.host.read(file.path).data.decode("utf-8", "replace"))
            link = next((each for each in _earlier(file.path) if search.host.realpath(each) == real), None)
            if real in search.sent:
                search.writer.draft.candidates.remove(file.candidate)
            elif link is not None:
                says = f"{name(link)} is a link to it and comes first; Droid follows no link, and then takes neither"
                gone = own(NESTED.why, at=call.at).excluded(file.path, says, other=link, state="link")
                search.writer.change(file, replace(file, candidate=gone))
            elif size > budget.left:
                says = f"{limit}, and without a word leaves out a file that has no room"
                gone = own(NESTED.why, at=call.at).dropped(file.path, says, cut=budget.cut(0, size))
                search.writer.change(file, replace(file, candidate=gone))
            else:
                budget.spend(size)
                search.sent.add(real)
                found.append(file)
    return found


def _earlier(path: str) -> list[str]:
    """The names beside a file that come before its own."""
    names = (*CLAUDE, *AGENTS)
    return [join(parent(path), each) for each in names[: names.index(name(path))]]
