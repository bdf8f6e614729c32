"""The shapes of what the commands print as JSON: docs/schemas is generated from them.

Keys may be added at any time, so that a reader has to ignore those that it does not know. ``VERSION`` grows when a key
is removed or means something else. What the language server returns as well is taken from its results.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field, RootModel

from promptls.lsp import results, view_results

VERSION = 1
Kind = Literal["file", "url", "skills", "commands", "agents", "servers", "hooks", "typed", "tools", "harness"]
Severity = Literal["error", "warning", "information", "hint"]


class Arrived(BaseModel):
    """A file, and whether it reached a recorded session."""

    path: str
    outcome: str
    why: str


class Touched(BaseModel):
    """A call of a tool."""

    tool: str
    failed: bool


class Recorded(BaseModel):
    """A session that a coding agent has recorded: paths and sizes, and no text of it."""

    harness: str
    version: str | None
    id: str
    path: str
    cwd: str
    started: str | None
    model: str | None
    agent: str | None
    branch: str | None
    commit: str | None
    parent: str | None
    reads: list[str]
    touched: list[Touched]
    tokens: list[int]
    compactions: int
    subagents: int
    not_recorded: str
    arrivals: list[Arrived] = Field(default_factory=list)


class Failed(BaseModel):
    """A coding agent that promptls failed to show, and where the fault is."""

    harness: str
    why: str


class Preview(BaseModel):
    """The prompt of a session. Lines and characters are counted from 0; a character is a UTF-16 code unit."""

    harness: results.HarnessName
    verified_here: results.VerifiedHere | None = None
    learned: results.Learned | None = None
    session: results.Session
    messages: list[results.Message]
    candidates: list[results.Candidate]
    tools: list[results.Tool] | None
    totals: results.Totals
    sizes: list[results.Size]
    limits: list[results.Limit]
    problems: list[results.Problem]
    stopped: str | None
    fault: bool = Field(description="Whether promptls failed: `stopped` says so, and what is sent is not known.")
    notes: list[str]
    found: list[results.Evidence]
    recorded: Recorded | None = None


class Column(BaseModel):
    """A harness: the tokens of its prompt, and the context window of its model, null if that is not known."""

    harness: str
    version: str
    model: str | None
    tokens: int
    token_method: str
    token_error: int
    at_least: bool
    window: int | None
    stopped: str | None
    fault: bool = Field(description="Whether promptls failed: what is sent, and so its tokens, are not known.")
    own_text_only: bool = Field(description="Whether the tokens are of the user's own text, as the rest is not known.")


class Cell(BaseModel):
    """What a harness takes of a row: at start, only when a file near it is read, or only by a start elsewhere.

    ``tokens`` are null where nobody knows.
    """

    tokens: int | None
    at: Literal["start", "read", "elsewhere"]
    cut: bool
    at_least: bool


class Row(BaseModel):
    """A file with the links to it, or a part of the prompts; null where a harness never gets it."""

    names: list[str]
    kind: Kind
    files: int
    cells: list[Cell | None]


class Worst(results.Problem):
    """A problem, whose it is, and the number of others that are told in the same words."""

    harnesses: list[str]
    alike: int


class HiddenSkills(BaseModel):
    """How many skills say that models may not call them, and are listed to that of another program all the same."""

    skills: int
    hidden_in: list[str]
    listed_in: list[str]


class IgnoredFields(BaseModel):
    """Skills with a field that some harnesses follow, and others ignore."""

    field: str
    skills: int
    followed_in: list[str]
    ignored_in: list[str]


class Overview(BaseModel):
    """What each harness in use is sent, and the worst problems; ``problems`` is their number."""

    root: str
    repository: str | None
    path: str | None
    sessions: list[results.NamedSession] = Field(description="Which session each column is about.")
    last_start: str | None = Field(description="The directory below in which the user last started a program.")
    columns: list[Column]
    rows: list[Row]
    problems: int
    worst: list[Worst]
    undecided: list[str]
    not_shown: list[str]
    how: list[view_results.HarnessHow] = Field(description="Commands that find out what stands behind a `+`.")
    hidden_skills: list[HiddenSkills]
    ignored_fields: list[IgnoredFields]


class Place(BaseModel):
    """What a harness gets in a directory."""

    at_start: list[results.Size]
    on_read: list[results.Size]
    only_at_start: list[results.Size]
    limits: list[results.Limit]
    how: list[results.How] = Field(description="Commands that find out what stands behind a `?`.")


class Directory(BaseModel):
    """A directory, with a place for each harness."""

    path: str
    places: list[Place]


class Started(BaseModel):
    """Whose session it is, and where it was started."""

    harness: str
    version: str
    cwd: str


class Budget(BaseModel):
    """A budget of the user's own text in a directory, and what the session that gets most of it uses.

    ``path`` is relative to the root; ``harness``: the only one that the budget is for. ``tokens`` and ``by`` are null
    where no harness of the budget is in use.
    """

    path: str
    of: Literal["own", "files", "lists", "servers"]
    harness: str | None
    budget: int
    tokens: int | None
    at_least: bool
    over: bool
    missing: bool = Field(description="There is no such directory, so the budget limits nothing.")
    owners: list[str] = Field(description="Those of the settings, or else of CODEOWNERS.")
    by: Started | None


class Section(BaseModel):
    """A section of a file that some harness sends, without those below it.

    ``digest``: the same for the same words, also in other repositories.
    """

    path: str
    line: int
    title: str
    digest: str
    tokens: int


class Map(BaseModel):
    """What each harness gets in each directory."""

    schema_: str = Field(alias="schema", description="The name and version of this schema.")
    root: str
    harnesses: list[str]
    directories: list[Directory]
    sessions: list[results.NamedSession] = Field(description="Which sessions the answer is about.")
    budgets: list[Budget]
    rules: list[Section]
    faults: list[Failed]


class Checked(BaseModel):
    """A problem: paths are relative to the folder; ``fix`` says whether there is one.

    ``start``: the directory in which a session has to start for it, where a start in the folder does not have it.
    """

    path: str
    range: results.Range
    code: str
    severity: Severity
    message: str
    harnesses: list[str]
    start: str | None
    fix: bool


class Summary(BaseModel):
    """How many problems there are of each severity."""

    error: int
    warning: int
    information: int
    hint: int


class Check(BaseModel):
    """The problems of a folder; ``root`` is where their paths begin."""

    schema_: str = Field(alias="schema", description="The name and version of this schema.")
    root: str
    sessions: list[results.NamedSession] = Field(description="Which sessions the answer is about.")
    problems: list[Checked]
    summary: Summary
    budgets: list[Budget]
    how: list[view_results.HarnessHow] = Field(description="Commands that find out what may have more problems.")
    faults: list[Failed]


class Harness(view_results.Harness):
    """A supported harness, and whether it is in use here."""


class DocumentedFiles(BaseModel):
    """Patterns of files, below the top of what is open, any folder of it or the home, and when they are read."""

    files: list[str]
    where: Literal["top", "any", "home"]
    when: str


class DocumentedProgram(BaseModel):
    """What a program reads by its documentation."""

    name: str
    title: str
    tier: Literal["documented"]
    note: str
    sources: list[str]
    reads: list[DocumentedFiles]


class Harnesses(BaseModel):
    """The supported harnesses; ``chosen`` are those that the settings name."""

    harnesses: list[Harness]
    chosen: list[str]
    documented: list[DocumentedProgram] = Field(description="Programs without a preview, by their documentation.")


class Program(BaseModel):
    """A program of the user, and what shows that they have it; ``others`` are further commands on PATH."""

    name: str
    chosen: str | None
    command: str | None
    version: str | None
    others: list[str]
    home: list[str]
    last_used_here: str | None


class Programs(BaseModel):
    """The programs of the user, the one that is used most here first; ``chosen``: they have said so themselves."""

    chosen: bool
    programs: list[Program]


class Lines(BaseModel):
    """The first and the last line, from 0."""

    first: int
    last: int


class Use(view_results.Use):
    """A session whose prompt has the file, and the lines of its message, if lines were asked for."""

    lines: list[Lines] = Field(default_factory=list)


class LeftOut(BaseModel):
    """A piece of a file that no session is sent, and why."""

    range: results.Range
    reason: str
    why: str
    cut: results.Cut | None = None


class Explanation(BaseModel):
    """What a harness does with a file; ``found``: it is in use here. Keys as in the language server's answer."""

    harness: results.HarnessName
    found: bool
    loaded: list[Use]
    fault: bool = Field(description="Whether promptls failed, as `reason` says: what the harness does is not known.")
    outcome: str
    why: str
    rule: str
    reason: str
    other: str | None
    use: results.UsedAs
    once_trusted: bool = False
    cut: results.Cut | None = None
    named: bool | None = Field(None, description="With a file near it that is read, its path is sent, not its text.")
    left_out: list[LeftOut] = Field(default_factory=list)
    how: list[results.How] = Field(
        default_factory=list, description="Commands that find out what is not known of the prompts that have it."
    )


