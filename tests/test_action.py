"""The steps of the GitHub action, in a checkout that is full of traps."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

TOP = Path(__file__).parents[1]
ACTION, SCRIPT = TOP / "action.yml", TOP / "tools" / "action.sh"
BASH, JQ = shutil.which("bash"), shutil.which("jq")
COMMENTS, OWN = "repos/o/r/issues/7/comments", "repos/o/r/issues/comments"
MARK = "<!-- promptls diff -->"
US = "github-actions[bot]"
# What Python, pip and gh would import, or read, in the directory in which they are started, or that a variable names.
IMPORTED = (
    "venv",
    "pip",
    "ensurepip",
    "sitecustomize",
    "usercustomize",
    "promptls",
    "runpy",
    "encodings",
    "os",
    "json",
)
STARTED = ("python", "python3", "pip", "gh", "git", "env", "dirname", "cat", "rm", "mkdir", "promptls")

pytestmark = pytest.mark.skipif(BASH is None, reason="GitHub runs the steps with bash")


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{BASH}\n{text}")
    path.chmod(0o755)


def planted(checkout: Path) -> dict[str, str]:
    """A checkout that springs a trap whatever is imported, started or read in it; the variables that lead there."""
    trap = checkout.parent / "sprung"
    for name in IMPORTED:
        (checkout / name).mkdir(parents=True, exist_ok=True)
        for file in ("__init__.py", "__main__.py"):
            (checkout / name / file).write_text(f"open({str(trap)!r}, 'a').write({name!r})\n")
    for name in STARTED:
        program(checkout / "bin" / name, f"echo started {name} >> {shlex.quote(str(trap))}\n")
    configuration = "[global]\nno-index = true\n[install]\nrequirement = gone.txt\ntarget = elsewhere\n"
    for file in ("pip.conf", "pip.ini", ".config/pip/pip.conf", ".pip/pip.conf"):
        (checkout / file).parent.mkdir(parents=True, exist_ok=True)
        (checkout / file).write_text(configuration)
    (checkout / "setup.cfg").write_text("[install]\nprefix=elsewhere\n")
    (checkout / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbackend-path = ["."]\nbuild-backend = "pip"\n'
    )
    (checkout / "constraints.txt").write_text("promptls==9\n")
    link = checkout.parent / "link"
    link.unlink(missing_ok=True)
    link.symlink_to(checkout / "bin")
    return {
        "PATH": f"bin:{checkout}/bin:{link}::/usr/local/bin:/usr/bin:/bin",
        "HOME": str(checkout),
        "XDG_CONFIG_HOME": f"{checkout}/.config",
        "PYTHONPATH": f".:{checkout}",
        "PYTHONSTARTUP": "venv/__init__.py",
        "PYTHONUSERBASE": str(checkout),
        "PYTHONPLATLIBDIR": ".",
        "PIP_CONFIG_FILE": "pip.conf",
        "PIP_CONSTRAINT": "constraints.txt",
        "PIP_TARGET": "elsewhere",
        "PIP_FIND_LINKS": ".",
        "CDPATH": str(checkout / "bin"),
        "GH_CONFIG_DIR": str(checkout),
    }


def run(step: str, checkout: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """What a step says in a checkout; the directory of the runner is beside it."""
    top = checkout.parent
    (top / "temp").mkdir(exist_ok=True)
    ran = subprocess.run(
        [BASH or "", "--norc", "-e", "-o", "pipefail", "-c", f"source {shlex.quote(str(SCRIPT))} {step}"],
        cwd=checkout,
        env={
            **planted(checkout),
            "GITHUB_WORKSPACE": str(checkout),
            "GITHUB_STEP_SUMMARY": str(top / "summary"),
            "RUNNER_TEMP": str(top / "temp"),
            **variables,
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert not (top / "sprung").exists(), (top / "sprung").read_text()
    return ran


def test_every_step_runs_the_script_and_pastes_no_input() -> None:
    steps = re.findall(r"^      run: (.*)$", ACTION.read_text(), re.MULTILINE)
    assert steps == [f'source "$ACTION/tools/action.sh" {step}' for step in ("install", "pages", "comment", "check")]
    used = set(re.findall(r"\$\{?([A-Z_]{3,})\b", SCRIPT.read_text()))
    set_there = {"GIVEN_PATH", "MARK", "NETWORK"}
    of_the_runner = {"PATH", "GITHUB_WORKSPACE", "RUNNER_TEMP", "GITHUB_STEP_SUMMARY", "PWD", "PIP_INDEX_URL"}
    given = set(re.findall(r"^        ([A-Z_]+): ", ACTION.read_text(), re.MULTILINE)) - {"ACTION"}
    assert used - set_there - of_the_runner - {"ACTION"} == given


# -- installing --------------------------------------------------------------------------------------------------


def test_nothing_of_the_checkout_runs_or_is_installed(tmp_path: Path) -> None:
    wheel = tmp_path / "promptls-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("promptls/__main__.py", "import os, sys; print('ours', sys.flags.isolated, *sys.argv[1:])\n")
        file.writestr("promptls-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: promptls\nVersion: 1.0\n")
        file.writestr("promptls-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr("promptls-1.0.dist-info/RECORD", "")
    checkout = tmp_path / "checkout"
    ran = run("install", checkout, PYTHON=sys.executable, ACTION=str(wheel))
    assert (ran.returncode, ran.stderr) == (0, "")
    ran = check(checkout)
    assert ran.stdout == "ours 1 check src --fail-on error --no-network --format github\n"
    assert ran.stderr == ""


def test_pip_has_the_index_of_the_runner(tmp_path: Path) -> None:
    program(tmp_path / "python", 'mkdir -p "$4/bin"; cp "$0" "$4/bin/python"; env; pwd\n')
    ran = run(
        "install", tmp_path / "checkout", PYTHON=f"{tmp_path}/python", ACTION="a", PIP_INDEX_URL="https://x.test/"
    )
    assert "PIP_INDEX_URL=https://x.test/" in ran.stdout
    assert str(tmp_path / "checkout") not in ran.stdout


# -- the comment -------------------------------------------------------------------------------------------------


def comment(
    top: Path, *known: tuple[int, str, str], us: str = US, may_write: bool = True, pages: str = ""
) -> tuple[str, list[str], str]:
    """The output, the calls of gh, and the summary; ``known`` are number, author and text of the comments there."""
    rows = "".join("\t".join((str(number), author, text[: len(MARK)])) + "\n" for number, author, text in known)
    (top / "rows").write_text(rows)
    quoted = shlex.quote(str(top))
    gh = f'echo "$*" >> {quoted}/calls; env >> {quoted}/env\n'
    gh += f'case "$*" in *viewer*) echo "{us}";; *--jq*) cat {quoted}/rows;; *) exit {0 if may_write else 1};; esac\n'
    program(top / "bin/gh", gh)
    program(top / "temp/promptls/bin/python", 'echo "said: $*"\n')
    checkout = top / "checkout"
    ran = run(
        "comment",
        checkout,
        PATH=f"bin:{checkout}/bin:{top}/link:{top}/bin:/usr/bin:/bin",
        CHECKED=str(checkout),
        BASE="abc",
        PAGES=pages,
        COMMENTS=COMMENTS,
        OWN=OWN,
        GH_TOKEN="none",  # noqa: S106 - a stand-in
    )
    assert ran.returncode == 0, ran.stderr
    given = (top / "env").read_text()
    assert "GH_TOKEN=none" in given
    assert str(checkout) not in given
    return ran.stdout, (top / "calls").read_text().splitlines(), (top / "summary").read_text()


def test_a_first_comment(tmp_path: Path) -> None:
    out, calls, summary = comment(tmp_path)
    assert out == ""
    assert calls[-1] == f"api --method POST {COMMENTS} --field body=@{tmp_path}/temp/promptls.md"
    checkout = tmp_path / "checkout"
    assert summary == f"{MARK}\nsaid: -I -m promptls diff abc...HEAD --folder {checkout} --format markdown\n"


def test_the_pages_are_redacted_and_linked(tmp_path: Path) -> None:
    where = "https://github.test/o/r/actions/runs/1/artifacts/2"
    _, _, summary = comment(tmp_path, pages=where)
    assert summary.endswith(f"\n\n[The map and the changes as pages]({where})\n")
    checkout, pages = tmp_path / "checkout", tmp_path / "temp" / "promptls-pages"
    for base in ("abc", ""):
        ran = run("pages", checkout, CHECKED=str(checkout), BASE=base)
        assert ran.returncode == 0, ran.stderr
        said = [f"said: -I -m promptls map {checkout} --redact --html {pages}/map.html"]
        changed = f"said: -I -m promptls diff abc...HEAD --folder {checkout} --redact --html {pages}/diff.html"
        assert ran.stdout.splitlines() == said + [changed] * bool(base)
    assert pages.is_dir()


def test_a_clone_without_the_base_has_the_map_all_the_same(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    program(tmp_path / "temp/promptls/bin/python", 'case "$*" in *" diff "*) exit 2;; *) echo "said: $*";; esac\n')
    ran = run("pages", checkout, CHECKED=str(checkout), BASE="abc")
    assert ran.returncode == 0, ran.stderr
    assert " map " in ran.stdout
    assert ran.stdout.splitlines()[-1].startswith("::warning::promptls has no page of the changes")


def test_the_comment_that_is_there_is_changed(tmp_path: Path) -> None:
    _, calls, _ = comment(tmp_path, (41, US, "Hello"), (42, US, f"{MARK}\nold"), (43, US, f"{MARK}\nolder"))
    assert calls[-1] == f"api --method PATCH {OWN}/42 --field body=@{tmp_path}/temp/promptls.md"


@pytest.mark.parametrize("author", ["octocat", "github-actions", "github-actions[bot]x", "", "other[bot]"])
def test_a_comment_of_somebody_else_stays(tmp_path: Path, author: str) -> None:
    _, calls, _ = comment(tmp_path, (42, author, f"{MARK}\nmine"))
    assert "--method POST" in calls[-1]
    assert "42" not in calls[-1]


def test_who_may_not_comment_has_the_summary(tmp_path: Path) -> None:
    out, _, summary = comment(tmp_path, may_write=False)
    assert out.startswith("::warning::")
    assert "said:" in summary


def test_who_does_not_know_itself_does_not_comment(tmp_path: Path) -> None:
    out, calls, _ = comment(tmp_path, (42, "", f"{MARK}\nmine"), us="")
    assert out.startswith("::warning::")
    assert not any("--method" in each for each in calls)


@pytest.mark.skipif(JQ is None, reason="the filter is for jq")
def test_the_filter_finds_author_and_beginning(tmp_path: Path) -> None:
    _, calls, _ = comment(tmp_path)
    [asked] = [each.partition(" --jq ")[2] for each in calls if "--paginate" in each]
    known = [
        {"id": 1, "user": {"login": US}, "body": f"{MARK}\r\n\ttext"},
        {"id": 2, "user": None, "body": None},
        {"id": 3, "user": {"login": "octocat"}, "body": f"{US}\t{MARK}"},
    ]
    ran = subprocess.run([JQ or "", "-r", asked], input=json.dumps(known), capture_output=True, text=True, check=True)
    rows = [line.split("\t") for line in ran.stdout.splitlines()]
    assert rows[0] == ["1", US, MARK]
    assert rows[1] == ["2", "", ""]
    assert rows[2][:2] == ["3", "octocat"]


# -- the check ---------------------------------------------------------------------------------------------------


def check(checkout: Path, sarif: str = "") -> subprocess.CompletedProcess[str]:
    return run(
        "check", checkout, CHECKED="src", FAIL_ON="error", NETWORK_ALLOWED="no", CHANGED="", BASELINE="", SARIF=sarif
    )


@pytest.mark.parametrize("sarif", ["promptls.sarif", "out/x.sarif", "{checkout}/x.sarif", "{top}/x.sarif"])
def test_sarif_is_written(tmp_path: Path, sarif: str) -> None:
    checkout = tmp_path / "checkout"
    program(tmp_path / "temp/promptls/bin/python", 'echo "said: $*"\n')
    place = sarif.format(checkout=checkout, top=tmp_path)
    (checkout / "out").mkdir(parents=True)
    ran = check(checkout, place)
    assert ran.returncode == 0, ran.stderr
    assert "--format sarif" in (checkout / place).read_text()
    assert "--format github" in ran.stdout


def test_no_link_of_the_checkout_leads_sarif_elsewhere(tmp_path: Path) -> None:
    checkout, outside = tmp_path / "checkout", tmp_path / "outside"
    program(tmp_path / "temp/promptls/bin/python", 'echo "said: $*"\n')
    outside.mkdir()
    (outside / "precious").write_text("kept")
    checkout.mkdir()
    (checkout / "x.sarif").symlink_to(outside / "precious")
    (checkout / "out").symlink_to(outside)
    assert check(checkout, "x.sarif").returncode == 0
    assert not (checkout / "x.sarif").is_symlink()
    for place in ("out/precious", f"{checkout}/out/precious"):
        ran = check(checkout, place)
        assert ran.returncode == 1
        assert "::error::A link leads out/precious elsewhere" in ran.stdout
    assert (outside / "precious").read_text() == "kept"
