"""The sessions that matter in a folder: those that could show something that no other shows.

A harness is started at the root and in each directory that holds files of its own, and reads a file below each
nested instruction file, and one that each scoped rule is for. What neither loads is loaded, if at all, by a start
beside it; nobody starts one in a folder of a program, such as .agents. All sessions share one host, so that nothing is
looked at twice. Those of one file: file_sessions.py.
"""

from __future__ import annotations

from bisect import bisect_left

from promptls import harnesses
from promptls.core import specs
from promptls.core.habits import NO_HABITS
from promptls.core.values import dataclass, field, replace
from promptls.harnesses import AGENTS
from promptls.kit.paths import is_below, join, name, parent, upwards
from promptls.sessions.of_rule import directories_for, files_for, patterns_of
from promptls.sessions.start import noting, start_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from promptls.core.files import DirectoryEntry
    from promptls.core.glob_index import Paths
    from promptls.core.habits import Habits
    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session
    from promptls.core.settings import Settings

    # Makes a prompt, or has one that still holds.
    Preview = Callable[[Session, Host], Prompt]

# Read as something else than text; and what may be instructions, which is read only where there is nothing else.
UNFIT = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".ico")
PROSE = (".md", ".mdc")
# What hidden files of settings end in.
SETTINGS = (".json", ".jsonc", ".toml")
# A file to read is looked for among this many.
FEW = 20


@dataclass(frozen=True, slots=True)
class Places:
    """What a list of files says about where harnesses are set up, found in one pass.

    ``files``: absolute paths, sorted. ``wanted``: names that mean something to a harness; ``named``: the files of
    such names, by name; ``directories``: the same for directories. ``read_before`` are files that sessions read a
    moment ago, sorted: they are read again where they serve, so that the sessions stay the same.
    """

    root: str
    files: Sequence[str]
    wanted: frozenset[str]
    named: dict[str, list[str]]
    directories: dict[str, list[str]]
    read_before: Sequence[str] = ()
    _indexed: list[Paths] = field(default_factory=list, compare=False, repr=False)

    def indexed(self) -> Paths:
        """The files, for patterns to be looked for in."""
        if not self._indexed:
            from promptls.core.glob_index import Paths  # noqa: PLC0415 - few folders have rules for some files only

            self._indexed.append(Paths(self.files))
        return self._indexed[0]


def wanted_names() -> frozenset[str]:
    """The names of files and directories that mean something to a harness."""
    evidence = {entry.rpartition("/")[2] for spec in specs.every() for entry in spec.evidence}
    return frozenset(evidence.union(name(each.rstrip("/")) for spec in specs.every() for each in spec.nested))


def places(root: str, files: Sequence[str], read_before: Sequence[str] = ()) -> Places:
    """Sort out the files of ``root``."""
    wanted = wanted_names()
    named: dict[str, list[str]] = {}
    holders: set[str] = set()
    before = ""
    for path in files:  # a hundred thousand times: mostly the next file is in the same directory
        holder, _, last = path.rpartition("/")
        if holder != before:
            holders.add(holder)
            before = holder
        if last in wanted:
            named.setdefault(last, []).append(path)
    directories: dict[str, list[str]] = {}
    seen = {root}
    for holder in holders:
        directory = holder
        while directory not in seen and len(directory) > len(root):
            seen.add(directory)
            above, _, last = directory.rpartition("/")
            if last in wanted:
                directories.setdefault(last, []).append(directory)
            directory = above
    by_name = {last: sorted(found) for last, found in directories.items()}
    return Places(root, files, wanted, named, by_name, read_before)


@dataclass(frozen=True, slots=True)
class InUse:
    """The harnesses that matter, in order; ``by_agents`` are those that do for AGENTS.md only, and come last."""

    names: tuple[str, ...]
    by_agents: frozenset[str] = frozenset()


def in_use(
    host: Host,
    found: Places,
    workspace: str,
    named: Iterable[str] = (),
    chosen: Iterable[str] = (),
    *,
    own: Sequence[str] = (),
) -> InUse:
    """The harnesses that matter: the user's ``own`` in their order, then those of the folder.

    These are those ``chosen``, if any are. Else those with files of their own in the tree or above it, and, unless one
    of these has AGENTS.md for its own instruction file, those that AGENTS.md counts for. Those ``named`` always
    matter; then AGENTS.md is for them.
    """
    wanted = {*named, *chosen}
    if any(chosen):
        rest = [each for each in harnesses.names() if each in wanted and each not in own]
        return InUse((*own, *rest))
    above = [directory for directory in upwards(found.root, workspace) if directory != found.root]
    used = {
        spec.name
        for spec in specs.every()
        if spec.name in wanted
        or set_up(host, spec.name, found)
        or any(host.kind(join(directory, entry)) is not None for directory in above for entry in spec.evidence)
    }
    by_agents: set[str] = set()
    is_open = not own and wanted.isdisjoint(harnesses.names()) and not any(specs.of(each).owns_agents for each in used)
    if is_open and (found.named.get(AGENTS) or any(host.kind(join(each, AGENTS)) == "file" for each in above)):
        by_agents = {*harnesses.read_agents()} - used
    fallback = specs.of(harnesses.fallback())
    if not used and not by_agents and not own and any(found.named.get(each) for each in fallback.nested):
        used.add(fallback.name)
    ordered = sorted((used | by_agents).difference(own), key=harnesses.names().index)
    return InUse((*own, *sorted(ordered, key=lambda each: each in by_agents)), frozenset(by_agents))


