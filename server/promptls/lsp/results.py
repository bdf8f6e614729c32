"""What our own requests answer of a prompt and of a session. No answer is checked by these while the server runs.

They and params.py are the only source of the extension's TypeScript types. Keys of the preview's JSON are those of the
command line; what the protocol adds is in camel case.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

# What a file is used as.
UsedAs = Literal["instruction", "config", "prompt", "template", "skill", "command", "agent", "style", "hook", "server"]
# What a part of a prompt is.
SizeKind = Literal["file", "url", "skills", "commands", "agents", "servers", "hooks", "typed", "tools", "harness"]
# How well a version of a harness is known.
Tier = Literal["captured", "source", "documented"]

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


class Result(BaseModel):
    """A result: the keys as they are."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Position(Result):
    """An LSP position: UTF-16."""

    line: int
    character: int


class Range(Result):
    """An LSP range."""

    start: Position
    end: Position


class Origin(Result):
    """The source of a text or a rule."""

    kind: Literal["file", "url", "config", "argument", "builtin", "computed"]
    path: str | None = None
    again: str | None = Field(None, description="Instead of `path`: a file that this message has already named.")
    url: str | None = None
    range: Range | None = None
    name: str | None = None


class Cut(Result):
    """What a limit removed."""

    kept: int
    total: int
    unit: str
    limit: str
    setting: Origin | None = None


class Elided(Result):
    """Prose of the harness's own that is not reproduced."""

    name: str
    size: int | None


class How(Result):
    """The command that finds out what a preview does not know, as arguments."""

    kind: Literal["capture", "servers", "hooks", "fetch", "probe", "learn"]
    command: list[str]
    once_trusted: bool = Field(False, description="It finds that out only once the user trusts the folder.")


class Segment(Result):
    """A run of the message's text with one origin; offsets in code points."""

    layer: Literal["provider", "environment", "instructions", "tools", "memory", "runtime"]
    title: str
    start: int
    end: int
    origin: Origin
    why: str
    cache: Literal["static", "session", "turn"]
    tokens: int
    cut: Cut | None
    elided: Elided | None
    captured: str | None = Field(None, description="The day on which the text was captured from the program.")
    how: How | None = Field(None, description="How to know what stands here, where a command finds it out.")


class Message(Result):
    """One content block of the request."""

    role: Role
    index: int
    block: int
    at: str
    text: str
    cached: bool
    segments: list[Segment]


class Fetched(Result):
    """What is known of a URL; seconds."""

    state: Literal["ok", "pending", "disabled", "timeout", "unreachable", "status", "empty", "refused"]
    status: int | None
    final_url: str | None
    headers_seconds: float | None
    total_seconds: float | None
    from_cache: bool


