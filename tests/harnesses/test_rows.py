"""What is known of a version is a row: nothing else holds it, it is what was measured, and a new version is one row."""

from __future__ import annotations

import ast
import io
import json
import re
import shutil
import subprocess
import sys
import tokenize
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import promptls
from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Session
from promptls.harnesses.catalogue import FOLDERS

pytestmark = pytest.mark.same_everywhere(although="it asks a copy of the package for its rows")

SERVER = Path(promptls.__file__).parent
TESTS = Path(__file__).parent.parent
NAMES = tuple(FOLDERS)
# What says where a number is from: a case, a section of the specification, or the program's source.
MARK = re.compile(
    r"\((?:[\d., and]+[;)]\s*)?"
    r"(?:wire|parts|requests|later|surfaces|captured|sections?|specification|source|case|a limit of ours)\b"
    r"|\[source|counted in|source\)",
    re.IGNORECASE,
)
# Numbers that are no fact of a version: from here on they need one of the reasons below.
SMALL = 32
NO_FACTS = {
    "claude_code/message_blocks.py": {1024},  # KB
    "claude_code/listing/skill_list.py": {1000},  # milliseconds
    "claude_code/turns/large_reads.py": {100},  # per cent
    "claude_code/files/read_files.py": {1_000_000},  # nanoseconds
    "copilot_cli/conversation.py": {1024},  # KB
    "droid/capture.py": {8000},  # what a model may answer
    "gemini_cli/records.py": {64},  # digits of SHA-256
    "grok_build/capture.py": {128_000},  # what a model can hold
    "kimi_code/capture.py": {128_000},  # what a model can hold
    "claude_code/files/at_start.py": {0xFFFFFFFF, 128, 36},  # the hash in a slug, ASCII, base 36
    "claude_code/files/rules.py": {40, 256, 2048},  # limits of ours
    "hermes/files.py": {100},  # per cent
    "hermes/scanner.py": {2048, 512},  # how far apart two parts of a rule may be, which is the rule
    "hermes/workspace.py": {256, 1024},  # a limit of the program's that shows in names only
    "copilot_vscode/files/references.py": {200},  # a limit of ours
    "gemini_cli/listing/commands.py": {50},  # a limit of the program's that shows in names only
    "gemini_cli/turns/mentions.py": {2000},  # a limit of ours
    "claude_code/tools.py": {100},  # per cent
    "claude_code/records.py": {200},  # the length of a slug
    "opencode/records.py": {1000, 200},  # milliseconds, and messages that we read at once
    "opencode/start/config.py": {20_000},  # a limit of ours
    "opencode/turns/compaction.py": {55},  # about what JSON takes around a text
    "opencode/instructions.py": {80},  # a length of ours
    "opencode/start/filled_text.py": {1024, 1000},  # limits of ours
    "openclaw/__init__.py": {1024},  # KB
    "codex/files.py": {0x2000, 0x200B},  # white space
    "codex/records.py": {36},  # the length of an id
    "codex/listing/hooks.py": {200},  # a limit of ours
    "codex/skills/listing.py": {100},  # per cent
    # How a program is started: its patience, and a model of our own.
    "openclaw/capture.py": {180, 120_000, 8192},
    "copilot_vscode/capture.py": {120},
    "deepagents_code/capture.py": {180},
    "kilo_code/capture.py": {180},
    "letta_code/capture.py": {120},
    "openhands/capture.py": {120},
    "kimi_cli/capture.py": {128_000},
}


def rows(name: str) -> tuple[Any, ...]:
    module = import_module(f"promptls.harnesses.{FOLDERS[name]}.versions")
    found: tuple[Any, ...] = module.ROWS
    return found


class Number(NamedTuple):
    """A number of a table, where it stands, and the nearest comment that says where it is from; "" without one."""

    value: float
    place: tuple[int, int]
    said: str


