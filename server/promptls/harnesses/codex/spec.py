"""What other parts need to know of Codex."""

from __future__ import annotations

from promptls.core.spec import ConfigFile, Delegation, FrontMatter, Home, InstructionFile, Misplaced, Spec
from promptls.kit.header_keys import ROLE, SKILL

SPEC = Spec(
    name="codex",
    title="Codex",
    prints="exec",
    is_started=True,
    is_learned=True,
    takes_answers=True,
    command="codex",
    package="@openai/codex",
    homes=(
        Home(
            ".codex", "CODEX_HOME", evidence=("AGENTS.md", "config.toml", "sessions", "auth.json"), records="sessions"
        ),
    ),
    evidence=(".codex", "AGENTS.override.md"),
    counts_for_agents=True,
    owns_agents=True,
    nested=("AGENTS.md", "AGENTS.override.md"),
    is_nested_on_read=False,
    instruction_files=(InstructionFile(r"(?:^|/)AGENTS\.override\.md$", "AGENTS.override.md"),),
    front_matter=(FrontMatter(r"(?:^|/)\.(?:agents|codex)/skills/.+/SKILL\.md$", SKILL),),
    toml_files=(
        FrontMatter(r"(?:^|/)\.codex/agents/.+\.toml$", ROLE),
        FrontMatter(r"(?:^|/)\.codex/config\.toml$", {"model": "The model of a session."}),
    ),
    config_files=(
        ConfigFile(
            ("config.toml",),
            has_other_names=True,
            read=(
                "project_doc_max_bytes",
                "project_doc_fallback_filenames",
                "project_root_markers",
                "model_instructions_file",
                "developer_instructions",
                "approval_policy",
                "approvals_reviewer",
                "default_permissions",
                "sandbox_mode",
                "sandbox_workspace_write",
                "include_collaboration_mode_instructions",
                "include_environment_context",
                "include_permissions_instructions",
                "mcp_servers",
                "model_context_window",
                "compact_prompt",
                "experimental_compact_prompt_file",
            ),
            known=(
                *("model", "instructions", "experimental_instructions_file", "model_provider", "model_providers"),
                *("include_apps_instructions", "model_reasoning_effort", "model_reasoning_summary"),
            ),
        ),
    ),
    # Prompts of files are not read, and servers only in config.toml (surfaces, 8 and 12; captured: prompt-files).
    misplaced=(
        Misplaced(".codex", r"prompts/[^/]+\.md", "command", "Make it a skill: .agents/skills/NAME/SKILL.md."),
        Misplaced(
            ".codex",
            r"\.?mcp\.json",
            "server",
            "Name them under mcp_servers in .codex/config.toml.",
            "mcpServers",
        ),
    ),
    hides="beside",
    until_trusted="it may only read files, and leaves out the configuration, hooks, agents and rules in .codex",
    own_text_waits=True,
    # (parts: stdin)
    piped="{prompt}\n\n<stdin>\n{line}\n</stdin>",
    anew=("/clear", "/new"),
    later=("interactive", "editor", "mode", "request", "title", "resume", "compact", "subagent"),
    modes=("plan", "review"),
    screen_modes=("plan",),
    has_agents=False,
    delegation=Delegation(
        *("spawn_agent", "agent_type", "message"),
        namespace="multi_agent_v1",
        with_steps=("send_input", "followup_task"),
        is_apart=True,
    ),
    skills=(".agents/skills", ".codex/skills"),
    # Of front matter it uses name and description (wire: skill-fields; parts: skills-front-matter)
    skill_fields=dict.fromkeys(("context", "model", "allowed-tools", "paths", "user-invocable"), ""),
    usual_family="gpt",
    own_text=(4.218, 5.002),  # tools/own_text.py
)
