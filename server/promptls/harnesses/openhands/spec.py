"""What other parts need to know of OpenHands."""

from __future__ import annotations

from promptls.core.spec import FrontMatter, Home, InstructionFile, Spec
from promptls.kit.header_keys import AGENT_FILE

SPEC = Spec(
    name="openhands",
    title="OpenHands",
    command="openhands",
    package="openhands",
    registry="pypi",
    homes=(Home(".openhands", "OPENHANDS_PERSISTENCE_DIR", evidence=("agent_settings.json", "settings.json")),),
    # The last one is of earlier versions and is not read any more.
    evidence=(".openhands", ".openhands_instructions"),
    is_started=True,
    is_rare=True,
    owns_agents=True,
    nested=("AGENTS.md", "AGENT.md", "CLAUDE.md", "GEMINI.md"),
    is_nested_on_read=False,
    instruction_files=(InstructionFile(r"(?:^|/)\.openhands/(?:skills|microagents)/(?!(?:.+/)?README\.md$).+\.md$"),),
    front_matter=(
        FrontMatter(
            r"(?:^|/)\.openhands/(?:skills|microagents)/.+\.md$",
            {
                "name": "The name of the skill; the path below its directory where this is missing.",
                "description": "When this skill helps; shown to the model in the list of skills.",
                "triggers": "Words that bring the text with a prompt; without any it is always sent.",
                "inputs": "What the user has to give; the skill is then called by /name.",
            },
        ),
        FrontMatter(r"(?:^|/)\.(?:agents|openhands)/agents/[^/]+\.md$", AGENT_FILE),
    ),
    ignores_case=True,
    hides="beside",
    sends_links_once=True,
)
