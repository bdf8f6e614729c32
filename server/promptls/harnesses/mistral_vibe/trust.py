"""Which folder Mistral Vibe trusts: nothing of a project is read without (section "trust").

[source] is the package of that version.
"""

from __future__ import annotations

from promptls.core.formats import parse_toml
from promptls.core.formats.tree import EMPTY
from promptls.core.model import COMPUTED, Origin
from promptls.core.values import dataclass, field
from promptls.kit.configs import ConfigReader
from promptls.kit.paths import join, path_key, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.formats.tree import Document
    from promptls.core.host import Host
    from promptls.kit.draft import Draft

FILE = "trusted_folders.toml"
WHY_FILE = f"Mistral Vibe keeps in {FILE} which folders are trusted"
WHY_CONFIG = "Mistral Vibe reads its settings here"
UNKNOWN = "and what Mistral Vibe does then is not known; the prompt is shown without it"
WHY_TRUSTED = "the folder is trusted"
WHY_ASKED = "Mistral Vibe asks at first whether the folder is trusted, and the prompt is shown for the answer yes"
WHY_HOME = "Mistral Vibe does not ask whether the home directory is trusted, and then it is not"
WHY_HEADLESS = "without the terminal, Mistral Vibe does not ask whether the folder is trusted; add --trust"
NOTE_ASKED = (
    "{file} says nothing of this folder. Mistral Vibe asks whether it is trusted; this is the prompt after the answer "
    "yes. With -p it does not ask, and without --trust it sends no AGENTS.md of the project."
)


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided on a folder, and what says so."""

    is_trusted: bool
    origin: Origin
    why: str


@dataclass(slots=True)
class Trust:
    """The decisions by folder: the closest at or above a directory counts.

    (wire: trust-above-git-root, trust-untrusted-below-trusted, trust-trusted-below-untrusted)
    """

    decisions: dict[str, Decision] = field(default_factory=dict)

    def closest(self, directory: str) -> tuple[str, Decision] | None:
        """The folder that decides over a directory, and what was decided."""
        found = ((each, self.decisions.get(path_key(each))) for each in upwards(directory))
        return next(((each, decision) for each, decision in found if decision is not None), None)

    def root(self, directory: str) -> str | None:
        """The folder whose trust holds for a directory; None if it is not trusted."""
        found = self.closest(directory)
        return found[0] if found is not None and found[1].is_trusted else None


def read_trust(draft: Draft, host: Host, home: str, cwd: str, *, is_given: bool, is_headless: bool) -> Trust:
    """The recorded decisions, ``--trust``, or what the first answer to its question would be (wire: trust-headless).

    Paths count as they are written: not links, not ``~`` (wire: trust-file-forms, trust-file-home). A broken file is as
    an empty one (wire: trust-file-broken).

    ``home`` is that of Mistral Vibe.
    """
    path = join(home, FILE)
    trust = Trust()
    document = read_toml(draft, host, path, WHY_FILE, "and Mistral Vibe replaces it by an empty one")
    root = document.root if document is not None and document.root is not None else EMPTY
    # Of a folder in both lists, the trusted one counts (wire: trust-both-lists).
    for key in ("untrusted", "trusted"):
        entries = root.get(key)
        for item in entries.items if entries is not None else ():
            if isinstance(item.data, str) and document is not None:
                origin = Origin("config", path=path, range=document.range(item), name=item.data)
                is_trusted = key == "trusted"
                why = WHY_TRUSTED if is_trusted else f"the folder is marked as untrusted in {path}"
                trust.decisions[path_key(item.data)] = Decision(is_trusted, origin, why)
    if is_given:
        # Of the working directory alone, whatever is said of it or above it.
        # (wire: no-git, trust-flag-below-trusted, trust-flag-untrusted)
        given = Decision(is_trusted=True, origin=Origin("argument", name="--trust"), why=WHY_TRUSTED)
        trust.decisions[path_key(cwd)] = given
    elif trust.closest(cwd) is None:
        is_home = cwd == host.realpath(host.home)
        why = WHY_HOME if is_home else WHY_HEADLESS if is_headless else WHY_ASKED
        asked = cwd if why != WHY_ASKED else _repository(host, cwd) or cwd
        trust.decisions[path_key(asked)] = Decision(why == WHY_ASKED, COMPUTED, why)
        if why == WHY_ASKED:
            draft.notes.append(NOTE_ASKED.format(file=path))
            draft.once_trusted.append(asked)
    return trust


def _repository(host: Host, cwd: str) -> str | None:
    """The git repository that the question is about: not that of the home directory [source]."""
    home = host.realpath(host.home)
    for directory in upwards(cwd):
        if directory == home:
            return None
        git = join(directory, ".git")
        if host.kind(git) == "directory" and host.kind(join(git, "HEAD")) == "file":
            return directory
    return None


def read_toml(draft: Draft, host: Host, path: str, why: str, else_: str) -> Document | None:
    """A configuration, if it is there and can be read; ``else_`` is what becomes of one that is no TOML."""
    reader = ConfigReader(why, parse=parse_toml, reason=f"it is not valid TOML, {else_}", keeps_bom=True)
    return reader.read(draft, host, path)
