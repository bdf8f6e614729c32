"""The values behind every view: a prompt, its messages, and every place that was looked at.

Offsets are Unicode code points; ranges are LSP ranges (lines and UTF-16 units from 0); paths are
absolute strings, as the harness found them (links not resolved).
"""

from __future__ import annotations

from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal

    from promptls.core.calibration import Calibration
    from promptls.core.files import State as FileState

    # Those of one program are fields of its request.
    Role = Literal[
        "system",
        "developer",
        "user",
        "assistant",
        "tool",
        "tools",
        "agent_message",
        "workspace_guidelines",
        "rules",
        "skills",
    ]
    Layer = Literal["provider", "environment", "instructions", "tools", "memory", "runtime"]
    Frame = Literal["head", "tail"]
    CacheClass = Literal["static", "session", "turn"]
    OriginKind = Literal["file", "url", "config", "argument", "builtin", "computed"]
    Outcome = Literal[
        "loaded",
        "missing",
        "empty",
        "shadowed",
        "duplicate",
        "outside",
        "excluded",
        "unscoped",
        "cut",
        "dropped",
        "failed",
        "pending",
        "disabled",
    ]
    Severity = Literal["error", "warning", "information", "hint"]
    # What a candidate would be used as.
    Use = Literal["instruction", "config", "prompt", "template", "skill", "command", "agent", "style", "hook", "server"]
    # How well a version of a harness is known.
    Tier = Literal["captured", "source", "documented"]
    PatternState = Literal["no-match", "given-up"]
    ImportState = Literal["cycle", "too-deep", "unrecognised", "absolute", "ending"]
    ConfigState = Literal["untrusted", "from-cwd"]
    # Why a program leaves a file out without a word.
    SilentState = Literal["link", "not-utf-8", "ignored"]
    # What a file is that is not sent and that the model is told of, and one that takes the place of all else.
    OtherState = Literal["named", "replaces"]
    HintState = Literal["unopened", "unclosed", "unknown-type", "unknown-tool"]
    # What is where a candidate was looked for, or what is wrong with it.
    CandidateState = FileState | PatternState | ImportState | ConfigState | HintState | SilentState | OtherState
    Request = Literal["summary", "title"]
    # What a session may say of what comes later, as far as a harness's rules know it (``Spec.later``).
    Later = Literal["interactive", "editor", "mode", "request", "title", "resume", "compact", "subagent", "agent"]
    FetchState = Literal["ok", "pending", "disabled", "timeout", "unreachable", "status", "empty", "refused"]

START = "start"
# Where a part comes from that the user has configured: an MCP server, a hook.
CONFIGURED: tuple[OriginKind, ...] = ("config", "argument")
# The file of a skill; those beside it are for who has called it.
SKILL_FILE = "SKILL.md"
# The outcomes of a file whose text a harness uses.
USED: tuple[Outcome, ...] = ("loaded", "cut")
# Uses of a file whose text is for the model.
OF_TEXTS: tuple[Use, ...] = ("instruction", "prompt", "skill", "command", "agent", "style")


@dataclass(frozen=True, slots=True)
class Range:
    """An LSP range: lines from 0, characters in UTF-16 units from 0, the end exclusive."""

    start_line: int = 0
    start_character: int = 0
    end_line: int = 0
    end_character: int = 0

    @property
    def start(self) -> tuple[int, int]:
        """The line and the character that it starts at."""
        return self.start_line, self.start_character

    @property
    def end(self) -> tuple[int, int]:
        """The line and the character that it ends before."""
        return self.end_line, self.end_character


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of a text or a rule: a file with its range, a URL, a config entry, ..."""

    kind: OriginKind
    path: str | None = None
    url: str | None = None
    range: Range | None = None
    name: str | None = None
    # The message has already named this file: the text after an import inside it, or the same file again.
    again: bool = False


COMPUTED = Origin("computed")


@dataclass(frozen=True, slots=True)
class Cut:
    """A limit removed something: ``kept`` of ``total`` units remain; the limit, and the setting that raises it.

    ``is_ours``: the limit is promptls's own, and the harness does not have it. ``is_fixed``: nothing raises it.
    """

    kept: int
    total: int
    unit: str
    limit: str
    setting: Origin | None = None
    is_ours: bool = False
    is_fixed: bool = False


@dataclass(frozen=True, slots=True)
class Elided:
    """A text that is not reproduced: its name, and its size in characters if known; ``is_of_hook``: a hook says it.

    ``offline`` is the size of one without a ``size`` where the program reaches nobody, as when it is enclosed.
    """

    name: str
    size: int | None = None
    is_of_hook: bool = False
    offline: int | None = None

    @property
    def size_offline(self) -> int | None:
        """Its size where the program reaches nobody."""
        return self.offline if self.size is None else self.size


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of a message's text with one origin. The segments of a message tile its text."""

    layer: Layer
    title: str
    text: str
    origin: Origin
    why: str
    cache: CacheClass = "session"
    cut: Cut | None = None
    elided: Elided | None = None
    # Part of the harness's own frame: the head of the next text or the tail of the previous one, shown with it.
    frame: Frame | None = None
    # The day on which the text was captured from the installed program; "" for all that a harness's rules say.
    captured: str = ""

    @property
    def characters(self) -> int:
        """How long the text is that is sent; 0 for one of the program's own whose size nobody knows."""
        return len(self.text) if self.elided is None else self.elided.size or 0


