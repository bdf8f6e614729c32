"""What promptls knows of the instruction files of a folder, for an agent that is to write them."""

from __future__ import annotations

from promptls.cli.arguments import only_below
from promptls.cli.overview import gravest
from promptls.cli.session_lines import first_of_each, sessions_json
from promptls.core import specs
from promptls.core.lazy import regex
from promptls.core.model import USED
from promptls.core.paths import is_below, join, relative
from promptls.core.table import table
from promptls.core.values import dataclass
from promptls.git.listing import Listing
from promptls.sessions.kept_lines import lines_sent
from promptls.workspace.folder_check import problems_below
from promptls.workspace.folder_prompts import folder_prompts
from promptls.workspace.request import NO_URLS, project_of, sources_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Problem, Prompt
    from promptls.core.prompt_json import Json
    from promptls.core.table import Table

AGENTS = "AGENTS.md"
# Lines that two files have to share to be worth a word: such lines say something, in three words or more.
LEAST_SHARED = 2
_SAYS = regex(r"\w+\W+\w+\W+\w")
# Files whose lines are compared with each other, and pairs that are named.
MOST_FILES, MOST_PAIRS = 200, 8


@dataclass(frozen=True, slots=True)
class Overlap:
    """Lines of the file ``path`` that ``other`` has as well: ``shared`` of ``lines``."""

    path: str
    other: str
    shared: int
    lines: int


@dataclass(frozen=True, slots=True)
class Program:
    """What a program does with files of the folder: ``start`` is the prompt of a start there.

    ``looks_for``: files that it would read there if there were any. ``of_agents``: what it does with AGENTS.md at the
    top, as a clause.
    """

    start: Prompt
    looks_for: tuple[str, ...]
    of_agents: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What promptls knows of the folder ``root``; paths are relative to it, those of ``problems`` absolute."""

    root: str
    programs: tuple[Program, ...]
    table: Table
    sessions: tuple[Json, ...]
    overlaps: tuple[Overlap, ...]
    problems: tuple[Problem, ...]


def facts_of(root: str, only: Sequence[str], *, with_habits: bool) -> Facts:
    """The facts of the folder ``root``, for the programs ``only`` or for those in use."""
    project = project_of(root, only_below())
    with Listing(root) as listing, listing if project == root else Listing(project) as around:
        looked = folder_prompts(root, listing, sources_of(with_habits=with_habits), settings=NO_URLS, only=only)
        problems, host = problems_below(root, looked, project, around)
    starts = first_of_each(looked.prompts)
    return Facts(
        root,
        tuple(_program(each, root, host) for each in starts),
        table(looked.by_harness(), host.realpath),
        tuple(sessions_json(starts, looked.here, only)),
        tuple(_overlaps(looked.prompts, root, host)),
        gravest(problems),
    )


def _program(start: Prompt, root: str, host: Host) -> Program:
    looked = [each for each in start.candidates if each.use == "instruction" and each.path is not None]
    missing = (each.path or "" for each in looked if each.outcome == "missing" and each.origin.kind != "file")
    names = dict.fromkeys(relative(path, root) for path in missing if is_below(path, root))
    one = host.realpath(join(root, AGENTS))
    found = [each for each in looked if host.realpath(each.path or "") == one]
    shadowed = next((each.other for each in found if each.outcome == "shadowed" and each.other), None)
    if any(each.outcome in USED for each in found):
        says = "reads it"
    elif shadowed is not None:
        says = f"reads {relative(shadowed, root) if is_below(shadowed, root) else shadowed} instead"
    elif AGENTS in names:
        says = "would read it"
    else:
        beside = specs.of(start.session.harness).reads_for_agents
        instead = next((each for each in beside if host.kind(join(root, each)) == "file"), None)
        says = f"reads {instead} in its place" if instead is not None else "does not look for it"
    return Program(start, tuple(each for each in names if each != AGENTS), says)


def _overlaps(prompts: Iterable[Prompt], root: str, host: Host) -> Iterator[Overlap]:
    """The pairs of files with most lines in common."""
    lines: dict[str, set[str]] = {}
    for prompt in prompts:
        for path, some in lines_sent(prompt, host.realpath).items():
            if is_below(path, root) and (path in lines or len(lines) < MOST_FILES):
                lines.setdefault(path, set()).update(line for line in some if _SAYS.search(line))
    paths = sorted(lines, key=lambda path: (len(lines[path]), path))
    pairs = ((one, other, len(lines[one] & lines[other])) for at, one in enumerate(paths) for other in paths[at + 1 :])
    found = sorted((each for each in pairs if each[2] >= LEAST_SHARED), key=lambda each: -each[2])
    for one, other, shared in found[:MOST_PAIRS]:
        yield Overlap(relative(one, root), relative(other, root), shared, len(lines[one]))
