"""What Claude Code says of the machine, the model and its tools at start (surfaces, 1, 10 and 13)."""

from __future__ import annotations

from promptls.core.model import COMPUTED, Elided, Segment
from promptls.core.paths import is_below
from promptls.core.values import replace
from promptls.harnesses.claude_code.listing.places import added_directories
from promptls.harnesses.claude_code.models import WIDE, undated
from promptls.kit.base import iso_date
from promptls.kit.paths import home_or, name, native, resolve
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Layer
    from promptls.harnesses.claude_code.setup import Setup

NAME = "Claude Code"
SHELL = "bash"


def environment(setup: Setup) -> list[Segment]:
    """Directories, platform, shell and system (cases env-*, skills-worktree; captured: git-worktree)."""
    facts = setup.facts
    found = [head("# Environment\nYou have been invoked in the following environment: \n", "environment")]
    found += _places(setup, "working directory", " - Primary working directory: ", native(setup.cwd))
    if setup.main is not None:
        found += [_elided("note on worktrees", "it says that this is a linked worktree", facts.worktree_note)]
        found += [tail("\n", "environment")]
    found += [_says("repository", f" - Is a git repository: {'true' if setup.root is not None else 'false'}\n")]
    added = "".join(f"\n  - {native(directory)}" for directory in working_directories(setup))
    if added or setup.worktree is not None:
        before = f" - Additional working directories:{added}"
        before += "\n  - " if setup.worktree is not None else ""
        found += _places(setup, "additional directories", before, "")
    found += [_says("platform", f" - Platform: {setup.host.platform}\n - Shell: {_shell(setup)}\n - OS Version: ")]
    if setup.host.os_version:
        found += [_says("system", setup.host.os_version)]
    else:
        found += [_elided("version of the system", "it names the operating system", None)]
    for size in facts.environment_notes:
        found += [tail("\n", "environment"), _elided("note on the environment", "it follows the facts", size)]
    return found


def _places(setup: Setup, title: str, before: str, place: str) -> list[Segment]:
    """A line with a place: of an agent with a worktree of its own, that (captured: subagent-worktree)."""
    if setup.worktree is None:
        return [_says(title, f"{before}{place}\n")]
    return [_says(title, f"{before}{native(setup.worktree)}"), id_of_agent(), tail("\n", "environment")]


def id_of_agent() -> Segment:
    """The place of the id that the program makes up for a sub-agent."""
    why = "Claude Code makes up an id for each agent that it starts"
    return Segment("environment", "id of the agent", "⟪id⟫", COMPUTED, why, elided=Elided("id of the agent"))


def working_directories(setup: Setup) -> Iterator[str]:
    """Those of --add-dir and of the user's settings; an untrusted project's do not count (case env-add-dir-setting).

    Nor does what is not there, or is in the working directory (captured: add-dir-missing, add-dir-below).
    """
    found = list(added_directories(setup))
    for setting in setup.settings.every("permissions"):
        listed = setting.value.get("additionalDirectories")
        if listed is not None and setting.scope not in ("project", "local"):
            given = (item.data for item in listed.items if isinstance(item.data, str))
            found += [home_or(setup.home, path) or resolve(setup.cwd, path) for path in given]
    for path in dict.fromkeys(found):
        if not is_below(path, setup.cwd) and setup.host.kind(path) == "directory":
            yield path


def _shell(setup: Setup) -> str:
    """Commands are run by bash, whatever the user logs in with (cases env-shell-fish, env-shell-none)."""
    login = name(setup.variables.get("SHELL", ("",))[0])
    return SHELL if login in ("", SHELL) else f"{SHELL} (login shell: {login})"


def model(setup: Setup) -> list[Segment]:
    """The model and, where it is known, until when its knowledge reaches (cases env-model-*)."""
    known = setup.facts.models.get(undated(setup.model))
    if known is None:
        return [_says("model", f"You are powered by the model {setup.model}.")]
    wide = WIDE if setup.is_wide else ""
    exact = f"{setup.model}{'[1m]' if setup.is_wide else ''}"
    title = f"You are powered by the model named {known.name}{wide}. The exact model ID is {exact}."
    why = "it says until when the knowledge of the model reaches"
    return [_says("model", title), _elided("knowledge of the model", why, known.cutoff)]


def language(setup: Setup) -> list[Segment]:
    """The language that the settings ask for (case all-surfaces; captured: language)."""
    setting = setup.settings.last("language")
    given = setup.settings.text("language")
    if setting is None or not given:
        return []
    first, second = setup.facts.language_notes
    why = "the setting language asks for it"
    return [
        head("# Language\nAlways respond in ", "provider"),
        Segment("provider", "language", given, setting.origin, why),
        tail(". ", "provider"),
        _elided("note on the language", why, first + len(given), "provider"),
        head("\nMaintain full orthographic correctness for ", "provider"),
        Segment("provider", "language", given, replace(setting.origin, again=True), why),
        tail(", ", "provider"),
        _elided("note on spelling", why, second, "provider"),
    ]


def token_counter(setup: Setup) -> list[Segment]:
    """A line on the tokens that are left, which some models get (surfaces, 1; case env-model-claude-opus-4-8).

    It comes with what is typed at start and in each turn, and after each step (captured: haiku-read); not with a
    command (captured: s45-typed).
    """
    facts = setup.facts
    if setup.is_bare or not facts.built_in_skills:
        return []
    if setup.has_system_messages and not setup.counts_tokens:
        return []
    return [_elided("token counter", "it tells the model how many tokens are left", facts.token_counter)]


def date(setup: Setup) -> list[Segment]:
    """The local date (case env-shell-fish)."""
    text = f"Today's date is {iso_date(setup.host)}."
    return [Segment("environment", "date", text, COMPUTED, "Claude Code tells the date", cache="turn")]


def _says(title: str, text: str) -> Segment:
    return Segment("environment", title, text, COMPUTED, "Claude Code describes the environment")


def _elided(title: str, why: str, size: int | None, layer: Layer = "environment") -> Segment:
    return replace(elided(layer, NAME, title, why=why, size=size), cache="session")
