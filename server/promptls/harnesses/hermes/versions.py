"""What is known of each version of Hermes: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.base import Version


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. Sizes of its own texts are characters, counted in its package; [source] is that package."""

    version: Version
    # What it says of itself where there is no SOUL.md, of its tools, of the command line, and of work on code [source].
    identity: int
    guidance: int
    hint: int
    # Of its words on tools, those on memories, which no sub-agent gets [source]; and what that is told of its task,
    # before it and after the path of the folder (captured: subagent-leaf).
    of_memory: int
    on_subagents: int
    for_subagents: int
    brief: int
    # What stands around the list of skills [source].
    about_skills: int
    after_skills: int
    # What is said to some families of models: how to call tools, how Google's and OpenAI's work, how to edit [source].
    enforcement: int
    of_google: int
    of_openai: int
    edit_by_patch: int
    edit_by_replacing: int
    # Of a file that is sent at start: so much of the window of the model, in characters of which a token has so many,
    # within bounds (wire: large-file). Without a window this one [source].
    share: float
    per_token: int
    least: int
    most: int
    window: int
    # What of that is kept of the beginning and of the end (wire: large-file).
    kept: float
    kept_at_end: float
    # Of a file that comes with a read (wire: nested-read-large), and how far above what is read it may be [source].
    brought: int
    levels: int
    # How much of a text is looked at for attacks [source].
    scanned: int
    # Of a skill's description (wire: skills-places).
    description: int
    # What memories are said to have room for (wire: soul-memory).
    memory: int
    user: int
    # How many commits and manifests are listed, and how far up a manifest is looked for [source].
    commits: int
    manifests: int
    commands: int
    above: int


# Variables that change a request in a way that is not modelled (seen by verify, with 0.19.0).
VARIABLES_NOT_MODELLED = ("HERMES_KANBAN_TASK", "HERMES_TIMEZONE")
# Settings that do (seen by verify, with 0.19.0).
SETTINGS_NOT_MODELLED = (
    *("agent.task_completion_guidance", "agent.parallel_tool_call_guidance", "agent.disabled_toolsets"),
    *("platform_toolsets", "terminal.backend", "delegation.max_concurrent_children", "code_execution.mode"),
    *("web.backend", "web.search_backend", "web.extract_backend", "timezone"),
)
NEWEST = Facts(
    Version("0.19.0", verified=True),
    identity=513,
    guidance=4634,
    hint=950,
    of_memory=1427,
    on_subagents=64,
    for_subagents=829,
    brief=2626,
    about_skills=1466,
    after_skills=80,
    enforcement=824,
    of_google=859,
    of_openai=2694,
    edit_by_patch=198,
    edit_by_replacing=238,
    share=0.06,
    per_token=4,
    least=20_000,
    most=500_000,
    window=256_000,
    kept=0.7,
    kept_at_end=0.2,
    brought=8_000,
    levels=5,
    scanned=65_536,
    description=60,
    memory=2_200,
    user=1_375,
    commits=3,
    manifests=6,
    commands=8,
    above=6,
)
ROWS = (NEWEST,)
