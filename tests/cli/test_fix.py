from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from promptls.cli import fix, main
from promptls.core.host import Buffers
from promptls.core.model import Edit, Fix, Problem, Range
from promptls.system.write_file import write_file
from tests.folder import lay_out
from tests.limits import at_most
from tests.repository import commit, git

# Three of four entries are too many, and one is written as its file is not named.
ENTRIES = '{"instructions": [\n  "AGENTS.md",\n  "docs/Style.md",\n  "docs/more.md", "docs/more.md"\n]}\n'
MENDED = '{"instructions": [\n  "docs/style.md",\n  "docs/more.md"\n]}\n'
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Run a check: its exit code, and what it wrote to standard output and standard error."""

    def run(*args: object) -> tuple[int, str, str]:
        with at_most(20):
            code = main(["check", *map(str, args), "--no-network"])
        out, err = capsysbinary.readouterr()
        return code, out.decode("utf-8"), err.decode("utf-8")

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_out(
        tmp_path / "project",
        {
            "AGENTS.md": b"\xef\xbb\xbfUse\xe2\x80\x8b tabs.\r\nNo end",
            "etcode.json": ENTRIES,
            "docs/style.md": "style\n",
            "docs/more.md": "m\u200bore\nfor\nall\nof\nus\nand\nmore\u200b\n",
        },
        git=False,
    )


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.*") if path.is_file()}


def test_what_is_safe_is_fixed_and_the_rest_is_reported(folder: Path, run: Run) -> None:
    (folder / "etcode.json").write_text(ENTRIES.replace("[\n", '[\n  "gone.md",\n'))
    code, out, err = run(folder, "--fix")
    assert err == "promptls: fixed 6 problems in 3 files.\n"
    assert code == 1
    assert "instruction-missing" in out
    assert out.count("[etcode]") == 2, out  # beside it, the byte order mark is reported
    assert (folder / "etcode.json").read_text() == MENDED.replace("[\n", '[\n  "gone.md",\n')
    # Line ends, byte order mark and the missing end of the last line stay.
    assert (folder / "AGENTS.md").read_bytes() == b"\xef\xbb\xbfUse tabs.\r\nNo end"
    assert (folder / "docs" / "more.md").read_text() == "more\nfor\nall\nof\nus\nand\nmore\n"
    assert run(folder, "--fix")[2] == "promptls: fixed 0 problems in 0 files.\n"


def test_a_tree_that_is_fixed_ends_with_zero(folder: Path, run: Run) -> None:
    assert run(folder, "--fix", "--fail-on", "information")[0] == 1  # for the byte order mark
    (folder / "AGENTS.md").write_text("Use tabs.\n")
    assert run(folder, "--fix", "--fail-on", "information") == (0, "", "promptls: fixed 0 problems in 0 files.\n")


def test_the_patch_is_what_fix_would_do_and_git_takes_it(folder: Path, run: Run) -> None:
    commit(folder)
    before = content(folder)
    code, patch, err = run(folder, "--diff")
    assert (code, err) == (1, "promptls: --fix would fix 6 problems in 3 files.\n")
    assert content(folder) == before
    git(folder, "apply", "-", given=patch)
    patched = content(folder)
    git(folder, "checkout", "-q", ".")
    run(folder, "--fix")
    assert content(folder) == patched
    assert run(folder, "--diff") == (0, "", "promptls: --fix would fix 0 problems in 0 files.\n")


def test_a_patch_names_files_as_git_does(tmp_path: Path, run: Run) -> None:
    folder = lay_out(tmp_path, {'a "b"/AGENTS.md': "x\u200b\n", "a b/AGENTS.md": "y\u200b\n", "Agents.md": "z\u200b\n"})
    lay_out(
        tmp_path,
        {"opencode.json": {}, 'a "b"/x.py': "", "a b/x.py": "", "é/AGENTS.md": "\u200b", "é/x.py": ""},
        git=False,
    )
    git(folder, "init", "-q")
    code, patch, _ = run(folder, "--diff")
    assert code == 1
    assert (
        "diff --git a/Agents.md b/AGENTS.md\nsimilarity index 100%\nrename from Agents.md\nrename to AGENTS.md\n"
        in patch
    )
    assert "--- a/a b/AGENTS.md\t\n" in patch
    git(folder, "apply", "-", given=patch)
    patched = content(folder)
    assert patched["a b/AGENTS.md"] == b"y\n"
    assert patched["AGENTS.md"] == "z\u200b\n".encode()
    # What the new name uncovers is for the next time.
    assert run(folder, "--fix")[2] == "promptls: fixed 1 problem in 1 file.\n"


def test_a_new_file_in_a_patch(tmp_path: Path) -> None:
    plan = fix.Plan(str(tmp_path), {f"{tmp_path}/a.md": (None, "one\ntwo")})
    assert "".join(fix.patch(plan)) == (
        "diff --git a/a.md b/a.md\nnew file mode 100644\n--- /dev/null\n+++ b/a.md\n"
        "@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n"
    )
    git(tmp_path, "apply", "-", given="".join(fix.patch(plan)))
    assert (tmp_path / "a.md").read_text() == "one\ntwo"
    (tmp_path / "a.md").unlink()
    fix.carry_out(plan)
    assert (tmp_path / "a.md").read_text() == "one\ntwo"
    assert stat.S_IMODE((tmp_path / "a.md").stat().st_mode) & 0o600 == 0o600


def test_a_file_is_moved_and_changed_at_once(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "a.md").write_text("x\n")
    plan = fix.Plan(str(tmp_path), {f"{tmp_path}/a.md": ("x\n", "y\n")}, {f"{tmp_path}/a.md": f"{tmp_path}/b.md"})
    git(tmp_path, "apply", "-", given="".join(fix.patch(plan)))
    assert (tmp_path / "b.md").read_text() == "y\n"
    assert not (tmp_path / "a.md").exists()


def test_mode_and_links_stay(tmp_path: Path, run: Run) -> None:
    folder = lay_out(tmp_path / "p", {"docs/agents.md": "x\u200b\n", "opencode.json": {}})
    (folder / "docs" / "agents.md").chmod(0o751)
    (folder / "AGENTS.md").symlink_to("docs/agents.md")
    assert run(folder, "--fix")[2].endswith("1 file.\n")
    assert (folder / "AGENTS.md").is_symlink()
    assert (folder / "docs" / "agents.md").read_text() == "x\n"
    assert stat.S_IMODE((folder / "docs" / "agents.md").stat().st_mode) == 0o751
    assert [each.name for each in folder.rglob(".promptls-*")] == []


def test_nothing_outside_of_the_folder_is_written(tmp_path: Path, run: Run) -> None:
    folder = lay_out(tmp_path / "p", {"opencode.json": {}})
    outside = lay_out(tmp_path / "q", {"agents.md": "x\u200b\n"}, git=False) / "agents.md"
    (folder / "AGENTS.md").symlink_to(outside)
    code, out, err = run(folder, "--fix")
    assert outside.read_text() == "x\u200b\n"
    assert "hidden-characters" in out
    assert code == 0
    assert err == (
        "promptls: ../q/agents.md was not changed because it is outside the folder that is checked.\n"
        "promptls: fixed 0 problems in 0 files.\n"
    )


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda file: file.chmod(0o444), "it is read-only"),
        (lambda file: file.write_bytes(b"x\xe2\x80\x8b\xff"), "it is not UTF-8; save it as UTF-8 first"),
        (lambda file: file.write_bytes(b"x\xe2\x80\x8b" + b"y" * (5 << 20)), "it is too large"),
    ],
    ids=["read-only", "encoding", "size"],
)
def test_what_cannot_be_written_is_named_and_left(
    tmp_path: Path, run: Run, spoil: Callable[[Path], object], reason: str
) -> None:
    folder = lay_out(tmp_path, {"opencode.json": {}, "AGENTS.md": "x\u200b\n"})
    spoil(folder / "AGENTS.md")
    before = (folder / "AGENTS.md").read_bytes()
    for option in ("--diff", "--fix"):
        code, _, err = run(folder, option)
        assert err.splitlines()[0] == f"promptls: AGENTS.md was not changed because {reason}."
        assert code == 0
    assert (folder / "AGENTS.md").read_bytes() == before


def test_a_file_that_changes_meanwhile_is_left(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = lay_out(tmp_path, {"opencode.json": {}, "AGENTS.md": "x\u200b\n"})
    planned = fix.plan

    def slowly(*args: object) -> fix.Plan:
        found = planned(*args)  # type: ignore[arg-type] # as they came
        (folder / "AGENTS.md").write_text("new\n")
        return found

    monkeypatch.setattr(fix, "plan", slowly)
    assert run(folder, "--fix")[2] == (
        "promptls: AGENTS.md was not changed because another program has just changed it.\n"
        "promptls: fixed 0 problems in 0 files.\n"
    )
    assert (folder / "AGENTS.md").read_text() == "new\n"


def test_a_disk_that_fails_leaves_the_old_file(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = lay_out(tmp_path, {"opencode.json": {}, "AGENTS.md": "x\u200b\n"})

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert run(folder, "--fix")[2].startswith(
        "promptls: AGENTS.md was not changed because it cannot be written (no space left on device).\n"
    )
    assert sorted(each.name for each in folder.iterdir()) == [".git", "AGENTS.md", "opencode.json"]
    assert (folder / "AGENTS.md").read_text() == "x\u200b\n"


def test_only_files_that_have_changed_are_fixed(folder: Path, run: Run) -> None:
    commit(folder)
    (folder / "etcode.json").write_text(ENTRIES + " ")
    before = (folder / "AGENTS.md").read_bytes()
    assert run(folder, "--fix", "--changed", "HEAD")[2] == "promptls: fixed 3 problems in 1 file.\n"
    assert (folder / "etcode.json").read_text() == MENDED + " "
    assert (folder / "AGENTS.md").read_bytes() == before


def test_only_the_named_file_is_fixed(folder: Path, run: Run) -> None:
    assert run(folder / "AGENTS.md", "--fix")[2] == "promptls: fixed 1 problem in 1 file.\n"
    assert (folder / "etcode.json").read_text() == ENTRIES


def test_fix_and_diff_do_not_go_together(folder: Path, run: Run) -> None:
    code, out, err = run(folder, "--fix", "--diff")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1


def test_a_fix_without_effect_is_undone(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("x")
    useless = Fix("", (Edit(str(file), Range(), "y"),), is_safe=True)
    seen: list[str | None] = []

    def find(buffers: Buffers) -> list[Problem]:
        seen.append(buffers.get(str(file), None))
        return [Problem(str(file), Range(), "cut", "error", "", fixes=(useless,))]

    plan = fix.plan(str(tmp_path), find, lambda _: True, lambda _: True)
    assert seen == [None, "yx"]
    assert plan.texts[str(file)] == ("x", "x")
    assert plan.left == {str(file): "a fix of cut does not solve it"}
    assert plan.fixed == {}


@pytest.mark.parametrize(
    ("entries", "fixed"),
    [
        (["docs/Style.md", "docs/style.md", "docs/Style.md"], ["docs/style.md"]),
        (["docs/Style.md", "docs/Style.md", "docs/style.md", "docs/STYLE.md"], ["docs/style.md"]),
        (["docs/style.md", "docs/Style.md", "docs/more.md", "docs/Style.md"], ["docs/style.md", "docs/more.md"]),
    ],
)
def test_a_fix_that_reveals_what_another_fixes(tmp_path: Path, run: Run, entries: list[str], fixed: list[str]) -> None:
    folder = lay_out(
        tmp_path / "p",
        {"etcode.json": {"instructions": entries}, "docs/style.md": "style\n", "docs/more.md": "more\n"},
        git=False,
    )
    assert "was not changed" not in run(folder, "--fix")[2]
    assert json.loads((folder / "etcode.json").read_text()) == {"instructions": fixed}


def test_a_file_with_another_name_is_left(tmp_path: Path, run: Run) -> None:
    folder = lay_out(tmp_path / "p", {"opencode.json": {}, "AGENTS.md": "x\u200b\n"})
    os.link(folder / "AGENTS.md", tmp_path / "other.md")
    said = run(folder, "--fix")[2].splitlines()[0]
    reason = "it has another hard link, which would keep the old text"
    assert said == f"promptls: AGENTS.md was not changed because {reason}."
    assert (folder / "AGENTS.md").read_text() == (tmp_path / "other.md").read_text() == "x\u200b\n"


def test_extended_attributes_stay(tmp_path: Path, run: Run) -> None:
    folder = lay_out(tmp_path / "p", {"opencode.json": {}, "AGENTS.md": "x\u200b\n"})
    try:
        os.setxattr(folder / "AGENTS.md", "user.review", b"done")
    except (AttributeError, OSError):
        pytest.skip("this file system keeps no extended attributes")
    assert run(folder, "--fix")[2].endswith("1 file.\n")
    assert os.getxattr(folder / "AGENTS.md", "user.review") == b"done"


# A process that ends itself where the old and the new file both are there.
KILLED = """
import os, signal, sys
from promptls.system import write_file
os.{call} = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
{without}
write_file.write_file(sys.argv[1], b"new", is_new=False)
"""


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("without", ["", "del os.O_TMPFILE"])
def test_what_a_killed_process_leaves_is_removed(tmp_path: Path, call: str, without: str) -> None:
    if without and not hasattr(os, "O_TMPFILE"):
        pytest.skip("there are no files without a name here")
    path = tmp_path / "a.md"
    path.write_text("old")
    code = KILLED.format(call=call, without=without)
    ended = subprocess.run([sys.executable, "-c", code, str(path)], check=False, timeout=60)
    assert ended.returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    left = [each.name for each in tmp_path.iterdir() if each != path]
    assert len(left) <= 1
    # Another's, that of a process that is alive, and one of another machine stay.
    mine = (
        left[0].replace(left[0].split("-")[2], str(os.getpid()))
        if left
        else f".promptls-00000000-{os.getpid()}-00000000"
    )
    others = {".promptls-notes", mine, ".promptls-00000000-1-00000000"}
    for name in others:
        (tmp_path / name).write_text("")
    write_file(str(path), b"new", is_new=False)
    assert path.read_text() == "new"
    assert {each.name for each in tmp_path.iterdir()} == {"a.md", *others}


def test_a_patch_of_a_file_with_crlf_whose_lines_all_end(tmp_path: Path, run: Run) -> None:
    top = lay_out(tmp_path / "project", {"CLAUDE.md": "a\u200bb\r\nc\r\n".encode()})
    commit(top)
    code, patch, err = run(top, "--diff")
    assert (code, err) == (1, "promptls: --fix would fix 1 problem in 1 file.\n")
    git(top, "apply", "-", given=patch)
    assert (top / "CLAUDE.md").read_bytes() == b"ab\r\nc\r\n"


def test_a_patch_that_cannot_be_shown_is_something_to_fix(tmp_path: Path, run: Run) -> None:
    top = lay_out(tmp_path / "project", {"CLAUDE.md": "a\u200bb\rc\r".encode()})
    commit(top)
    code, patch, err = run(top, "--diff")
    assert (code, patch) == (1, "")
    assert "CLAUDE.md was not changed because control characters are next to the change; apply it with --fix." in err
    assert "--fix would fix 1 problem in 1 file." in err
    assert run(top, "--fix")[0] == 0
    assert (top / "CLAUDE.md").read_bytes() == b"ab\rc\r"
