"""What shows that a folder is configured for a harness, of its spec: a preview need not load all of them.

Generated from the specs by tools/generate.py: change them there.
"""

from __future__ import annotations

from promptls.core.spec import Marks

MARKS = {
    "etcode": Marks(
        evidence=("etcode.json", "etcode.jsonc", ".etcode.json", "ETCODE.md"),
        is_rare=True,
        owns_agents=True,
    ),
    "opencode": Marks(
        evidence=("opencode.json", "opencode.jsonc", ".opencode"),
        is_fallback=True,
        counts_for_agents=True,
        owns_agents=True,
    ),
    "claude-code": Marks(
        evidence=("CLAUDE.md", ".claude"),
        counts_for_agents=True,
        aliases=("claude",),
    ),
    "codex": Marks(
        evidence=(".codex", "AGENTS.override.md"),
        counts_for_agents=True,
        owns_agents=True,
    ),
    "gemini-cli": Marks(
        evidence=("GEMINI.md", ".gemini"),
        aliases=("gemini",),
    ),
    "copilot-cli": Marks(
        evidence=(".github/copilot-instructions.md", ".github/instructions"),
        counts_for_agents=True,
        aliases=("copilot",),
    ),
    "copilot-vscode": Marks(
        evidence=(".github/copilot-instructions.md", ".github/instructions"),
        counts_for_agents=True,
    ),
    "cursor": Marks(
        evidence=(".cursor", ".cursorrules"),
        counts_for_agents=True,
    ),
    "openclaw": Marks(
        evidence=("SOUL.md",),
        owns_agents=True,
    ),
    "qwen-code": Marks(
        evidence=("QWEN.md", ".qwen"),
        is_rare=True,
        owns_agents=True,
        aliases=("qwen",),
    ),
    "cline": Marks(
        evidence=(".clinerules", ".cline"),
        is_rare=True,
        owns_agents=True,
    ),
    "kilo-code": Marks(
        evidence=("kilo.json", "kilo.jsonc", ".kilo", ".kilocode", ".kilocoderules"),
        is_rare=True,
        owns_agents=True,
        aliases=("kilo",),
    ),
    "pi": Marks(
        evidence=(".pi",),
        is_rare=True,
        owns_agents=True,
    ),
    "continue": Marks(
        evidence=(".continue", ".continuerules"),
        is_rare=True,
        owns_agents=True,
    ),
    "agent-core": Marks(
        evidence=("config/environments", ".tong_work"),
        is_rare=True,
    ),
    "mini-claude-code": Marks(
        evidence=("SYSTEM_PROMPT.md",),
        is_rare=True,
    ),
    "learn-claude-code": Marks(
        evidence=(".memory/MEMORY.md",),
        is_rare=True,
    ),
    "kimi-cli": Marks(
        evidence=(".kimi",),
        is_rare=True,
        owns_agents=True,
        aliases=("kimi",),
    ),
    "mistral-vibe": Marks(
        evidence=(".vibe",),
        is_rare=True,
        owns_agents=True,
        aliases=("vibe",),
    ),
    "openhands": Marks(
        evidence=(".openhands", ".openhands_instructions"),
        is_rare=True,
        owns_agents=True,
    ),
    "aider": Marks(
        evidence=(".aider.conf.yml", ".aiderignore"),
        is_rare=True,
    ),
    "crush": Marks(
        evidence=("crush.json", ".crush.json", "crushrc", ".crushrc", "CRUSH.md", "CRUSH.local.md", ".crush"),
        is_rare=True,
        owns_agents=True,
    ),
}
