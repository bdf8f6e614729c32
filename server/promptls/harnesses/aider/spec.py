"""What other parts need to know of Aider."""

from __future__ import annotations

from promptls.core.spec import ConfigFile, Home, Spec

SPEC = Spec(
    name="aider",
    title="Aider",
    command="aider",
    package="aider-chat",
    registry="pypi",
    homes=(Home("", evidence=(".aider.conf.yml",)),),
    evidence=(".aider.conf.yml", ".aiderignore"),
    is_rare=True,
    nested=(),
    config_files=(
        ConfigFile(
            (".aider.conf.yml",),
            has_other_names=True,
            read=("read",),
            keys={(): {"read": "Files that are sent for reference: a path or a list, from where Aider is started."}},
            entries=("read",),
        ),
    ),
    sends_links_once=True,
)
