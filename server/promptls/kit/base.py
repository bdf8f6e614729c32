"""What every harness has: its description, and what the harnesses say and write alike."""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.model import Tool
from promptls.core.values import dataclass, field, replace
from promptls.kit.draft import Draft, look_for_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Literal, Protocol

    from promptls.core.host import Host
    from promptls.core.model import Fault, Prompt, Session, Tier
    from promptls.core.spec import Spec

    Preview = Callable[[Session, Host], Prompt]
    HintFlaw = Callable[[str, tuple[tuple[str, str], ...]], tuple[str, str] | None]

    class Row(Protocol):
        """What every table of versions has."""

        @property
        def version(self) -> Version:
            """The version that the row is about."""


# The names that harnesses of other packages import from here.
__all__ = ["Draft", "Harness", "Version", "look_for_text"]

LARGE_CONFIG = 512 * 1024
CONFIG_LIMIT = "promptls reads no configuration that is larger than 512 KiB, and shows the prompt without it"


# How well a version is known, best first, each with what that means.
TIERS: dict[Tier, str] = {
    "captured": "sessions of the real program are compared with the preview in the tests",
    "source": "its rules were read in its public source; no session of it was captured",
    "documented": "its rules were read in its documentation only",
}


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a harness. ``verified`` is true only where captured sessions of it are in the tests.

    ``like`` is the version whose sessions it was held against when it was adopted, so they are its own, too.
    ``read_in`` says what else the rules of a version were read in.
    """

    name: str
    verified: bool = False
    note: str = ""
    like: str = ""
    read_in: Literal["source", "documentation"] = "documentation"

    @property
    def tier(self) -> Tier:
        """How well this version is known; ``TIERS`` describes each."""
        if self.verified:
            return "captured"
        return "source" if self.read_in == "source" else "documented"


@dataclass(frozen=True, slots=True)
class Harness:
    """A program that drives a model: how it is named, found and previewed.

    ``versions``: the default one first. ``evidence``: files and directories of its own, relative to any
    directory at or above the current file; one of them shows that the folder is configured for this harness.
    ``loads``: one sentence a kind of file, in order, for people.
    """

    name: str
    title: str
    versions: tuple[Version, ...]
    evidence: tuple[str, ...]
    preview: Preview
    loads: tuple[str, ...] = ()
    # What other parts need to know of it; without one it has the defaults of a spec, and its evidence.
    spec: Spec | None = None
    # What is wrong with a hint, given the tools of the settings: a short name for it and a clause.
    hint_flaw: HintFlaw | None = None
    # The harness's own names for the values of front matter, by its key: of models and of agents.
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def described(
    spec: Spec,
    rows: Sequence[Row],
    *,
    preview: Preview,
    loads: tuple[str, ...],
    hint_flaw: HintFlaw | None = None,
    words: Mapping[str, tuple[str, ...]] | None = None,
) -> Harness:
    """The harness of a spec, with a version for each row."""
    versions = tuple(row.version for row in rows)
    return Harness(spec.name, spec.title, versions, spec.evidence, preview, loads, spec, hint_flaw, words or {})


def built_in(sizes: Mapping[str, int]) -> tuple[Tool, ...]:
    """The tools of a row, each with the characters of its definition."""
    return tuple(Tool(name, enabled=True, why="it is built in", size=size) for name, size in sizes.items())


# What takes two characters in JSON, and what takes six.
_TWO = regex(r'["\\\b\f\n\r\t]')
_SIX = regex(r"[\x00-\x07\x0b\x0e-\x1f]")


def json_size(text: str) -> int:
    """The characters of ``text`` in a JSON string, without its quotation marks; only what has to be escaped is."""
    return len(text) + len(_TWO.findall(text)) + 5 * len(_SIX.findall(text))


def date_string(host: Host) -> str:
    """The local date as JavaScript's ``toDateString`` writes it."""
    today = host.today()
    return f"{DAYS[today.tm_wday]} {MONTHS[today.tm_mon - 1]} {today.tm_mday:02d} {today.tm_year:04d}"


def iso_date(host: Host) -> str:
    """The local date as ``2026-11-22``."""
    today = host.today()
    return f"{today.tm_year:04d}-{today.tm_mon:02d}-{today.tm_mday:02d}"


DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def type_clause(kinds: Sequence[str]) -> str:
    """What a value of the wrong type must be."""
    return "this must be " + " or ".join(f"{'an' if kind in ('array', 'object') else 'a'} {kind}" for kind in kinds)


def with_consequence(fault: Fault, consequence: str) -> Fault:
    """A fault, whose message is a clause, as one sentence that states the consequence."""
    return replace(fault, message=f"{fault.message[:1].upper()}{fault.message[1:]}; {consequence}.")


def asks_nothing(title: str, name: str) -> str:
    """Why nothing is sent where a command is typed that asks no model; ``name`` with its slash."""
    return f"{title} sends nothing: it carries out {name} itself, or does not know it."