@dataclass(frozen=True, slots=True)
class Message:
    """One content block of the request. ``index`` and ``block`` are its place in it.

    ``at`` is ``start`` or the event that brought it: ``Call.at``, or ``turn:`` and the number of a later turn.
    """

    role: Role
    segments: tuple[Segment, ...]
    index: int
    block: int = 0
    at: str = START
    cached: bool = False

    @property
    def text(self) -> str:
        """The whole text: the segments joined, character for character."""
        return "".join(segment.text for segment in self.segments)


@dataclass(frozen=True, slots=True)
class Fault:
    """An error in a file: its place, its rule code, and one sentence on what to do."""

    code: str
    range: Range
    message: str


@dataclass(frozen=True, slots=True)
class FetchResult:
    """What is known of one URL. Times are seconds since the request was sent; None where not reached.

    ``fetched_at``, when the answer came, is Unix time.

    ``state``: ``ok`` | ``pending`` (not answered yet) | ``disabled`` (fetching is off or not allowed here) |
    ``timeout`` | ``unreachable`` | ``status`` (not 2xx) | ``empty`` | ``refused`` (our own limits: size,
    redirects, scheme). ``text`` is the decoded body when ``state`` is ``ok``.
    ``detail`` is one plain clause for people, without a final stop. ``by_settings``: it is ``disabled`` by the settings
    of the folder, for every command.
    """

    url: str
    state: FetchState
    text: str = ""
    status: int | None = None
    final_url: str | None = None
    headers_seconds: float | None = None
    total_seconds: float | None = None
    from_cache: bool = False
    truncated: bool = False
    detail: str = ""
    fetched_at: float | None = None
    by_settings: bool = False


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long a harness waits for a URL, in seconds: to the headers, and in all."""

    headers: float
    total: float


@dataclass(frozen=True, slots=True)
class GitState:
    """What git says of a repository, decoded and otherwise as it printed it.

    ``branch`` is "" where HEAD is no branch. ``main`` is the branch that origin calls its own, "" if it calls none;
    ``usual`` is then the one that it has of those that are usually it, else "".
    ``status`` is that of ``git status --short``, ``log`` of ``git log --oneline -n 5``; both are "" where there is
    nothing to list. ``user`` is ``user.name``, None if it is not set.
    """

    branch: str
    main: str
    user: str | None
    status: str
    log: str
    usual: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One place that the harness would look at: the rule that named it, the outcome, and the reason for it."""

    outcome: Outcome
    # Why the harness looks there; ``origin`` is what says so.
    rule: str
    origin: Origin
    path: str | None = None
    url: str | None = None
    use: Use = "instruction"
    at: str = START
    faults: tuple[Fault, ...] = ()
    fetched: FetchResult | None = None
    # The place that takes precedence over this one: the file that shadows it, or its first occurrence.
    other: str | None = None
    state: CandidateState | None = None
    # What a limit left of it, if it is cut or dropped.
    cut: Cut | None = None
    # The reason for the outcome; "" if the rule says everything.
    reason: str = ""

    @property
    def why(self) -> str:
        """Rule and reason in one clause, for users. Never parsed again."""
        return f"{self.rule}: {self.reason}" if self.reason else self.rule


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that a problem mentions: the file that shadows, the entry named first, a setting."""

    path: str
    range: Range
    message: str


@dataclass(frozen=True, slots=True)
class Edit:
    """A change to a file: the text that replaces ``range``. ``rename`` moves the file instead.

    A path that does not exist is created.
    """

    path: str
    range: Range = Range()
    text: str = ""
    rename: str | None = None


@dataclass(frozen=True, slots=True)
class Fix:
    """A way to fix a problem.

    ``is_safe``: it needs no human judgement. What is meant is plain, all that is loaded stays loaded, and no word that
    people can see is lost.
    """

    title: str
    edits: tuple[Edit, ...]
    is_safe: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """A finding of a check, ready to be shown. ``harnesses`` are those that it applies to.

    ``missing``: the file that an import looks for in vain, where a link decides over its place. ``start``: the
    directory in which a session has to start for it, None where a start at the top of the folder has it, too.
    """

    path: str
    range: Range
    code: str
    severity: Severity
    message: str
    harnesses: tuple[str, ...] = ()
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    missing: str | None = None
    start: str | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the harness offers to the model.

    ``size``: the characters of its definition as JSON; None where they have not been measured. ``origin``: what
    configures it, or turns it off. ``is_certain``: False where it may not be there after all, as ``why`` says.
    ``offered_as``: what the MCP server calls it that offers it. ``definition``: it as compact JSON, where the text is
    known and all of ``size``.
    """

    name: str
    enabled: bool
    why: str
    size: int | None = None
    origin: Origin = COMPUTED
    is_certain: bool = True
    offered_as: str = ""
    definition: str = ""


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of the harness that files of the user's share: what it is for, and how much of it is used.

    ``used`` is what they would take without it, so it may be more than ``most``; ``setting`` raises it.
    """

    name: str
    used: int
    most: int
    unit: str
    setting: Origin | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool: of the one that reads the file ``read``, or of ``tool`` with ``input``, as JSON.

    ``namespace``: the group that the tool is in, where the harness has groups. ``steps``: the call starts a sub-agent,
    and these are its own; () is its first request, None says nothing of them. ``compact``: no call; the harness itself
    compacts the session between two steps, as ``auto`` says, and ``summary`` is what the model makes of it.
    ``was_read``: a record says that the file could be read; now it may be gone.
    """

    read: str | None = None
    tool: str = ""
    input: str = "{}"
    namespace: str = ""
    steps: tuple[tuple[Call, ...], ...] | None = None
    compact: str = ""
    summary: str | None = None
    was_read: bool = False

    @property
    def at(self) -> str:
        """The event, as messages name it."""
        if self.compact:
            return f"compact:{self.compact}"
        return f"read:{self.read}" if self.read is not None else f"tool:{self.tool} {self.input}"

    @property
    def depth(self) -> int:
        """How many sub-agents are inside of one another in it; 0 for a call that starts none."""
        within = [call.depth for step in self.steps or () for call in step]
        return 0 if self.steps is None else 1 + max(within, default=0)


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A file that is open in the editor, what is selected in it, and the selected text, None where nobody knows it."""

    path: str
    selection: Range | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """What the user sends at once, and what the model calls then, step by step; the calls of a step are parallel.

    ``prompt`` is what was typed, None if that is not known. ``attached`` are paths. ``stdin`` is what was piped to the
    program with the prompt. ``resumes``: a new process took the session up to send it; ``args`` is the command line of
    that process, None for that of the session. ``compact``: the history was compacted here, with what was typed for
    that, "" for nothing; ``summary`` is what the model made of it, None for a placeholder. ``agent``: the agent from
    this turn on, None for the same.
    """

    prompt: str | None = None
    attached: tuple[str, ...] = ()
    open: tuple[OpenFile, ...] = ()
    steps: tuple[tuple[Call, ...], ...] = ()
    stdin: str | None = None
    resumes: bool = False
    args: tuple[str, ...] | None = None
    compact: str | None = None
    summary: str | None = None
    agent: str | None = None

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls of the session itself in this turn; those of sub-agents are in ``Call.steps``."""
        return tuple(call for step in self.steps for call in step)