class Explained(BaseModel):
    """What each harness does with a file, or with some lines of it."""

    path: str
    lines: Lines | None = None
    verdicts: list[view_results.Verdict]
    sessions: list[results.NamedSession] = Field(description="Which sessions the answer is about.")
    harnesses: list[Explanation]
    documented: list[view_results.Documented] = Field(
        description="What reads it by its documentation, without a preview."
    )
    in_agents: view_results.InAgents | None = Field(
        None, description="Of a folder `.agents`: who read such a file when recorded."
    )


class ExplainedFiles(BaseModel):
    """The same for several files."""

    files: list[Explained]


class Explain(RootModel[Explained | ExplainedFiles]):
    """What each harness does with files."""


class Source(BaseModel):
    """A line that has the text: of the file that has these names, or of another part of a prompt."""

    names: list[str] = Field(default_factory=list)
    range: results.Range | None = None
    of: str | None = None
    line: str


class FoundAt(BaseModel):
    """Where a line stands in a prompt: its source and message by number, and the line in the message."""

    source: int
    message: int
    role: str
    at: str
    line: int


class NotFound(BaseModel):
    """What keeps a line out of a prompt."""

    source: int
    reason: str
    why: str
    cut: results.Cut | None = None


class Hits(BaseModel):
    """What a prompt has of the lines."""

    harness: str
    version: str
    cwd: str
    places: list[FoundAt]
    left_out: list[NotFound]


