"""Which files gptme takes: agent files of every directory, and the selected files of the working directory.

What says "source" was read in the program's package and not seen on the wire. Sections are those of its specification.
"""

from __future__ import annotations

from promptls.core.formats.patterns import name_matcher
from promptls.core.model import Cut, Origin
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.gptme.spec import SPEC
from promptls.kit.candidates import Rule, own
from promptls.kit.chain import Chain, Reading
from promptls.kit.globs import match
from promptls.kit.paths import home_or, is_absolute, is_below, name, native, parent, relative, resolve, upwards
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Segment
    from promptls.harnesses.gptme.config import Project
    from promptls.harnesses.gptme.versions import Facts
    from promptls.kit.chain import FileText
    from promptls.kit.configs import Setting
    from promptls.kit.writer import Writer

# All of them are sent, in this order (wire: home-names).
AGENTS = (*SPEC.nested[:4], ".github/copilot-instructions.md", *SPEC.nested[4:])
# Lines end with a line feed, all else stays, and a blank file is a blank block (wire: text-forms, empty). gptme reads
# each of them once more than it needs, and that ends it (section "Agent files").
READING = Reading(has_unix_lines=True, sends_empty=True, ends_if=("not UTF-8",), advice="Save it as UTF-8.")
USER = Chain(AGENTS, "gptme loads the agent files of its own directory for all folders", reading=READING)
WHY_TREE = (
    "gptme loads the agent files of each directory from the home directory, or else from below the root of the disk, "
    "down to the working directory"
)
TREE = Chain(AGENTS, WHY_TREE, reading=READING)
WHY_AGENT = "--agent-path names the folder, and gptme loads the agent files down to it"
# Sent without a configuration that names files (wire: context-files-flag, toml-files-empty) [source].
SELECTED = (
    *("README*", ".cursor/rules/*.mdc", "pyproject.toml", "package.json", "Cargo.toml", "Makefile"),
    *("docker-compose.yml", "docker-compose.yaml"),
)
WHY_SELECTED = "without files in gptme.toml, gptme sends README, rules of Cursor, and what describes a package"
WHY_NAMED = "gptme.toml names it in files"
WHY_USER = "config.toml of the user names it in files"
PLAIN = replace(READING, ends_if=(), not_utf_8="left out")
# What matches one pattern is sorted by this, then by path [source: prompts/workspace.py].
PRIORITY = (
    *("README.md", "README.rst", "README.txt", "README", "gptme.toml", "AGENTS.md", "CLAUDE.md", "COPILOT.md"),
    *("GEMINI.md", "pyproject.toml", "package.json", "Cargo.toml", "Makefile", "docker-compose.yml"),
    "docker-compose.yaml",
)
FENCE = "````"
CUT = "\n\n[Content truncated to {most:,} characters (file is {size:,} bytes)]"


@dataclass(slots=True)
class Search:
    """What every part of the search needs. ``config``: gptme's own directory; ``known``: real paths of agent files.

    ``texts``: the words of each agent file that was sent, with its path; ``sent``: the paths of all texts.
    """

    writer: Writer
    facts: Facts
    config: str
    known: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    sent: set[str] = field(default_factory=set)

    @property
    def host(self) -> Host:
        """The outside world."""
        return self.writer.host

    @property
    def cwd(self) -> str:
        """Where gptme works."""
        return self.writer.cwd


def above(host: Host, directory: str) -> list[str]:
    """The directories of agent files down to one (wire: chain, below-home, inner-repo): git is no boundary."""
    home = host.realpath(host.home)
    top = home if is_below(directory, home) else None
    return [each for each in upwards(directory, top) if each == home or parent(each) != each][::-1]


def agent_files(search: Search, directory: str) -> list[FileText]:
    """The user's agent files, then those down to a directory (wire: home-names, xdg, links)."""
    is_agents = directory != search.cwd
    chain = replace(TREE, why=WHY_AGENT, origin=Origin("argument", name="--agent-path")) if is_agents else TREE
    # Of one directory, two names of one file are sent twice; only what is the user's own is not sent again.
    users: dict[str, str] = {}
    found = [*_existing(search, USER, [search.config], users, is_own=True)]
    found += _existing(search, chain, above(search.host, directory), users)
    for file in found:
        search.known[search.host.realpath(file.path)] = file.path
        search.texts.setdefault(" ".join(file.text.split()), file.path)
    return found


def _existing(
    search: Search, chain: Chain, directories: Iterable[str], users: dict[str, str], *, is_own: bool = False
) -> Iterator[FileText]:
    host, draft = search.host, search.writer.draft
    for directory in directories:
        for file in chain.look(host, directory):
            real, is_there = host.realpath(file.path), host.kind(file.path) is not None
            if is_there and real in users:
                rule = Rule(chain.why, file.candidate.origin)
                reason = f"it is the same file as {users[real]}"
                draft.candidates.append(rule.duplicate(file.path, reason, of=users[real]))
                continue
            draft.candidates.append(file.candidate)
            if file.ends:
                says = f"gptme ends with an error at {file.path}: {file.ends}. {chain.reading.advice}"
                search.writer.stop(says, file.path)
            elif is_there:
                if is_own:
                    users[real] = file.path
                yield file


