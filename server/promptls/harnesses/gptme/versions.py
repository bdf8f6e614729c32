"""What is known of each version of gptme: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.base import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. Sizes of its own texts are characters; [source] is its package."""

    version: Version
    # Its own text up to the middle of the tools, without the name of the model, and the rest of these, of a machine
    # with apt-get, docker, git and tmux (captured: bare).
    base: int
    rest: int
    # The sentences before the lists of files, and what stands before the state of the machine (captured: bare).
    about_agents: int
    about_selected: int
    boundary: int
    # The characters of the definition of each tool, counted in a captured request (captured: bare).
    tools: Mapping[str, int]
    # How the models begin that are asked by OpenAI's newer way [source: llm_openai_models.py]; for them, its own text
    # with all tools, which has no examples, without the name of the model (seen by verify).
    by_responses: tuple[str, ...]
    base_by_responses: int
    # How the names of models begin that get system messages as the user's, where they are asked the older way (seen by
    # verify) [source: _prep_o1].
    without_system: tuple[str, ...]
    # What is sent of a file, with the note that says so (wire: large).
    file_characters: int
    # Of all memories together [source: prompts/workspace.py].
    memory_bytes: int
    # With one call of a tool (wire: nested-caps).
    brought_files: int
    brought_bytes: int
    # What a list of skills says of one (wire: skill-long).
    description: int
    # Lessons of a session [source: tools/lessons.py].
    lessons: int


# Variables that change a request in a way that is not modelled (seen by verify, with 0.35.1).
VARIABLES_NOT_MODELLED = ("GPTME_FOLD_SYSTEM_MESSAGES", "GPTME_EVIDENCE_REPLAY")
NEWEST = Facts(
    Version("0.35.1", verified=True),
    base=15_987,
    rest=6_914,
    about_agents=161,
    about_selected=21,
    boundary=112,
    tools={
        "append": 302,
        "complete": 558,
        "convert": 1206,
        "mcp": 933,
        "memory": 702,
        "patch": 1158,
        "patch_many": 1288,
        "recall": 531,
        "save": 664,
        "shell": 1175,
        "tmux": 742,
        "todo": 822,
        "vent": 960,
        "ipython": 296,
    },
    by_responses=("openai/gpt-5", "openai/gpt-6"),
    base_by_responses=16_381,
    without_system=("gpt-5", "o1", "o3", "o4"),
    file_characters=100_000,
    memory_bytes=64 * 1024,
    brought_files=3,
    brought_bytes=12_000,
    description=80,
    lessons=20,
)
ROWS = (NEWEST,)
