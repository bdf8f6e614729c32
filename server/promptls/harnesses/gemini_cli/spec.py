"""What other parts need to know of Gemini CLI."""

from __future__ import annotations

from promptls.core.spec import ConfigFile, Delegation, FrontMatter, Home, Imports, InstructionFile, Misplaced, Spec
from promptls.kit.header_keys import AGENT_FILE, SKILL

SPEC = Spec(
    name="gemini-cli",
    title="Gemini CLI",
    prints="print",
    is_started=True,
    is_learned=True,
    takes_answers=True,
    command="gemini",
    package="@google/gemini-cli",
    homes=(
        Home(".gemini", "GEMINI_CLI_HOME", ".gemini", evidence=("GEMINI.md", "settings.json", "tmp"), records="tmp"),
    ),
    aliases=("gemini",),
    evidence=("GEMINI.md", ".gemini"),
    nested=("GEMINI.md",),
    names_from_config=True,
    until_trusted="it sends nothing",
    all_waits=True,
    own_text_waits=True,
    instruction_files=(InstructionFile(r"(?:^|/)GEMINI\.md$", "GEMINI.md"),),
    front_matter=(
        FrontMatter(r"(?:^|/)\.gemini/skills/.+/SKILL\.md$", SKILL),
        FrontMatter(
            r"(?:^|/)\.gemini/agents/[^/]+\.md$",
            AGENT_FILE
            | {
                "kind": "local or remote.",
                "temperature": "The temperature of the model.",
                "max_turns": "How many turns the agent may take.",
                "timeout_mins": "How many minutes the agent may take.",
            },
            ("tools",),
        ),
    ),
    config_files=(
        ConfigFile(
            ("settings.json",),
            read=("context",),
            known=("contextFileName", "content"),
            old={
                "contextFileName": "context.fileName",
                "memoryImportFormat": "context.importFormat",
                "includeDirectories": "context.includeDirectories",
                "loadMemoryFromIncludeDirectories": "context.loadMemoryFromIncludeDirectories",
                "folderTrust": "security.folderTrust.enabled",
            },
        ),
    ),
    # Servers and hooks are in settings.json (surfaces, Hooks and MCP servers).
    misplaced=(
        Misplaced(".gemini", r"\.?mcp\.json", "server", "Name them in .gemini/settings.json.", "mcpServers"),
        Misplaced(".gemini", r"hooks(?:/hooks)?\.json", "hook", "Put them into .gemini/settings.json.", "hooks"),
    ),
    imports=Imports(on_failure="error", tells_unrecognised=False),
    # (captured: symlink-dedupe)
    sends_links_once=True,
    # (captured: stdin)
    piped="{stdin}\n\n{prompt}",
    # (captured: compact-typed-read-after)
    brings_once=True,
    anew=("/clear",),
    later=("interactive", "editor", "mode", "request", "resume", "compact", "subagent"),
    modes=("default", "auto_edit", "yolo", "plan"),
    has_agents=False,
    delegation=Delegation("invoke_agent", "agent_name", "prompt", ends="complete_task"),
    skills=(".gemini/skills", ".agents/skills"),
    # (wire: skill-fields)
    skill_fields=dict.fromkeys(("context", "allowed-tools", "paths"), ""),
    usual_family="gemma-3",
    own_text=(4.639, 4.969),  # tools/own_text.py
)
