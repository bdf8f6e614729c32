"""What is known of each version of OpenHands: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.base import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. Sizes of its own texts are characters; [source] is its packages."""

    version: Version
    # The first part of the system message, by the family of the model; None is one of no family.
    base: Mapping[str | None, int]
    # The characters of the definition of each tool, counted in captured requests with a model of no family; that of the
    # editor without the working directory, which is in it.
    tools: Mapping[str, int]
    # The agents that it brings, which the tool task names [source].
    agents: tuple[str, ...]
    # The warning and the sentence before the files [source: system_message_suffix.j2].
    warning: int
    # Of a skill [source].
    longest_name: int
    longest_description: int
    # What the tool for reading gives whole [source].
    read_characters: int
    # A model is of the first family of which its name has a word [source: model_prompt_spec.py].
    families: Mapping[str, tuple[str, ...]]
    # The files that are for one family only.
    families_of: Mapping[str, str]


NEWEST = Facts(
    Version("1.16.0", verified=True),
    base={None: 13_733, "GPT": 13_733, "Claude": 14_137},
    tools={
        "terminal": 3910,
        "file_editor": 4086,
        "task_tracker": 6520,
        "task": 3576,
        "finish": 858,
        "think": 1337,
        "invoke_skill": 667,
    },
    agents=("bash-runner", "code-explorer", "general-purpose"),  # seen by verify
    warning=548,
    longest_name=64,
    longest_description=1024,
    read_characters=16_000,
    families={
        "GPT": ("gpt-", "o1", "o3", "o4"),
        "Claude": ("claude",),
        "Gemini": ("gemini",),
        "Llama": ("llama",),
        "Mistral": ("mistral",),
        "DeepSeek": ("deepseek",),
        "Qwen": ("qwen",),
    },
    families_of={"claude": "Claude", "gemini": "Gemini"},
)
ROWS = (NEWEST,)
