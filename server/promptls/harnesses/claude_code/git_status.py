"""The state of the repository and the attribution of commits, as Claude Code sends them (surfaces, 10 and 13)."""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.model import COMPUTED, Cut, Segment
from promptls.core.values import replace
from promptls.harnesses.claude_code.environment import id_of_agent
from promptls.harnesses.claude_code.models import WIDE, undated
from promptls.kit.javascript import head as first_units
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.harnesses.claude_code.setup import Setup

NAME = "Claude Code"
WHY_COMMITS = "Claude Code says how commits and pull requests are to end"
WHY = "Claude Code tells the state of the repository"
# What the program calls the main branch where origin has none (case git-no-remote-master).
USUAL = "main"
CLEAN = "(clean)"
DETACHED = "HEAD"
WORKTREE_BRANCH = "worktree-agent-"
_BRANCH = regex(r"[A-Za-z0-9._/+@-]+")
TRUNCATED = (
    '\n... (truncated because it exceeds 2k characters. If you need more information, run "git status" using Bash)'
)


def git_status(setup: Setup) -> list[Segment]:
    """Branches, status and last commits (cases git-*); a placeholder where git is not asked."""
    facts = setup.facts
    state = setup.host.git(setup.cwd)
    if state is None or facts.git_notes is None:
        why = "Claude Code names branch, state and last commits of the repository; git was not asked, or did not answer"
        return [replace(elided("environment", NAME, "git status", why=why), cache="session")]
    intro, second, end = facts.git_notes
    branches = f"Main branch (you will usually use this for PRs): {_named(state.main) or state.usual or USUAL}\n\n"
    user = f"Git user: {state.user}\n\n" if state.user else ""
    branches = f"\n\n{branches}{user}Status:\n"
    current = f"Current branch: {_named(state.branch) or DETACHED}"
    says = [_says("branches", f"{current}{branches}")]
    if setup.worktree is not None:
        # Its worktree has a branch of its own, from the last commit (captured: subagent-worktree).
        says = [_says("branches", f"Current branch: {WORKTREE_BRANCH}"), id_of_agent(), _says("branches", branches)]
        state = replace(state, status="")
    return [
        _note("introduction of the state of git", intro),
        tail("\n# gitStatus\n", "environment"),
        _note("note on the state of git", second),
        tail("\n\n", "environment"),
        *says,
        *_status(setup, (state.status.strip() if facts.trims_git_status else state.status) or CLEAN),
        _says("commits", f"\n\nRecent commits:\n{state.log}\n\n"),
        _note("end of the state of git", end),
    ]


def _named(branch: str) -> str:
    """A branch; "" for one with other letters, which the program takes for none (captured: branch-*)."""
    return branch if _BRANCH.fullmatch(branch) else ""


def _status(setup: Setup, status: str) -> Iterator[Segment]:
    """The status up to a limit (case git-truncated)."""
    limit = setup.facts.git_status_limit
    if len(status) <= limit:
        yield _says("status", status)
        return
    says = f"the status may have {limit} characters"
    kept = first_units(status, limit)
    cut = Cut(kept, len(status), "characters", says)
    yield replace(_says("status", status[:kept]), cut=cut)
    yield tail(TRUNCATED, "environment")


def _says(title: str, text: str) -> Segment:
    return Segment("environment", title, text, COMPUTED, WHY)


def _note(title: str, size: int | None, why: str = WHY) -> Segment:
    return replace(elided("environment", NAME, title, why=why, size=size), cache="session")


def attribution(setup: Setup) -> list[Segment]:
    """How commits and pull requests are to end: the settings' texts or its own (cases attribution*, start-plain)."""
    facts = setup.facts
    if facts.attribution_note is None:
        return []
    default_request = _note("end of pull requests", facts.attribution_request, WHY_COMMITS)
    found = [_note("note on attribution", facts.attribution_note, WHY_COMMITS)]
    for key, title, default in (
        ("commit", "- End git commit messages with:", _default_commit(setup)),
        ("pr", "- End pull request descriptions with:", default_request),
    ):
        given = setup.settings.member("attribution", key)
        if given is None:
            found += [head(f"\n{title}\n"), default]
            continue
        setting, value = given
        if isinstance(value.data, str) and value.data:
            why = "the setting attribution gives this text"
            says = Segment("instructions", "attribution", value.data, setting.part(value, "attribution"), why)
            found += [head(f"\n{title}\n"), says]
    return found


def _default_commit(setup: Setup) -> Segment:
    known = setup.facts.models.get(undated(setup.model))
    if known is None:
        return _note("end of commits", None, WHY_COMMITS)
    # A model that is written with a dot has no name here (seen by verify).
    name = "" if "." in setup.model else f" {known.name}{WIDE if setup.is_wide else ''}"
    text = f"Co-Authored-By: Claude{name} <noreply@anthropic.com>"
    return Segment("environment", "end of commits", text, COMPUTED, WHY_COMMITS)