# -- selected files ----------------------------------------------------------------------------------------------------


def selected_files(search: Search, project: Project, of_user: Sequence[Setting], directory: str) -> list[FileText]:
    """What the configurations name, or else README and the like, of one directory; agent files are not sent again."""
    taken = set(search.known)
    found = [*_of_project(search, project, directory, taken), *_of_user(search, of_user, taken)]
    return [each for each in found if not _is_excluded(search, project, each, directory)]


def _of_project(search: Search, project: Project, directory: str, taken: set[str]) -> Iterator[FileText]:
    host, draft = search.host, search.writer.draft
    if project.files is None:
        named = [(each, own(WHY_SELECTED)) for each in SELECTED]
    else:
        named = [(each.text, Rule(WHY_NAMED, each.origin)) for each in project.files]
    for pattern, rule in named:
        if home_or(host.home, pattern) is not None or pattern == "~" or is_absolute(pattern, directory):
            says = f"gptme ends with an error, because files names {pattern}. Name it relative to the folder."
            draft.stop(says, rule.origin)
            continue
        matches = match(host, pattern, directory, dot=True, steps=draft.steps).paths
        if not matches and project.files is not None:
            draft.candidates.append(rule.missing(resolve(directory, pattern)))
        for path in sorted(matches, key=_priority):
            real = host.realpath(path)
            if not is_below(real, directory):
                draft.candidates.append(rule.outside(path, "it leads out of the folder"))
            elif real in taken:
                draft.candidates.append(rule.duplicate(path, "it is sent already", of=search.known.get(real)))
            else:
                taken.add(real)
                yield _text(search, path, rule, directory)


def _priority(path: str) -> tuple[int, str]:
    last = name(path)
    return (PRIORITY.index(last) if last in PRIORITY else len(PRIORITY)), path


def _of_user(search: Search, of_user: Sequence[Setting], taken: set[str]) -> Iterator[FileText]:
    """Relative to gptme's directory; the path is shown with links followed (captured: user-config) [source]."""
    host = search.host
    for each in of_user:
        rule = Rule(WHY_USER, each.origin)
        path = host.realpath(home_or(host.home, each.text) or resolve(search.config, each.text))
        if host.kind(path) is None:
            search.writer.draft.candidates.append(rule.missing(path))
        elif path not in taken:
            taken.add(path)
            yield _text(search, path, rule, search.config)


def _text(search: Search, path: str, rule: Rule, directory: str) -> FileText:
    file = PLAIN.file(search.host, path, rule, directory)
    search.writer.draft.candidates.append(file.candidate)
    return file


def _is_excluded(search: Search, project: Project, file: FileText, directory: str) -> bool:
    """By name or by path; a star of these stands for a slash, too [source: fnmatch]."""
    for each in project.exclude:
        fits = name_matcher(each.text.replace("/", "\N{FRACTION SLASH}"), dot=True)
        path = relative(file.path, directory).replace("/", "\N{FRACTION SLASH}")
        if fits is not None and (fits(name(file.path)) or (is_below(file.path, directory) and fits(path))):
            reason = f"exclude of the project names {each.text}"
            excluded = Rule(file.candidate.why, each.origin).excluded(file.path, reason)
            search.writer.change(file, replace(file, candidate=excluded))
            return True
    return False


# -- what is written of them -------------------------------------------------------------------------------------------


def listed(files: Iterable[FileText]) -> Segment:
    """The paths of files, a line each."""
    return tail("\n".join(f"- {native(each.path)}" for each in files))


def embedded(search: Search, files: Iterable[FileText]) -> Iterator[Segment]:
    """The text of each file in a fence, at the end of a message; what is no text is only named (wire: directory).

    A path is that from the working directory, or whole above it (wire: chain, workspace-flag). A fence in a text is not
    escaped (wire: text-forms).
    """
    shown: set[str] = set()
    for file in files:
        is_inside = is_below(file.path, search.cwd)
        label = native(relative(file.path, search.cwd), search.cwd) if is_inside else native(file.path)
        if not file.is_sent or label in shown:
            continue
        shown.add(label)
        real = search.host.realpath(file.path)
        yield head(f"\n\n{FENCE}{label}\n", path=None if file.path in search.sent else file.path)
        for each in _first(search, file):
            yield replace(each, origin=replace(each.origin, again=True)) if real in search.sent else each
        yield tail(f"\n{FENCE}")
        search.sent |= {real, file.path}


def _first(search: Search, file: FileText) -> list[Segment]:
    """The beginning of a long file, with a note that counts for its length, too (wire: large)."""
    most, size = search.facts.file_characters, search.host.read(file.path).size
    whole = len(file.text)
    if whole <= most:
        return list(file.segments)
    note = CUT.format(most=most, size=size)
    says = f"gptme sends the first {most} characters of a file, and no setting raises that"
    kept = most - len(note)
    cut = Cut(kept, whole, "characters", says)
    rule = Rule(file.candidate.why, file.candidate.origin)
    file = search.writer.change(file, file.first(kept, cut, rule.cut(file.path, says, cut=cut)))
    return [*file.segments, tail(note)]
