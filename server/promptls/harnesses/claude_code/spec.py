"""What other parts need to know of Claude Code."""

from __future__ import annotations

from promptls.core.spec import Delegation, FrontMatter, Home, Imports, InstructionFile, Misplaced, RuleFile, Spec
from promptls.kit.header_keys import (
    AGENT_FILE,
    ARGUMENTS,
    COMMAND,
    DESCRIPTION,
    NOT_FOR_MODELS,
    RULES,
    RULES_KINDS,
    RULES_PLACE,
    SKILL,
)

# In lower case; 79 of them were seen one by one. A file of any other ending is not imported, one without any is.
IMPORTED = frozenset(
    (
        *(".adoc", ".asciidoc", ".astro", ".bash", ".bat", ".c", ".cc", ".cfg", ".cjs", ".clj", ".cljc"),
        *(".cljs", ".cmake", ".cmd", ".conf", ".config", ".cpp", ".cs", ".css", ".csv", ".cts", ".cxx"),
        *(".dart", ".diff", ".edn", ".ejs", ".elm", ".env", ".erb", ".erl", ".ex", ".exs", ".f", ".f90"),
        *(".f95", ".fish", ".for", ".go", ".gql", ".gradle", ".graphql", ".h", ".hbs", ".hpp", ".hrl", ".hs"),
        *(".htm", ".html", ".hxx", ".ini", ".jade", ".java", ".js", ".json", ".jsx", ".kt", ".kts", ".latex"),
        *(".less", ".lhs", ".lock", ".log", ".lua", ".make", ".makefile", ".md", ".mjs", ".ml", ".mli"),
        *(".mts", ".org", ".patch", ".php", ".pl", ".pm", ".properties", ".proto", ".ps1", ".pug", ".py"),
        *(".pyi", ".pyw", ".r", ".rake", ".rb", ".rs", ".rst", ".sass", ".sbt", ".scala", ".scss", ".sh"),
        *(".sql", ".svelte", ".swift", ".tex", ".text", ".toml", ".ts", ".tsx", ".txt", ".vue", ".xml"),
        *(".yaml", ".yml", ".zsh"),
    )
)
IMPORTS = Imports(IMPORTED)
# How a skill or command is called (surfaces, 2, 3 and 8).
CALLED = {
    "when_to_use": "When to use it; listed after the description.",
    "allowed-tools": "The tools that it may use without asking.",
    "user-invocable": "false: only the model can call it.",
    "context": "fork: it is run by a sub-agent.",
    "agent": "The sub-agent that runs it.",
}
SPEC = Spec(
    name="claude-code",
    title="Claude Code",
    prints="print",
    # Its extension for Visual Studio Code (seen by verify).
    in_editor="claude-vscode",
    is_started=True,
    is_learned=True,
    takes_answers=True,
    command="claude",
    package="@anthropic-ai/claude-code",
    homes=(
        Home(
            ".claude",
            "CLAUDE_CONFIG_DIR",
            evidence=("CLAUDE.md", "settings.json", "projects", "history.jsonl", "rules"),
            records="projects",
        ),
    ),
    aliases=("claude",),
    evidence=("CLAUDE.md", ".claude"),
    counts_for_agents=True,
    nested=("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md"),
    instruction_files=(
        InstructionFile(r"(?:^|/)(?:\.claude/)?CLAUDE\.md$", "CLAUDE.md"),
        InstructionFile(r"(?:^|/)CLAUDE\.local\.md$", "CLAUDE.local.md"),
        InstructionFile(RULES),
    ),
    rule_files=(RuleFile(RULES_PLACE, "paths", RULES_KINDS, is_read_again=True),),
    front_matter=(
        FrontMatter(
            r"/\.claude/rules/.*(?<!\.instructions)\.md$",
            {"paths": "Patterns of the files that this rule is for.", "description": DESCRIPTION},
        ),
        FrontMatter(
            r"(?:^|/)\.claude/skills/.+/SKILL\.md$",
            SKILL | CALLED | NOT_FOR_MODELS | ARGUMENTS | {"model": COMMAND["model"]},
            ("allowed-tools",),
        ),
        FrontMatter(
            r"(?:^|/)\.claude/commands/.+\.md$", COMMAND | CALLED | NOT_FOR_MODELS | ARGUMENTS, ("allowed-tools",)
        ),
        FrontMatter(
            r"(?:^|/)\.claude/agents/.+\.md$",
            AGENT_FILE
            | {
                "disallowedTools": "The tools that the agent does not have.",
                "skills": "Skills whose text the agent is started with.",
                "memory": "user, project or local: the agent has a memory of its own.",
            },
            ("tools", "disallowedTools"),
        ),
        FrontMatter(
            r"(?:^|/)\.claude/output-styles/.+\.md$",
            {
                "name": "The name that the setting outputStyle has.",
                "description": "What the style is for; shown to the user.",
                "keep-coding-instructions": "true: the instructions for coding stay.",
            },
        ),
    ),
    # Servers are in .mcp.json, hooks in the settings (documentation; surfaces, 13).
    misplaced=(
        Misplaced(
            ".claude",
            r"(?:settings(?:\.local)?|\.?mcp)\.json",
            "server",
            "Name them in .mcp.json at the root of the project.",
            "mcpServers",
        ),
        Misplaced(".claude", r"hooks(?:/hooks)?\.json", "hook", "Put them into .claude/settings.json.", "hooks"),
    ),
    imports=IMPORTS,
    sends_links_once=True,
    reads_for_agents=("CLAUDE.md", ".claude/CLAUDE.md"),
    # (captured: stdin)
    piped="{prompt}\n{stdin}",
    anew=("/clear", "/new", "/reset"),
    is_told_anew=True,
    another_model="--model",
    later=("resume", "interactive", "editor", "mode", "subagent", "compact", "request"),
    modes=("default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"),
    delegation=Delegation(
        *("Agent", "subagent_type", "prompt", (("description", "task"), ("run_in_background", False))),
        others=("Skill",),
        with_steps=("SendMessage", "Task"),
        is_apart_on_screen=True,
    ),
    skills=(".claude/skills",),
    # (parts: skill-tool-fork, skills-paths-read, skill-typed-not-user-invocable; later: skill-model-second-step;
    # captured: skill-tool-denied)
    skill_fields={
        "context": "runs the skill in a sub-agent",
        "model": "goes on with that model once the skill is called",
        "allowed-tools": "asks before the skill runs, and then lets it use these tools",
        "paths": "lists the skill only once such a file is read",
        "user-invocable": "does not let the user call it",
    },
    own_text=(4.42, 4.543),  # tools/own_text.py
)
