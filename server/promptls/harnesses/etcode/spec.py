"""What other parts need to know of etcode."""

from __future__ import annotations

from promptls.core.spec import ConfigFile, InstructionFile, Spec
from promptls.kit.header_keys import AGENT

NAMES = ("etcode.json", "etcode.jsonc", ".etcode.json")
SPEC = Spec(
    name="etcode",
    title="etcode",
    evidence=(*NAMES, "ETCODE.md"),
    is_rare=True,
    owns_agents=True,
    nested=("AGENTS.md", "ETCODE.md"),
    imports_reads=False,
    instruction_files=(InstructionFile(r"(?:^|/)ETCODE\.md$", "ETCODE.md"),),
    config_files=(
        ConfigFile(
            NAMES,
            has_other_names=True,
            read=("instructions", "default_agent", "provider", "agent", "environment"),
            known=("$schema", "model", "agents", "providers"),
            keys={
                (): {
                    "instructions": "Files and URLs whose text is sent after the instruction files.",
                    "provider": "The providers; the first that has a model is used.",
                    "agent": "Agents by name.",
                    "environment": "Fields of the environment block, each with the variable it shows.",
                },
                ("provider", "*"): {
                    "id": "The provider's name.",
                    "model": "The model, which also chooses the provider template.",
                    "npm": "The package that talks to the provider.",
                    "baseURL": "The address of the provider.",
                    "apiKey": "The key to the provider.",
                },
                ("agent", "*"): AGENT,
            },
            entries=("instructions",),
        ),
    ),
)
