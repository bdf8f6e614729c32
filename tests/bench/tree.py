"""A workspace of any size, made quickly: packages of empty files, each package with an AGENTS.md."""

from __future__ import annotations

import os
from pathlib import Path

FILES_A_PACKAGE = 50
CONFIGS = {
    "etcode": ("etcode.json", '{"instructions": ["docs/style.md"], "provider": [{"id": "p", "model": "claude-x"}]}'),
    "opencode": ("opencode.json", '{"instructions": ["docs/*.md"], "model": "anthropic/claude-x"}'),
}
RULES = "# Rules\n\n" + "Use tabs, name things once, and test what you say.\n" * 20


def grow(top: Path, packages: int, harness: str | None = "etcode", files: int = FILES_A_PACKAGE) -> Path:
    """Make a repository of ``packages`` packages of ``files`` files for ``harness``; returns the file in hand."""
    for path, text in {
        ".git/HEAD": "ref: refs/heads/main\n",
        ".git/objects/.keep": "",
        "AGENTS.md": RULES,
        "docs/style.md": RULES,
        **(dict([CONFIGS[harness]]) if harness else {}),
    }.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text(text, encoding="utf-8")
    for package in range(packages):
        # A hundred packages a directory, so that the depth is the same in a small tree.
        directory = f"{top}/packages/{package // 100}/p{package}"
        os.makedirs(directory)
        for file in range(files - 2):
            os.mknod(f"{directory}/m{file}.py")
        for each, text in (("AGENTS.md", RULES), ("app.py", "print()\n")):
            with open(f"{directory}/{each}", "w", encoding="utf-8") as stream:
                stream.write(text)
    return top / "packages" / "0" / "p0" / "app.py"
