"""The sessions that matter in a folder: those that could show something that no other shows.

A harness is started in the root and in each directory that holds files of its own, and reads a file below each
nested instruction file. What neither loads is loaded, if at all, by a start beside it. All sessions share one
host, so that nothing is looked at twice.
"""

from __future__ import annotations

from bisect import bisect_left

from promptls import harnesses
from promptls.core.model import Session
from promptls.core.values import dataclass, replace
from promptls.harnesses.paths import is_below, join, name, parent, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Prompt
    from promptls.core.settings import Settings

# The names of instruction files that may stand in any directory, and whether they come with a file that is read.
# Names that a configuration adds are found in the root's prompt.
NESTED: dict[str, tuple[tuple[str, ...], bool]] = {
    "etcode": (("AGENTS.md", "ETCODE.md"), True),
    "opencode": (("AGENTS.md", "CLAUDE.md", "CONTEXT.md"), True),
    "claude-code": (("CLAUDE.md", "CLAUDE.local.md"), True),
    "codex": (("AGENTS.md", "AGENTS.override.md"), False),
    "gemini-cli": (("GEMINI.md",), True),
    "copilot-cli": (("AGENTS.md", "CLAUDE.md", "GEMINI.md"), True),
    "copilot-vscode": ((), True),
    "cursor": (("AGENTS.md",), True),
    "openclaw": ((), False),
    "agent-core": ((), False),
    "mini-claude-code": ((), False),
    "learn-claude-code": ((), False),
}
OF_OTHERS = (("AGENTS.md",), True)
# Here no file that is read can also be imported, so it need not be opened.
WITHOUT_IMPORTS = ("etcode", "opencode")
# Here an entry of the configuration is a name for files of every directory, not the path of one.
NAMES_ARE_SETTINGS = ("gemini-cli",)
# How a harness is started as in a folder that the user trusts: whether this one is, is no matter of the folder's.
TRUST = {"gemini-cli": ("--skip-trust",)}
# Read as something else than text.
UNFIT = (".md", ".mdc", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".ico")
# A file to read is looked for among this many.
FEW = 20


@dataclass(frozen=True, slots=True)
class Places:
    """What a list of files says about where harnesses are set up, found in one pass.

    ``files``: absolute paths, sorted. ``wanted``: names that mean something to a harness; ``named``: the files of
    such names, by name; ``directories``: the same for directories.
    """

    root: str
    files: Sequence[str]
    wanted: frozenset[str]
    named: dict[str, list[str]]
    directories: dict[str, list[str]]


def places(root: str, files: Sequence[str]) -> Places:
    """Sort out the files of ``root``."""
    wanted = {entry.rpartition("/")[2] for evidence in harnesses.EVIDENCE.values() for entry in evidence}
    wanted.update(each for names, _ in (*NESTED.values(), OF_OTHERS) for each in names)
    named: dict[str, list[str]] = {}
    # A hundred thousand times: the plainest code is the fastest.
    parts = [path.rpartition("/") for path in files]
    for holder, _, last in [each for each in parts if each[2] in wanted]:
        named.setdefault(last, []).append(f"{holder}/{last}")
    holders = {each[0] for each in parts}
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
    return Places(root, files, frozenset(wanted), named, {last: sorted(found) for last, found in directories.items()})


def in_use(host: Host, found: Places, workspace: str, named: Iterable[str] = ()) -> list[str]:
    """The harnesses that are named, and those with files of their own in the tree or above it.

    AGENTS.md alone is taken for the fallback's.
    """
    told = set(named)
    above = [directory for directory in upwards(found.root, workspace) if directory != found.root]
    used = [
        harness
        for harness, evidence in harnesses.EVIDENCE.items()
        if harness in told
        or set_up(harness, found)
        or any(host.kind(join(directory, entry)) is not None for directory in above for entry in evidence)
    ]
    return used or ([harnesses.FALLBACK] if any(found.named.get(each) for each in NESTED["opencode"][0]) else [])


def look_ahead(host: Host, found: Places, used: Iterable[str]) -> None:
    """Read the nested instruction files that the harnesses in use will ask for, while git looks for further ones."""
    for each in sorted({each for harness in used for each in NESTED.get(harnesses.split(harness)[0], OF_OTHERS)[0]}):
        for path in found.named.get(each, ()):
            if host.kind(path) == "file":
                host.read(path)


