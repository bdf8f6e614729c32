"""A harness is one folder and one line of the catalogue: without them nothing is left of it, and all else works."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import promptls
from promptls.harnesses import catalogue
from tests.folder import lay_out

PACKAGE = Path(promptls.__file__).parent
GENERATED = "harnesses/marks.py"
# A word that is also in the names of models.
OTHERS = {"codex": ("core/tokens.py", "harnesses/opencode/models.py")}
# Runs command lines, the next even where one has found problems.
COMMANDS = """
import sys
from promptls.cli import main
for line in sys.argv[1:]:
    code = main(line.split())
    assert code in (0, 1), (line, code)
"""


def without(directory: Path, name: str) -> Path:
    """A copy of the package without a harness."""
    copy = directory / "promptls"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    folder = catalogue.FOLDERS[name]
    shutil.rmtree(copy / "harnesses" / folder)
    lines = copy / "harnesses" / "catalogue.py"
    text = lines.read_text(encoding="utf-8")
    assert text.count(f'    "{name}": "{folder}",\n') == 1
    lines.write_text(text.replace(f'    "{name}": "{folder}",\n', ""), encoding="utf-8")
    return copy


def named(root: Path, name: str) -> Iterator[str]:
    """Where code outside of the folder names a harness: as a text of its own, or by an import."""
    folder = catalogue.FOLDERS[name]
    module = re.compile(rf"promptls\.harnesses\.{folder}(\.|$)")
    for path in sorted(root.rglob("*.py")):
        file = path.relative_to(root).as_posix()
        if file.startswith(f"harnesses/{folder}/") or file in (GENERATED, *OTHERS.get(name, ())):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules: list[str] = []
            if isinstance(node, ast.ImportFrom):
                modules = [f"{node.module}.{each.name}" for each in node.names]
            elif isinstance(node, ast.Import):
                modules = [each.name for each in node.names]
            is_text = isinstance(node, ast.Constant) and node.value in (name, folder)
            if is_text or any(map(module.match, modules)):
                yield f"{file}: {ast.unparse(node)}"


@pytest.mark.parametrize("name", catalogue.FOLDERS)
def test_one_line_outside_of_its_folder_names_a_harness(name: str) -> None:
    assert {each.partition(":")[0] for each in named(PACKAGE, name)} == {"harnesses/catalogue.py"}


@pytest.mark.parametrize("name", ["claude-code", "mini-claude-code", "opencode"])
def test_without_its_folder_and_line_all_else_works(tmp_path: Path, name: str) -> None:
    copy = without(tmp_path / "copy", name)
    assert list(named(copy, name)) == []
    files = {"AGENTS.md": "rules\n", "a/CLAUDE.md": "@../AGENTS.md\n", "opencode.json": "{}"}
    folder = lay_out(tmp_path / "folder", {**files, "promptls.toml": 'hints = ["<system_hint>"]\n'})
    env = {**os.environ, "PYTHONPATH": str(copy.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    commands = ("preview", "check .", "explain AGENTS.md", "explain a/CLAUDE.md", "harnesses --all")
    done = subprocess.run(
        [sys.executable, "-P", "-c", COMMANDS, *commands],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "AGENTS.md" in done.stdout
    assert not re.search(rf"(?<![\w-]){name}(?![\w.-])", done.stdout)