class Sources(ast.NodeVisitor):
    """Where each number of a table of versions is from: what is said beside it, above it, or of its field.

    A comment above several fields or rows, without an empty line between them, is about all of them.
    """

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()
        found = tokenize.generate_tokens(io.StringIO(text).readline)
        self.comments = {each.start[0]: each.string.strip("# ") for each in found if each.type == tokenize.COMMENT}
        self.fields: dict[str, str] = {}
        self.classes: dict[str, str] = {}
        self.said = [""]
        self.numbers: list[Number] = []
        tree = ast.parse(text)
        for each in tree.body:
            if isinstance(each, ast.ClassDef):
                self._read(each)
        for each in tree.body:
            if isinstance(each, ast.Assign | ast.AnnAssign | ast.AugAssign):
                self.said = [self._above(each.lineno, stops_at_code=False)]
                self.visit(each)

    @property
    def without(self) -> list[str]:
        """The numbers without a source, with their lines."""
        return [f"{each.place[0]}: {each.value!r}" for each in self.numbers if not each.said]

    def _above(self, line: int, *, stops_at_code: bool = True) -> str:
        found: list[str] = []
        while (line := line - 1) and (text := self.lines[line - 1].strip()):
            if stops_at_code and text[0] != "#":
                break
            found += [self.comments[line]] if line in self.comments else []
        return " ".join(reversed(found))

    def _read(self, definition: ast.ClassDef) -> None:
        general, above = ast.get_docstring(definition) or "", ""
        self.classes[definition.name] = general
        for each in definition.body:
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                above = self._above(each.lineno) or above
                said = f"{general} {above} {self.comments.get(each.lineno, '')}"
                self.fields[each.target.id] = f"{self.fields.get(each.target.id, '')} {said}"
                if each.value is not None:
                    self.said = [said]
                    self.visit(each.value)

    def visit(self, node: ast.AST) -> None:
        line = getattr(node, "lineno", 0)
        said = [self._above(line), self.comments.get(line, "")] if line else []
        if isinstance(node, ast.keyword):
            said.append(self.fields.get(node.arg or "", ""))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "Version":
                return
            said.append(self.classes.get(node.func.id, ""))
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool)
        ):
            nearest = next((each for each in reversed([*self.said, *said]) if MARK.search(each)), "")
            self.numbers.append(Number(node.value, (line, node.col_offset), nearest))
        self.said += said
        self.generic_visit(node)
        del self.said[len(self.said) - len(said) :]


@pytest.mark.parametrize("name", NAMES)
def test_the_versions_of_a_harness_are_its_rows(name: str) -> None:
    assert harnesses.get(name).versions == tuple(row.version for row in rows(name))


@pytest.mark.parametrize("name", NAMES)
def test_each_number_has_its_source_beside_it(name: str) -> None:
    text = (SERVER / "harnesses" / FOLDERS[name] / "versions.py").read_text(encoding="utf-8")
    todo = "say where these (line: number) are from, beside them or above their fields: (wire: CASE) or [source: FILE]"
    assert Sources(text).without == [], todo


def test_a_number_without_a_source_is_found() -> None:
    found = Sources(UNSOURCED)
    assert found.without == ["9: 12", "18: 3", "25: 4"]


UNSOURCED = """
class Facts:
    version: Version
    # (wire: one)
    base: int
    other: int

    # It has no source.
    limit: int = 12
    longest: int = 5  # (section 2)


# Counted in captured requests.
TOOLS = {"Read": 1}
MORE = {"Write": 2}

OTHERS = {
    "Bash": 3,
}
ROWS = (
    Facts(
        Version("1.0", verified=True),
        base=1,
        other=2,
        limit=4,
        longest=5,
    ),
)
"""


@pytest.mark.parametrize("name", NAMES)
def test_each_version_of_which_a_session_was_captured_is_verified(name: str) -> None:
    cases = [case for kind in ("wire", "parts") for case in (TESTS / kind / "cases" / name).glob("*.json")]
    captured = {json.loads(case.read_text(encoding="utf-8"))["version"] for case in cases}
    verified = {row.version.name for row in rows(name) if row.version.verified}
    assert not verified - captured, f"add a session of {verified - captured} to tests/wire/cases/{name}"
    assert not captured - verified, f"a session of {captured - verified} is there: add its row, with verified=True"
    assert {row.version.name for row in rows(name) if row.version.tier == "captured"} == captured
    if any(row.version.tier == "source" for row in rows(name)):  # then its table says where it was read
        assert "source" in (SERVER / "harnesses" / FOLDERS[name] / "versions.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_each_field_of_a_row_is_asked_for(name: str) -> None:
    folder = SERVER / "harnesses" / FOLDERS[name]
    text = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py") if path.name != "versions.py")
    asked = {node.attr for node in ast.walk(ast.parse(_joined(text))) if isinstance(node, ast.Attribute)}
    # What describes a harness asks for the version.
    assert set(type(rows(name)[0]).__match_args__) - asked == {"version"} - asked


def _joined(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith("from __future__"))


@pytest.mark.parametrize("name", NAMES)
def test_no_size_and_no_version_stands_elsewhere(name: str) -> None:
    folder = SERVER / "harnesses" / FOLDERS[name]
    versions = {row.version.name for row in rows(name) if any(letter.isdigit() for letter in row.version.name)}
    for path in sorted(folder.rglob("*.py")):
        if path.name == "versions.py":
            continue
        place = path.relative_to(SERVER / "harnesses").as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        # How much we remember is no fact of a program.
        ours = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "maxsize"}
        for node in ast.walk(tree):
            where = f"{place}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and id(node) not in ours:
                is_known = node.value <= SMALL or node.value in NO_FACTS.get(place, ())
                assert is_known, f"{where}: make {node.value} a field of a row in versions.py, with its source"
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                assert not any(version in node.value for version in versions), where
            if isinstance(node, ast.keyword) and node.arg == "size":
                # 0 is the size of what is not sent.
                assert not isinstance(node.value, ast.Constant) or node.value.value == 0, where
            if isinstance(node, ast.Compare):
                compared = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
                assert not compared & {"version", "number"}, where


