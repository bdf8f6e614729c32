"""The step of the GitHub action that comments on a pull request, with stand-ins for promptls and gh."""

from __future__ import annotations

import re
import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest

ACTION = Path(__file__).parents[1] / "action.yml"
BASH = shutil.which("bash")
COMMENTS, OWN = "repos/o/r/issues/7/comments", "repos/o/r/issues/comments"

pytestmark = pytest.mark.skipif(BASH is None, reason="GitHub runs the step with bash")


def script() -> str:
    """What the step runs."""
    [found] = re.findall(
        r"^    - if: inputs\.comment.*?^      run: \|\n(.*?)^    - ", ACTION.read_text(), re.MULTILINE | re.DOTALL
    )
    return textwrap.dedent(found)


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{BASH}\n{text}")
    path.chmod(0o755)


def run(top: Path, known: str = "", *, may_write: bool = True) -> tuple[str, list[str], str]:
    """The output, the calls of gh, and the summary; ``known`` is the comment that is there."""
    calls = top / "calls"
    gh = f'echo "$*" >> {calls}\ncase "$*" in *--jq*) echo "{known}";; *) exit {0 if may_write else 1};; esac\n'
    program(top / "bin/gh", gh)
    program(top / "promptls/bin/promptls", 'echo "said: $*"\n')
    ran = subprocess.run(
        [BASH or "", "-e", "-o", "pipefail", "-c", script()],
        env={
            "PATH": f"{top / 'bin'}:/usr/bin:/bin",
            "RUNNER_TEMP": str(top),
            "GITHUB_STEP_SUMMARY": str(top / "summary"),
            "CHECKED": str(top),
            "BASE": "abc",
            "COMMENTS": COMMENTS,
            "OWN": OWN,
            "GH_TOKEN": "none",
        },
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return ran.stdout, calls.read_text().splitlines(), (top / "summary").read_text()


def test_a_first_comment(tmp_path: Path) -> None:
    out, calls, summary = run(tmp_path)
    assert out == ""
    assert calls[-1] == f"api --method POST {COMMENTS} --field body=@{tmp_path}/promptls.md"
    assert summary == f"<!-- promptls diff -->\nsaid: diff abc...HEAD --folder {tmp_path} --format markdown\n"


def test_the_comment_that_is_there_is_changed(tmp_path: Path) -> None:
    _, calls, _ = run(tmp_path, "42")
    assert calls[-1] == f"api --method PATCH {OWN}/42 --field body=@{tmp_path}/promptls.md"


def test_who_may_not_comment_has_the_summary(tmp_path: Path) -> None:
    out, _, summary = run(tmp_path, may_write=False)
    assert out.startswith("::warning::")
    assert "said:" in summary