class Find(BaseModel):
    """In which prompts a text stands; ``meant`` is a line that is much like it, where no line has it."""

    text: str
    root: str
    path: str | None
    sessions: list[results.NamedSession] = Field(description="Which sessions the answer is about.")
    sources: list[Source]
    prompts: list[Hits]
    how: list[view_results.HarnessHow] = Field(description="Commands that find out what may have the text too.")
    faults: list[Failed]
    meant: Source | None


class Compared(BaseModel):
    """A prompt that is compared: its session."""

    harness: str
    version: str
    cwd: str
    reads: list[str]


class ChangedPrompt(Compared):
    """What a change does to one prompt: its tokens before and after, at start or on read."""

    at: Literal["start", "read"]
    before: int
    after: int


class Change(BaseModel):
    """A change of a part, and the prompts in which it is the same."""

    name: str
    kind: Kind
    status: str
    why: str = ""
    cut: results.Cut | None = None
    times: int | None = None
    prompts: list[ChangedPrompt]


class Cached(BaseModel):
    """Where a cached prefix ends: from this line of this message on, so many tokens are new."""

    message: int
    line: int
    new: int


class Comparison(Compared):
    """The tokens of a prompt before and after."""

    before: int
    after: int
    cache: Cached | None


class BudgetBefore(BaseModel):
    """A budget before a change, null where there was none, and what was used of it."""

    budget: int | None
    tokens: int | None


class ChangedBudget(Budget):
    """A budget after a change, null where there is none any more, and before."""

    budget: int | None  # type: ignore[assignment] # it may be gone
    before: BudgetBefore


class RepositoryProgram(BaseModel):
    """A program in a repository, and the tokens of one's own text at a start at the top of it."""

    harness: str
    tokens: int
    at_least: bool


