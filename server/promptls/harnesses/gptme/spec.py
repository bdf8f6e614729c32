"""What other parts need to know of gptme."""

from __future__ import annotations

from promptls.core.spec import ConfigFile, FrontMatter, Home, InstructionFile, Spec
from promptls.kit.header_keys import SKILL

PROMPT_KEYS = {
    "files": "Files whose text is sent with the instructions, instead of README and the like; patterns are allowed.",
    "exclude": "Patterns of files that are left out of these.",
    "prompt": "What the model is told of the project.",
    "base_prompt": "A text in place of gptme's own.",
    "system": "Which of gptme's own texts is sent: full, full-noexamples or short.",
    "context_cmd": "A command whose output is sent, once the user trusts the project.",
}
NAMES = ("gptme.toml", "gptme.local.toml")

SPEC = Spec(
    name="gptme",
    title="gptme",
    is_started=True,
    command="gptme",
    package="gptme",
    registry="pypi",
    homes=(
        Home(".config/gptme", evidence=("config.toml", "AGENTS.md")),
        Home(".local/share/gptme", "XDG_DATA_HOME", "gptme", ("logs",), records="logs"),
    ),
    evidence=("gptme.toml", ".github/gptme.toml", ".gptme"),
    is_rare=True,
    owns_agents=True,
    nested=("AGENTS.md", "CLAUDE.md", "COPILOT.md", "GEMINI.md", ".cursorrules", ".windsurfrules"),
    instruction_files=(InstructionFile(r"(?:^|/)COPILOT\.md$", "COPILOT.md"),),
    front_matter=(
        FrontMatter(r"(?:^|/)(?:\.gptme/|\.config/gptme/)(?:lessons|skills)/.+\.md$", SKILL),
        FrontMatter(
            r"(?:^|/)(?:\.gptme/|\.config/gptme/)lessons/.+\.md$",
            {"match": "What brings the lesson: keywords, patterns and tools.", "status": "active, or it is left out."},
        ),
    ),
    config_files=(
        ConfigFile(
            NAMES,
            read=("prompt", "files", "base_prompt", "agent", "lessons"),
            known=(
                *("context_cmd", "hooks", "rag", "context", "context_selector", "plugins", "plugin", "subagent"),
                *("settings", "env", "mcp"),
            ),
            keys={
                (): {"prompt": "What is sent of the project.", "agent": "Makes the folder the workspace of an agent."},
                ("prompt",): PROMPT_KEYS,
                ("agent",): {"name": "The name of the agent."},
            },
            entries=("prompt", "files"),
            has_patterns=True,
        ),
    ),
    hides="beside",
    sends_empty=True,
    has_agents=False,
    own_text=(4.302, 4.183),  # tools/own_text.py
)
