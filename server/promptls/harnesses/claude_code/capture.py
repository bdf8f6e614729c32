"""How Claude Code is started against a recording server."""

from __future__ import annotations

import json

from promptls.core.paths import join
from promptls.harnesses.claude_code.memory import slug
from promptls.harnesses.program import KEY, URL, Passing, Program, Run, Start

# Settings of the user's and of the workspace win over the environment; those of --settings win over them.
SERVICE = {
    "ANTHROPIC_BASE_URL": URL,
    "ANTHROPIC_API_KEY": KEY,
    "ANTHROPIC_AUTH_TOKEN": "",
    "CLAUDE_CODE_USE_BEDROCK": "",
    "CLAUDE_CODE_USE_VERTEX": "",
    "CLAUDE_CODE_USE_FOUNDRY": "",
    "HTTPS_PROXY": URL,
    "HTTP_PROXY": URL,
}
# Of what Claude Code remembers, only this changes a prompt.
APPROVED = ("projects.*.hasClaudeMdExternalIncludesApproved",)
VARIABLES = {
    **SERVICE,
    # Otherwise root may not start it with every permission.
    "IS_SANDBOX": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
}


def _start(run: Run) -> Start:
    settings = {
        "apiKeyHelper": f"echo {KEY}",
        # Above a workspace in the user's home, its own directory would count as a project's.
        "claudeMdExcludes": [join(run.user_home, ".claude", "**")],
        "env": SERVICE,
        # What a session reads, it reads: without a user nobody allows it outside of the working directory.
        "permissions": {"allow": ["Read"]},
        **({} if run.runs else {"disableAllHooks": True}),
    }
    own = [] if run.runs else ["--strict-mcp-config"]
    own += ["--continue"] if run.goes_on else []
    own += ["--model", run.model] if run.model else []
    own += ["--agent", run.agent] if run.agent else []
    return Start(("-p", run.typed, "--settings", json.dumps(settings), *own, *run.args), VARIABLES)


PROGRAM = Program(
    command="claude",
    version=r"^(\d\S*) \(Claude Code\)",
    main=("Read",),
    read="Read",
    read_argument="file_path",
    start=_start,
    passing=(
        Passing("the date", r"Today's date is [\d-]+"),
        Passing(
            "a note on MCP servers that did not start",
            of_servers=r"The following MCP servers [^\n]*\n(?:[^\n]+\n)+\n[^\n]+\n\n",
        ),
    ),
    named=r"available via ToolSearch\.[^\n]*\n((?:[\w-]+(?:\n|$))+)",
    keeps=(
        *("ANTHROPIC_MODEL", "ENABLE_TOOL_SEARCH", "SLASH_COMMAND_TOOL_CHAR_BUDGET", "DISABLE_PROMPT_CACHING"),
        *("CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_DISABLE_AUTO_MEMORY", "CLAUDE_CODE_DISABLE_CLAUDE_MDS"),
        *("CLAUDE_CODE_DISABLE_BUNDLED_SKILLS", "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD"),
    ),
    places={"CLAUDE_CONFIG_DIR": ".claude"},
    drops=("env", "apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "otelHeadersHelper"),
    only={".claude.json": APPROVED, ".claude/.claude.json": APPROVED},
    slug=slug,
    turns_off=("server", "hook"),
    off_keys=("mcpServers", "hooks"),
    runs_keys=("awsAuthRefresh", "awsCredentialExport", "otelHeadersHelper"),
)
