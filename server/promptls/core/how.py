"""How to know what a preview does not: the command that finds it out, for each placeholder and each unknown size.

    what a program says of itself     promptls capture --save
    what an MCP server offers         promptls servers --ask, or as what a hook says
    what a hook says                  promptls capture --save --run-workspace
    what a URL answers                promptls preview
    what a program sends that nobody has started     promptls probe
    what a version does that nobody has looked at    promptls learn

What only a model, a person or the moment decides, such as a summary or the time, nothing finds out.
"""

from __future__ import annotations

from promptls.core import specs
from promptls.core.model import CONFIGURED
from promptls.core.secrets import masked, masked_arguments
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, Literal

    from promptls.core.model import FetchResult, Origin, Prompt, Segment, Session, Tool

    Kind = Literal["capture", "servers", "hooks", "fetch", "probe", "learn"]

CAPTURE = ("promptls", "capture", "--save")
SERVERS = ("promptls", "servers")
PROBE = ("promptls", "probe")
FETCH = ("promptls", "preview")
RUNS = "--run-workspace"
# Characters that no shell takes for something else.
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-")
# What the commands find out that is of the user's own: all but the texts and tools of a program.
OF_OWN: tuple[Kind, ...] = ("servers", "hooks", "fetch")
# What decides which problems there are; a check asks URLs itself.
OF_PROBLEMS: tuple[Kind, ...] = ("learn", "servers", "hooks")
# All but the texts of a program itself, and all.
OF_OTHERS: tuple[Kind, ...] = (*OF_PROBLEMS, "fetch")
ALL: tuple[Kind, ...] = (*OF_OTHERS, "capture", "probe")
UNKNOWN = "Not known: "
# What each kind finds out, of the program that is named.
WHAT = {
    "capture": "texts of {} itself",
    "servers": "what MCP servers offer {}",
    "hooks": "what hooks say to {}",
    "fetch": "what URLs answer {}",
    "probe": "what {} sends of its own",
    "learn": "what this version of {} does otherwise",
}


@dataclass(frozen=True, slots=True)
class How:
    """What has to be found out, and the command that does, as arguments.

    ``once_trusted``: only once the user trusts the folder.
    """

    kind: Kind
    command: tuple[str, ...]
    once_trusted: bool = False

    @property
    def text(self) -> str:
        """The command as people type it: each argument quoted that a shell would take for something else."""
        if all(map(PLAIN.issuperset, self.command)) and all(self.command):
            return " ".join(self.command)
        from shlex import join  # noqa: PLC0415 - few need it

        return join(self.command)


