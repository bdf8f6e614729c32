from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.folder import lay_out

# A whole harness: one file of its own, sent as it is.
MODULE = """
from promptls.core.model import Origin, Segment
from promptls.harnesses.base import Draft, Harness, Version, look_for_text
from promptls.harnesses.paths import join

WHY = "demo sends DEMO.md of the working directory"


def preview(session, host):
    draft = Draft(session)
    origin = Origin("computed", name=WHY)
    found = look_for_text(host, join(session.cwd, "DEMO.md"), why=WHY, origin=origin, keep_bom=False)
    draft.candidates.append(found.candidate)
    draft.say("system", [Segment("instructions", "DEMO.md", found.text, found.origin, WHY)], index=0)
    return draft.prompt()


HARNESS = Harness("demo", "Demo", (Version("1"),), ("DEMO.md",), preview, ("DEMO.md",))
"""


def run(tmp_path: Path, entry_point: str, *args: str) -> subprocess.CompletedProcess[str]:
    packages = lay_out(
        tmp_path / "packages",
        {
            "demo_harness.py": MODULE,
            "demo-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: demo\nVersion: 1\n",
            "demo-1.dist-info/entry_points.txt": f"[promptls.harnesses]\ndemo = {entry_point}\n",
        },
        git=False,
    )
    folder = lay_out(tmp_path / "folder", {"DEMO.md": "demo rules\n"})
    env = {**os.environ, "PYTHONPATH": str(packages)}
    command = [sys.executable, "-P", "-m", "promptls", *args]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_a_harness_of_another_package_is_found_and_previewed(tmp_path: Path) -> None:
    done = run(tmp_path, "demo_harness:HARNESS", "preview", "--format", "json")
    assert done.stderr == ""
    shown: dict[str, Any] = json.loads(done.stdout)
    assert shown["harness"] == {"name": "demo", "version": "1", "verified": False}
    assert [message["text"] for message in shown["messages"]] == ["demo rules\n"]


def test_one_that_cannot_be_loaded_is_named_and_costs_nothing_else(tmp_path: Path) -> None:
    done = run(tmp_path, "demo_harness:NOSUCH", "preview", "--harness", "etcode", "--format", "json")
    assert done.returncode == 0
    assert done.stderr.startswith("promptls: the harness demo cannot be loaded (AttributeError: ")
    assert json.loads(done.stdout)["harness"]["name"] == "etcode"
