"""What other parts need to know of Mistral Vibe."""

from __future__ import annotations

from promptls.core.spec import ConfigFile, FrontMatter, Home, Spec
from promptls.kit.header_keys import NOT_FOR_MODELS, SKILL
from promptls.kit.unread_files import HOOKS

SPEC = Spec(
    name="mistral-vibe",
    title="Mistral Vibe",
    command="vibe",
    package="mistral-vibe",
    registry="pypi",
    homes=(Home(".vibe", "VIBE_HOME", evidence=("config.toml", "AGENTS.md")),),
    aliases=("vibe",),
    evidence=(".vibe",),
    is_started=True,
    is_rare=True,
    owns_agents=True,
    skills=(".vibe/skills", ".agents/skills"),
    front_matter=(FrontMatter(r"(?:^|/)\.(?:vibe|agents)/skills/[^/]+/SKILL\.md$", {**SKILL, **NOT_FOR_MODELS}),),
    config_files=(
        ConfigFile(
            ("config.toml",),
            read=("include_project_context",),
            known=("include_commit_signature", "include_prompt_detail", "include_model_info", "project_context"),
        ),
    ),
    not_shown=(
        (r"\.vibe/prompts/[^/]+\.md", "its text is sent where an agent or system_prompt_id names it"),
        (r"\.vibe/hooks\.toml", HOOKS),
    ),
    usual_family="tekken",
)