def look_ahead(host: Host, found: Places, used: Iterable[str]) -> None:
    """Read the nested instruction files that the harnesses in use will ask for, while git looks for further ones."""
    for each in sorted({each for harness in used for each in specs.of(harnesses.split(harness)[0]).nested}):
        for path in found.named.get(each, ()):
            if host.kind(path) == "file":
                host.read(path)


def _is_there(host: Host, path: str) -> bool:
    """Whether a name is there, also that of a link to nothing."""
    return host.kind(path) is not None or any(each.name == name(path) for each in host.entries(parent(path)))


def set_up(host: Host, harness: str, found: Places, but: Iterable[str] = ()) -> list[str]:
    """The directories that hold files of the harness's own, sorted; those named in ``but`` do not count.

    Nor do those that git knows and that are gone.
    """
    directories: set[str] = set()
    for entry in set(specs.of(harness).evidence).difference(but):
        last = entry.rpartition("/")[2]
        for path in (*found.named.get(last, ()), *found.directories.get(last, ())):
            directory = path.removesuffix("/" + entry)
            is_own = directory != path and not is_of_a_program(directory, found.root)
            if is_own and directory not in directories and _is_there(host, path):
                directories.add(directory)
    return sorted(directories)


def is_of_a_program(directory: str, root: str) -> bool:
    """Whether it is, or is in, a program's folder below ``root``, as .claude: nobody starts a harness there."""
    return is_below(directory, root) and "/." in f"/{directory[len(root) :]}"


def prompts(  # noqa: PLR0917 - what of a folder, and for whom
    host: Host,
    found: Places,
    harness: str,
    settings: Settings,
    habits: Habits = NO_HABITS,
    preview: Preview = harnesses.preview,
) -> Iterator[Prompt]:
    """The prompts of every session of ``harness`` that matters; that of the root first. ``preview`` makes each.

    Raises:
        UsageError: there is no such harness or version.
    """
    start = start_of(harness, settings, habits)
    loaded: set[str] = set()
    waiting: dict[str, tuple[str, tuple[str, ...]]] = {}
    for prompt in _without_scopes(host, found, start, settings.cwd, preview):
        loaded.update(_loaded(prompt))
        for rule, patterns in scoped_rules(host, prompt):
            waiting.setdefault(rule, (prompt.session.cwd, patterns))
        yield prompt
    reads: dict[str, list[str]] = {}
    for rule, (cwd, patterns) in waiting.items():
        if rule not in loaded:
            of_rule = files_for(host, found.root, rule, patterns, found.indexed(), first=found.read_before)
            reads.setdefault(cwd, []).extend(of_rule.files)
    for cwd, files in reads.items():
        if files:
            yield preview(replace(start, cwd=cwd, turns=noting(start.harness, dict.fromkeys(files))), host)


