"""How the installed program of a harness is started so that it asks a recording server: data of its folder.

Each ``<name>/capture.py`` has a ``PROGRAM``. It is imported only to start one.
"""

from __future__ import annotations

from itertools import takewhile

from promptls.core.values import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Literal, TypeAlias

    from promptls.core.host import Host
    from promptls.core.model import Later, OpenFile, Turn

    # How an editor talks to a program: Agent Client Protocol, or one of the program's own.
    Protocol: TypeAlias = Literal["acp", "app-server", "stream-json"]
    Takes: TypeAlias = 'Literal["", "value", "values"] | Configuration'


# Replaced by the port of the recording server in arguments, variables and files.
PORT = "@PORT@"
URL = f"http://127.0.0.1:{PORT}"
# Places of a configuration that follows an option: one key of TOML with its value, or a whole object of JSON.
SETTING, JSON = "key=value", "json"
# What sends a line on a screen.
RETURN = "\r"
# What goes to the second answer of a dialog.
DOWN = "\x1b[B"
BACKSPACE = "\x7f"
# The key that every program gets.
KEY = "dummy"


@dataclass(frozen=True, slots=True)
class Configuration:
    r"""What of a kind of configuration a program is given where nothing of a folder may run; all else is left out.

    ``place``: a regular expression for the end of a path, ``SETTING`` or ``JSON``. ``keys``: those whose values only
    change the prompt: a text, a number, a switch, or a list of these. ``a.b`` is below another key, ``a.*.b`` below
    each of ``a``, ``a.**`` all that is below. A dot of a key itself is written as ``a\.b``. ``variables``: keys whose
    value is an object of variables, of which those that ``Program.keeps`` names are given; in a file of variables,
    ``NAME=value``, it is ``("",)``. ``inert``: keys that change no prompt, each with all that is below; they are left
    out without a word. ``emptied``: keys whose value is an object, which stays without its members. ``running``: in a
    file that holds much else, keys that run something; they are given only where that is asked for.
    """

    place: str
    keys: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    inert: tuple[str, ...] = ()
    emptied: tuple[str, ...] = ()
    running: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """What a program is started for. ``home`` is the scratch one, ``user_home`` the user's own.

    ``model`` and ``args`` are those of the session, ``opened`` the files that are open in an editor. ``goes_on``: what
    is typed and ``attached`` belongs to a later turn of the session that the program had last in this home. ``runs``:
    MCP servers and hooks may run; otherwise ``servers`` are the names of those to turn off. ``trusted``: the program is
    told that the user trusts these folders, of which its own records say nothing. ``is_on_screen``: ``typed`` is typed
    on its screen later; ``is_in_editor``: an editor sends it; ``mode``: the mode that is chosen there.
    """

    home: str
    user_home: str
    cwd: str
    typed: str
    model: str | None = None
    agent: str | None = None
    args: tuple[str, ...] = ()
    runs: bool = False
    servers: tuple[str, ...] = ()
    attached: tuple[str, ...] = ()
    opened: tuple[OpenFile, ...] = ()
    goes_on: bool = False
    trusted: tuple[str, ...] = ()
    is_on_screen: bool = False
    is_in_editor: bool = False
    mode: str = ""

    @property
    def trusts(self) -> bool:
        """Whether the program is told of any folder."""
        return bool(self.trusted)