def reading(paths: Iterable[str], *, were_read: bool = False) -> tuple[Turn, ...]:
    """The turns of a session that reads files, one a step."""
    steps = tuple((Call(read=path, was_read=were_read),) for path in paths)
    return (Turn(steps=steps),) if steps else ()


@dataclass(frozen=True, slots=True)
class Session:
    """How the harness was started, and what has been said and done since: its last request is the one to show.

    Paths are absolute. ``args`` is the harness's own command line; ``folders`` are those of a workspace with
    several. The environment belongs to the host. ``interactive``: whether it is the program on the screen, or the one
    that prints an answer; None where nobody says. ``editor``: an editor runs it over its protocol, and shows what it
    says in a panel of its own. ``mode``: the mode that the user has chosen in the program, such as
    ``plan``, where the command line does not say it. ``request``: another request of the last turn than the one
    that answers it: the one for a summary, or for a title. ``program``: the command of the program on this machine, if
    it is installed here in this version.
    """

    harness: str
    cwd: str
    version: str = ""
    turns: tuple[Turn, ...] = ()
    model: str | None = None
    agent: str | None = None
    args: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    # Tools that the user names, each with its advice; () for the harness's own tools.
    tools: tuple[tuple[str, str], ...] = ()
    # The user trusts the folder, where the harness's own records say nothing of it: a check of a folder asks for
    # what its files do, and whose machine it runs on must not matter.
    is_trusted: bool = False
    folders: tuple[str, ...] = ()
    interactive: bool | None = None
    editor: bool | None = None
    mode: str | None = None
    request: Request | None = None
    program: str | None = None

    @property
    def calls(self) -> tuple[Call, ...]:
        """Every call of a tool by the session itself, in order; those of sub-agents are in ``Call.steps``."""
        return tuple(call for turn in self.turns for call in turn.calls)

    @property
    def has_later(self) -> bool:
        """Whether it says anything of its later life: ``core/later.py`` has what."""
        asked = (self.interactive, self.editor, self.mode, self.request)
        return any(each is not None for each in asked) or any(
            turn.resumes
            or turn.compact is not None
            or turn.agent is not None
            or any(call.compact or call.steps is not None for call in turn.calls)
            for turn in self.turns
        )

    @property
    def reads(self) -> tuple[str, ...]:
        """The files that the tool for reading reads, in order."""
        return tuple(call.read for call in self.calls if call.read is not None)


