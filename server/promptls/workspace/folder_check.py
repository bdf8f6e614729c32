"""One check of a whole folder, for the command line and the server: its files, sessions, prompts and problems."""

from __future__ import annotations

from promptls.checks.folder import reported_problems
from promptls.checks.tree import Tree
from promptls.core.settings import DEFAULT
from promptls.core.values import dataclass
from promptls.harnesses import AGENTS
from promptls.workspace.folder_prompts import budgets_of, folder_prompts, say_nothing, scopes_of
from promptls.workspace.request import OF_TEAM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from promptls.core.budgets import Spent
    from promptls.core.host import Host
    from promptls.core.model import Problem, Prompt
    from promptls.core.settings import Settings
    from promptls.git.listing import Listing
    from promptls.workspace.folder_prompts import FolderPrompts, Listed, Say
    from promptls.workspace.request import Here, Sources


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check has found, by file and place; ``host`` has read the files.

    ``prompts`` are those of every session that matters, harness by harness, that of a start in the folder first.
    ``by_agents`` are the harnesses that were looked at because they read AGENTS.md, and the user has not chosen any.
    ``here``: what is known of the place.
    """

    problems: tuple[Problem, ...]
    host: Host
    prompts: tuple[Prompt, ...] = ()
    by_agents: tuple[str, ...] = ()
    here: Here | None = None
    looked: FolderPrompts | None = None

    def budgets(self) -> list[Spent]:
        """What is used of the budgets."""
        return budgets_of(self.looked) if self.looked is not None else []


def check_folder(
    root: str,
    listing: Listing,
    sources: Sources = OF_TEAM,
    *,
    settings: Settings = DEFAULT,
    only: Sequence[str] = (),
    say: Say = say_nothing,
) -> Checked:
    """Every problem of the folder ``root``.

    ``settings`` win over those of the folder's settings file; ``only``: harnesses to look at in place of those in
    use.

    Raises:
        UsageError: there is no such harness or version.
    """
    looked = folder_prompts(root, listing, sources, settings=settings, only=only, say=say)
    say("checking the whole folder")
    return Checked(problems_of(root, looked), looked.host, looked.prompts, looked.by_agents, looked.here, looked)


def problems_of(root: str, looked: FolderPrompts) -> tuple[Problem, ...]:
    """Every problem of the folder ``root``, by file and place."""
    scopes = scopes_of(looked) if looked.settings.budgets else {}
    tree = Tree(root, tuple(looked.places.files), looked.prompts, looked.host, looked.place.top, scopes)
    file, by_agents, leaves_out = looked.settings_file, frozenset(looked.by_agents), looked.leaves_out
    found = reported_problems(tree, looked.settings, (file.path, file.faults))
    return tuple(each for each in found if matters(each, by_agents) and not (leaves_out and leaves_out(each.path)))


def below(root: str, problems: Iterable[Problem]) -> list[Problem]:
    """Those of the files in ``root``."""
    top = f"{root.rstrip('/')}/"
    return [each for each in problems if each.path.startswith(top)]


def problems_below(root: str, looked: FolderPrompts, project: str, listing: Listed) -> tuple[list[Problem], Host]:
    """The problems of the files in the folder ``root``, which was ``looked`` at, and the host that looked for them.

    As every check has them: in the whole ``project``, whose files are in the ``listing``.
    """
    if project != root:
        asked = looked.question
        looked = folder_prompts(project, listing, asked.sources, settings=asked.settings, only=asked.only)
    return below(root, problems_of(project, looked)), looked.host


def matters(problem: Problem, by_agents: frozenset[str]) -> bool:
    """Whether a problem is one of a harness that is in use, or AGENTS.md has it for one that may be."""
    others = problem.harnesses and by_agents.issuperset(problem.harnesses)
    return not others or problem.path.endswith(f"/{AGENTS}")
