"""Which instruction files Kimi CLI takes, and how much of each: the deepest first, so that the root loses first.

Sections named here are those of the harness specification for Kimi CLI; [source] is the package of that version.
"""

from __future__ import annotations

from promptls.core.model import Limit
from promptls.kit.budget import Budget
from promptls.kit.candidates import own
from promptls.kit.chain import Chain, Frame, Reading, from_git_root, without_space
from promptls.kit.paths import native
from promptls.kit.writer import Unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.kit.chain import FileText
    from promptls.kit.writer import Writer

OWN, AGENTS = ".kimi/AGENTS.md", ("AGENTS.md", "agents.md")

# Its own file, and the first of the others that there is (wire: root-names, blank-and-own). The root is the nearest
# directory with a .git of any kind (wire: git-file, no-git-sub).
CHAIN = Chain(
    names=(OWN, AGENTS),
    why=f"Kimi CLI loads {OWN}, then {AGENTS[0]}, else {AGENTS[1]}, of each directory from the git root down to the "
    "working directory",
    where=from_git_root,
    reading=Reading(parts=without_space, has_unix_lines=True, empty="it is blank"),
    blank_hides="it is blank, but still takes precedence",
)
# The fence is there also without any file (wire: root-names) [source]; a link is sent again (wire: symlink).
FENCE = "`````````"
FRAME = Frame(label="<!-- From: {path} -->\n", between="\n\n")
# (wire: root-names, nested-read)
UNREAD = Unread(
    names=("CLAUDE.md", "KIMI.md", ".agents/AGENTS.md"),
    why="Kimi CLI does not load a file of this name; put it into AGENTS.md",
    home=(OWN, "AGENTS.md", ".agents/AGENTS.md"),
    why_home="Kimi CLI has no instruction file for all folders",
    above="Kimi CLI does not look above the git root; outside of a repository, it looks in the working directory only",
    on_read="Kimi CLI loads nothing on a read, but asks the model to look for such files; start it there to load it",
)


def within_budget(writer: Writer, files: list[FileText], most: int) -> list[FileText]:
    """The files, root first, as far as the budget goes (section "Budget").

    It is spent from the deepest file on; heads and separators count (wire: budget-leaf-first, budget-drops-root).
    """
    limit = f"Kimi CLI sends {most} bytes of instruction files, the deepest first, and no setting raises that"
    budget = Budget(most, "bytes", limit, None)
    sent: list[FileText] = []
    wanted = 0
    for at, file in reversed([*enumerate(files)]):
        label = FRAME.label.format(path=native(file.path)) + (FRAME.between if at < len(files) - 1 else "")
        overhead, size = len(label.encode("utf-8", "replace")), len(file.text.encode("utf-8", "replace"))
        wanted += overhead + size
        budget.spend(overhead)
        kept = _cut(writer, file, budget)
        budget.spend(len(kept.text.encode("utf-8", "replace")))
        sent.insert(0, kept)
    writer.draft.limits.append(Limit("instruction files", wanted, most, "bytes"))
    return sent


def _cut(writer: Writer, file: FileText, budget: Budget) -> FileText:
    """What the rest of the budget leaves of a file: cut at a byte, without half a character, and trimmed again."""
    data = file.text.encode("utf-8", "replace")
    if len(data) <= budget.left:
        return file
    rule = own(CHAIN.why)
    text = data[: budget.left].decode("utf-8", "ignore").strip()
    cut = budget.cut(len(text.encode()), len(data))
    outcome = rule.cut if text else rule.dropped
    return writer.change(file, file.first(len(text), cut, outcome(file.path, budget.limit, cut=cut)))