CAPTURED: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "claude_code_start.json").read_text(encoding="utf-8")
)
PLACEHOLDER = re.compile("⟪[^⟫]*⟫")


@pytest.mark.parametrize("model", ["default", "claude-sonnet-4-5"])
def test_sizes_of_claude_code_are_those_of_a_captured_request(tmp_path: Path, model: str) -> None:
    (tmp_path / "CLAUDE.md").write_text("x", encoding="utf-8")
    asked = None if model == "default" else model
    session = Session("claude-code", str(tmp_path), CAPTURED["version"], model=asked)
    prompt = harnesses.preview(session, Host(home=str(tmp_path), env={}))
    elided = [part.elided for message in prompt.messages for part in message.segments if part.elided]
    sizes = {each.name: each.size or 0 for each in elided}
    files = next(part for part in CAPTURED[model] if "Contents of" in part["text"])
    assert sizes["preamble of the files"] == files["elided"][0]

    part = next(part for part in CAPTURED[model] if BEGINS in part["text"])
    ahead, _, captured = part["text"].partition(BEGINS)
    captured = captured[: captured.index("- statusline-setup")]
    own = {title: size for title, size in sizes.items() if title.startswith("description of ")}
    agents = [size for title, size in own.items() if not title.startswith("description of the skill")]
    first = ahead.count("⟪")
    assert [*agents, sizes["how to use agents"]] == part["elided"][first : first + len(agents) + 1]
    text = next(message.text for message in prompt.messages if BEGINS in message.text).partition(BEGINS)[2]
    assert PLACEHOLDER.sub("", text[: text.index("- statusline-setup")]) == PLACEHOLDER.sub("", captured)


BEGINS = "Available agent types for the Agent tool:\n"
PROBE = """
import json, sys
from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Session
from promptls.harnesses.catalogue import FOLDERS
shown = {}
for harness in harnesses.every():
    new, old = harness.versions[:2]
    host = Host(home=sys.argv[1], env={})
    first, second = (harnesses.preview(Session(harness.name, sys.argv[1], v.name), host) for v in (new, old))
    later = harnesses.preview(Session(harness.name, sys.argv[1], "9999.1.0"), host)
    shown[harness.name] = [
        first.session.version, first.verified == second.verified, first.messages == second.messages,
        later.session.version, later.verified,
    ]
print(json.dumps(shown))
"""


def test_a_version_that_behaves_like_the_last_is_one_row(tmp_path: Path) -> None:
    copy = tmp_path / "promptls"
    shutil.copytree(SERVER, copy, ignore=shutil.ignore_patterns("__pycache__"))
    new = "\nfrom promptls.core.values import replace\nROWS = (replace(ROWS[0], version=NEW), *ROWS)\n"
    for name in NAMES:
        path = copy / "harnesses" / FOLDERS[name] / "versions.py"
        row = f'\nNEW = Version("9999.0.1", verified={rows(name)[0].version.verified})'
        path.write_text(path.read_text(encoding="utf-8") + row + new, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-c", PROBE, str(tmp_path)],
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    found = json.loads(ran.stdout)
    assert found == {name: ["9999.0.1", True, True, "9999.0.1", False] for name in NAMES}
