"""What other parts need to know of Mistral Vibe."""

from __future__ import annotations

from promptls.core.spec import ConfigFile, Home, Spec
from promptls.kit.unread_files import HOOKS, SKILL

SPEC = Spec(
    name="mistral-vibe",
    title="Mistral Vibe",
    command="vibe",
    package="mistral-vibe",
    registry="pypi",
    homes=(Home(".vibe", "VIBE_HOME", evidence=("config.toml", "AGENTS.md")),),
    aliases=("vibe",),
    evidence=(".vibe",),
    is_rare=True,
    owns_agents=True,
    config_files=(
        ConfigFile(
            ("config.toml",),
            read=("include_project_context",),
            known=("include_commit_signature", "include_prompt_detail", "include_model_info", "project_context"),
        ),
    ),
    not_shown=(
        (r"\.(?:vibe|agents)/skills/[^/]+/SKILL\.md", SKILL),
        (r"\.vibe/prompts/[^/]+\.md", "its text is sent where an agent or system_prompt_id names it"),
        (r"\.vibe/hooks\.toml", HOOKS),
    ),
    usual_family="tekken",
)