class Ways:
    """How to know each part of a prompt; ``here`` is the directory that needs no naming."""

    __slots__ = ("_cwd", "_here", "_kinds", "_made", "_place", "_prompt", "_spec")

    def __init__(self, prompt: Prompt, here: str = "", kinds: Sequence[Kind] = ALL) -> None:
        """``kinds``: those that are asked for."""
        session = prompt.session
        self._spec = specs.of(session.harness)
        self._prompt, self._here, self._kinds = prompt, here, kinds
        self._cwd = (f"--cwd={session.cwd}",) if session.cwd != here else ()
        self._place = (*((session.cwd,) if session.cwd != here else ()), f"--harness={session.harness}")
        # What was made before: a prompt may have thousands of parts, and a session thousands of reads.
        self._made: dict[tuple[str, ...], How] = {}

    def of_version(self) -> How | None:
        """How to know what a version does that is not known, where another one is shown."""
        if not (self._prompt.other_version and self._spec.is_learned):
            return None
        return How("learn", ("promptls", "learn", self._spec.name))

    def of_segment(self, segment: Segment) -> How | None:
        """How to know a part of a message; None where it is known, or where nothing finds it out."""
        if segment.elided is None:
            return None
        if segment.origin.kind in CONFIGURED:
            return self._of_hook() if segment.elided.is_of_hook else self.of_server(segment.origin)
        # A URL that was asked answers soon.
        if segment.origin.kind == "computed" and "://" in segment.elided.name:
            return None if self._is_asked(segment.elided.name) else self.of_url()
        is_own = segment.origin.kind in ("builtin", "computed") and segment.layer != "runtime"
        is_shown = is_own and segment.elided.name != "secret"
        return self._of_program() if is_shown else None

    def _is_asked(self, url: str) -> bool:
        return any(each.url == url and each.state == "pending" for each in self._fetched())

    def _fetched(self) -> Iterator[FetchResult]:
        return (each.fetched for each in self._prompt.candidates if each.fetched is not None)

    def of_url(self) -> How | None:
        """How to know what URLs answer: a preview asks them, a table or a map does not; none does if they are off."""
        if not any(each.state == "disabled" and not each.by_settings for each in self._fetched()):
            return None
        return self._way("fetch", *FETCH)

    def of_tool(self, tool: Tool) -> How | None:
        """How to know the size of a tool."""
        if not tool.enabled or tool.size is not None:
            return None
        if tool.origin.kind in (*CONFIGURED, "file"):
            return self.of_server(tool.origin)
        return self._of_program()

    def _of_program(self) -> How | None:
        if self._spec.is_started:
            return self._way("capture", *CAPTURE)
        return How("probe", (*PROBE, *self._cwd, "--", self._spec.command)) if self._spec.command else None

    def of_server(self, origin: Origin | None = None) -> How | None:
        """How to know what MCP servers offer; none is asked that a folder configures which nobody trusts."""
        if self._spec.takes_answers:
            from promptls.core.places import awaits_trust  # noqa: PLC0415 - few prompts have a server

            waits = origin is not None and origin.path is not None and awaits_trust(self._prompt, origin.path)
            return How("servers", (*SERVERS, *self._place, "--ask"), waits)
        return self._way("servers", *CAPTURE, RUNS) if self._spec.is_started else self._of_program()

    def _of_hook(self) -> How | None:
        return self._way("hooks", *CAPTURE, RUNS) if self._spec.is_started else self._of_program()

    def _way(self, kind: Kind, *command: str) -> How | None:
        if kind not in self._kinds:
            return None
        made = self._made.get(command)
        if made is None:
            made = self._made[command] = How(kind, (*command, *_options(self._prompt.session, self._here)))
        return made


def _options(session: Session, here: str) -> tuple[str, ...]:
    """The options of a session; one with a secret in it is left out."""
    found = [f"--harness={session.harness}"]
    found += [f"--cwd={session.cwd}"] if session.cwd != here else []
    found += [f"--model={session.model}"] if session.model else []
    found += [f"--agent={session.agent}"] if session.agent else []
    found += [f"--read={each}" for each in session.reads]
    kept = [each for each in found if masked(each) == each]
    args = session.args if masked_arguments(session.args) == list(session.args) else ()
    return (*kept, *(("--", *args) if args else ()))


def how_json(how: How | None) -> dict[str, Any]:
    """The field of JSON that says so; no field where there is nothing to say."""
    if how is None:
        return {}
    once = {"once_trusted": True} if how.once_trusted else {}
    return {"how": {"kind": how.kind, "command": list(how.command), **once}}


def unknowns(prompt: Prompt, here: str = "", kinds: Sequence[Kind] = ALL) -> dict[How, list[str]]:
    """What is not known of a prompt, by the command that finds it out."""
    ways = Ways(prompt, here, kinds)
    found: dict[How, list[str]] = {}
    if (learning := ways.of_version()) is not None:
        found[learning] = [prompt.other_version]
    for message in prompt.messages:
        for segment in message.segments:
            if (how := ways.of_segment(segment)) is not None:
                found.setdefault(how, []).append(segment.title)
    for tool in prompt.tools or ():
        if (how := ways.of_tool(tool)) is not None:
            found.setdefault(how, []).append(tool.name)
    return dict(sorted(found.items(), key=lambda each: each[0].kind))


def of_sizes(prompt: Prompt, here: str = "", kinds: Sequence[Kind] = ALL) -> list[How]:
    """The commands that find out a size that nobody knows: why a total is only a lower bound, or a row has none."""
    ways = Ways(prompt, here, kinds)
    found = [
        ways.of_segment(each)
        for message in prompt.messages
        for each in message.segments
        if each.elided is not None and each.elided.size is None
    ]
    found += [ways.of_tool(each) for each in prompt.tools or ()]
    found.append(ways.of_url())
    return sorted({each for each in found if each is not None}, key=lambda each: each.kind)


