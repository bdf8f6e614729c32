"""What other parts need to know of Auggie."""

from __future__ import annotations

from promptls.core.spec import ConfigFile, FrontMatter, Home, InstructionFile, Spec
from promptls.kit.header_keys import AGENT_FILE, ARGUMENTS, SKILL
from promptls.kit.header_keys import COMMAND as COMMAND_KEYS
from promptls.kit.unread_files import COMMAND

SPEC = Spec(
    name="auggie",
    title="Auggie",
    is_started=True,
    command="auggie",
    package="@augmentcode/auggie",
    unread_records="Auggie writes none of a session that prints its answer, and others were not recorded here",
    homes=(Home(".augment", evidence=("settings.json", "rules", "session.json")),),
    aliases=("augment",),
    evidence=(".augment", ".augment-guidelines"),
    is_rare=True,
    owns_agents=True,
    nested=("AGENTS.md", "CLAUDE.md"),
    is_nested_on_read=False,
    has_hints=True,
    has_agents=False,
    sends_empty=True,
    instruction_files=(
        InstructionFile(r"(?:^|/)\.augment-guidelines$", ".augment-guidelines", endings=("-guidelines",)),
        InstructionFile(r"(?:^|/)\.augment/rules/.+\.mdc?$", endings=(".md", ".mdc")),
    ),
    front_matter=(
        FrontMatter(
            r"(?:^|/)\.augment/rules/.+\.mdc?$",
            {
                "type": "always_apply, agent_requested, or manual, which is not sent.",
                "description": "What the rule is for; without a type it makes the rule agent_requested.",
                "alwaysApply": "true: the rule is always sent.",
            },
        ),
        FrontMatter(r"(?:^|/)\.augment/skills/(?:.+/)?SKILL\.md$", SKILL),
        FrontMatter(r"(?:^|/)\.augment/commands/[^/]+\.md$", {**COMMAND_KEYS, **ARGUMENTS}),
        FrontMatter(r"(?:^|/)\.augment/agents/[^/]+\.md$", AGENT_FILE),
    ),
    config_files=(
        ConfigFile(("settings.json",), read=("sharedRules", "mcpServers"), known=("model", "hooks", "toolPermissions")),
    ),
    later=("editor",),
    skills=(".augment/skills", ".claude/skills", ".agents/skills"),
    not_shown=(
        (r"\.augment/commands/[^/]+\.md", COMMAND),
        (r"\.(?:augment|claude|agents)/agents/[^/]+\.md", "it is a tool of its own, if the server turns that on"),
    ),
    own_text=(4.306, 3.856),  # tools/own_text.py
)
