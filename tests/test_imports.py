"""What each command may import: the start is fast because of what is left out, so that is what is tested."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from promptls.harnesses import catalogue
from tests.folder import lay_out
from tests.lsp.process import ServerProcess

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
FOR_SOME = {"rich", "importlib.metadata", "wcmatch", "bracex", "bpe_openai", "tree_sitter", "difflib"}
SLOW_LIBRARY = {"dataclasses", "inspect", "typing", "subprocess", "shutil", "pathlib"}

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


def imported(folder: Path, *args: str) -> set[str]:
    ran = subprocess.run(
        [sys.executable, "-c", PROBE, *args],
        cwd=folder,
        env={"HOME": str(folder / "home")},
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
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


def test_a_preview_imports_rules_only_for_problems(tmp_path: Path) -> None:
    def families(config: str) -> set[str]:
        folder = lay_out(tmp_path / config, {**FILES, **CONFIGS[config]})
        found = imported(folder, "preview", "a/b.py")
        return {name for name in found if name.startswith("promptls.checks.rules.") and not name.endswith(".rule")}

    assert families("none") == set()
    # An entry that names what is loaded already.
    assert families("opencode") == {"promptls.checks.rules.paths", "promptls.checks.rules.loading"}


@pytest.mark.parametrize("args", [("explain", "AGENTS.md:1"), ("find", "tabs"), ("find", "tabs", "a/b.py")])
def test_questions_import_no_server_and_no_network(tmp_path: Path, args: tuple[str, ...]) -> None:
    found = imported(lay_out(tmp_path, {**FILES, **CONFIGS["opencode"]}), *args)
    assert not found & (SERVER | NETWORK | {"rich", "importlib.metadata", "bpe_openai", "tree_sitter", "difflib"})
    assert not any(each.startswith("promptls.checks") for each in found)


def test_what_is_needed_is_seen_by_this_test(tmp_path: Path) -> None:
    folder = lay_out(
        tmp_path,
        {
            **FILES,
            "opencode.json": {"instructions": ["docs/*.md"], "model": "openai/gpt-5"},
            "docs/a.md": "x",
            ".opencode/agent/b.md": "---\nmode: all\ntags: [a]\n---\nx",
        },
    )
    found = imported(folder, "preview", "a/b.py")
    assert {"wcmatch", "tree_sitter", "bpe_openai"} <= found


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
        "promptls.harnesses.base",
    }
