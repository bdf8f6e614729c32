"""What other parts need to know of Qwen Code."""

from __future__ import annotations

from promptls.core.spec import ConfigFile, FrontMatter, Home, Imports, InstructionFile, RuleFile, Spec
from promptls.kit.header_keys import TEXT, WORDS

SPEC = Spec(
    name="qwen-code",
    title="Qwen Code",
    is_started=True,
    command="qwen",
    package="@qwen-code/qwen-code",
    homes=(Home(".qwen", "QWEN_HOME", evidence=("QWEN.md", "settings.json")),),
    aliases=("qwen",),
    evidence=("QWEN.md", ".qwen"),
    is_rare=True,
    owns_agents=True,
    nested=("QWEN.md", "AGENTS.md"),
    is_nested_on_read=False,
    instruction_files=(
        InstructionFile(r"(?:^|/)QWEN\.md$", "QWEN.md"),
        InstructionFile(r"(?:^|/)\.qwen/QWEN\.local\.md$"),
        InstructionFile(r"(?:^|/)\.qwen/rules/.+\.mdc?$", endings=(".md", ".mdc"), loaded_ending=".md"),
    ),
    rule_files=(RuleFile(r"^(.*?)/?\.qwen/rules/.+\.md$", "paths", {"paths": WORDS, "description": TEXT}),),
    front_matter=(
        FrontMatter(
            r"(?:^|/)\.qwen/rules/.+\.md$",
            {
                "paths": "Patterns of the files that this rule is for, from the git root on.",
                "description": "What the rule is about; it has no effect.",
            },
        ),
    ),
    config_files=(
        ConfigFile(
            ("settings.json",),
            read=("context", "security", "model", "skills"),
            old={
                "contextFileName": "context.fileName",
                "memoryImportFormat": "context.importFormat",
                "includeDirectories": "context.includeDirectories",
                "loadMemoryFromIncludeDirectories": "context.loadFromIncludeDirectories",
                "folderTrust": "security.folderTrust.enabled",
            },
        ),
    ),
    skills=(".qwen/skills", ".agents/skills"),
    imports=Imports(tells_unrecognised=False),
    sends_links_once=True,
    usual_family="qwen-3",
)