@dataclass(frozen=True, slots=True)
class OnScreen:
    """How a program on the screen is led. It is started by ``Program.start`` for a ``Run.is_on_screen``.

    ``dialogs``: what it may ask before somebody can type, as an expression for what it shows without blanks, with the
    keys that answer it, ``|`` between them. ``leaves``: what is typed to end it, so that its session can be taken up.
    ``modes``: the keys that choose a mode, and last what is typed right before the first prompt, or before the last
    one where previews take a mode for that of it (``mode_is_last``).
    ``main``: as in ``Program``, where it is another one on the screen. ``takes_up``: what a session says before the
    options of a process that takes a session up there; None where a turn that says nothing is typed there, too.
    ``picks``: an expression for a prompt that opens a list from which somebody has to choose (seen by verify).
    ``loses``: commands behind which what is typed is lost, and ``/clear`` does the same (seen by verify).
    ``after_paste``: the keys that take away what the program itself puts behind a text that was pasted.
    """

    dialogs: tuple[tuple[str, str], ...] = ()
    leaves: str = "/exit"
    modes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    mode_is_last: bool = False
    main: tuple[str, ...] = ()
    takes_up: tuple[str, ...] | None = None
    picks: str = ""
    loses: tuple[str, ...] = ()
    after_paste: str = ""


@dataclass(frozen=True, slots=True)
class Start:
    """A command line, variables, and files of the scratch home: a path in it, and keys that JSON there must have."""

    arguments: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Mapping[str, object]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asking:
    """How a command line says what a run is for: the options for it; () or "" where there is none.

    ``stays``: where nothing may run, and ``stays_of`` the same for each server; ``goes_on``: the last session is taken
    up. ``prompt`` stands before what is typed, which is last, and first of all where ``is_first``; a program on the
    screen gets neither, and that of an editor gets ``editor`` instead.
    """

    prompt: tuple[str, ...] = ("--",)
    model: str = ""
    agent: str = ""
    mode: str = ""
    file: str = ""
    goes_on: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()
    stays_of: str = ""
    is_first: bool = False
    editor: tuple[str, ...] = ()

    def arguments(self, run: Run, *first: str) -> tuple[str, ...]:
        """The command line, which begins with ``first``."""
        own = [*self.stays, *_options_of(self.stays_of, run.servers)] if not run.runs else []
        own += self.goes_on if run.goes_on else ()
        own += [
            *_options_of(self.model, (run.model,)),
            *_options_of(self.agent, (run.agent,)),
            *_options_of(self.file, run.attached),
        ]
        # Some programs refuse an option that is there twice (seen by verify).
        says_mode = any(word.partition("=")[0] == self.mode for word in run.args)
        own += () if says_mode else _options_of(self.mode, (run.mode,))
        typed = () if run.is_on_screen else self.editor if run.is_in_editor else (*self.prompt, run.typed)
        return (*typed, *first, *own, *run.args) if self.is_first else (*first, *own, *run.args, *typed)


def _options_of(option: str, values: Iterable[str | None]) -> Iterator[str]:
    for value in values if option else ():
        if value:
            yield from (option, value)


def before_anything(turns: Sequence[Turn]) -> Collection[int]:
    """The compactions, by number, that are typed before anything is said."""
    return range(sum(1 for _ in takewhile(lambda turn: turn.compact is not None, turns)))


def taking(
    *, value: Iterable[str] = (), values: Iterable[str] = (), nothing: Iterable[str] = ()
) -> Mapping[str, Takes]:
    """Options with what they take: one value, all up to the next option, or nothing."""
    return {**dict.fromkeys(value, "value"), **dict.fromkeys(values, "values"), **dict.fromkeys(nothing, "")}


@dataclass(frozen=True, slots=True)
class Passing:
    """``what`` a program sends otherwise each time that the same is said, which no preview can know.

    ``text``: an expression for texts that differ. ``order``: one for texts that come in any order, told apart by its
    group. ``parallel``: where a step has several calls, their results come in any order, and then what they bring;
    ``text`` differs only there. ``of_servers``: an expression for what is there only because an MCP server has not
    started. ``either``: paths, each with the one that a preview names in its place. ``tied``: an expression for the
    block that names a file, with its path as group: those that were changed at the same time come in any order.
    """

    what: str
    text: str = ""
    order: str = ""
    parallel: bool = False
    of_servers: str = ""
    either: tuple[tuple[str, str], ...] = ()
    tied: str = ""


