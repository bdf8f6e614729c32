"""What other parts need to know of agent-core."""

from __future__ import annotations

from promptls.core.spec import ConfigFile, Environments, Spec

SPEC = Spec(
    name="agent-core",
    title="agent-core",
    evidence=("config/environments", ".tong_work"),
    is_rare=True,
    nested=(),
    config_files=(
        ConfigFile(
            ("config.jsonc", "tong_work.jsonc", "tong_work.json"),
            read=("activeEnvironment", "environmentSearchPaths", "environmentOverrides", "profiles", "extends"),
            known=("environment", "environments", "profile", "extend"),
        ),
    ),
    environments=Environments(
        config=r"(?:^|/)(?:config|\.tong_work)/environments/[^/]+/config\.jsonc$",
        prompt=r"(?:^|/)(?:config|\.tong_work)/environments/[^/]+/prompts/[^/]+\.prompt$",
        suffix=".prompt",
        built_in=("system", "default"),
    ),
)
