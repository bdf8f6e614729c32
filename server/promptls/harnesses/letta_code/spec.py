"""What other parts need to know of Letta Code."""

from __future__ import annotations

from promptls.core.spec import Delegation, FrontMatter, Home, Spec
from promptls.kit.header_keys import AGENT_FILE, NOT_FOR_MODELS, SKILL
from promptls.kit.unread_files import HOOKS

SPEC = Spec(
    name="letta-code",
    title="Letta Code",
    is_started=True,
    command="letta",
    package="@letta-ai/letta-code",
    homes=(Home(".letta", evidence=("settings.json", "skills", "agents"), records="lc-local-backend"),),
    aliases=("letta",),
    evidence=(".letta",),
    is_rare=True,
    nested=(),
    is_nested_on_read=False,
    has_agents=False,
    front_matter=(
        FrontMatter(
            r"(?:^|/)(?:\.agents/skills|\.skills|\.letta/skills)/(?:.+/)?(?:SKILL|skill)\.md$",
            {**SKILL, **NOT_FOR_MODELS},
        ),
        FrontMatter(r"(?:^|/)\.letta/agents/[^/]+\.md$", AGENT_FILE),
    ),
    skills=(".agents/skills", ".skills"),
    not_shown=((r"\.letta/settings(?:\.local)?\.json", HOOKS),),
    later=("subagent",),
    delegation=Delegation(
        "Agent", "subagent_type", "prompt", (("description", "task"), ("run_in_background", False)), is_apart=True
    ),
    own_text=(4.422, 4.795),  # tools/own_text.py
)
