"""Files that a rule may be for: the session that reads one shows whether it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls.core.glob_index import Paths
from promptls.core.host import Host
from promptls.core.model import COMPUTED, Candidate, Origin, Range
from promptls.sessions import of_rule as scoped
from promptls.sessions.of_rule import Found, files_for, patterns_of
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
FILES: dict[str, str | bytes | dict[str, object]] = {
    "a.py": "",
    "src/b.py": "",
    "src/deep/c.py": "",
    "own/.hidden.py": "",
    "pkg/.cursor/rules/x.mdc": "",
    "pkg/src/d.ts": "",
    "node_modules/e.rs": "",
}


def found(folder: Path, *patterns: str, path: str = ".cursor/rules/x.mdc", listed: bool = False) -> list[str]:
    files = sorted(str(each) for each in folder.rglob("*") if each.is_file()) if listed else None
    host = Host(home="/", env={})
    answer = files_for(host, str(folder), str(folder / path), patterns, None if files is None else Paths(files))
    assert answer.patterns == patterns
    return [str(Path(each).relative_to(folder)) for each in answer.files]


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize(
    ("patterns", "files"),
    [
        (("src/*.py",), ["src/b.py"]),
        (("src/b.py",), ["src/b.py"]),
        (("own/*.py",), ["own/.hidden.py"]),
        (("src/deep/**",), ["src/deep/c.py"]),
        (("src/deep/",), ["src/deep/c.py"]),
        (("./src/b.py",), ["src/b.py"]),
        (("/src/b.py",), ["src/b.py"]),
        (("!src/b.py",), ["src/b.py"]),
        (("SRC/B.py",), ["src/b.py"]),
        (("src/{x,b}.py",), ["src/b.py"]),
        (("b.py",), ["src/b.py"]),
        (("src/deep",), ["src/deep/c.py"]),
        (("*.go",), []),
        (("a.py", "src/b.py", "a.py"), ["a.py", "src/b.py"]),
        (("../*.py",), []),
    ],
)
def test_files_that_a_pattern_may_mean(
    tmp_path: Path, patterns: tuple[str, ...], files: list[str], listed: bool
) -> None:
    assert sorted(found(lay_out(tmp_path, FILES), *patterns, listed=listed)) == sorted(files)


def test_a_rule_of_a_folder_begins_there(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, FILES)
    assert found(folder, "src/*.ts", path="pkg/.cursor/rules/x.mdc") == ["pkg/src/d.ts"]
    assert found(folder, "src/*.py", path="pkg/.cursor/rules/x.mdc") == []


def test_files_of_others_are_not_looked_at(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, FILES)
    assert found(folder, "*.rs") == []
    assert found(folder, "*.rs", listed=True) == ["node_modules/e.rs"]


def test_of_many_matches_a_few_are_tried(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {f"a/b{n}/c.py": "" for n in range(9)})
    assert len(found(folder, "b*/C.py")) == scoped.MOST_MATCHES


@pytest.mark.parametrize(
    ("pattern", "is_cut"),
    [
        ("x" * scoped.MAX_LENGTH, False),
        ("x" * (scoped.MAX_LENGTH + 1), True),
        ("*x" * scoped.MAX_WILD, False),
        ("*x" * (scoped.MAX_WILD + 1), True),
        ("@(a|b)", True),
        ("{1..100}", False),
        ("{1..101}", True),
    ],
)
def test_a_pattern_that_may_take_for_ever_is_not_tried(tmp_path: Path, pattern: str, is_cut: bool) -> None:
    host = Host(home="/", env={})
    assert files_for(host, str(tmp_path), f"{tmp_path}/x", (pattern,), Paths([])).is_cut is is_cut


def test_a_walk_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out(tmp_path, {"d/1.py": "", "d/2.py": "", "d/3.py": "", "e/f/x.rs": ""})
    host = Host(home="/", env={})
    for most, is_cut in ((7, True), (8, True), (9, False)):
        monkeypatch.setattr(scoped, "MOST_ENTRIES", most)
        answer = files_for(host, str(tmp_path), f"{tmp_path}/x", ("*.go",), None)
        assert answer.is_cut is is_cut, most
    monkeypatch.setattr(scoped, "MOST_ENTRIES", 8)
    assert not files_for(host, str(tmp_path), f"{tmp_path}/x", ("*.rs",), None).is_cut


def test_what_is_said_where_there_is_no_file() -> None:
    assert Found(("a", "b")).says() == "no file matches “a, b”"
    assert Found(("a",), is_cut=True).says() == "no file matches “a”, of the 20,000 that were looked at"


@pytest.mark.parametrize(
    ("text", "patterns"),
    [
        ('---\nglobs: "*.py, src/** "\n---\n', ("*.py", "src/**")),
        ('---\napplyTo: "*.py"\npaths: ["*.py", "*.js"]\n---\n', ("*.py", "*.js")),
        ('\ufeff---\nglobs: "*.py"\n---\n', ("*.py",)),
        ("---\ndescription: tabs\n---\n", ()),
        ("no head", ("*.go", "*.rs")),
    ],
)
def test_the_patterns_of_a_rule(tmp_path: Path, text: str, patterns: tuple[str, ...]) -> None:
    path = str(lay_out(tmp_path, {"x.mdc": text}) / "x.mdc")
    rule = Candidate("unscoped", "why", Origin("file", path, range=Range(), name="*.go,*.rs"), path)
    assert set(patterns_of(Host(home="/", env={}), rule)) == set(patterns)
    loaded = Candidate("loaded", "why", rule.origin, path)
    bare = Candidate("unscoped", "why", COMPUTED, path)
    assert patterns_of(Host(home="/", env={}), loaded) == patterns_of(Host(home="/", env={}), bare) == ()
