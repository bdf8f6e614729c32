"""What shows that a folder is configured for a harness, from its spec: a preview need not load all.

Generated from the specs by tools/generate.py: change them there.
"""

from __future__ import annotations

from promptls.core.spec import Detection, Home

DETECTION = {
    "etcode": Detection(
        evidence=("etcode.json", "etcode.jsonc", ".etcode.json", "ETCODE.md"),
        is_rare=True,
        owns_agents=True,
    ),
    "opencode": Detection(
        evidence=("opencode.json", "opencode.jsonc", ".opencode"),
        is_fallback=True,
        counts_for_agents=True,
        owns_agents=True,
        command="opencode",
        package="opencode-ai",
        homes=(
            Home(
                ".config/opencode",
                variable="XDG_CONFIG_HOME",
                below="opencode",
                evidence=("opencode.json", "opencode.jsonc", "AGENTS.md"),
            ),
            Home(
                ".local/share/opencode",
                variable="XDG_DATA_HOME",
                below="opencode",
                evidence=("opencode.db", "auth.json"),
                records="opencode.db",
            ),
        ),
    ),
    "claude-code": Detection(
        evidence=("CLAUDE.md", ".claude"),
        counts_for_agents=True,
        aliases=("claude",),
        command="claude",
        package="@anthropic-ai/claude-code",
        homes=(
            Home(
                ".claude",
                variable="CLAUDE_CONFIG_DIR",
                evidence=("CLAUDE.md", "settings.json", "projects", "history.jsonl", "rules"),
                records="projects",
            ),
        ),
    ),
    "codex": Detection(
        evidence=(".codex", "AGENTS.override.md"),
        counts_for_agents=True,
        owns_agents=True,
        command="codex",
        package="@openai/codex",
        homes=(
            Home(
                ".codex",
                variable="CODEX_HOME",
                evidence=("AGENTS.md", "config.toml", "sessions", "auth.json"),
                records="sessions",
            ),
        ),
    ),
    "gemini-cli": Detection(
        evidence=("GEMINI.md", ".gemini"),
        aliases=("gemini",),
        command="gemini",
        package="@google/gemini-cli",
        homes=(
            Home(
                ".gemini",
                variable="GEMINI_CLI_HOME",
                below=".gemini",
                evidence=("GEMINI.md", "settings.json", "tmp"),
                records="tmp",
            ),
        ),
    ),
    "copilot-cli": Detection(
        evidence=(".github/copilot-instructions.md", ".github/instructions"),
        counts_for_agents=True,
        aliases=("copilot",),
        command="copilot",
        package="@github/copilot",
        homes=(
            Home(
                ".copilot",
                variable="COPILOT_HOME",
                evidence=("config.json", "session-state", "copilot-instructions.md"),
                records="session-state",
            ),
        ),
    ),
    "copilot-vscode": Detection(
        evidence=(".github/copilot-instructions.md", ".github/instructions"),
        counts_for_agents=True,
        homes=(
            Home(".config/Code/User/globalStorage/github.copilot-chat"),
            Home("Library/Application Support/Code/User/globalStorage/github.copilot-chat"),
            Home("AppData/Roaming/Code/User/globalStorage/github.copilot-chat"),
        ),
    ),
    "cursor": Detection(
        evidence=(".cursor", ".cursorrules"),
        counts_for_agents=True,
        homes=(Home(".cursor", evidence=("argv.json", "mcp.json", "extensions", "cli-config.json")),),
    ),
    "openclaw": Detection(
        evidence=("SOUL.md",),
        owns_agents=True,
        command="openclaw",
        package="openclaw",
        homes=(Home(".openclaw", evidence=("openclaw.json", "workspace")),),
    ),
    "qwen-code": Detection(
        evidence=("QWEN.md", ".qwen"),
        is_rare=True,
        owns_agents=True,
        aliases=("qwen",),
        command="qwen",
        package="@qwen-code/qwen-code",
        homes=(Home(".qwen", variable="QWEN_HOME", evidence=("QWEN.md", "settings.json")),),
    ),
    "cline": Detection(
        evidence=(".clinerules", ".cline"),
        is_rare=True,
        owns_agents=True,
        command="cline",
        package="cline",
        homes=(Home(".cline", variable="CLINE_DIR", evidence=("data", "rules")),),
    ),
    "kilo-code": Detection(
        evidence=("kilo.json", "kilo.jsonc", ".kilo", ".kilocode", ".kilocoderules"),
        is_rare=True,
        owns_agents=True,
        aliases=("kilo",),
        command="kilo",
        package="@kilocode/cli",
        homes=(Home(".config/kilo", variable="XDG_CONFIG_HOME", below="kilo"),),
    ),
    "pi": Detection(
        evidence=(".pi",),
        is_rare=True,
        owns_agents=True,
        command="pi",
        package="@earendil-works/pi-coding-agent",
        homes=(Home(".pi/agent", variable="PI_CODING_AGENT_DIR", evidence=("settings.json", "AGENTS.md", "sessions")),),
    ),
    "continue": Detection(
        evidence=(".continue", ".continuerules"),
        is_rare=True,
        owns_agents=True,
        command="cn",
        package="@continuedev/cli",
        homes=(Home(".continue", variable="CONTINUE_GLOBAL_DIR", evidence=("config.yaml", "config.json", "sessions")),),
    ),
    "agent-core": Detection(
        evidence=("config/environments", ".tong_work"),
        is_rare=True,
    ),
    "mini-claude-code": Detection(
        evidence=("SYSTEM_PROMPT.md",),
        is_rare=True,
    ),
    "learn-claude-code": Detection(
        evidence=(".memory/MEMORY.md",),
        is_rare=True,
    ),
    "kimi-cli": Detection(
        evidence=(".kimi",),
        is_rare=True,
        owns_agents=True,
        aliases=("kimi",),
        command="kimi",
        package="kimi-cli",
        registry="pypi",
        homes=(Home(".kimi", evidence=("config.toml", "config.json")),),
    ),
    "kimi-code": Detection(
        evidence=(".kimi-code",),
        is_rare=True,
        owns_agents=True,
        command="kimi",
        package="@moonshot-ai/kimi-code",
        homes=(Home(".kimi-code", variable="KIMI_CODE_HOME", evidence=("config.toml", "AGENTS.md", "sessions")),),
    ),
    "droid": Detection(
        evidence=(".factory",),
        is_rare=True,
        owns_agents=True,
        aliases=("factory",),
        command="droid",
        package="droid",
        homes=(
            Home(
                ".factory",
                variable="FACTORY_HOME_OVERRIDE",
                below=".factory",
                evidence=("settings.json", "AGENTS.md", "sessions"),
            ),
        ),
    ),
    "mistral-vibe": Detection(
        evidence=(".vibe",),
        is_rare=True,
        owns_agents=True,
        aliases=("vibe",),
        command="vibe",
        package="mistral-vibe",
        registry="pypi",
        homes=(Home(".vibe", variable="VIBE_HOME", evidence=("config.toml", "AGENTS.md")),),
    ),
    "openhands": Detection(
        evidence=(".openhands", ".openhands_instructions"),
        is_rare=True,
        owns_agents=True,
        command="openhands",
        package="openhands",
        registry="pypi",
        homes=(
            Home(".openhands", variable="OPENHANDS_PERSISTENCE_DIR", evidence=("agent_settings.json", "settings.json")),
        ),
    ),
    "aider": Detection(
        evidence=(".aider.conf.yml", ".aiderignore"),
        is_rare=True,
        command="aider",
        package="aider-chat",
        registry="pypi",
        homes=(Home("", evidence=(".aider.conf.yml",)),),
    ),
    "crush": Detection(
        evidence=("crush.json", ".crush.json", "crushrc", ".crushrc", "CRUSH.md", "CRUSH.local.md", ".crush"),
        is_rare=True,
        owns_agents=True,
        command="crush",
        package="@charmland/crush",
        homes=(Home(".config/crush", variable="XDG_CONFIG_HOME", below="crush"),),
    ),
    "gptme": Detection(
        evidence=("gptme.toml", ".github/gptme.toml", ".gptme"),
        is_rare=True,
        owns_agents=True,
        command="gptme",
        package="gptme",
        registry="pypi",
        homes=(Home(".config/gptme", evidence=("config.toml", "AGENTS.md")),),
    ),
    "deepagents-code": Detection(
        evidence=(".deepagents",),
        is_rare=True,
        owns_agents=True,
        aliases=("dcode", "deepagents"),
        command="dcode",
        package="deepagents-code",
        registry="pypi",
        homes=(Home(".deepagents", evidence=("config.toml", "agent", ".state")),),
    ),
}
