"""What a version does otherwise in some sessions only, as ``promptls learn`` saw it: with one model, or on the screen.

    {"kind": "size", "name": "read_file", "was": 878, "now": 986, "when": {"model": "gemini-2.5-flash"}}

A row says most of it. A release may differ where the row that it is made of has one number for several models.
"""

from __future__ import annotations

from promptls.core.model import Tool
from promptls.core.values import dataclass, replace
from promptls.kit.facts import leaves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any, Literal

    from promptls.core.model import Prompt, Segment
    from promptls.core.spec import Spec

    # A tool of another size, one that is not sent, one more; and a text of the program's own of another size.
    Kind = Literal["size", "gone", "more", "text"]

KINDS = ("size", "gone", "more", "text")
# Models of nobody, with which sessions of ours are run: any model that none was run with is like these.
OWN = ("stub-model", "stub/stub-model", "custom:stub", "my-own-model", "a-model-of-nobody")
OTHER = ""
SIZE, GONE, MORE = "its size was learned {}", "learned {}: it is not sent", "learned {}: it is sent"


@dataclass(frozen=True, slots=True)
class Deviation:
    """One of them: ``was`` is the size that the row says, None where it says none, and ``now`` the one that was sent.

    ``when`` has what is so of each session that it counts in, by name (``of_session``): all of it.
    """

    kind: Kind
    name: str
    was: int | None
    now: int
    when: tuple[tuple[str, str], ...] = ()

    def counts(self, known: Mapping[str, str]) -> bool:
        """Whether it counts in a session of which this is known."""
        return all(known.get(name) == value for name, value in self.when)

    @property
    def where(self) -> str:
        """In which sessions it was seen, for people; "" for all of them."""
        values = [value or "another model" if name == "model" else value for name, value in self.when if value != "no"]
        return " and ".join(values)

    @property
    def says(self) -> str:
        """The same as the end of a sentence."""
        return f"with {self.where}" if self.where else "of this version"

    def as_json(self) -> dict[str, Any]:
        """What is kept of it."""
        return {"kind": self.kind, "name": self.name, "was": self.was, "now": self.now, "when": dict(self.when)}


def from_json(kept: Mapping[str, Any]) -> Deviation:
    """One that was kept. Raises KeyError, TypeError or ValueError where it was written otherwise."""
    if kept["kind"] not in KINDS:
        raise ValueError(kept["kind"])
    when = tuple((str(name), str(value)) for name, value in kept["when"].items())
    was = None if kept["was"] is None else int(kept["was"])
    return Deviation(kept["kind"], str(kept["name"]), was, int(kept["now"]), when)


def named(row: Any) -> frozenset[str]:
    """Every word of a row: agents that it does not name are the user's own."""
    return frozenset(each for place, value in leaves(row) for each in (*place, value) if isinstance(each, str))


def of_session(prompt: Prompt, spec: Spec, models: Collection[str], agents: Collection[str]) -> dict[str, str]:
    """What tells sessions of a program apart.

    ``models`` are those with which some were run, ``agents`` has those of the program's own.
    """
    session = prompt.session
    asked, agent = model_of(prompt), session.agent or ""
    if spec.delegation is not None and session.turns:
        from promptls.kit.delegated import of_subagent  # noqa: PLC0415 - only of versions that were learned

        agent = of_subagent(session, spec)[1] or agent
    return {
        "model": asked if asked in models else OTHER,
        "screen": "the screen" if session.interactive else "no",
        "mode": f"mode {session.mode}" if session.mode else "no",
        "agent": (f"agent {agent}" if agent in agents else "an agent of your own") if agent else "no",
    }


def model_of(prompt: Prompt) -> str:
    """The model of a session, OTHER for one of nobody or where nobody knows."""
    asked = prompt.model or prompt.session.model or OTHER
    return OTHER if asked in OWN else asked


def with_deviations(prompt: Prompt, count: Sequence[Deviation]) -> Prompt:
    """A prompt with what differs in its session, all of which counts."""
    if not count:
        return prompt
    texts = {(each.name, each.was): each for each in count if each.kind == "text"}
    messages = tuple(
        replace(each, segments=tuple(_with_size(segment, texts) for segment in each.segments)) if texts else each
        for each in prompt.messages
    )
    tools = None if prompt.tools is None else _tools(prompt.tools, count)
    return replace(prompt, messages=messages, tools=tools)


def _with_size(segment: Segment, texts: Mapping[tuple[str, int | None], Deviation]) -> Segment:
    own = segment.elided
    found = None if own is None else texts.get((own.name, own.size))
    if own is None or found is None:
        return segment
    why = f"{segment.why}; {SIZE.format(found.says)}"
    return replace(segment, elided=replace(own, size=found.now), why=why)


def _tools(tools: Sequence[Tool], count: Sequence[Deviation]) -> tuple[Tool, ...]:
    of_tools = {(each.kind, each.name): each for each in count if each.kind != "text"}
    made = []
    for tool in tools:
        gone, size = of_tools.get(("gone", tool.name)), of_tools.get(("size", tool.name))
        more = of_tools.pop(("more", tool.name), None)
        if not tool.enabled and more is not None:
            made.append(replace(tool, enabled=True, size=more.now, why=f"{tool.why}; {MORE.format(more.says)}"))
        elif tool.enabled and gone is not None and gone.was == tool.size:
            made.append(replace(tool, enabled=False, why=f"{tool.why}; {GONE.format(gone.says)}"))
        elif tool.enabled and size is not None and size.was == tool.size:
            why = f"{tool.why}; {SIZE.format(size.says)}"
            made.append(replace(tool, size=size.now, why=why, definition=""))
        else:
            made.append(tool)
    new = [each for (kind, _), each in of_tools.items() if kind == "more"]
    return (*made, *(Tool(each.name, enabled=True, why=MORE.format(each.says), size=each.now) for each in new))
