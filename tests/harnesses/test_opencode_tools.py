"""How large the definitions of opencode's tools are: what files and variables add to those that were measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harnesses.shown import Files, preview

pytestmark = pytest.mark.same_everywhere
# As JSON, with the agents explore and general.
ROWS = len(r"\n- explore: ") + 496 + len(r"\n- general: ") + 149
TEMPORARY = "/tmp/opencode"  # noqa: S108 - only its length counts
MANUALLY = "This subagent should only be called manually by the user."


def sizes(top: Path, files: Files, model: str = "stub/m", **env: str) -> dict[str, int | None]:
    return {each.name: each.size for each in preview(top, "opencode", files, model=model, env=env).tools or ()}


@pytest.mark.parametrize(
    ("agents", "more"),
    [
        ({}, 0),
        ({"own": {"description": 'Says "é".'}}, len(r"\n- own: Says \"é\".")),
        ({"own": {"description": ""}}, len(r"\n- own: ")),
        ({"own": {}}, len(rf"\n- own: {MANUALLY}")),
        ({"own": {"mode": "primary"}}, 0),
        ({"general": {"description": "Mine."}}, len("Mine.") - 149),
        # How long the description of this one is, nobody has measured.
        ({"plan": {"mode": "subagent"}}, len(r"\n- plan: ")),
        ({"general": {"disable": True}}, -len(r"\n- general: ") - 149),
    ],
)
def test_each_agent_that_can_be_started_is_in_a_definition(tmp_path: Path, agents: object, more: int) -> None:
    plain, own = sizes(tmp_path / "1", {}), sizes(tmp_path / "2", {"opencode.json": {"agent": agents}})
    assert plain["task"] == 3154 + ROWS
    assert own == {**plain, "task": 3154 + ROWS + more}


@pytest.mark.parametrize(("env", "place"), [({}, TEMPORARY), ({"TMPDIR": "/scratch/me"}, "/scratch/me/opencode")])
def test_the_definition_of_the_shell_names_a_directory(tmp_path: Path, env: dict[str, str], place: str) -> None:
    assert sizes(tmp_path, {}, **env)["bash"] == 5231 + len(place)


def test_of_another_provider_no_size_is_known(tmp_path: Path) -> None:
    files: Files = {"opencode.json": {"provider": {"own": {"npm": "an-own-package", "models": {"m": {}}}}}}
    found = sizes(tmp_path, files, "own/m")
    assert (set(found.values()), "edit" in found, "apply_patch" in found) == ({None}, True, False)


def test_a_model_changes_files_with_one_tool_or_with_two(tmp_path: Path) -> None:
    found = sizes(tmp_path, {}, "openai/gpt-5")
    assert ("edit" in found, "write" in found, found["apply_patch"]) == (False, False, 1376)


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("owner/name", "github.com/owner/name"),
        ("owner/name.git", "github.com/owner/name"),
        ("https://example.org/owner/name.git", "example.org/owner/name"),
        ("https://example.org:8080/owner/name/", "example.org/8080/owner/name"),
        ("https://me@example.org/name", "example.org/name"),
        ("ssh://git@example.org:22/owner/name", "example.org/22/owner/name"),
        ("git@example.org:owner/name.git", "example.org/owner/name"),
        ("git@example.org/name", "example.org/name"),
    ],
)
def test_where_the_copy_of_a_repository_is(tmp_path: Path, address: str, place: str) -> None:
    files: Files = {"opencode.json": {"references": {"r": {"repository": address, "description": "d"}}}}
    system = preview(tmp_path, "opencode", files, model="stub/m", env={"XDG_DATA_HOME": "/data"}).messages[0].text
    assert f"<path>/data/opencode/repos/{place}</path>" in system


@pytest.mark.parametrize("text", ["", "export function help() { return 1 }\n", 'export { default as x } from "./x"\n'])
def test_a_file_that_exports_neither_a_default_nor_a_constant_is_no_tool(tmp_path: Path, text: str) -> None:
    assert sizes(tmp_path, {".opencode/tool/index.ts": text}) == sizes(tmp_path / "without", {})
