"""What `make hostile-environment` leaves out is what no environment can change, and says why."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MARK = "same_everywhere"
# What gives a test a place on the disk, a setting or a process of the machine that it runs on.
OF_THE_MACHINE = {
    *("tmp_path", "tmp_path_factory", "unquoted_path", "monkeypatch", "client", "server", "place", "folder", "home"),
    *("capfd", "capsysbinary"),
}
MODULES = {"os", "socket", "locale", "tempfile", "pwd", "getpass", "platform", "signal", "threading", "asyncio"}
# Marked all the same: what the environment is to them, somebody else tries.
ALL_THE_SAME = {
    "harnesses/test_cited_cases.py": "it lays out cases, which tests of other modules do, too",
    "harnesses/test_one_folder.py": "the commands that it runs are run in test_imports.py, with every harness there",
    "harnesses/test_rows.py": "it lays out one file, and a copy of the package, to ask for rows",
    "test_sources.py": "it writes one file, to read its marks",
}


def marked(module: ast.Module) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The tests of a module that are marked."""
    tests = [
        each
        for each in module.body
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and each.name.startswith("test_")
    ]
    if any(
        isinstance(each, ast.Assign) and ast.unparse(each).startswith("pytestmark") and MARK in ast.unparse(each)
        for each in module.body
    ):
        return tests
    return [each for each in tests if any(MARK in ast.unparse(mark) for mark in each.decorator_list)]


def fixtures_of(test: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The parameters of a test that are not its cases'."""
    cases = "".join(ast.unparse(mark) for mark in test.decorator_list if "parametrize" in ast.unparse(mark))
    return {argument.arg for argument in test.args.args if f"'{argument.arg}'" not in cases}


def needs(module: ast.Module) -> set[str]:
    """What the marked tests of a module ask of the machine."""
    tests = marked(module)
    fixtures = {name for test in tests for name in fixtures_of(test)} & OF_THE_MACHINE
    if len(tests) < sum(isinstance(each, ast.FunctionDef) and each.name.startswith("test_") for each in module.body):
        return fixtures
    imported = {each.name for node in module.body if isinstance(node, ast.Import) for each in node.names}
    return fixtures | imported & MODULES


FILES = {path.relative_to(HERE).as_posix(): path for path in sorted(HERE.rglob("test_*.py"))}
TEXTS = {name: path.read_text(encoding="utf-8") for name, path in FILES.items() if path != Path(__file__)}
# Few have the mark, and all of them would take long to parse.
TREES = {name: ast.parse(text) for name, text in TEXTS.items() if f"mark.{MARK}" in text}
MARKED = [name for name, tree in TREES.items() if marked(tree)]


@pytest.mark.parametrize("name", MARKED)
def test_what_is_marked_asks_nothing_of_the_machine(name: str) -> None:
    assert bool(needs(TREES[name])) == (name in ALL_THE_SAME), needs(TREES[name])


def test_each_mark_has_a_reason() -> None:
    calls = [node for name in MARKED for node in ast.walk(TREES[name]) if isinstance(node, ast.Call)]
    marks = [call for call in calls if ast.unparse(call.func) == f"pytest.mark.{MARK}"]
    assert len(marks) == len(MARKED)
    assert all(len(ast.literal_eval(mark.args[0]).split()) > 2 for mark in marks)


def test_the_test_sees_what_asks_something() -> None:
    module = "pytestmark = pytest.mark.same_everywhere('why')\n"
    assert needs(ast.parse(f"import os\n{module}def test_a(): ...")) == {"os"}
    assert needs(ast.parse(f"{module}def test_a(tmp_path): ...")) == {"tmp_path"}
    assert needs(ast.parse(f"{module}def test_a(name): ...")) == set()
    assert needs(ast.parse("import os\n@same_everywhere\ndef test_a(): ...\ndef test_b(tmp_path): ...")) == set()
