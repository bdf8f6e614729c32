"""What looks as if OpenHands read it, and why it does not."""

from __future__ import annotations

from promptls.kit.paths import join, upwards
from promptls.kit.unread_files import name_above, name_nested, name_unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.harnesses.openhands.skills import Search

NAMES = ("AGENTS.md", "AGENT.md", "CLAUDE.md", "GEMINI.md", ".cursorrules")

WHY_BETWEEN = "OpenHands looks in the working directory and the git root, and not between them"
WHY_ABOVE = (
    "OpenHands does not look above the git root; outside of a repository, it looks in the working directory only"
)
WHY_NESTED = "reading a file adds no instructions; start OpenHands in that directory to load it"
WHY_OLD = "OpenHands does not read this file any more; put it into AGENTS.md"
WHY_HOME = "OpenHands has no such file for all folders; put it into ~/.openhands/skills"


def name_others(search: Search) -> None:
    """The files of these names elsewhere, and other names (wire: root-names, chain-cwd-shadows-root)."""
    draft, host, cwd, root = search.draft, search.host, search.cwd, search.roots[-1]
    between = [each for each in upwards(cwd, root) if each not in (cwd, root)]
    name_unread(draft, host, WHY_BETWEEN, [join(each, name) for each in between for name in NAMES])
    name_unread(draft, host, WHY_OLD, [join(each, ".openhands_instructions") for each in search.roots])
    copilot = [join(each, ".github/copilot-instructions.md") for each in search.roots]
    name_unread(draft, host, "OpenHands does not read this file; put it into AGENTS.md", copilot)
    homes = ("AGENTS.md", ".openhands/AGENTS.md", ".agents/AGENTS.md")
    name_unread(draft, host, WHY_HOME, [join(host.home, each) for each in homes])
    name_above(draft, host, WHY_ABOVE, root, NAMES)
    name_nested(draft, host, WHY_NESTED, cwd, NAMES)
