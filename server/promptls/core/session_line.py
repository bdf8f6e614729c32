"""Which session an answer is about, in one line and as JSON: each of its facts with what it was taken from."""

from __future__ import annotations

from promptls.core.paths import from_home, is_below, relative, with_relative
from promptls.core.values import dataclass
from promptls.core.visible import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from promptls.core.prompt_json import Json

    Kind = Literal["program", "version", "start", "interactive", "mode", "model", "agent", "trust", "records"]


# What is said of a version that nothing else says.
NEWEST = "newest known"


@dataclass(frozen=True, slots=True)
class Fact:
    """Something of a session: ``value``, as JSON has it; ``says``, in the line, or ""; ``source``, a clause."""

    kind: Kind
    value: str | bool | None
    says: str
    source: str


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """The session of an answer. ``assumed``: what nothing says, as a clause, "" where it is known."""

    facts: tuple[Fact, ...]
    assumed: str = ""

    def of(self, kind: Kind) -> Fact | None:
        """A fact, if there is one of this kind."""
        return next((each for each in self.facts if each.kind == kind), None)


def session_line(told: SessionFacts, base: str, home: str) -> str:
    """``Program 2.1 (installed) · started in . · interactive · model``; paths are seen from ``base``."""
    said = []
    for each in told.facts:
        if each.kind == "start":
            said.append(f"started in {seen_from(base, str(each.value), home)}")
        elif each.kind == "version" and said:
            said[-1] += f" {each.says}"
        elif each.says:
            said.append(from_home(each.says, home) if each.kind == "records" else each.says)
    return " · ".join([*said, *([told.assumed] if told.assumed else [])])


def session_sources(told: SessionFacts, base: str, home: str) -> Iterator[str]:
    """A line for each fact with what it was taken from."""
    for each in told.facts:
        yield f"{each.kind}: {_value(each, base, home)}, {_source(each, base, home)}"


def _value(fact: Fact, base: str, home: str) -> str:
    """What a fact is, for people."""
    if fact.kind == "start":
        return seen_from(base, str(fact.value), home)
    says = str(fact.value) if fact.kind in ("mode", "agent") else fact.says or "not known"
    return from_home(says, home) if fact.kind == "records" else says


def _source(fact: Fact, base: str, home: str) -> str:
    return from_home(with_relative(fact.source, base) if fact.kind == "start" else fact.source, home)


def session_line_json(told: SessionFacts, base: str, home: str) -> Json:
    """The same as JSON, with the line itself."""
    facts = [
        {
            "kind": each.kind,
            "value": visible(each.value) if isinstance(each.value, str) else each.value,
            "says": visible(_value(each, base, home)),
            "source": visible(_source(each, base, home)),
        }
        for each in told.facts
    ]
    return {"line": visible(session_line(told, base, home)), "assumed": told.assumed or None, "facts": facts}


def seen_from(base: str, path: str, home: str) -> str:
    """A path for people: from ``base`` where it is below it or one step above, else from the home directory."""
    found = relative(path, base)
    if found.startswith("../..") or (found.startswith("../") and not is_below(base, path)):
        return f"~{path[len(home.rstrip('/')) :]}" if is_below(path, home) and len(home) > 1 else path
    return found
