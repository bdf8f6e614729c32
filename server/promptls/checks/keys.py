"""config-key: keys of a configuration that are almost one that the harness reads."""

from __future__ import annotations

from posixpath import basename

from promptls.checks.near import near
from promptls.checks.rules import problem
from promptls.core.formats import jsonc, toml
from promptls.core.model import Edit, Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.checks.tree import Tree
    from promptls.core.model import Problem
    from promptls.core.settings import Settings

# Harness -> the keys that decide over the prompt; the others are known only so that they are not taken for misspelt.
READ: dict[str, tuple[str, ...]] = {
    "etcode": ("instructions", "provider", "agent", "environment"),
    "opencode": ("instructions", "default_agent", "agent", "model", "provider", "permission"),
    "codex": (
        "project_doc_max_bytes",
        "project_doc_fallback_filenames",
        "project_root_markers",
        "model_instructions_file",
        "developer_instructions",
    ),
    "agent-core": ("activeEnvironment", "environmentSearchPaths", "environmentOverrides", "profiles", "extends"),
    "gemini-cli": ("context",),
}
KNOWN: dict[str, tuple[str, ...]] = {
    "etcode": ("$schema", "model", "agents", "providers"),
    "opencode": (
        *("$schema", "permissions", "models", "agents", "providers", "mode", "tools", "plugin", "command", "share"),
        *("enabled_providers", "disabled_providers", "small_model", "username", "theme", "layout"),
    ),
    "codex": ("model", "instructions", "experimental_instructions_file", "model_provider", "model_providers"),
    "agent-core": ("environment", "environments", "profile", "extend"),
    "gemini-cli": ("contextFileName", "content"),
}
# With more keys than anybody writes, it is no configuration.
MOST_KEYS = 200
NAMES = {"gemini-cli": ("settings.json",), "agent-core": ("config.jsonc", "tong_work.jsonc", "tong_work.json")}


def check_tree(tree: Tree, _settings: Settings) -> Iterator[Problem]:
    """A problem for each key at the top of a configuration that is read and almost names something."""
    for harness, candidate in tree.candidates():
        path = candidate.path
        is_config = candidate.use == "config" and candidate.outcome == "loaded" and harness in READ
        if path is None or not is_config or (harness in NAMES and basename(path) not in NAMES[harness]):
            continue
        text = tree.text(path)
        if text is None:
            continue
        document = toml.parse(text) if path.endswith(".toml") else jsonc.parse(text, comments=True)
        root = document.root
        if root is None or len(root.members) > MOST_KEYS:
            continue
        for key, _ in root.members:
            name = str(key.data)
            if name in READ[harness] or name in KNOWN[harness]:
                continue
            right = near(name, [each for each in READ[harness] if root.get(each) is None])
            if right:
                message = f"{harness} does not know the key {name}, and ignores it. Write {right}."
                where = document.range(key)
                written = right if text[key.start : key.end] == name else f'"{right}"'
                fixes = (Fix(f"Write {right}", (Edit(path, where, written),)),)
                yield problem("config-key", path, where, message, harness=harness, fixes=fixes)
