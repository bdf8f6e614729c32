"""Which instruction files Kimi CLI takes, and how much of each: the deepest first, so that the root loses first.

Sections named here are those of the harness specification for Kimi CLI; [source] is the package of that version.
"""

from __future__ import annotations

from promptls.core.model import Limit, Range, Segment
from promptls.core.text import LineIndex
from promptls.core.values import replace
from promptls.kit.budget import Budget
from promptls.kit.candidates import own
from promptls.kit.paths import join, native, upwards
from promptls.kit.python import look_stripped, marked_again
from promptls.kit.segments import head, tail
from promptls.kit.unread_files import name_above, name_nested, name_unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.kit.draft import Draft, Found

OWN = ".kimi/AGENTS.md"
AGENTS = ("AGENTS.md", "agents.md")
BETWEEN = "\n\n"

WHY_OWN = f"Kimi CLI loads {OWN} of each directory from the git root down to the working directory"
WHY_AGENTS = (
    "Kimi CLI loads AGENTS.md, else agents.md, of each directory from the git root down to the working directory"
)
WHY_ABOVE = "Kimi CLI does not look above the git root; outside of a repository, it looks in the working directory only"
WHY_NESTED = "Kimi CLI loads nothing on a read, but asks the model to look for such files; start it there to load it"
WHY_NAME = "Kimi CLI does not load a file of this name; put it into AGENTS.md"
WHY_GLOBAL = "Kimi CLI has no instruction file for all folders"


def _found(draft: Draft, host: Host, directories: list[str]) -> Iterator[Found]:
    """The files with text, root first; a name is chosen by existence (wire: root-names, blank-and-own)."""
    for directory in directories:
        found = look_stripped(host, join(directory, OWN), own(WHY_OWN))
        if found.text:
            yield found
        else:
            draft.candidates.append(found.candidate)
        first: str | None = None
        for name in AGENTS:
            path, rule = join(directory, name), own(WHY_AGENTS)
            if first is not None:
                is_blank = not host.read(first).data.strip()
                reason = f"{first} comes first{' and is blank' if is_blank else ''}"
                if host.kind(path) == "file" and not host.is_same(first, path):
                    draft.candidates.append(rule.shadowed(path, reason, by=first))
                continue
            if host.kind(path) == "file":
                first = path
            found = look_stripped(host, path, rule, blank="it is blank, but still takes precedence")
            if found.text:
                yield found
            else:
                draft.candidates.append(found.candidate)


def send_files(draft: Draft, host: Host, root: str, cwd: str, most: int) -> Iterator[Segment]:
    """The files with their heads, root first, as far as the budget goes (section "Budget").

    It is spent from the deepest file on; heads and separators count (wire: budget-leaf-first, budget-drops-root).
    """
    files = list(_found(draft, host, [*upwards(cwd, root)][::-1]))
    limit = f"Kimi CLI sends {most} bytes of instruction files, the deepest first, and no setting raises that"
    budget = Budget(most, "bytes", limit, None)
    sent: list[tuple[str, Found]] = []
    wanted = 0
    for at, file in reversed([*enumerate(files)]):
        path = file.candidate.path or ""
        label = f"<!-- From: {native(path)} -->\n"
        overhead = len(label.encode("utf-8", "replace")) + (len(BETWEEN) if at < len(files) - 1 else 0)
        size = len(file.text.encode("utf-8", "replace"))
        wanted += overhead + size
        budget.spend(overhead)
        kept = _cut(file, budget)
        budget.spend(len(kept.text.encode("utf-8", "replace")))
        if kept.text:
            sent.insert(0, (label, kept))
        files[at] = kept
    draft.candidates += [file.candidate for file in files]
    draft.limits.append(Limit("instruction files", wanted, most, "bytes"))
    paths = [file.candidate.path or "" for _, file in sent]
    for at, (path, (label, file)) in enumerate(zip(paths, sent, strict=True)):
        yield tail(BETWEEN if at else "")
        yield head(label, path=path)
        # A link is sent again (wire: symlink).
        origin = marked_again(host, paths[:at], path, file.origin)
        yield Segment("instructions", path, file.text, origin, file.candidate.rule, cut=file.cut)


def _cut(file: Found, budget: Budget) -> Found:
    """What the rest of the budget leaves of a file: cut at a byte, without half a character, and trimmed again."""
    data = file.text.encode("utf-8", "replace")
    if len(data) <= budget.left:
        return file
    path, rule = file.candidate.path or "", own(file.candidate.rule)
    text = data[: budget.left].decode("utf-8", "ignore").strip()
    cut = budget.cut(len(text.encode()), len(data))
    if not text:
        return replace(file, candidate=rule.dropped(path, budget.limit, cut=cut), text="")
    origin = replace(file.origin, range=_shortened(file, len(text)))
    return replace(file, candidate=rule.cut(path, budget.limit, cut=cut), text=text, origin=origin, cut=cut)


def _shortened(file: Found, length: int) -> Range:
    """Where the first characters of what would be sent are in the file."""
    whole = file.origin.range or Range()
    line, character = LineIndex(file.text).position(length)
    end = character + (whole.start_character if not line else 0)
    return Range(whole.start_line, whole.start_character, whole.start_line + line, end)


def unread(draft: Draft, host: Host, root: str, cwd: str) -> None:
    """What looks as if it were read (wire: root-names, nested-read)."""
    for directory in upwards(cwd, root):
        names = ("CLAUDE.md", "KIMI.md", ".agents/AGENTS.md")
        name_unread(draft, host, WHY_NAME, [join(directory, name) for name in names])
    places = (OWN, "AGENTS.md", ".agents/AGENTS.md")
    name_unread(draft, host, WHY_GLOBAL, [join(host.home, name) for name in places])
    name_above(draft, host, WHY_ABOVE, root, (OWN, *AGENTS))
    name_nested(draft, host, WHY_NESTED, cwd, (OWN, *AGENTS))
