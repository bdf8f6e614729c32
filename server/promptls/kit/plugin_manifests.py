"""What several programs are given of a kind of configuration when they are captured (``Program.configurations``)."""

from __future__ import annotations

from promptls.kit.launch import Configuration

# What describes a plugin or an extension: its texts by their places, never its servers, hooks or commands.
ABOUT = (
    *("$schema", "name", "version", "description", "displayName", "author.*", "author", "homepage", "repository"),
    *("license", "keywords", "category", "tags", "skills", "commands", "agents", "outputStyles", "interface.*"),
)
MANIFEST = Configuration(r"(?:^|/)plugin\.json$", ABOUT)
# MCP servers are programs; a file that names none says so.
SERVERS = Configuration(r"(?:^|/)\.?mcp(?:-config)?\.json$", emptied=("mcpServers",))
# For a skill of any program: whether the model may call it.
SKILL_OF_CODEX = Configuration(
    r"(?:^|/)agents/openai\.yaml$", ("policy.allow_implicit_invocation", "policy.products"), inert=("interface",)
)
# What a package says of itself; its scripts and what it starts are left out.
PACKAGE = Configuration(
    r"(?:^|/)package\.json$", ("name", "version", "description", "private"), inert=("*",), running=("**",)
)
# Folders by path, with how far each is trusted.
TRUSTED_FOLDERS = Configuration(r"(?:^|/)trustedFolders\.json$", ("*",))
# Of the settings of one program and of what began as a copy of it, what changes no prompt.
INERT_SETTINGS = (
    *("$schema", "$version", "ui", "general", "privacy", "telemetry", "security", "advanced", "output", "theme", "ide"),
    *("selectedAuthType", "usageStatisticsEnabled", "vimMode", "hideTips", "hideBanner", "preferredEditor", "billing"),
    *("disableAutoUpdate", "accessibility", "checkpointing", "autoAccept", "showMemoryUsage", "codingPlan"),
)