class FleetBudget(BaseModel):
    """A budget of a repository, as its result says it."""

    path: str
    of: str
    harness: str | None
    budget: int
    tokens: int | None
    over: bool
    missing: bool = Field(description="There is no such directory, so the budget limits nothing.")
    owners: list[str]


class Repository(BaseModel):
    """What the results of a repository say, null where none does; ``cut``: how many files or lists lose something."""

    name: str
    programs: list[RepositoryProgram] | None
    cut: int | None
    errors: int | None
    warnings: int | None
    budgets: list[FleetBudget]


class Copied(BaseModel):
    """Sections that several repositories have word for word, by the file of one of them; ``title`` is that of one."""

    repositories: int
    sections: int
    tokens: int
    repository: str
    path: str
    title: str


class NotRead(BaseModel):
    """A result that could not be read."""

    path: str
    why: str


class FleetProgram(BaseModel):
    """A program, in how many repositories it is in use, and their tokens together."""

    harness: str
    repositories: int
    tokens: int


class FleetTotals(BaseModel):
    """In how many repositories something is cut, broken, or over a budget; how many results were not read."""

    repositories: int
    cut: int
    broken: int
    over: int
    unread: int
    programs: list[FleetProgram]


class Fleet(BaseModel):
    """What the CI jobs of many repositories wrote."""

    totals: FleetTotals
    repositories: list[Repository]
    copied: list[Copied]
    not_read: list[NotRead]


class Diff(BaseModel):
    """Whose prompt changes between two states; ``of`` says what they are states of."""

    of: str
    before: str
    after: str
    root: str
    sessions: list[results.NamedSession] = Field(description="Which sessions the answer is about.")
    changes: list[Change]
    prompts: list[Comparison]
    budgets: list[ChangedBudget] = Field(description="Those of the settings, between two revisions.")
    how: list[view_results.HarnessHow] = Field(description="Commands that find out sizes that are not known.")


class BeforeAndAfter(BaseModel):
    """A number before and after a change."""

    before: int
    after: int


class ChangedProgram(BaseModel):
    """The tokens of the prompt of a program that a commit changed most."""

    harness: str
    tokens: BeforeAndAfter
    at: Literal["start", "read"]


class PromptCommit(BaseModel):
    """A commit that changed a prompt: the files and parts that changed, and which are cut, lost or sent twice since."""

    commit: str
    date: str
    author: str
    subject: str
    programs: list[ChangedProgram]
    files: list[str]
    cut: list[str]
    lost: list[str]
    twice: list[str]


class Log(BaseModel):
    """The commits that changed a prompt, the newest first."""

    root: str
    commits: list[PromptCommit]


class BlamedLine(BaseModel):
    """A line of a file and its commit; `tokens`: what it costs a start of each program, 0 where it is not sent."""

    line: int
    text: str
    commit: str
    author: str
    date: str
    subject: str
    tokens: dict[str, int]


class Blame(BaseModel):
    """The lines of a file, each with its commit."""

    path: str
    lines: list[BlamedLine]


class UnifiedFile(BaseModel):
    """What becomes of a file."""

    path: str
    how: Literal["removed", "import", "link", "configuration"]
    below: str | None = Field(description="The heading below which its text stands then, if it has none of its own.")


class LeftFile(BaseModel):
    """A file that stays as it is."""

    path: str
    why: str


class UnifiedProgram(BaseModel):
    """The lines of files and the tokens of a start; `lost` and `twice` are the most lines of any session.

    `again`: those of `twice` that two files say in text that differs, or below different headings.
    """

    harness: str
    version: str
    lines: BeforeAndAfter
    tokens: BeforeAndAfter
    lost: int
    twice: int
    again: int
    beyond: int = Field(description="Lines added to the one file that a limit keeps from a start.")


class LeadingFile(BaseModel):
    """A file that needs no change, because it leads to the one file."""

    path: str
    how: Literal["link", "import"]


