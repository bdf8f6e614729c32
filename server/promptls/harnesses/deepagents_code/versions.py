"""What is known of each version of Deep Agents Code: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.base import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. [source] is its package."""

    version: Version
    # The most of a description (wire: skills-many), and of what a skill needs [source: middleware/skills.py].
    description: int
    compatibility: int
    # The lines of a Makefile (wire: makefile).
    makefile: int
    # The names of a directory [source: local_context.py].
    names: int
    # What the agent that it brings is told (captured: subagent-general).
    general_purpose: int
    # The skills that it brings, in their order [source: built_in_skills].
    built_in: tuple[str, ...]
    # Names of providers, and how models begin whose provider need not be named [source: langchain/chat_models/base.py].
    providers: tuple[str, ...]
    models: tuple[str, ...]
    # Counted in captured requests: its text before the model's, the guidelines for memories, each tool's definition.
    base: int
    guidelines: int
    # The latter where nothing is saved by itself (seen by verify).
    guidelines_of_reader: int
    tools: Mapping[str, int]


NEWEST = Facts(
    Version("0.1.57", verified=True),
    description=1024,
    compatibility=500,
    makefile=20,
    names=20,
    general_purpose=286,
    built_in=("deepagents-thread-inspector", "remember", "skill-creator"),
    providers=(
        *("anthropic", "anthropic_bedrock", "azure_ai", "azure_openai", "baseten", "bedrock"),
        *("bedrock_converse", "bedrock_mantle_anthropic", "bedrock_mantle_openai", "cohere", "deepseek"),
        *("fireworks", "google_anthropic_vertex", "google_genai", "google_vertexai", "groq", "huggingface"),
        *("ibm", "langsmith", "litellm", "meta", "mistralai", "nvidia", "ollama", "openai", "openrouter"),
        *("perplexity", "together", "upstage", "xai"),
    ),
    models=(
        *("gpt-", "o1", "o3", "chatgpt", "text-davinci", "claude", "command", "accounts/fireworks", "gemini"),
        *("amazon.", "anthropic.", "meta.", "mistral", "mixtral", "deepseek", "grok", "sonar", "solar"),
    ),
    base=9317,
    guidelines=5072,
    guidelines_of_reader=1519,  # seen by verify
    tools={
        "ls": 436,
        "read_file": 1733,
        "write_file": 699,
        "edit_file": 1045,
        "delete": 606,
        "glob": 580,
        "grep": 2228,
        "task": 1784,
        "compact_conversation": 283,
        "get_rubric": 563,
        "get_goal": 624,
        "update_goal": 946,
        "js_eval": 542,
        "fetch_url": 418,
        "get_current_thread_id": 282,
    },
)
ROWS = (NEWEST,)
