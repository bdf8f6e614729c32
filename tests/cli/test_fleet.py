"""The results of many repositories put together: right ones, and such as nobody should have written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from promptls.cli import main
from promptls.workspace.fleet import LARGEST, Fleet, results
from tests.folder import lay_out
from tests.page.test_page import Page

RULE = "## Tests\n\nRun the whole suite before you hand in, and never skip a test because it is slow.\n"
EVIL = "<img src=x onerror=alert(1)>\x1b[31m"


def result(tokens: int = 10, **more: Any) -> dict[str, Any]:
    size = {"name": "/r/AGENTS.md", "kind": "file", "tokens": tokens, "files": 1, "at_least": False}
    limit = {"name": "project files", "used": 5, "most": 4}
    place = {"at_start": [size], "on_read": [], "only_at_start": [], "limits": [limit]}
    return {"root": "/r", "harnesses": ["codex"], "directories": [{"path": "/r", "places": [place]}], **more}


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(["fleet", *argv]) == 0
    return capsys.readouterr().out


def test_what_the_jobs_of_two_repositories_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in (("api", RULE), ("web", f"# Web\n\n{RULE.replace(' the whole ', ' the  whole ')}")):
        folder = lay_out(tmp_path / name, {"AGENTS.md": text, ".codex/config.toml": "", "CLAUDE.md": "@gone.md\n"})
        (folder / "promptls.toml").write_text('[budgets."."]\nown = 1\nowner = "@me"\n')
        for command in ("map", "check"):
            main([command, str(folder), "--format", "json", *(["--no-network"] if command == "check" else [])])
            place = tmp_path / "results" / name / f"{command}.json"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(capsys.readouterr().out)
    monkeypatch.chdir(tmp_path)
    found = json.loads(said(capsys, "results", "--format", "json"))
    assert {each["name"] for each in found["repositories"]} == {"web", "api"}
    assert {each["harness"] for each in found["repositories"][0]["programs"]} == {"codex", "claude-code"}
    assert found["repositories"][0]["warnings"] > 0
    assert found["repositories"][0]["budgets"][0]["owners"] == ["@me"]
    assert found["totals"]["over"] == 2
    copied = found["copied"][0]
    assert (copied["repositories"], copied["path"], copied["title"]) == (2, "AGENTS.md", "Tests")
    text = said(capsys, "results")
    assert text.startswith("2 repositories: ")
    assert "2 with AGENTS.md “Tests”, " in text


@pytest.mark.parametrize(
    ("is_more", "has_check", "marks"), [(False, True, []), (True, True, ["+"]), (True, False, ["+", "?"])]
)
def test_a_mark_says_how_to_know(
    is_more: bool, has_check: bool, marks: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = result()
    found["directories"][0]["places"][0]["at_start"][0]["at_least"] = is_more
    place = tmp_path / "api"
    place.mkdir()
    (place / "map.json").write_text(json.dumps({"$schema": "urn:promptls:schema:1:map", **found}))
    if has_check:
        check = {"$schema": "urn:promptls:schema:1:check", "problems": [], "summary": {}}
        (place / "check.json").write_text(json.dumps(check))
    text = said(capsys, str(tmp_path))
    assert [line[0] for line in text.splitlines() if "`promptls " in line] == marks


def test_a_bad_result_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    bad: dict[str, bytes] = {
        "broken": b'{"root": ',
        "deep": b"[" * 200_000,
        "binary": b"\xff\xfe\x00",
        "empty": b"",
        "number": b"1" * 5000,
        "list": b"[]",
        "other": b"{}",
        "newer": json.dumps(result(schema="urn:promptls:schema:2:map")).encode(),
        "odd": json.dumps(result(schema=["urn"])).encode(),
        "large": b" " * (LARGEST + 1),
    }
    for name, data in bad.items():
        (tmp_path / f"{name}.json").write_bytes(data)
    (tmp_path / "good.map.json").write_text(json.dumps(result()))
    (tmp_path / "good-map.json").write_text(json.dumps(result()))
    found = json.loads(said(capsys, ".", "gone.json", "--format", "json"))
    assert [each["name"] for each in found["repositories"]] == ["good"]
    why = {Path(each["path"]).stem: each["why"] for each in found["not_read"]}
    assert set(why) == {*bad, "gone", "good.map"}
    assert why["newer"] == "another version of promptls wrote it, in a form that is not known"
    assert why["good.map"] == "there is another map of good"
    assert "12 results could not be read:" in said(capsys, ".", "gone.json")


@pytest.mark.parametrize(
    "odd",
    [
        {"directories": [None, 1, {"places": 3}]},
        {"directories": [{"places": [{"at_start": [{"tokens": -5}, {"tokens": 10**400}, {"tokens": True}, 7]}]}]},
        {"harnesses": [None, {"a": 1}, EVIL * 1000, "\ud800"]},
        {"budgets": [{"path": EVIL, "owners": [1, EVIL]}, {"over": "yes", "budget": "many", "tokens": [1]}, 5]},
        {"rules": [{"digest": 1}, {"digest": EVIL, "title": ["x"], "path": None, "tokens": 1e400}, []]},
        {"schema": None, "rules": {}, "budgets": "x"},
    ],
)
def test_odd_values_are_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], odd: dict[str, Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.map.json").write_text(json.dumps({**result(), **odd}))
    (tmp_path / "b.check.json").write_text(json.dumps({"problems": [1, {"code": []}], "summary": {"error": "x"}}))
    assert "\x1b" not in said(capsys, "a.map.json", "b.check.json")
    found = json.loads(said(capsys, ".", "--format", "json"))
    assert found["not_read"] == []
    assert all(each["tokens"] >= 0 for each in found["repositories"][0]["programs"] or ())
    text = said(capsys, ".", "--html", "-")
    assert not Page(text).all("img")
    assert len(text) < 50_000


def test_every_text_of_the_page_is_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rules = [{"digest": "1", "path": EVIL, "title": EVIL, "line": 0, "tokens": 5}]
    for name in (EVIL.partition("\x1b")[0], "b"):
        (tmp_path / f"{name.replace('/', '')}.map.json").write_text(json.dumps(result(harnesses=[EVIL], rules=rules)))
    (tmp_path / "bad.json").write_text("{")
    found = Page(said(capsys, ".", "--html", "-"))
    assert not found.all("img")
    assert not [each for _, attributes in found.elements for each in attributes if each.startswith("on")]
    assert sum("<img src=x onerror=alert(1)>" in text for text in found.texts) >= 3
    assert {each.get("id") for each in found.all("section")} == {"repositories", "programs", "copied", "unread"}


def test_a_page_for_others_names_no_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A page is for others: a result that was not read is named from here."""
    (tmp_path / "here/all").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    for path in ("all/bad.json", "../worse.json"):
        Path(path).write_text("{")
    page = said(capsys, "all", "../worse.json", "--html", "-")
    assert str(tmp_path) not in page
    assert "all/bad.json: " in page
    assert ">worse.json: " in page