class Unify(BaseModel):
    """What `promptls unify` would change, or has `written`; `again`: lines that stand below several headings."""

    root: str
    target: str
    sessions: list[results.NamedSession] = Field(description="Which sessions the answer is about.")
    written: bool
    changed: list[UnifiedFile]
    left: list[LeftFile]
    already: list[LeadingFile]
    programs: list[UnifiedProgram]
    again: int
    repeated: list[str] = Field(description="The lines that some program gets more often for that.")
    naming: list[str] = Field(description="Lines of the one file that name a file that has no text of its own then.")
    documented: list[view_results.Documented] = Field(
        description="What reads it by its documentation, without a preview."
    )
    patch: str = Field(description="For `git apply`; empty if it is written.")


class TrimmedBlock(BaseModel):
    """A paragraph, item, table or fence of a file: its lines, and what a start of each program pays for it."""

    path: str
    first: int
    last: int
    text: str
    tokens: dict[str, int]


class TrimmedSection(BaseModel):
    """A section of a file; `stood`: in how many recorded sessions of each program the file did."""

    path: str
    first: int
    last: int
    title: str = Field(description="Empty for what stands above the first heading.")
    tokens: dict[str, int]
    stood: dict[str, int]


class SaidTwice(BaseModel):
    """Two blocks that `programs` are sent both; `may_go`: no session has `one` without `other`."""

    one: TrimmedBlock
    other: TrimmedBlock
    like: float = Field(description="The share of words and pairs of words in common, 1 for the same.")
    programs: list[str]
    may_go: bool
    words: list[list[str]] = Field(description="The words that differ: those of one, and of the other.")


class SaidOtherwise(BaseModel):
    """Two blocks that differ by a number or a negation alone."""

    by: Literal["number", "negation"]
    one: TrimmedBlock
    other: TrimmedBlock
    programs: list[str]
    words: list[list[str]]


class OfOneDirectory(BaseModel):
    """A section that names one directory only; `then`: when each program gets it if it moves to `new`."""

    path: str
    first: int
    last: int
    title: str
    directory: str
    new: str
    tokens: dict[str, int] = Field(description="What a start of each program saves.")
    then: dict[str, Literal["start", "read", "elsewhere", "never"]]


class BeyondLimit(BaseModel):
    """Lines that a limit keeps from all programs that look at the file."""

    path: str
    first: int
    last: int
    tokens: int
    limit: str
    programs: list[str]


class ListedSkill(BaseModel):
    """A skill that a program lists at start, and in how many of its recorded sessions it was called (0 of 0: none)."""

    harness: str
    path: str
    tokens: int
    called: int
    of: int


class GoneLines(BaseModel):
    """Lines of a file that can go, or are gone: the same stands in another file, nearly so, or no program gets them."""

    path: str
    first: int
    last: int
    why: Literal["same", "near", "beyond"]


class SaidAgain(BaseModel):
    """A block of a file that stands in the same file before, at `at`: a line from 0. It is only shown."""

    path: str
    first: int
    last: int
    text: str
    at: int
    tokens: dict[str, int] = Field(description="What it costs a start of each program.")


class Trim(BaseModel):
    """What costs most in prompts, what is said twice or otherwise, and what of it can go, or is `written`."""

    root: str
    path: str | None = Field(description="The file that is asked about.")
    sessions: list[results.NamedSession] = Field(description="Which sessions the answer is about.")
    recorded: dict[str, int] = Field(description="The recorded sessions of each program that were counted.")
    sections: list[TrimmedSection]
    same: list[SaidTwice]
    near: list[SaidTwice]
    opposed: list[SaidOtherwise]
    again: list[SaidAgain]
    local: list[OfOneDirectory]
    beyond: list[BeyondLimit]
    skills: list[ListedSkill]
    written: bool
    gone: list[GoneLines]
    left: list[LeftFile]
    programs: list[UnifiedProgram]
    patch: str = Field(description="For `git apply`; empty if it is written.")


class Rule(BaseModel):
    """A rule of a check."""

    code: str
    family: str
    severity: Severity | Literal["off"]
    summary: str
    why: str
    before: str
    after: str
    help: str
    fix: Literal["offered", "safe"] | None


class Rules(BaseModel):
    """Every rule."""

    rules: list[Rule]


