"""The session's context, which begins Gemini CLI's first user message (parts: include-directories-tree)."""

from __future__ import annotations

from promptls.core.model import COMPUTED, Segment
from promptls.harnesses.gemini_cli.files.places import project_slug
from promptls.harnesses.gemini_cli.files.tree import Ignored, tree
from promptls.kit.paths import join, native
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.host import Host
    from promptls.harnesses.gemini_cli.files.places import Search
    from promptls.harnesses.gemini_cli.versions import Facts

WHY = "gemini-cli describes date, system and directories in the first user message"
WHY_TREE = "gemini-cli names the files of every workspace directory"
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
# The variables that say the user's language, the first that is set; and those of their values that mean English.
LANGUAGE = ("LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE")
ENGLISH = ("", "C", "POSIX", "en_US", "en")


def session_context(search: Search, roots: Sequence[str], facts: Facts) -> Iterator[Segment]:
    """Date, system, directories and their trees; a setting leaves the directories out (wire: no-directory-tree)."""
    lines = "This is the Gemini CLI. We are setting up the context for our chat.\nToday's date is "
    yield Segment("environment", "session context", lines, COMPUTED, WHY)
    yield _date(search.host)
    slug = project_slug(search.host, search.directory, search.cwd)
    lines = (
        " (formatted according to the user's locale).\n"
        f"My operating system is: {search.host.platform}\n"
        f"The project's temporary directory is: {native(join(search.directory, 'tmp', slug))}\n"
    )
    if not search.settings.is_true("context.includeDirectoryTree", default=True):
        yield Segment("environment", "session context", lines, COMPUTED, WHY)
        return
    yield Segment("environment", "session context", lines, COMPUTED, WHY)
    yield from headed_directories(search, roots, facts)


def headed_directories(search: Search, roots: Sequence[str], facts: Facts) -> Iterator[Segment]:
    """The workspace directories below their heading."""
    yield head("- **Workspace Directories:**\n", "environment")
    yield from directories(search, roots, facts)


def directories(search: Search, roots: Sequence[str], facts: Facts) -> Iterator[Segment]:
    """The workspace directories, each with its tree (later, B, 1: sub-agents get them, too)."""
    named = "".join(f"  - {native(root)}\n" for root in roots)
    lines = f"{named}- **Directory Structure:**\n\n"
    yield Segment("environment", "workspace directories", lines, COMPUTED, WHY)
    ignored = Ignored(search.host, search.cwd)
    for number, root in enumerate(roots):
        text = tree(search.host, root, facts.tree_items, ignored).text
        yield from ([tail("\n", "environment")] if number else [])
        yield Segment("environment", f"files of {root}", text, COMPUTED, WHY_TREE)


def _date(host: Host) -> Segment:
    """The day in the user's language; a placeholder where that is not English."""
    language = next((host.env[name] for name in LANGUAGE if host.env.get(name)), "")
    today = host.today()
    if language.partition(".")[0] not in ENGLISH:
        why = "it is written in the language of the environment, which promptls does not know"
        return elided("environment", "gemini-cli", "date", why=why)
    says = f"{DAYS[today.tm_wday]}, {MONTHS[today.tm_mon - 1]} {today.tm_mday}, {today.tm_year}"
    return Segment("environment", "date", says, COMPUTED, WHY)