def test_a_repository_is_named_by_its_place(tmp_path: Path) -> None:
    for name in ("all/org/api/map.json", "all/org/api/check.json", "all/web.map.json", "all/web_check.json"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    here = [*results(["all", "one/map.json", "two.json"], lambda each: str(tmp_path / each))]
    assert [name for _, name in here] == ["web", "web", "org/api", "org/api", "one", "two"]


def test_a_result_of_one_kind_leaves_the_other_open(tmp_path: Path) -> None:
    fleet = Fleet()
    (tmp_path / "check.json").write_text(json.dumps({"problems": [{"code": "cut"}], "summary": {"error": 2}}))
    (tmp_path / "map.json").write_text(json.dumps(result(7)))
    fleet.add(str(tmp_path / "check.json"), "api")
    fleet.add(str(tmp_path / "map.json"), "web")
    api, web = fleet.repositories()
    assert (api.name, api.programs, api.errors, api.cut) == ("api", None, 2, 1)
    assert (web.tokens, web.errors, web.cut) == (7, None, 1)


def test_a_section_counts_once_for_each_repository(tmp_path: Path) -> None:
    fleet = Fleet()
    for name, paths in (("b", ("X.md", "Y.md")), ("a", ("Z.md",)), ("c", ())):
        rules = [{"digest": each, "path": path, "title": each, "tokens": 3} for path in paths for each in "1"]
        only = [{"digest": f"only {name}", "path": "X.md", "title": "", "tokens": 9}] * 2
        (tmp_path / "map.json").write_text(json.dumps(result(rules=[*rules, *only])))
        fleet.add(str(tmp_path / "map.json"), name)
    # As in the first one that was read.
    assert [(each.repositories, each.repository, each.says) for each in fleet.copied(9)] == [(2, "b", "X.md “1”")]


def test_a_budget_for_a_directory_that_is_gone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    of: dict[str, Any] = {"of": "own", "harness": None, "tokens": 0, "owners": []}
    budgets = [{"path": "api", "budget": 100, **of}, {"path": "old", "budget": 100, "missing": True, **of}]
    (tmp_path / "api.map.json").write_text(json.dumps(result(budgets=budgets)))
    [found] = json.loads(said(capsys, str(tmp_path), "--format", "json"))["repositories"]
    assert [each["missing"] for each in found["budgets"]] == [False, True]
    text = said(capsys, str(tmp_path))
    assert " 2 1x " in text
    assert "x is a budget for a directory that does not exist" in text
    page = Page(said(capsys, str(tmp_path), "--html", "-"))
    assert "1 kept, 1 gone" in page.texts
    # What is not there has no head of a table.
    assert "tokens each" not in page.texts
    assert any("old: there is no such directory" in (each.get("title") or "") for each in page.all("td"))