class Verify(view_results.VerifyResult):
    """A preview, and what the installed program sent; ``same`` if there is no difference."""


class Calibrated(BaseModel):
    """What recorded requests of a program and model say of counts: by what tools and text are multiplied."""

    harness: str
    model: str
    requests: int
    sessions: int
    error: float | None = Field(description="In percent, nine of ten are not further off; null with too few sessions.")
    tools: float
    text: float
    since: str | None = Field(description="When the tokenizer, or what is around the text, has changed.")
    used: bool = Field(description="Whether the sessions are alike enough to say something of another one.")


class Sessions(BaseModel):
    """The recorded sessions of a folder, the newest first, and what those of all folders say of counts."""

    sessions: list[Recorded]
    calibrations: list[Calibrated]


class SessionRequest(BaseModel):
    """A request of a recorded session; `parts` are the tokens of its preview by kind, `ours` their sum."""

    number: int
    at: str | None
    model: str | None
    tokens: int
    cached: int | None
    ours: int | None
    parts: dict[Kind, int] | None
    summary: bool
    compacted: Literal["typed", "automatic", "unknown"] | None = Field(
        description="The session was compacted just before it, and by whom."
    )
    compacted_at: int | None = Field(
        description="Its tokens then, as the program counted them, where no request of `requests` has them."
    )
    standing: list[str]
    entered: list[str]
    left: list[str]
    why_left: str | None
    sent_again: int
    why_broke: str | None


class NextRequest(BaseModel):
    """The next request, with nothing typed: what was reported of the last one, and what promptls counts since."""

    tokens: int
    reported: int
    added: int


class SubAgent(BaseModel):
    """A sub-agent: a session of its own, started by the answer to request `after` of its parent; 0: not known."""

    session: Recorded
    requests: list[SessionRequest]
    next: NextRequest | None
    agents: list[SubAgent]
    after: int


class LeftText(BaseModel):
    """A request with which a text left the prompts of the session, and why, such as `compacted`."""

    request: int
    why: str


class FoundText(BaseModel):
    """With `--find`: the files that have the text, and the first and last of each run of requests they stood in."""

    paths: list[str]
    requests: list[list[int]]
    left: list[LeftText]


class SessionRequests(BaseModel):
    """`promptls sessions ID`: a recorded session, request by request, and the sub-agents that it started."""

    session: Recorded
    requests: list[SessionRequest]
    next: NextRequest | None = Field(description="Null where that is not known, as after a compaction.")
    agents: list[SubAgent]
    found: FoundText | None = None


class SessionRules(BaseModel):
    """`promptls sessions --rules`: of the `last` sessions of each program."""

    last: int
    programs: list[results.ProgramRules]


class CalledTool(BaseModel):
    """A tool that requests carry: its tokens there, 0 where only its name is sent, and the sessions that called it."""

    name: str
    server: str | None = Field(description="The MCP server that offers it.")
    tokens: int | None
    called: int
    last: str | None


class ProgramTools(BaseModel):
    """The tools of a program, those first that no session called."""

    harness: str
    sessions: int
    is_known: bool = Field(description="Whether it is known which tools it offers.")
    tools: list[CalledTool]


class SessionTools(BaseModel):
    """`promptls sessions --tools`: of the `last` sessions of each program."""

    last: int
    programs: list[ProgramTools]


class ConfiguredServer(BaseModel):
    """An MCP server, or a hook, that a folder or the home configures for a harness."""

    harness: str
    name: str
    path: str | None
    range: results.Range | None
    start: str | None = Field(description="The command or the address, without secrets.")
    state: Literal["known", "open", "waits", "off", "apart"] = Field(
        description="Its answer is known; it can be asked; the folder has to be trusted first; the program does not "
        "start it; it cannot be asked, as `why` says."
    )
    why: str | None
    tools: list[str] | None = Field(description="The names of its tools, as it gives them.")
    asked: str | None = Field(description="The day on which it answered.")
    server: str | None = Field(description="What it called itself then.")


class ToolCost(BaseModel):
    """A tool of a server, as a harness sends it."""

    name: str
    server: str
    tokens: int


