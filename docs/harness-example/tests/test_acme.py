"""The prompt is asked for as users do it: with the command line, of a folder that is written here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

FILES = {
    "ACME.md": "Prices are integers.\n@docs/style.md\n@docs/gone.md\n",
    "docs/style.md": "Names are whole words.",
    "api/ACME.md": "Orders are never deleted.\n@ACME.md\n",
    "api/src/app.py": "",
}


def promptls(folder: Path, *args: str) -> dict[str, Any]:
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "promptls", *args, "--harness", "acme", "--format", "json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False)
    assert done.stderr == ""
    shown: dict[str, Any] = json.loads(done.stdout)
    return shown


def test_the_files_are_nested_and_their_imports_are_in_their_place(tmp_path: Path) -> None:
    shown = promptls(tmp_path, "preview", "api/src/app.py")
    texts = [message["text"] for message in shown["messages"]]
    here = tmp_path.resolve()
    assert texts[0].endswith(
        f"<rules dir={here}>\nPrices are integers.\nNames are whole words.\n@docs/gone.md\n</rules>\n"
    )
    assert texts[-1] == f"<rules dir={here}/api>\nOrders are never deleted.\n@ACME.md\n</rules>\n"
    assert shown["messages"][-1]["at"] == f"read:{here}/api/src/app.py"


def test_an_import_that_fails_is_a_problem_at_its_line(tmp_path: Path) -> None:
    problems = promptls(tmp_path, "check", "--no-network")["problems"]
    assert ("ACME.md", 2, "import-missing") in [
        (each["path"], each["range"]["start"]["line"], each["code"]) for each in problems
    ]
    assert "import-cycle" in {each["code"] for each in problems}
