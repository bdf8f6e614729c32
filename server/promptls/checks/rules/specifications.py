"""What published specifications say of skills and plugins: off unless a profile or the settings ask for them."""

from __future__ import annotations

from promptls.checks.rules.rule import Rule

SKILLS = "https://agentskills.io/specification"
PLUGINS = "https://agent-plugins.org/specification"
FAMILY = "specifications"
FOUND_IN = ("specification",)
OF_SKILLS = 'profiles = ["agentskills"]'
OF_PLUGINS = 'profiles = ["agentplugins"]'
LENIENT = "Most programs are more lenient; the message says what those in use do with this skill."

RULES = (
    Rule(
        code="spec-skill-name",
        family=FAMILY,
        severity="off",
        summary="The name of a skill is not valid by the specification of Agent Skills",
        why=(
            "The specification requires a name of 1 to 64 lower-case letters, digits and single hyphens, with none at "
            f"either end, that is also the name of the skill's directory. {LENIENT}"
        ),
        before=".agents/skills/release/SKILL.md:\n---\nname: Make_Release\ndescription: How to make a release\n---",
        after=".agents/skills/release/SKILL.md:\n---\nname: release\ndescription: How to make a release\n---",
        help="Write the name as the message says, or rename the directory.",
        found_in=FOUND_IN,
        settings=OF_SKILLS,
        fix="offered",
        source=f"{SKILLS}#name-field",
    ),
    Rule(
        code="spec-skill-description",
        family=FAMILY,
        severity="off",
        summary="The description of a skill is not valid by the specification of Agent Skills",
        why=f"The specification requires a description of 1 to 1,024 characters. {LENIENT}",
        before="---\nname: release\n---",
        after="---\nname: release\ndescription: How to make a release. Use it before you tag a version.\n---",
        help="Say what the skill does and when to use it, in at most 1,024 characters.",
        found_in=FOUND_IN,
        settings=OF_SKILLS,
        source=f"{SKILLS}#description-field",
    ),
    Rule(
        code="spec-skill-field",
        family=FAMILY,
        severity="off",
        summary="A field of a skill is unknown to the specification of Agent Skills, or has another type there",
        why=(
            "The specification has six fields: `name`, `description`, `license`, `compatibility` (at most 500 "
            "characters), `metadata` (a map of texts) and `allowed-tools`. A field of one program means nothing to "
            "others: a skill that one hides from the model is listed by another. The message says what those in use do "
            "with this skill."
        ),
        before="disable-model-invocation: true",
        after="metadata:\n  audience: people",
        help="Remove the field, or put it below `metadata`. Keep it where a program that you use needs it.",
        found_in=FOUND_IN,
        settings=OF_SKILLS,
        of_text=True,
        source=f"{SKILLS}#frontmatter",
    ),
    Rule(
        code="spec-plugin-manifest",
        family=FAMILY,
        severity="off",
        summary="plugin.json is not valid by the specification of Agent Plugins 1.0.0",
        why=(
            "The specification requires `$schema` and `name`, and allows eight more fields. A program that follows it "
            "ignores an unknown field, and loads nothing of a plugin whose manifest has any other fault. `skills` "
            "beside it is a directory."
        ),
        before='{"name": "My Plugin"}',
        after='{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "my-plugin"}',
        help="Write what the message says. Fields of one program belong below `extensions`.",
        found_in=FOUND_IN,
        settings=OF_PLUGINS,
        fix="offered",
        source=f"{PLUGINS}#5-manifest",
    ),
    Rule(
        code="spec-plugin-servers",
        family=FAMILY,
        severity="off",
        summary="mcp.json of a plugin is not valid by the specification of Agent Plugins 1.0.0",
        why=(
            "The specification allows only `$schema` and `mcpServers`, and requires for each server a `type` with the "
            "fields of that type. A program that follows it ignores a server with a fault. It ignores all of mcp.json "
            "if its top level has a fault, or if it is not a file."
        ),
        before='{"mcpServers": {"docs": {"command": "./bin/docs"}}}',
        after=(
            '{"$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json", "mcpServers": {"docs": '
            '{"type": "stdio", "command": "./bin/docs"}}}'
        ),
        help="Write what the message says.",
        found_in=FOUND_IN,
        settings=OF_PLUGINS,
        fix="offered",
        source=f"{PLUGINS}#72-mcp-servers",
    ),
)
