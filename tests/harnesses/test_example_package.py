"""The example of docs/writing-a-harness.md: it passes its own tests, and needs one module of promptls."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from promptls import harness_api
from promptls.workspace.machine import local_host
from tests.folder import lay_out

EXAMPLE = Path(__file__).parents[2] / "docs" / "harness-example"


def test_it_passes_its_own_tests_as_an_installed_package(tmp_path: Path) -> None:
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    site, tests = tmp_path / "site", tmp_path / "tests"
    shutil.copytree(EXAMPLE / "tests", tests, ignore=shutil.ignore_patterns("__pycache__"))
    described = site / "acme_harness-1.0.dist-info"
    described.mkdir(parents=True)
    shutil.copy(EXAMPLE / "acme_harness.py", site)
    [(group, entries)] = project["entry-points"].items()
    points = "".join(f"{name} = {value}\n" for name, value in entries.items())
    (described / "entry_points.txt").write_text(f"[{group}]\n{points}", encoding="utf-8")
    metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (described / "METADATA").write_text(metadata, encoding="utf-8")
    # Its own place for temporary files: pytest removes those of earlier runs, and ours are many.
    places = [f"--basetemp={tmp_path / 'temporary'}", f"--rootdir={tests}"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *places, str(tests)],
        cwd=tests,
        env={**os.environ, "PYTHONPATH": str(site), "HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_imports_nothing_else_of_promptls() -> None:
    tree = ast.parse((EXAMPLE / "acme_harness.py").read_text(encoding="utf-8"))
    found = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {each for each in found if each and each.startswith("promptls")} == {"promptls.harness_api"}


def shown_with(word: str) -> str:
    """The first example of the page that has a word."""
    page = (EXAMPLE.parent / "writing-a-harness.md").read_text(encoding="utf-8")
    return next(each[1] for each in re.finditer(r"```python\n(.*?)```", page, re.DOTALL) if word in each[1])


def test_every_rule_of_the_directory_on_the_page_is_found(tmp_path: Path) -> None:
    names = ("b.md", "a.md", "c.txt")
    folder = lay_out(tmp_path, {f".acme/rules/{name}": "Use tabs." for name in names})
    host = local_host()
    spec = harness_api.Spec("acme", "Acme")
    writer = harness_api.Writer(spec, harness_api.Session("acme", cwd=str(folder)), host)
    values = {**vars(harness_api), "writer": writer, "host": host}
    exec(shown_with(".acme/rules"), values)  # noqa: S102 - an example of our own
    assert [each.path for each in values["rules"]] == [f"{folder}/.acme/rules/{name}" for name in ("a.md", "b.md")]


def test_the_skills_of_the_page_are_listed_and_of_a_name_the_first_one_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = lay_out(tmp_path, {f"{place}/.acme/skills/tidy/SKILL.md": skill(place) for place in ("w", "home")})
    monkeypatch.setenv("HOME", f"{folder}/home")
    host = local_host()
    writer = harness_api.Writer(
        harness_api.Spec("acme", "Acme"), harness_api.Session("acme", cwd=f"{folder}/w"), host, harness_api.Options()
    )
    names = {**vars(harness_api), "writer": writer, "host": host, "FRAME": harness_api.Frame(), "files": []}
    exec(shown_with("skills_in"), names)  # noqa: S102 - an example of our own
    prompt = writer.prompt()
    path = f"{folder}/w/.acme/skills/tidy/SKILL.md"
    assert [each.text for each in prompt.messages] == [f"- tidy: Tidies w. ({path})\n"]
    assert {each.path: each.outcome for each in prompt.candidates} == {
        path: "loaded",
        f"{folder}/home/.acme/skills/tidy/SKILL.md": "shadowed",
    }


def skill(place: str) -> str:
    return f"---\nname: tidy\ndescription: Tidies {place}.\n---\n"


def test_every_public_name_is_there_once() -> None:
    assert len(set(harness_api.__all__)) == len(harness_api.__all__)
    assert all(hasattr(harness_api, name) for name in harness_api.__all__)
