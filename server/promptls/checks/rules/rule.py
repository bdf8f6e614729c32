"""A rule: what it is, where it is found, how it is fixed, and what retracts it."""

from __future__ import annotations

from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from promptls.core.model import Severity

    Default = Severity | Literal["off"]
    # Fixes that fixes.py makes; a check attaches those that need no look at the disk itself.
    Fixer = Literal[
        "nearest-path",
        "nearest-link",
        "matching-pattern",
        "remove-entry",
        "create-file",
        "set-apart",
        "raise-limit",
        "import-it",
    ]
    # Why the other prompts of a folder disprove a problem of one prompt: see retractions.py.
    Retraction = Literal[
        "sent-elsewhere",
        "offered-elsewhere",
        "one-file",
        "personal",
        "no-file",
        "missing-elsewhere",
        "used-elsewhere",
        "usual-start",
    ]


@dataclass(frozen=True, slots=True)
class Rule:
    """A code that users configure and suppress; every other part asks the row what it needs to know of it.

    ``severity`` is the default, ``off`` where it must be switched on. ``before`` and ``after`` are short examples,
    ``help`` says how to fix it. ``settings``: further lines of promptls.toml that matter for it. ``found_in``: the
    modules of checks/ that report it.
    """

    code: str
    family: str
    severity: Default
    summary: str
    why: str
    before: str
    after: str
    help: str
    found_in: tuple[str, ...]
    settings: str = ""
    # "safe": ``check --fix`` applies it, at least in some places; "offered": editors offer it, and users choose.
    fix: Literal["", "offered", "safe"] = ""
    # In the order in which they are offered, after those of the check.
    fixers: tuple[Fixer, ...] = ()
    # Whether the path may also be relative to a directory above that of the file.
    climbs: bool = False
    # Any of these takes it back.
    retracted_if: tuple[Retraction, ...] = ()
    # Not reported for a file that has a problem of one of these codes.
    yields_to: tuple[str, ...] = ()
    # About the text of the file: reported for the file itself, whatever link it is read by.
    of_text: bool = False
    # About the place or name of the file: its text does not matter.
    of_place: bool = False
    # About the whole file, wherever it is reported: a comment at the beginning of the file suppresses it.
    of_file: bool = False
    # Where a specification of others says it.
    source: str = ""