def unknown_of(prompt: Prompt, here: str = "", kinds: Sequence[Kind] = ALL) -> list[How]:
    """The commands that find out what is not known of a prompt as a whole: what its version does, and its sizes."""
    learning = Ways(prompt, here, kinds).of_version()
    return [*([learning] if learning is not None else []), *of_sizes(prompt, here, kinds)]


def of_entries(prompt: Prompt) -> Iterator[tuple[Origin, How]]:
    """The entries of files that add what is not known, such as an MCP server, with the commands that find it out."""
    ways = Ways(prompt)
    found = [(each.origin, ways.of_segment(each)) for message in prompt.messages for each in message.segments]
    found += [(each.origin, ways.of_tool(each)) for each in prompt.tools or ()]
    for origin, how in found:
        if how is not None and origin.path is not None and origin.range is not None:
            yield origin, how


def first_of_each_kind(found: Iterable[How]) -> tuple[How, ...]:
    """One command of each kind: many sizes are found out in the same way."""
    firsts: dict[Kind, How] = {}
    for each in found:
        firsts.setdefault(each.kind, each)
    return tuple(firsts.values())


@dataclass(frozen=True, slots=True)
class Open:
    """What is not known of the prompts of a program, and the command that finds it out."""

    harness: str
    how: How

    @property
    def text(self) -> str:
        """As people are told."""
        from promptls.core.uses import ONCE_TRUSTED  # noqa: PLC0415 - not for a preview

        once = f" {ONCE_TRUSTED}" if self.how.once_trusted else ""
        return f"{UNKNOWN}{WHAT[self.how.kind].format(specs.of(self.harness).title)}{once}"

    def as_json(self) -> dict[str, Any]:
        """As ``ways`` has them."""
        return {"harness": self.harness, **how_json(self.how)["how"]}


def open_ones(
    prompts: Iterable[Prompt],
    here: str = "",
    kinds: Sequence[Kind] = ALL,
    of: Callable[[Prompt, str, Sequence[Kind]], Iterable[How]] = unknowns,
) -> list[Open]:
    """The first command of each kind that finds out more of the prompts, by kind."""
    firsts: dict[Kind, Open] = {}
    for prompt in prompts:
        for how in of(prompt, here, kinds):
            if how.kind in kinds:
                firsts.setdefault(how.kind, Open(prompt.session.harness, how))
    return [firsts[kind] for kind in kinds if kind in firsts]


def ways(prompts: Iterable[Prompt], here: str = "") -> list[dict[str, Any]]:
    """As JSON: for each harness, the commands that find out the sizes that are missing in its total."""
    found = ((each.session.harness, how) for each in prompts for how in of_sizes(each, here))
    return [{"harness": harness, **how_json(how)["how"]} for harness, how in found]


def how_lines(prompt: Prompt, here: str = "") -> Iterator[str]:
    """A line for each command that finds out more of a prompt."""
    title = specs.of(prompt.session.harness).title
    for how, names in unknowns(prompt, here).items():
        trust = f", first trust the folder in {title}, then" if how.once_trusted else ""
        yield f"{_says(how.kind, names, title)}{trust}: {how.text}"


def _says(kind: Kind, names: Sequence[str], title: str) -> str:
    if kind == "capture":
        return f"Not reproduced: {_texts(len(names))} of {title} itself. To see {'it' if len(names) == 1 else 'them'}"
    if kind == "learn":
        return f"Not known: what {title} {names[0]} does otherwise. To learn it from the installed program"
    if kind == "fetch":
        return f"Not asked for: {'1 URL' if len(names) == 1 else f'{len(names)} URLs'}. To ask"
    if kind == "probe":
        return f"Not reproduced: {_texts(len(names))} of {title} itself. To see what it sends"
    return f"Not known: {'what MCP servers offer' if kind == 'servers' else 'what hooks say'}. To see it"


def _texts(number: int) -> str:
    return "1 text" if number == 1 else f"{number} texts"
