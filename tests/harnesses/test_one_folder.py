"""A harness is one folder and one line of the catalogue: without them nothing is left of it, and all else works."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

import pytest

import promptls
from promptls.checks.hedges import is_to_fill_in
from promptls.core import specs
from promptls.harnesses import catalogue
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere(
    although="it runs commands in a copy of the package, which test_imports.py runs with every harness there"
)

PACKAGE = Path(promptls.__file__).parent
GENERATED = ("harnesses/detection_table.py", "harnesses/agents_folder_table.py")
# A word that is also in the names of models, and sentences that cite a harness as their source.
OTHERS = {
    "codex": ("core/tokens.py", "harnesses/hermes/__init__.py", "harnesses/opencode/models.py"),
    "claude-code": ("core/windows.py",),
    "opencode": ("core/windows.py",),
    "grok-build": ("core/windows.py",),
    # A word of the Model Context Protocol, and a key of Grok Build's configuration.
    "cursor": ("wire/server_client.py", "harnesses/grok_build/files.py", "harnesses/grok_build/listing.py"),
}
# A name that is also a word for something else: only its title names the harness in a sentence.
WORDS = ("cursor", "continue")
# Runs command lines, the next even where one has found problems. Each copy of the package is tried in a process of its
# own, which is forked where nothing of promptls is imported yet: what the first one needs of Python is there already.
COMMANDS = """
import importlib, json, os, sys

def run(copy, folder, commands, output, errors):
    for stream, path in ((1, output), (2, errors)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), stream)
    os.chdir(folder)
    sys.path.insert(0, copy)
    import promptls
    from promptls.cli import main
    assert promptls.__file__.startswith(copy)
    for line in commands:
        code = main(line.split())
        assert code in (0, 1), (line, code)
    sys.stdout.flush()
    with open(output + ".modules", "w") as file:
        print(*(name for name in sys.modules if name.partition(".")[0] in sys.stdlib_module_names), file=file)

known = False
for asked in sys.stdin:
    values = json.loads(asked)
    pid = os.fork()
    if not pid:
        run(*values)
        sys.exit()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if not known and code == 0:
        known = True
        with open(values[3] + ".modules") as file:
            for name in file.read().split():
                importlib.import_module(name)
    print(code, flush=True)
"""


def without(directory: Path, name: str) -> Path:
    """The package without a harness: links, also to the compiled modules, and a catalogue of its own."""
    copy, folder = directory / "promptls", catalogue.FOLDERS[name]
    (copy / "harnesses").mkdir(parents=True)
    for each in (*PACKAGE.iterdir(), *(PACKAGE / "harnesses").iterdir()):
        place = copy / each.relative_to(PACKAGE)
        if place.name not in ("harnesses", "catalogue.py", folder):
            place.symlink_to(each)
    text = (PACKAGE / "harnesses" / "catalogue.py").read_text(encoding="utf-8")
    assert text.count(f'    "{name}": "{folder}",\n') == 1
    lines = copy / "harnesses" / "catalogue.py"
    lines.write_text(text.replace(f'    "{name}": "{folder}",\n', ""), encoding="utf-8")
    return copy


@lru_cache(maxsize=1)
def sources() -> dict[str, str]:
    """Each file of the package, by its path below it."""
    return {path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def said(file: str) -> tuple[set[str], set[str]]:
    """The modules that a file imports, and its texts and comments."""
    source = sources()[file]
    nodes = list(ast.walk(ast.parse(source)))
    modules = {
        f"{node.module}.{each.name}" for node in nodes if isinstance(node, ast.ImportFrom) for each in node.names
    }
    modules |= {each.name for node in nodes if isinstance(node, ast.Import) for each in node.names}
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    # What is no comment stands in a text, which is there already.
    texts.update(re.findall("#.*", source))
    return modules, texts


def naming(name: str) -> Iterator[str]:
    """The files outside of its folder that name a harness: in a text or comment, or by an import.

    A harness may say in a sentence what it does with the files of another one.
    """
    folder, title = catalogue.FOLDERS[name], specs.of(name).title
    # In a sentence, foo is anybody: a harness that is made to learn how is often called so.
    in_sentences = () if is_to_fill_in(name) else sorted({title, *({name, folder} - {*WORDS})})
    module = re.compile(rf"promptls\.harnesses\.{folder}(\.|$)")
    in_sentence = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, in_sentences)) or '(?!)'})(?![\w-])")
    anywhere = re.compile(rf"\b(?:{'|'.join(map(re.escape, (title, name, folder)))})\b")
    folders = tuple(f"harnesses/{each}/" for each in catalogue.FOLDERS.values())
    for file, source in sources().items():
        if file.startswith(f"harnesses/{folder}/") or file in (*GENERATED, *OTHERS.get(name, ())):
            continue
        if not anywhere.search(source):
            continue
        modules, texts = said(file)
        is_named = not file.startswith(folders) and any(map(in_sentence.search, texts))
        if is_named or not texts.isdisjoint((name, folder)) or any(map(module.match, modules)):
            yield file


@pytest.mark.parametrize("name", catalogue.FOLDERS)
def test_one_line_outside_of_its_folder_names_a_harness(name: str) -> None:
    todo = "take the name out of the other files; if it is another word there, add them to OTHERS"
    assert list(naming(name)) == ["harnesses/catalogue.py"], todo


@pytest.fixture(scope="module")
def forking() -> Iterator[subprocess.Popen[str]]:
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(
        [sys.executable, "-P", "-c", COMMANDS], env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        yield process


@pytest.mark.parametrize("name", catalogue.FOLDERS)
def test_without_its_folder_and_line_all_else_works(tmp_path: Path, name: str, forking: subprocess.Popen[str]) -> None:
    copy = without(tmp_path / "copy", name)
    files = {"AGENTS.md": "rules\n", "a/CLAUDE.md": "@../AGENTS.md\n", "opencode.json": "{}", "ETCODE.md": "rules\n"}
    folder = lay_out(tmp_path / "folder", {**files, "promptls.toml": 'hints = ["<system_hint>"]\n'})
    commands = ("preview", "check .", "explain AGENTS.md", "explain a/CLAUDE.md", "harnesses --all")
    output, errors = tmp_path / "output", tmp_path / "errors"
    assert forking.stdin
    assert forking.stdout
    asked = (str(copy.parent), str(folder), commands, str(output), str(errors))
    forking.stdin.write(f"{json.dumps(asked)}\n")
    forking.stdin.flush()
    code = int(forking.stdout.readline())
    # ``check`` says there which sessions it is about; nothing else is said.
    others = [
        line
        for line in errors.read_text("utf-8").splitlines()
        if not re.match(r"promptls: .* · started in |  (?:also|and) ", line)
    ]
    assert (code, others) == (0, [])
    shown = output.read_text("utf-8")
    assert "AGENTS.md" in shown
    assert not re.search(rf"(?<![\w.-]){name}(?![\w.-])", shown)