def scoped_rules(host: Host, prompt: Prompt) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The rules of other files than those that were read, with their patterns."""
    for candidate in prompt.candidates:
        patterns = patterns_of(host, candidate)
        if patterns:
            yield candidate.path or "", patterns


def scopes(host: Host, root: str, prompts: Iterable[Prompt]) -> dict[str, list[str]]:
    """The directories that the rules of a folder are for, by the path of the rule."""
    patterns = {rule: found for prompt in prompts for rule, found in scoped_rules(host, prompt)}
    return {
        rule: directories_for(root, rule, (each for each in found if not each.startswith("!")))
        for rule, found in patterns.items()
    }


def _without_scopes(host: Host, found: Places, start: Session, cwd: str | None, preview: Preview) -> Iterator[Prompt]:
    first = preview(replace(start, cwd=found.root), host)
    yield first
    name_of = start.harness
    spec = specs.of(name_of)
    names, is_read = spec.nested, spec.is_nested_on_read
    covered = set(_loaded(first))
    set_ups = set_up(host, name_of, found, but=names if is_read else ())
    own = [directory for directory in set_ups if directory != found.root]
    if cwd is not None and is_below(cwd, found.root) and cwd != found.root:
        own.insert(0, cwd)
    for directory in dict.fromkeys(own):
        prompt = preview(replace(start, cwd=directory), host)
        covered.update(_loaded(prompt))
        yield prompt

    nested = nested_files(found, {*names, *configured_names(first, found.root)})
    if is_read:
        # What a read adds does not hang on reads elsewhere, so one session reads for all of them.
        reads = tuple(_reads(host, found, nested))
        if reads:
            prompt = again(replace(start, cwd=found.root, turns=noting(start.harness, reads)), host, preview)
            covered.update(_loaded(prompt), _hidden_from_above(host, prompt))
            yield prompt
    # The deepest first: a start there passes the directories above it.
    for directory in sorted(nested, key=lambda each: -each.count("/")):
        is_covered = directory in own or all(path in covered for path in nested[directory])
        if is_covered or is_of_a_program(directory, found.root):
            continue
        if any(host.kind(path) is not None for path in nested[directory]):
            prompt = preview(replace(start, cwd=directory), host)
            covered.update(_loaded(prompt))
            yield prompt


def again(session: Session, host: Host, preview: Preview = harnesses.preview) -> Prompt:
    """The prompt of a session of a folder: what reads trigger matters, not what is read, which is spared if it may."""
    reads = spared(session)
    host.spare(reads)
    prompt = preview(session, host)
    host.want(reads)
    return prompt


def spared(session: Session) -> tuple[str, ...]:
    """The files that a session reads only for what that triggers."""
    return () if specs.of(session.harness).imports_reads else session.reads


def configured_names(prompt: Prompt, root: str) -> Iterator[str]:
    """The names that the harness itself looked for in the root."""
    kinds = ("computed", "config") if specs.of(prompt.session.harness).names_from_config else ("computed",)
    for candidate in prompt.candidates:
        path = candidate.path if candidate.use == "instruction" and candidate.origin.kind in kinds else None
        if path is not None and parent(path) == root:
            yield name(path)


def nested_files(found: Places, names: set[str]) -> dict[str, list[str]]:
    """The instruction files below the root by their directory."""
    nested: dict[str, list[str]] = {}
    for each in sorted(names):
        if each.endswith("/"):
            holders = _in_directories(found, each)
        elif each in found.wanted:
            holders = [(parent(path), path) for path in found.named.get(each, [])]
        else:  # a name of a configuration's
            holders = [(parent(path), path) for path in found.files if path.endswith("/" + each)]
        for directory, path in holders:
            if directory != found.root:
                nested.setdefault(directory, []).append(path)
    return nested


def _in_directories(found: Places, wanted: str) -> list[tuple[str, str]]:
    """The files below each directory that is called ``wanted``, with the one that this is in."""
    places = [f"{place}/" for place in found.directories.get(name(wanted.rstrip("/")), ())]
    return [
        (place.removesuffix(f"/{wanted}"), path)
        for place in places
        if place.endswith(f"/{wanted}")
        # "0" is the letter after "/".
        for path in found.files[bisect_left(found.files, place) : bisect_left(found.files, f"{place[:-1]}0")]
    ]


def _reads(host: Host, found: Places, nested: dict[str, list[str]]) -> Iterator[str]:
    """A file to read below each of the innermost directories with instruction files; it passes all above them."""
    ordered = sorted(nested, key=lambda directory: directory + "/")
    for directory, following in zip(ordered, [*ordered, ""][1:], strict=True):
        if not following.startswith(directory + "/"):
            read = _file_below(host, found, directory, nested[directory])
            if read is not None:
                yield read


def _file_below(host: Host, found: Places, directory: str, but: Sequence[str]) -> str | None:
    """A file in or below ``directory`` that is read as text; one that may be instructions only if there is no other."""
    inside = directory + "/"
    at = bisect_left(found.files, inside)
    near: Iterable[str] = (p for p in found.files[at : at + FEW] if p.startswith(inside) and p not in but)
    if found.read_before:
        near = sorted(near, key=lambda path: path not in found.read_before)
    last: list[str] = []
    for path in near:
        if path.endswith(PROSE):
            last.append(path)
        elif not path.endswith(UNFIT) and host.kind(path) == "file":
            return path
    return next((path for path in last if host.kind(path) == "file"), None)


def _hidden_from_above(host: Host, prompt: Prompt) -> Iterator[str]:
    """The files that one on the way down to them hides, as it does where the program is started beside them.

    Not where a start may have more to show, such as servers: beside hidden directories, and files of settings.
    """
    for candidate in prompt.candidates:
        path, other = candidate.path, candidate.other
        if candidate.outcome != "shadowed" or path is None or other is None or not is_below(path, parent(other)):
            continue
        if not any(map(_may_be_set_up_by, host.entries(parent(path)))):
            yield path


def _may_be_set_up_by(entry: DirectoryEntry) -> bool:
    return entry.name.startswith(".") and (entry.is_directory or entry.name.endswith(SETTINGS))


def _loaded(prompt: Prompt) -> Iterator[str]:
    """The files that the prompt carries, or would but for a limit."""
    for candidate in prompt.candidates:
        if candidate.path is not None and candidate.outcome in ("loaded", "cut", "dropped", "duplicate", "empty"):
            yield candidate.path