class ServerCosts(BaseModel):
    """What the servers whose answers are known cost a harness at start; `named`: tools of which only a name is sent."""

    harness: str
    tokens: int
    sent: list[ToolCost] = Field(description="The heaviest first.")
    named: int


class Servers(BaseModel):
    """What `promptls servers` lists."""

    servers: list[ConfiguredServer]
    hooks: list[ConfiguredServer]
    costs: list[ServerCosts]


class ProbedFile(BaseModel):
    """What of a file stands in a block of a request."""

    path: str
    lines: list[tuple[int, int]] = Field(description="The first and last line of each stretch.")
    of: int = Field(description="How many lines the file has.")
    whole: bool
    start: int
    end: int
    text: Literal["as it is", "with other line ends", "numbered", "indented", "in JSON", "changed"]
    before: str = Field(description="What stands before it, up to 200 characters, but no other file.")
    after: str
    also: list[str] = Field(description="Other files with the same lines.")


class ProbedBlock(BaseModel):
    """A block of a message; `own`: its characters that are of no file; `new`: no earlier request has it."""

    message: int
    block: int
    role: str
    characters: int
    own: int
    new: bool
    files: list[ProbedFile]


class ProbedTool(BaseModel):
    """A tool that a request offers."""

    name: str
    characters: int


class ProbedRequest(BaseModel):
    """A request to a model."""

    path: str
    format: Literal["messages", "chat", "responses", "generate"]
    model: str | None
    blocks: list[ProbedBlock]
    tools: list[ProbedTool]


class ProbedProgram(BaseModel):
    """The program that was started, and the package that it belongs to, if that is known."""

    path: str
    name: str | None
    version: str | None


class ReadPlace(BaseModel):
    """A place that the program reads, by a file of ours."""

    path: str
    where: str | None = Field(description="The role that sends it, or `tools`; nothing where it was only opened.")


class NotGiven(BaseModel):
    """What the program was not given of a file."""

    what: str
    path: str | None


class Probe(BaseModel):
    """What `promptls probe` prints."""

    command: list[str]
    cwd: str
    workspace: str
    program: ProbedProgram
    end: Literal["exited", "late", "done", "large", "open", "failed"] = Field(
        description="It ended; it was stopped at the limit of time, after some seconds without a request, or because "
        "of its memory; it could not be enclosed or started."
    )
    code: int | None
    means: str
    said_last: str | None
    main: int | None = Field(description="The request with most tools.")
    requests: list[ProbedRequest]
    others: list[str] = Field(description="What else was asked for: method and path.")
    hosts: list[str] = Field(description="Hosts that it tried to reach, and was refused.")
    opened: list[str] | None = Field(description="The files that it opened, where the disk notes that.")
    places: list[ReadPlace]
    left_out: list[NotGiven]
    notes: list[str]


# By the name of the command; of ``promptls`` alone it is overview.
OUTPUTS: dict[str, type[BaseModel]] = {
    "capture": Preview,
    "blame": Blame,
    "check": Check,
    "diff": Diff,
    "explain": Explain,
    "find": Find,
    "harnesses": Harnesses,
    "log": Log,
    "map": Map,
    "overview": Overview,
    "preview": Preview,
    "probe": Probe,
    "rule": Rule,
    "rules": Rules,
    "servers": Servers,
    "sessions": Sessions,
    "trim": Trim,
    "fleet": Fleet,
    "unify": Unify,
    "use": Programs,
    "sessions-requests": SessionRequests,
    "sessions-rules": SessionRules,
    "sessions-tools": SessionTools,
    "verify": Verify,
}


def schema(name: str) -> dict[str, Any]:
    """The JSON schema of an output; further keys are allowed everywhere."""
    made: dict[str, Any] = _open(OUTPUTS[name].model_json_schema(mode="serialization"))
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:promptls:schema:{VERSION}:{name}"}
    return {**head, **made, "title": f"promptls {name}, version {VERSION}"}


def _open(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _open(each) for key, each in value.items() if key != "additionalProperties" or each is not False}
    return [_open(each) for each in value] if isinstance(value, list) else value
