from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core import specs
from promptls.core.host import Host
from promptls.core.model import Prompt
from promptls.core.settings import Settings
from promptls.core.values import replace
from promptls.harnesses.installed import installed
from promptls.sessions.habits import habits_of
from promptls.sessions.start import start_of
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere


def preview(tmp_path: Path, version: str, path: str = "bin", named: str = "") -> Prompt:
    """The preview where an opencode of ``version`` is installed as npm does it."""
    package = "lib/node_modules/opencode-ai"
    lay_out(
        tmp_path,
        {
            f"{package}/package.json": {"name": "opencode-ai", "version": version},
            f"{package}/bin/opencode": "x",
            f"{package}/bin/package.json": {"type": "module", "version": "9.9.9"},
            "workspace/AGENTS.md": "rules",
            "workspace/bin/opencode": "x",
            "workspace/package.json": {"name": "opencode-ai", "version": "6.6.6"},
        },
    )
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/opencode").symlink_to(tmp_path / package / "bin/opencode")
    env = {"PATH": f"relative:/nowhere:{tmp_path / path}"}
    host = Host(home=str(tmp_path / "home"), env=env)
    workspace = str(tmp_path / "workspace")
    start = start_of("opencode", Settings(harness=f"opencode@{named}" if named else None), habits_of(host, workspace))
    return harnesses.preview(replace(start, cwd=workspace, model="stub/m"), host)


def test_the_installed_version_is_shown_if_it_is_known(tmp_path: Path) -> None:
    prompt = preview(tmp_path, "1.18.33")
    assert (prompt.session.version, prompt.verified, prompt.notes) == ("1.18.33", True, ())


def test_another_installed_version_is_named_and_nothing_is_called_verified(tmp_path: Path) -> None:
    prompt = preview(tmp_path, "1.20.0")
    assert (prompt.session.version, prompt.verified) == ("1.18.33", False)
    assert prompt.notes == (
        "opencode 1.20.0 is not known; this is what 1.18.33 sends, the newest version that is known.",
    )


def test_a_named_version_is_not_questioned(tmp_path: Path) -> None:
    assert preview(tmp_path, "1.20.0", named="1.18.33").verified


def test_what_the_workspace_holds_does_not_count(tmp_path: Path) -> None:
    assert preview(tmp_path, "1.20.0", "workspace/bin").verified


@pytest.mark.parametrize(
    ("command", "packages"),
    [
        ("venv/bin/kimi", "venv/lib/python3.13/site-packages"),
        ("local/bin/kimi", "local/lib/python3.11/dist-packages"),
    ],
    ids=["uv and pipx", "pip of a system"],
)
def test_a_python_program_is_known_by_the_metadata_in_its_environment(
    tmp_path: Path, command: str, packages: str
) -> None:
    # Another package, whose name begins alike, and one without metadata.
    names = ("kimi_cli_extras-9.9.dist-info/METADATA", "kimi_cli-1.51.0.dist-info/METADATA", "kimi_cli/cli.py")
    lay_out(tmp_path, {command: "x", "workspace/AGENTS.md": "rules", **{f"{packages}/{each}": "x" for each in names}})
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/kimi").symlink_to(tmp_path / command)
    host = Host(home=str(tmp_path / "home"), env={"PATH": f"/nowhere:{tmp_path / 'bin'}"})
    assert installed(host, specs.detection("kimi-cli"), str(tmp_path / "workspace")) == "1.51.0"
    assert installed(host, specs.detection("kimi-cli"), str(tmp_path)) is None


def test_a_command_without_metadata_says_nothing(tmp_path: Path) -> None:
    lay_out(tmp_path, {"bin/kimi": "x", "lib/python3.13/site-packages/other-1.0.dist-info/METADATA": "x"})
    host = Host(home=str(tmp_path / "home"), env={"PATH": str(tmp_path / "bin")})
    assert installed(host, specs.detection("kimi-cli"), str(tmp_path / "workspace")) is None