class Candidate(Result):
    """A place that the harness looks at, and the outcome."""

    path: str | None = None
    url: str | None = None
    outcome: Literal[
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
    why: str = Field(description="Rule and reason in one clause, for people.")
    rule: str = Field(description="Why the harness looks there.")
    reason: str = Field(description="The reason for this outcome; empty if the rule says it all.")
    origin: Origin
    use: UsedAs
    at: str
    other: str | None = None
    cut: Cut | None = None
    fetched: Fetched | None = None


class Problem(Result):
    """A check's finding."""

    path: str
    range: Range
    code: str
    severity: Literal["error", "warning", "information", "hint"]
    message: str


class HarnessName(Result):
    """A harness and version; ``verified`` by captured sessions."""

    name: str
    version: str
    verified: bool
    tier: Tier | None = Field(None, description="How well the version is known: see docs/harnesses.md.")


class Learned(Result):
    """Of so many rules of the version `base`, so many hold in this one, as it is installed here; `moved`: those not.

    `untried`: rules of this prompt that no session had. `inherited`: so many sizes of this prompt are those of `base`,
    as no session has them. In `open` of the `sessions` something was sent that no rule names. Not `whole`: it was ended
    before all that were `planned` were run.
    """

    date: str
    base: str
    holds: int
    rules: int
    moved: list[str]
    untried: list[str]
    inherited: int
    open: int
    sessions: int
    planned: int
    whole: bool


class VerifiedHere(Result):
    """The program that is installed here sent this prompt.

    `whole`: all of it was compared; otherwise something that changes the prompt was left out, unless `all`, and
    `unknown` counts what the preview itself does not know.
    """

    version: str
    date: str
    whole: bool
    all: bool = Field(description="Nothing was left out that changes the prompt, such as MCP servers and hooks.")
    unknown: int


class Call(Result):
    """A call of a tool: `read`, or `tool` with its `input` as JSON; or a compaction between two steps."""

    read: str | None = None
    tool: str | None = None
    input: str | None = None
    namespace: str | None = Field(default=None, description="The group that the tool is in.")
    steps: list[list[Call]] | None = Field(default=None, description="What the sub-agent does that the call starts.")
    compact: str | None = Field(default=None, description="No call: the session was compacted here.")
    summary: str | None = Field(default=None, description="With `compact`: what the model made of the history.")


class OpenFile(Result):
    """A file that is open in the editor; `selection` is line, character, line, character."""

    path: str
    selection: list[int] | None
    text: str | None = Field(default=None, description="The selected text, where it is known.")


class Turn(Result):
    """What the user sent at once, and what the model called then."""

    prompt: str | None
    stdin: str | None
    attached: list[str]
    open: list[OpenFile]
    steps: list[list[Call]]
    resume: bool | None = Field(default=None, description="True if a new process took the session up to send it.")
    args: list[str] | None = Field(default=None, description="The command line of that process.")
    compact: bool | str | None = Field(
        default=None, description="True if the history was compacted here, or what was typed for that."
    )
    summary: str | None = Field(default=None, description="What the model made of the history.")
    agent: str | None = Field(default=None, description="The agent from this turn on.")


class Fact(Result):
    """Something of a session, and a clause that says what it was taken from; `source` may name files of the user."""

    kind: Literal["program", "version", "start", "interactive", "mode", "model", "agent", "trust", "records"]
    value: str | bool | None
    says: str = Field("", description="The value, for people.")
    source: str


class NamedSession(Result):
    """Which session an answer is about: `line` says it; `assumed` is what nothing says, null where all is known."""

    line: str
    assumed: str | None
    facts: list[Fact]


class Session(Result):
    """How the harness was started, and what has been said and done since."""

    cwd: str
    reads: list[str]
    turns: list[Turn]
    model: str | None
    agent: str | None
    counts_open: bool = Field(description="Whether the open editor changes the prompt, so that `open` has an effect.")
    args: list[str]
    hints: list[str]
    interactive: bool | None = Field(description="Whether it is the program on the screen; null where nobody says.")
    editor: bool | None = Field(description="Whether an editor runs it in a panel; null where nobody says.")
    mode: str | None = Field(description="The mode that the user has chosen in the program.")
    told: NamedSession | None = Field(description="The session in a line, and what each part of that was taken from.")
    request: str | None = Field(description="Another request of the last turn, such as that for a summary.")


class Tool(Result):
    """A tool that the harness offers."""

    name: str
    enabled: bool
    why: str
    size: int | None = Field(description="The characters of its definition; null where they are not known.")
    origin: Origin
    how: How | None = Field(None, description="How to know its size, where a command finds it out.")


class Reported(Result):
    """The tokens that the service will report: with its own around messages, and tools as it writes them."""

    tokens: int
    method: str = Field(description="`calibrated` by requests of the user's that programs recorded, else `estimate`.")
    error: float = Field(description="How far the tokens may be off, in percent: nine of ten are not further off.")
    requests: int
    sessions: int


class Totals(Result):
    """Sizes of the whole prompt; ``elided`` counts the segments that are not reproduced."""

    characters: int
    bytes: int
    tokens: int
    token_method: str
    token_error: int = Field(description="How far the tokens may be off, in percent; 0 where they are exact.")
    reported: Reported | None = Field(None, description="What the service will report; null where that is not known.")
    files: int
    elided: int
    at_least: bool = Field(False, description="Some sizes are unknown: the total is larger.")
    window: int | None = Field(None, description="The context window of the model in tokens, if it is known.")


class Size(Result):
    """A part of the prompt: a file, all skills, the tools, the harness itself; all of them are the whole prompt."""

    name: str
    kind: SizeKind
    tokens: int | None = Field(description="Null where nobody knows any of them.")
    files: int
    at_least: bool


class Limit(Result):
    """A limit of the harness: `used` of `most` units; `left` is 0 where they are over it."""

    name: str
    used: int
    most: int
    left: int
    unit: str
    setting: Origin | None = None


class Evidence(Result):
    """A harness that the workspace is configured for, and the files that show it."""

    name: str
    evidence: list[str]


class Touched(Result):
    """A call of a recorded session that is not the program's own way to read a file."""

    tool: str
    failed: bool


class Arrival(Result):
    """What came of an instruction file in a recorded session, and why."""

    path: str
    outcome: Literal["start", "arrived", "expected", "never"]
    why: str


class RecordedSession(Result):
    """A session that a program recorded: paths and sizes, no text of it."""

    harness: str
    version: str | None
    id: str
    path: str = Field(description="The record.")
    cwd: str
    started: str | None
    model: str | None
    agent: str | None
    branch: str | None
    commit: str | None
    parent: str | None
    reads: list[str]
    touched: list[Touched]
    tokens: list[int] = Field(description="The prompt of each request, as the program counted it.")
    compactions: int
    subagents: int
    not_recorded: str
    arrivals: list[Arrival] | None = None


class SessionsResult(Result):
    """The recorded sessions of a folder, the newest first, and what could not be read."""

    sessions: list[RecordedSession]
    unread: list[str]


class RuleCount(Result):
    """In how many sessions a file was sent, in `cut` of these only in part; `last` says when, `why` why not.

    `computed`: the records do not say it, so it follows from the files of today.
    """

    path: str
    use: UsedAs
    stood: int
    cut: int
    last: str | None
    why: str | None
    computed: bool


class ProgramRules(Result):
    """The rules of one program, and how many sessions were counted."""

    harness: str
    sessions: int
    rules: list[RuleCount]


class RulesResult(Result):
    """Of the `last` sessions of each program, in how many each rule stood: as lines of text, and as a table."""

    root: str
    text: str
    last: int
    programs: list[ProgramRules]


class PreviewResult(Result):
    """The prompt, as on the command line, and its virtual document."""

    harness: HarnessName
    verified_here: VerifiedHere | None = Field(None, description="What `promptls verify` found on this machine.")
    learned: Learned | None = Field(None, description="What `promptls learn` found on this machine.")
    how: How | None = Field(None, description="How to know what an unknown version does, where another one is shown.")
    session: Session
    messages: list[Message]
    candidates: list[Candidate]
    tools: list[Tool] | None
    totals: Totals
    sizes: list[Size]
    limits: list[Limit]
    problems: list[Problem]
    stopped: str | None
    fault: bool = Field(description="Whether promptls failed: `stopped` says so, and what is sent is not known.")
    notes: list[str]
    found: list[Evidence]
    recorded: RecordedSession | None = None
    uri: str = Field(description="The virtual document that shows this prompt.")
    text: str = Field(description="The text of the virtual document.")
    ownLine: int = Field(  # noqa: N815 - a key of the protocol
        0, description="The line of that text at which what is the user's own begins; 0 where nothing is."
    )
    version: int = Field(description="Increases when this prompt changes.")
    cacheKey: str = Field(description="Identifies the session: equal for two previews of the same session.")  # noqa: N815 - a key of the protocol
    cacheHit: bool = Field(description="Nothing that the prompt depends on has changed.")  # noqa: N815 - the same