@dataclass(frozen=True, slots=True)
class Client:
    """What a program says of itself to an MCP server, whose list of tools may hang on that.

    ``protocol`` is the version that it asks for; ``further``: what it says beside its name and version. ``drops``: the
    variables of a configuration that it gives no server. ``takes_first``: its first request has the list that it got
    first, also of a server that has changed it by then.
    """

    name: str
    protocol: str
    capabilities: Mapping[str, object] = field(default_factory=dict)
    further: Mapping[str, str] = field(default_factory=dict)
    drops: frozenset[str] = frozenset()
    takes_first: bool = False


@dataclass(frozen=True, slots=True)
class Program:
    """What is known of a program.

    ``version``: an expression for what ``--version`` prints, whose group is the version; what prints something else is
    another program. ``main``: tools of which the request of the agent offers one; ``*``: every request is one.
    ``read``: the tool that reads a file, and the name of its argument; "" where reading adds nothing to a prompt.
    ``reads_by``: the command that reads, where that tool is a shell; ``{}`` is the path from the working directory.
    ``reads_with``: the option without which it has no such tool; ``reads_saying``: what a call of it has to say beside
    the path.

    ``keeps``: variables of the user's that decide over the prompt. ``places``: those that name a directory in which
    credentials may be, too, with the directory of the scratch home that takes its place; ``files``: variables that name
    a file. ``slug``: what it calls
    a directory of its own for another one.

    ``asks_again``: options with which it asks once more for an answer that calls no tool; ``asks_before``: the title of
    a part of a prompt for which a sub-agent has asked in the same turn.
    ``goes_on``: it can take up its last session; ``then``: what it is known to do otherwise when it does; ``attaches``:
    files can be attached by its command line; ``opens``: it is an editor, which can have files open.
    ``launcher``: the module of ``wire`` that starts it, with the first program of ``beside`` that there is; it takes no
    arguments of a session. ``find_version`` finds its version where that is not what ``--version`` prints; None if
    the program has not got what is to be run. ``advice``: what to do where it is not there.
    ``passing``: what differs each time that the same is said; ``race``: why a file does not count, where that is one of
    them, with ``{}`` for the one that does. ``named``: an expression for the list of tools of which
    only the names are sent; its group has one a line. ``described``: tools of which the preview always shows the
    description.
    ``drives``: what of a session's later life it can be made to do; ``on_screen``: how, by somebody who types;
    ``speaks``: the protocol over which an editor runs it, and ``is_apart_in_editor``: it waits for no sub-agent
    there; ``compacts_in_editor``: what is typed for a compaction there is no prompt.
    ``compacts``: what is typed for a compaction, and where ``compacts_printing`` also given to the program that prints
    its answer; ``summary``: the form of an answer to the request for a summary, and
    ``summaries`` how often the program asks for it; ``compacts_beside``: an expression for what asks for it, if that is
    done while the turn goes on; ``refuses``: the turns, by number, that ask for one which it refuses, and so ask no
    model. ``tasks``: one for what a request has once for each sub-agent that it is inside of,
    where one may have the history of the session that started it. ``aside``: the answer to requests that are no main
    ones; ``progress``: an expression for those of them that offer tools all the same, and are not answered. ``ways``: a
    call of a tool, by its name and arguments, as each kind of model of the program has to make it; None where all make
    it in one way.
    ``unpacks``: the directory below the home into which it unpacks its own package before it starts.
    ``captured_with``: variables that the captured sessions had set, unless they say otherwise.
    ``view``: a command line that prints what the program would send, as the ``input`` of OpenAI Responses.
    ``configurations``: what of its configurations is given to it; ``headers``: keys of front matter that are, beside
    those of its ``Spec``. ``code``: a regular expression for the end of a path in a place from which it loads programs
    by themselves. ``options``: those of its command line that only change the prompt, with what they take; ``""`` is
    one for arguments that are no options. ``client``: how it introduces itself to MCP servers. ``joins``: what it says
    in blocks of a message is one text in previews.
    """

    command: str
    version: str
    main: tuple[str, ...]
    start: Callable[[Run], Start]
    read: str = ""
    read_argument: str = ""
    reads_by: str = ""
    reads_with: tuple[str, ...] = ()
    reads_saying: Mapping[str, object] = field(default_factory=dict)
    keeps: tuple[str, ...] = ()
    places: Mapping[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    slug: Callable[[str], str] | None = None
    passing: tuple[Passing, ...] = ()
    race: str = ""
    named: str = ""
    described: tuple[str, ...] = ()
    unpacks: str = ""
    captured_with: Mapping[str, str] = field(default_factory=dict)
    drives: tuple[Later, ...] = ("resume",)
    view: Callable[[Run], Start] | None = None
    on_screen: OnScreen | None = None
    speaks: Protocol | None = None
    is_apart_in_editor: bool = False
    compacts_in_editor: bool = True
    compacts: str = "/compact"
    compacts_printing: bool = False
    summary: str = "{}"
    summaries: int = 1
    compacts_beside: str = ""
    refuses: Callable[[Sequence[Turn]], Collection[int]] | None = None
    tasks: str = ""
    aside: str = "ok"
    progress: str = ""
    ways: Callable[[str, Mapping[str, object]], tuple[tuple[str, Mapping[str, object] | str], ...]] | None = None
    goes_on: bool = True
    client: Client | None = None
    asks_again: tuple[str, ...] = ()
    asks_before: str = ""
    then: str = ""
    attaches: bool = False
    joins: bool = False
    opens: bool = False
    launcher: str = ""
    beside: tuple[str, ...] = ()
    find_version: Callable[[Host, str], str | None] | None = None
    advice: str = ""
    configurations: tuple[Configuration, ...] = ()
    headers: tuple[str, ...] = ()
    code: str = ""
    options: Mapping[str, Takes] = field(default_factory=dict)
    # What is asked for where neither the user nor the preview names a model.
    model: str | None = None
    # Seconds to the first request, on a machine that is busy.
    patience: float = 60.0


# What describes a plugin or an extension: its texts by their places, never its servers, hooks or commands.
ABOUT = (
    *("$schema", "name", "version", "description", "displayName", "author.*", "author", "homepage", "repository"),
    *("license", "keywords", "category", "tags", "skills", "commands", "agents", "outputStyles", "interface.*"),
)
MANIFEST = Configuration(r"(?:^|/)plugin\.json$", ABOUT)
# MCP servers are programs; a file that names none says so.
SERVERS = Configuration(r"(?:^|/)\.?mcp(?:-config)?\.json$", emptied=("mcpServers",))
# For a skill of any program: whether the model may call it.
SKILL_OF_CODEX = Configuration(
    r"(?:^|/)agents/openai\.yaml$", ("policy.allow_implicit_invocation", "policy.products"), inert=("interface",)
)
# What a package says of itself; its scripts and what it starts are left out.
PACKAGE = Configuration(
    r"(?:^|/)package\.json$", ("name", "version", "description", "private"), inert=("*",), running=("**",)
)
# Folders by path, with how far each is trusted.
TRUSTED_FOLDERS = Configuration(r"(?:^|/)trustedFolders\.json$", ("*",))
# Of the settings of one program and of what began as a copy of it, what changes no prompt.
INERT_SETTINGS = (
    *("$schema", "$version", "ui", "general", "privacy", "telemetry", "security", "advanced", "output", "theme", "ide"),
    *("selectedAuthType", "usageStatisticsEnabled", "vimMode", "hideTips", "hideBanner", "preferredEditor", "billing"),
    *("disableAutoUpdate", "accessibility", "checkpointing", "autoAccept", "showMemoryUsage", "codingPlan"),
)
