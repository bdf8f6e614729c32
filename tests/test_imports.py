"""What each command may import: the start is fast because of what is left out, so that is what is tested."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from promptls.checks import FAMILIES
from promptls.harnesses import catalogue
from tests.folder import lay_out
from tests.lsp.process import ServerProcess
from tests.records import laid_out as records

PROGRAMS = sorted(each.name for each in records.SHORT.iterdir() if each.is_dir())
# Prints the modules that a command line brings in, one process a command.
PROBE = """
import sys
before = set(sys.modules)
from promptls.cli import main
code = main(sys.argv[1:])
print(*sorted(set(sys.modules) - before), file=sys.stderr)
sys.exit(code)
"""

SERVER = {"pygls", "lsprotocol", "cattrs", "attr", "attrs", "pydantic", "asyncio", "promptls.lsp"}
NETWORK = {"httpx", "platformdirs", "socket", "ssl"}
FOR_SOME = {"rich", "importlib.metadata", "wcmatch", "bracex", "promptls.core.vocabularies", "tree_sitter", "difflib"}
SLOW_LIBRARY = {
    *("dataclasses", "inspect", "typing", "subprocess", "shutil", "pathlib"),
    *("json", "datetime", "importlib", "locale", "argparse"),
}
# How many modules of promptls a preview may import, by harness: each takes as long as a few hundred lines to run.
MOST_MODULES = {"codex": 89, "opencode": 83, "etcode": 65, "claude-code": 114, "gemini-cli": 93, "copilot-cli": 89}
# What a harness needs for every prompt: the state of git, the date, a request as JSON.
ALWAYS_SLOW = {
    "claude-code": {"subprocess", "locale"},
    "hermes": {"subprocess", "locale"},
    "agent-core": {"datetime"},
    "copilot-vscode": {"json"},
}

FILES: dict[str, str | bytes | dict[str, object]] = {
    "AGENTS.md": "Use tabs.\n",
    "a/AGENTS.md": "Nö.\n",
    "a/b.py": "1\n",
}
CONFIGS: dict[str, dict[str, str | bytes | dict[str, object]]] = {
    "none": {},
    "etcode": {"etcode.json": {"instructions": ["AGENTS.md"], "provider": [{"id": "p", "model": "some/model"}]}},
    "opencode": {"opencode.json": {"instructions": ["AGENTS.md"], "model": "some/model"}},
}


def imported(folder: Path, *args: str, home: Path | None = None) -> set[str]:
    ran = subprocess.run(
        [sys.executable, "-c", PROBE, *args],
        cwd=folder,
        env={"HOME": str(home or folder / "home")},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return set(ran.stderr.split())


def test_version_imports_next_to_nothing(tmp_path: Path) -> None:
    found = imported(tmp_path, "--version")
    assert not found & (SERVER | NETWORK | FOR_SOME | SLOW_LIBRARY | {"re", "argparse", "promptls.core.model"})


@pytest.mark.parametrize("config", CONFIGS)
def test_a_preview_imports_only_what_it_needs(tmp_path: Path, config: str) -> None:
    found = imported(lay_out(tmp_path, {**FILES, **CONFIGS[config]}), "preview", "a/b.py")
    assert not found & (SERVER | NETWORK | FOR_SOME | SLOW_LIBRARY)
    harness = "opencode" if config == "none" else config
    # Of the folders of harnesses only that of the one that is shown, and of the specs only its own.
    folders = {name.split(".")[2] for name in found if name.startswith("promptls.harnesses.")}
    assert folders & {*catalogue.FOLDERS.values()} == {harness}
    specs = {name for name in found if name.startswith("promptls.harnesses.") and name.endswith(".spec")}
    assert specs == {f"promptls.harnesses.{harness}.spec"}


@pytest.mark.parametrize("harness", MOST_MODULES)
def test_a_preview_imports_few_modules(tmp_path: Path, harness: str) -> None:
    found = imported(lay_out(tmp_path, FILES), "preview", "a/b.py", "--harness", harness)
    assert len([name for name in found if name.startswith("promptls")]) <= MOST_MODULES[harness]


def test_a_preview_imports_only_the_checks_that_may_find_something(tmp_path: Path) -> None:
    def families(*files: str) -> set[str]:
        folder = lay_out(tmp_path / str(len(files)), {"a/b.py": "1\n", **dict.fromkeys(files, "Use tabs.\n")})
        found = imported(folder, "preview", "a/b.py", "--harness", "codex")
        return {name for name in FAMILIES if f"promptls.checks.{name}" in found}

    assert families("AGENTS.md") == {"loading", "security"}
    assert families("AGENTS.md", "AGENTS.override.md") == {"loading", "listings", "security"}


@pytest.mark.parametrize("harness", catalogue.FOLDERS)
def test_a_harness_that_is_named_is_the_only_one_imported(tmp_path: Path, harness: str) -> None:
    found = imported(lay_out(tmp_path, FILES), "preview", "--harness", harness)
    assert found & (SERVER | NETWORK | FOR_SOME | SLOW_LIBRARY) == ALWAYS_SLOW.get(harness, set())
    folders = {name.split(".")[2] for name in found if name.startswith("promptls.harnesses.")}
    assert folders & {*catalogue.FOLDERS.values()} == {catalogue.FOLDERS[harness]}


@pytest.mark.parametrize("program", PROGRAMS)
def test_of_what_other_programs_recorded_only_the_readers_are_imported(tmp_path: Path, program: str) -> None:
    home, folder = records.lay_out(program, tmp_path)
    harness = "cline"
    found = imported(folder, "preview", "--harness", harness, home=home)
    others = {name for name in found if name.startswith("promptls.harnesses.")} - {
        f"promptls.harnesses.{each}" for each in ("catalogue", "detection_table", "faults", "installed", "known_texts")
    }
    assert {name.split(".")[-1] for name in others if f".{harness}" not in name} <= {"records", "spec"}
    assert any(name.endswith(".records") for name in found)
    assert not found & (SERVER | NETWORK | FOR_SOME)


def test_a_preview_imports_rules_only_for_problems(tmp_path: Path) -> None:
    def families(config: str) -> set[str]:
        folder = lay_out(tmp_path / config, {**FILES, **CONFIGS[config]})
        found = imported(folder, "preview", "a/b.py")
        return {name for name in found if name.startswith("promptls.checks.rules.") and not name.endswith(".rule")}

    assert families("none") == set()
    # An entry that names what is loaded already.
    assert families("opencode") == {"promptls.checks.rules.paths", "promptls.checks.rules.loading"}


def test_a_preview_does_not_look_for_cycles(tmp_path: Path) -> None:
    probe = """
