from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.folder import lay_out
from tests.lsp.process import ServerProcess

# A whole harness: one file of its own, sent as it is.
MODULE = """
from promptls.harness_api import Draft, Harness, Origin, Segment, Version, join, look_for_text

WHY = "demo sends DEMO.md of the working directory"


def preview(session, host):
    draft = Draft(session)
    origin = Origin("computed", name=WHY)
    found = look_for_text(host, join(session.cwd, "DEMO.md"), why=WHY, origin=origin, keep_bom=False)
    draft.candidates.append(found.candidate)
    draft.add_message("system", [Segment("instructions", "DEMO.md", found.text, found.origin, WHY)], index=0)
    return draft.prompt()


HARNESS = Harness("demo", "Demo", (Version("1"),), ("DEMO.md",), preview, ("DEMO.md",))
"""
# The same, with what checks, completion, sessions and explain need to know of it.
SPEC = """
from promptls.harness_api import ConfigFile, FrontMatter, InstructionFile, Spec

HARNESS = Harness(
    "demo",
    "Demo",
    (Version("1"),),
    ("DEMO.md",),
    preview,
    spec=Spec(
        "demo",
        "Demo",
        ("DEMO.md",),
        nested=("DEMO.md",),
        is_nested_on_read=False,
        instruction_files=(InstructionFile(r"(?:^|/)DEMO\\.md$", "DEMO.md"),),
        config_files=(ConfigFile(("demo.json",), keys={(): {"rules": "Files to send."}}, entries=("rules",)),),
        front_matter=(FrontMatter(r"/\\.demo/.+\\.md$", {"files": "What the rule is for."}),),
        not_shown=((r"\\.demo/skills/[^/]+\\.md", "its name is sent"),),
    ),
)
"""


def package(tmp_path: Path, entry_point: str, module: str = MODULE) -> Path:
    return lay_out(
        tmp_path / "packages",
        {
            "demo_harness.py": module,
            "demo-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: demo\nVersion: 1\n",
            "demo-1.dist-info/entry_points.txt": f"[promptls.harnesses]\ndemo = {entry_point}\n",
        },
        git=False,
    )


def run(
    tmp_path: Path, entry_point: str, *args: str, module: str = MODULE, files: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    packages = package(tmp_path, entry_point, module)
    folder = lay_out(tmp_path / "folder", {"DEMO.md": "demo rules\n", **(files or {})})
    env = {**os.environ, "PYTHONPATH": str(packages)}
    command = [sys.executable, "-P", "-m", "promptls", *args]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_a_harness_of_another_package_is_found_and_previewed(tmp_path: Path) -> None:
    done = run(tmp_path, "demo_harness:HARNESS", "preview", "--format", "json")
    assert done.stderr == ""
    shown: dict[str, Any] = json.loads(done.stdout)
    assert shown["harness"] == {"name": "demo", "version": "1", "verified": False, "tier": "documented"}
    assert [message["text"] for message in shown["messages"]] == ["demo rules\n"]


def test_one_that_cannot_be_loaded_is_named_and_costs_nothing_else(tmp_path: Path) -> None:
    done = run(tmp_path, "demo_harness:NOSUCH", "preview", "--harness", "etcode", "--format", "json")
    assert done.returncode == 0
    assert done.stderr.startswith("promptls: the harness demo cannot be loaded (AttributeError: ")
    assert json.loads(done.stdout)["harness"]["name"] == "etcode"


def test_with_a_spec_its_names_are_checked_in_every_directory(tmp_path: Path) -> None:
    files = {"a/Demo.md": "rules of a\n", "b/DEMO.md": "", "c/DEMO.md": "rules of c\n"}
    done = run(tmp_path, "demo_harness:HARNESS", "check", "--format", "json", module=MODULE + SPEC, files=files)
    assert done.stderr == ""
    found = [(each["path"], each["code"]) for each in json.loads(done.stdout)["problems"]]
    assert found == [("a/Demo.md", "case-mismatch"), ("b/DEMO.md", "empty")]


def test_with_a_spec_explain_knows_where_it_starts_and_what_it_reads_besides(tmp_path: Path) -> None:
    files = {"c/DEMO.md": "rules of c\n", ".demo/skills/x.md": "x\n"}

    def explained(path: str) -> dict[str, Any]:
        command = ("explain", path, "--format", "json")
        done = run(
            tmp_path / path.replace("/", "-"), "demo_harness:HARNESS", *command, module=MODULE + SPEC, files=files
        )
        found: list[dict[str, Any]] = json.loads(done.stdout)["harnesses"]
        return next(each for each in found if each["harness"]["name"] == "demo")

    assert [os.path.basename(each["cwd"]) for each in explained("c/DEMO.md")["loaded"]] == ["c"]
    assert explained(".demo/skills/x.md")["why"].endswith("its name is sent")


def test_with_a_spec_a_folder_is_detected_by_its_evidence(tmp_path: Path) -> None:
    done = run(tmp_path, "demo_harness:HARNESS", "harnesses", module=MODULE + SPEC, files={"AGENTS.md": "rules\n"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "demo  Demo · set up here: DEMO.md" in done.stdout


def test_with_a_spec_hovers_say_who_reads_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(package(tmp_path, "demo_harness:HARNESS", MODULE + SPEC)))
    path = lay_out(tmp_path / "folder", {"DEMO.md": "# Rules\n"}) / "DEMO.md"

    with ServerProcess() as server:
        server.start()
        document = {"uri": path.as_uri(), "languageId": "markdown", "version": 1, "text": path.read_text()}
        server.notify("textDocument/didOpen", {"textDocument": document})
        place = {"textDocument": {"uri": path.as_uri()}, "position": {"line": 0, "character": 3}}
        shown = server.request("textDocument/hover", place)["result"]["contents"]["value"]
        assert "**demo 1**" in shown
        assert "instructions in the system message" in shown


def test_with_a_spec_its_keys_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(package(tmp_path, "demo_harness:HARNESS", MODULE + SPEC)))
    folder = lay_out(tmp_path / "folder", {"demo.json": "{ }", ".demo/x.md": "---\n\n---\n"})

    with ServerProcess() as server:
        server.start()
        for name, line, character, key in (("demo.json", 0, 1, "rules"), (".demo/x.md", 1, 0, "files")):
            path = folder / name
            document = {"uri": path.as_uri(), "languageId": path.suffix[1:], "version": 1, "text": path.read_text()}
            server.notify("textDocument/didOpen", {"textDocument": document})
            place = {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": character}}
            items = server.request("textDocument/completion", place)["result"]["items"]
            assert [each["label"] for each in items] == [key]
