"""What our own requests answer beside prompts: harnesses, what becomes of a file, tables, maps, a comparison."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from promptls.lsp.results import Cut, HarnessName, How, NamedSession, Result, Role, SizeKind, Tier, UsedAs


class HarnessVersion(Result):
    """A version of a harness."""

    version: str
    verified: bool
    tier: Tier = Field(description="How well the version is known.")
    note: str


class Harness(Result):
    """A harness, and whether the workspace is configured for it."""

    name: str
    title: str
    tier: Tier = Field(description="How well the default version is known.")
    versions: list[HarnessVersion]
    loads: list[str]
    found: bool
    evidence: list[str]


class CurrentHarness(Result):
    """The harness that is shown; ``setting`` is the one that the settings name."""

    name: str
    version: str
    setting: str | None


class HarnessesResult(Result):
    """The supported harnesses; uncommon ones only if they are in use or named."""

    harnesses: list[Harness]
    current: CurrentHarness
    chosen: list[str] = Field(
        default_factory=list, description="Those that the settings, or else the user's own file, name as in use."
    )
    undecided: bool = Field(
        False, description="The user has not said which harnesses they use, and several read AGENTS.md."
    )


class UseResult(Result):
    """What the user has said of their harnesses, for all their folders, and the file of theirs that says so."""

    path: str
    harnesses: list[str]
    answered: bool = Field(description="Whether they have said anything, if only to go by what is found.")


class Invalidated(Result):
    """The tokens of a cached prompt that a change invalidates, and their total number."""

    tokens: int
    of: int
    at_least: bool = Field(False, description="Some sizes are unknown.")


class Use(Result):
    """A session whose prompt has the file: started in `cwd`, `at` start or on read."""

    cwd: str
    at: Literal["start", "read"]
    role: Role
    layer: str
    why: str
    by: str | None = Field(None, description="The other name it is loaded by, if there are links.")
    scope: str | None = Field(None, description="The patterns of a rule that applies to some files.")
    use: UsedAs = Field("instruction", description="What the file is used as.")
    once_trusted: bool = Field(default=False, description="Only in a folder that the user trusts, as far as is known.")
    after_compaction: str | None = Field(
        default=None,
        description="What a compaction of the session does to it, where that is known: it comes back, or it is gone.",
    )
    tokens: int = Field(0, description="Those of its text in the message.")
    cut: Cut | None = None
    message: int = Field(0, description="Its place in the messages of the prompt, from 0.")
    invalidates: Invalidated


class Explanation(Result):
    """What one harness does with a file; `found` says whether it is in use in the workspace.

    `outcome` is `unshown` where the harness reads the file in a way that no preview shows yet. `why` is `rule`, which
    says why the harness looks there or does not, with `reason`, which says why that is the outcome and may be empty.
    """

    harness: HarnessName
    found: bool
    loaded: list[Use]
    fault: bool = Field(description="Whether promptls failed, as `reason` says: what the harness does is not known.")
    outcome: str
    why: str
    rule: str
    reason: str
    other: str | None
    use: UsedAs = Field("instruction", description="What it is used as, or would be.")
    once_trusted: bool = Field(default=False, description="Only in a folder that the user trusts, as far as is known.")
    cut: Cut | None = None
    named: bool | None = Field(None, description="With a file near it that is read, its path is sent, not its text.")
    how: list[How] = Field(
        default_factory=list, description="The commands that find out what is not known of the prompts that have it."
    )


class Verdict(Result):
    """Whether programs get a file where their user starts them: `says` is the sentence for people.

    `start` is a directory in which a start gets it; `remedy` a change after which they do, which was tried in memory.
    """

    harnesses: list[str]
    answer: Literal["yes", "part", "no", "later", "?"]
    says: str
    start: str | None
    remedy: str | None


class Documented(Result):
    """A program that reads a file by its documentation; nothing was measured."""

    program: str
    title: str
    tier: Literal["documented"]
    when: str
    sources: list[str]


class InAgents(Result):
    """A place in a folder `.agents`, and which harnesses have read it there when they were recorded."""

    place: str
    read_by: list[str]
    not_read_by: list[str]


class ExplainResult(Result):
    """What each harness does with a file, those of the workspace first; `verdicts` are for its reader."""

    path: str
    sessions: list[NamedSession] = Field(default_factory=list, description="Which sessions the verdicts are about.")
    verdicts: list[Verdict]
    harnesses: list[Explanation]
    documented: list[Documented] = Field(
        default_factory=list, description="What reads it by its documentation, without a preview."
    )
    in_agents: InAgents | None = Field(None, description="Of a folder `.agents`: who read such a file when recorded.")


class HarnessHow(How):
    """A command that finds out a size that is missing in the total of a harness."""

    harness: str


class TableColumn(Result):
    """A harness, and the size of its prompt; `title` is its name for people."""

    harness: str
    title: str
    version: str
    model: str | None
    tokens: int
    token_method: str
    token_error: int = Field(description="How far the tokens may be off, in percent; 0 where they are exact.")
    at_least: bool
    window: int | None
    stopped: str | None
    fault: bool
    own_text_only: bool = Field(description="Whether only the user's own text is counted.")
    uri: str = Field(description="The virtual document of that prompt.")


class TableCell(Result):
    """What a harness takes of a row: `at` start, on reading a file near it, or elsewhere: only if started near it.

    `tokens` is null where nobody knows.
    """

    tokens: int | None
    at: Literal["start", "read", "elsewhere"]
    cut: bool
    at_least: bool


class TableRow(Result):
    """A file by its names, which are links to one another, or a part; `cells` are one a column."""

    names: list[str]
    kind: SizeKind
    files: int
    cells: list[TableCell | None]


class TableResult(Result):
    """What each harness in use takes for a file, or at a start in the folder: as lines of text, and as a table.

    Both are empty if none is in use.
    """

    text: str
    harnesses: list[str]
    root: str
    columns: list[TableColumn]
    rows: list[TableRow]
    how: list[HarnessHow] = Field(default_factory=list, description="The commands that find out what is not known.")


class Program(Result):
    """The program that was run, and the model that it asked for."""

    version: str
    model: str | None
    interactive: bool | None = Field(
        description="Whether it was the program on the screen; null where it has none, or where nobody can type on it."
    )
    editor: bool = Field(description="Whether it was run as an editor runs it.")


class VerifiedMessage(Result):
    """A message of the preview, and what became of it; `number` is that of the block that was sent."""

    role: str
    state: str
    number: int | None
    characters: int | None


class Difference(Result):
    """Where the program sent something else: `rule` is what the preview goes by, `diff` are lines with `-` and `+`."""

    kind: Literal["missing", "text", "role", "order", "size", "extra", "tool"]
    says: str
    message: int | None
    rule: str | None
    path: str | None
    diff: list[str]


class ToolSize(Result):
    """The characters of a tool's definition: in the preview, 0 for its name alone, and as sent."""

    name: str
    shown: int
    sent: int


