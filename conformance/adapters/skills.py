# ruff: noqa: INP001
"""Answers a case of conformance/ by the table of the ``skills`` installer: where each program's skills are put.

    promptls conformance score "python conformance/adapters/skills.py node_modules/skills"
    python conformance/adapters/skills.py node_modules/skills conformance/cases

The table names a folder of a project and one of the user for each program. It says nothing of other files, so a case
with a sentinel in any other file is declined; of a skill, its front matter is taken as sent. The second command asks
less: of the folders of the table that hold a skill in any case, which ones does their program read?
"""

from __future__ import annotations

import json
import os
import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# The names of the table for programs that are called otherwise here.
NAMES = {
    "auggie": "augment",
    "copilot-cli": "github-copilot",
    "copilot-vscode": "github-copilot",
    "deepagents-code": "deepagents",
    "grok-build": "grok",
    "hermes": "hermes-agent",
    "kilo-code": "kilo",
    "kimi-code": "kimi-code-cli",
}
ROW = re.compile(r'\bname: "([^"]+)",\s*displayName: "[^"]+",\s*skillsDir: "([^"]+)",\s*globalSkillsDir: ([^\n]+),\n')
TEXT = re.compile(r'"([^"]*)"')
HOMES = {"configHome": ".config", "claudeHome": ".claude", "codexHome": ".codex", "vibeHome": ".vibe"}
HOMES |= {"grokHome": ".grok", "hermesHome": ".hermes", "home": ""}
MATTER = re.compile(r"\A---\r?\n.*?\r?\n---", re.DOTALL)


def table(package: str) -> dict[str, tuple[str, str]]:
    """For each program, the folder in a project and the one below the home directory."""
    source = (Path(package) / "dist" / "cli.mjs").read_text(encoding="utf-8")
    rows = {}
    for name, near, expression in ROW.findall(source):
        first = re.match(r"join\((\w+)", expression)
        parts = [HOMES.get(first[1], "") if first else "", *TEXT.findall(expression)]
        rows[name] = (near, "/".join(each for each in parts if each))
    return rows


def files(top: str) -> Iterator[Path]:
    """The files of a tree without those of git."""
    for directory, folders, names in os.walk(top):
        folders[:] = sorted(each for each in folders if each != ".git")
        yield from (Path(directory) / each for each in sorted(names))


def answer(asked: dict[str, Any], rows: dict[str, tuple[str, str]]) -> dict[str, Any]:
    """What the table says of a case."""
    row = rows.get(NAMES.get(asked["program"], asked["program"]))
    if row is None:
        return {"unknown": "the table has no such program"}
    places = [Path(asked["start"]["cwd"]) / row[0], *([Path(asked["home"]) / row[1]] if row[1] else [])]
    found: list[str] = []
    for path in files(asked["top"]):
        text = path.read_bytes().decode("utf-8", "replace")
        named = [each for each in asked["sentinels"] if re.search(rf"{re.escape(each)}(?![A-Za-z0-9-])", text)]
        if named and path.name != "SKILL.md":
            return {"unknown": "the table says nothing of files that are no skill"}
        matter = MATTER.match(text)
        if any(place in path.parents for place in places) and matter:
            found += [each for each in named if each in matter[0]]
    return {"sentinels": found}


def folders(cases: Path, rows: dict[str, tuple[str, str]]) -> dict[str, bool]:
    """Each folder of the table that holds a skill in a case, and whether its program sent the front matter of any."""
    found: dict[str, bool] = {}
    for path in sorted(cases.glob("*/*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        row = rows.get(NAMES.get(case["program"], case["program"]), ("", ""))
        cwd = posixpath.normpath(posixpath.join("workspace", case["start"]["cwd"]))
        sent = {each["sentinel"] for each in case["request"]}
        for sentinel, file in case["sentinels"].items():
            text = case["tree"]["files"].get(file)
            matter = MATTER.match(text) if isinstance(text, str) else None
            place = posixpath.dirname(posixpath.dirname(file))
            is_skill = posixpath.basename(file) == "SKILL.md" and matter is not None and sentinel in matter[0]
            if is_skill and place in (f"{cwd}/{row[0]}", f"home/{row[1]}"):
                called = f"{case['program']} {'~/' + row[1] if place.startswith('home/') else row[0]}"
                found[called] = found.get(called, False) or sentinel in sent
    return found


if __name__ == "__main__":
    if len(sys.argv) > 2:  # noqa: PLR2004 - the program, the package and the cases
        for folder, is_read in folders(Path(sys.argv[2]), table(sys.argv[1])).items():
            sys.stdout.write(f"{folder}: {'read' if is_read else 'not read'}\n")
        sys.exit()
    sys.stdout.write(json.dumps(answer(json.load(sys.stdin), table(sys.argv[1]))) + "\n")