def set_up(harness: str, found: Places, but: Iterable[str] = ()) -> list[str]:
    """The directories that hold files of the harness's own, sorted; those named in ``but`` do not count."""
    directories: set[str] = set()
    for entry in set(harnesses.EVIDENCE[harness]).difference(but):
        last = entry.rpartition("/")[2]
        for path in (*found.named.get(last, ()), *found.directories.get(last, ())):
            if path.endswith("/" + entry):
                directories.add(path[: -len(entry) - 1])
    return sorted(directories)


def prompts(host: Host, found: Places, harness: str, settings: Settings) -> Iterator[Prompt]:
    """The prompts of every session of ``harness`` that matters; that of the root first.

    Raises:
        UsageError: there is no such harness or version.
    """
    start = _start(harness, settings)
    first = harnesses.preview(replace(start, cwd=found.root), host)
    yield first
    name_of, _ = harnesses.split(harness)
    names, is_read = NESTED.get(name_of, OF_OTHERS)
    covered = set(_loaded(first))
    own = [directory for directory in set_up(name_of, found, but=names if is_read else ()) if directory != found.root]
    if settings.cwd is not None and is_below(settings.cwd, found.root) and settings.cwd != found.root:
        own.insert(0, settings.cwd)
    for directory in dict.fromkeys(own):
        prompt = harnesses.preview(replace(start, cwd=directory), host)
        covered.update(_loaded(prompt))
        yield prompt

    nested = _nested(found, {*names, *_configured_names(first, found.root)})
    if is_read:
        # What a read brings does not hang on reads elsewhere, so one session reads for all of them.
        reads = tuple(_reads(host, found, nested))
        if name_of in WITHOUT_IMPORTS:
            host.spare(reads)
        if reads:
            prompt = harnesses.preview(replace(start, cwd=found.root, reads=reads), host)
            covered.update(_loaded(prompt))
            yield prompt
    # The deepest first: a start there passes the directories above it.
    for directory in sorted(nested, key=lambda each: -each.count("/")):
        if directory in own or all(path in covered for path in nested[directory]):
            continue
        if any(host.kind(path) is not None for path in nested[directory]):
            prompt = harnesses.preview(replace(start, cwd=directory), host)
            covered.update(_loaded(prompt))
            yield prompt


def _start(harness: str, settings: Settings) -> Session:
    """A session without a place: what the settings say about one harness means nothing to another."""
    name_of, version = harnesses.split(harness)
    named, number = harnesses.split(settings.harness or "")
    trust = TRUST.get(name_of, ())
    if name_of != named:
        return Session(name_of, "", version, args=trust)
    args = (*trust, *settings.args)
    return Session(
        name_of,
        "",
        version or number,
        model=settings.model,
        agent=settings.agent,
        args=args,
        hints=settings.hints,
        tools=settings.tools,
    )


def _configured_names(prompt: Prompt, root: str) -> Iterator[str]:
    """The names that the harness itself looked for in the root."""
    kinds = ("computed", "config") if prompt.session.harness in NAMES_ARE_SETTINGS else ("computed",)
    for candidate in prompt.candidates:
        path = candidate.path if candidate.use == "instruction" and candidate.origin.kind in kinds else None
        if path is not None and parent(path) == root:
            yield name(path)


def _nested(found: Places, names: set[str]) -> dict[str, list[str]]:
    """The instruction files below the root by their directory."""
    nested: dict[str, list[str]] = {}
    for each in sorted(names):
        if each in found.wanted:
            files = found.named.get(each, [])
        else:  # a name of a configuration's
            files = [path for path in found.files if path.endswith("/" + each)]
        for path in files:
            directory = parent(path)
            if directory != found.root:
                nested.setdefault(directory, []).append(path)
    return nested


def _reads(host: Host, found: Places, nested: dict[str, list[str]]) -> Iterator[str]:
    """A file to read below each of the innermost directories with instruction files; it passes all above them."""
    ordered = sorted(nested, key=lambda directory: directory + "/")
    for directory, following in zip(ordered, [*ordered, ""][1:], strict=True):
        if not following.startswith(directory + "/"):
            read = _file_below(host, found.files, directory)
            if read is not None:
                yield read


def _file_below(host: Host, files: Sequence[str], directory: str) -> str | None:
    """A file in or below ``directory`` that is read as text and is no instruction file."""
    at = bisect_left(files, directory + "/")
    for path in files[at : at + FEW]:
        if not path.startswith(directory + "/"):
            return None
        if not path.endswith(UNFIT) and host.kind(path) == "file":
            return path
    return None


def _loaded(prompt: Prompt) -> Iterator[str]:
    """The files that the prompt carries, or would but for a limit."""
    for candidate in prompt.candidates:
        if candidate.path is not None and candidate.outcome in ("loaded", "cut", "dropped", "duplicate", "empty"):
            yield candidate.path