import gc, sys
from promptls.cli import main
gc.callbacks.append(lambda phase, info: print(phase, info, file=sys.stderr))
sys.exit(main())
"""
    folder = lay_out(tmp_path, {**FILES, **CONFIGS["opencode"]})
    ran = subprocess.run(
        [sys.executable, "-c", probe, "preview", "a/b.py"], cwd=folder, capture_output=True, check=True, timeout=60
    )
    # At the end of a process Python always looks, but at nothing that was there before.
    assert ran.stderr.count(b"start") <= 3
    assert b"'generation': 0" not in ran.stderr


@pytest.mark.parametrize("args", [("explain", "AGENTS.md:1"), ("find", "tabs"), ("find", "tabs", "a/b.py")])
def test_questions_import_no_server_and_no_network(tmp_path: Path, args: tuple[str, ...]) -> None:
    found = imported(lay_out(tmp_path, {**FILES, **CONFIGS["opencode"]}), *args)
    assert not found & (
        SERVER | NETWORK | {"rich", "importlib.metadata", "promptls.core.vocabularies", "tree_sitter", "difflib"}
    )
    assert not any(each.startswith("promptls.checks") for each in found)


def test_what_is_needed_is_seen_by_this_test(tmp_path: Path) -> None:
    folder = lay_out(
        tmp_path,
        {
            **FILES,
            "opencode.json": {"instructions": ["docs/[ab].md"], "model": "openai/gpt-5"},
            "docs/a.md": "x",
            ".opencode/agent/b.md": "---\nmode: all\ntags: [a]\n---\nx",
        },
    )
    found = imported(folder, "preview", "a/b.py")
    assert {"wcmatch", "tree_sitter", "promptls.core.vocabularies"} <= found


def test_the_server_answers_before_it_imports_what_only_previews_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPROFILEIMPORTTIME", "1")
    with ServerProcess("import sys; from promptls.cli import main; sys.exit(main(['serve', '--stdio']))") as server:
        server.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        server.end_input()
        server.code()
        found = set(re.findall(r"\| +([\w.]+)$", server.stderr(), re.MULTILINE))
    assert "pygls.lsp.server" in found
    assert not found & {
        "httpx",
        "pydantic",
        "tree_sitter",
        "wcmatch",
        "rich",
        "platformdirs",
        "promptls.kit.base",
    }