class VerifiedTools(Result):
    """The tools that were `sent`, the `characters` of their definitions, and which differ from those of the preview."""

    sent: int
    characters: int
    only_sent: list[str]
    only_shown: list[str]
    sizes: list[ToolSize]


class LeftOut(Result):
    """What the program was not given, because it could run it: a noun, and the file that has it (null: an argument)."""

    what: str
    path: str | None


class VerifyResult(Result):
    """A preview and what the installed program sent, as ``promptls verify`` compares them.

    `expected` and `sent` are both as texts for a diff: they are the same where nothing differs.
    """

    harness: HarnessName
    program: Program
    cwd: str
    date: str
    notes: list[str]
    same: bool
    whole: bool = Field(
        description="Nothing was left out that changes the prompt, and the preview knows all of the request."
    )
    all: bool = Field(description="Nothing was left out that changes the prompt, such as MCP servers and hooks.")
    left_out: list[LeftOut] = Field(description="What the program was not given, because it could run it.")
    unknown: list[str] = Field(description="What the preview says that it does not know, and so was not compared.")
    how: list[HarnessHow] = Field(default_factory=list, description="The commands that find out what is not known.")
    near: list[str] = Field(
        default=[], description="What of the program's own is nearly as long as the preview says; no difference."
    )
    not_fixed: list[str] = Field(description="What the program itself sends otherwise each time; no difference.")
    of_servers: list[str] = Field(description="What MCP servers that did not start have changed; no difference.")
    of_hooks: list[str] = Field(default=[], description="What hooks that said nothing have changed; no difference.")
    printed: bool = Field(
        default=False, description="The program that prints an answer was run; the preview is that of the screen."
    )
    tools: VerifiedTools | None
    expected: str
    sent: str
    messages: list[VerifiedMessage]
    differences: list[Difference]


class MapResult(Result):
    """The map of a folder as a page that needs no network; its links are relative to ``root``."""

    root: str
    html: str


class SessionPageResult(Result):
    """A recorded session as a page that needs no network; its links are relative to ``root``."""

    root: str
    html: str


class DidChangeParams(Result):
    """prompt/didChange: the virtual documents whose prompt has changed."""

    uris: list[str]