@dataclass(frozen=True, slots=True)
class VerifiedHere:
    """The program that is installed here sent this prompt: its version, and the day.

    ``has_all`` is false where something that changes the prompt was left out, such as MCP servers. ``unknown`` counts
    what the preview itself says that it does not know.
    """

    version: str
    date: str
    has_all: bool = True
    unknown: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether all that is sent was compared."""
        return self.has_all and not self.unknown


@dataclass(frozen=True, slots=True)
class Learned:
    """What ``promptls learn`` found out of the version here: the day, and how many of its rules hold.

    ``base`` is the version whose rules these are. ``moved``: those of this prompt that no longer hold, ``untried``
    those that stood in no session. ``open``: in so many of all ``sessions`` something was sent that no rule names. Not
    ``whole``: it ended before all ``planned`` sessions were run. ``inherited``: so many sizes of this prompt are those
    of ``base``, as no session has them.
    """

    date: str
    base: str
    holds: int
    rules: int
    moved: tuple[str, ...] = ()
    untried: tuple[str, ...] = ()
    inherited: int = 0
    open: int = 0
    sessions: int = 0
    planned: int = 0
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a harness sends for a session. Everything that users see is a view of this value.

    ``stopped`` is the sentence that says why the harness sends nothing, if it does; ``messages`` is then ().
    ``stopped_by`` is the place that is to blame. ``model`` and ``agent`` are the ones that the harness ends up with.
    ``verified``: captured sessions of this version are among the tests of promptls. ``tier``: how well the version is
    known, "" if nobody has said. ``other_version``: the one that was asked for, where that is not known and another
    one is shown.
    """

    session: Session
    messages: tuple[Message, ...]
    candidates: tuple[Candidate, ...]
    model: str | None = None
    agent: str | None = None
    verified: bool = False
    tier: Tier | Literal[""] = ""
    verified_here: VerifiedHere | None = None
    learned: Learned | None = None
    other_version: str = ""
    tools: tuple[Tool, ...] | None = None
    stopped: str | None = None
    stopped_by: Origin | None = None
    # ``stopped`` says that promptls failed: what the harness sends is not known.
    is_fault: bool = False
    notes: tuple[str, ...] = ()
    limits: tuple[Limit, ...] = ()
    # What the program reported of the user's own requests with this model, where it was counted.
    calibration: Calibration | None = None
    # The model that was asked last, where the harness's own settings say none.
    counted_as: str | None = None
    # The context window in tokens, where the harness's own settings say it.
    window: int | None = None
    # Files and directories that count only as the session has the user trust the folder (``Session.is_trusted``).
    once_trusted: tuple[str, ...] = ()
