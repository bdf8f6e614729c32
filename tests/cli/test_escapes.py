"""Names and texts of a folder command neither a terminal nor a CI service, whatever characters they hold."""

from __future__ import annotations

import json
import os
import random
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from promptls import harnesses
from promptls.cli import explain, main
from promptls.cli.check import FORMATS
from promptls.core.visible import cell, code, inert, plain, unlinked, visible
from promptls.workspace.verdicts import Explained, explained
from tests.folder import lay_out
from tests.repository import commit

BIDI = "\u061c\u200e\u200f\u202a\u202e\u2066\u2069"
BREAKS = "\x85\u2028\u2029"
CONTROLS = "".join(map(chr, [*range(1, 32), *range(0x7F, 0xA0)])).replace("/", "") + BIDI + BREAKS
COMMANDS = ("::error::pwned", "::stop-commands::x", "##[error]pwned", "##vso[task.x]", "\x1b]0;title\x07", "::")
SEEDS = range(3)


def hostile(chance: random.Random, length: int = 12, *, tabs: bool = True) -> str:
    """Controls and commands in any order."""
    parts = [chance.choice([*CONTROLS, *COMMANDS, "a", " ", ".", "%", "`", "]"]) for _ in range(length)]
    text = "".join(parts)
    return text if tabs else text.replace("\t", "")


def hostile_folder(tmp_path: Path, chance: random.Random) -> tuple[Path, list[Path]]:
    """A folder whose names and texts are hostile, with problems in them."""
    name, other = (hostile(chance).replace("/", "") for _ in range(2))
    rule = f".cursor/rules/\n::error::{name}.mdc"
    directory = f"d\n{COMMANDS[0]}{other}"[:60]
    import_ = f"@gone{hostile(chance, tabs=False)}.md"
    text = f"::error::x\n  ::stop-commands::\n{hostile(chance, tabs=False)} {import_} [x](gone.md)\n"
    files: dict[str, str | bytes | dict[str, object]] = {
        "AGENTS.md": text,
        "CLAUDE.md": text,
        "GEMINI.md": text,
        rule: f"---\nglobs: [\n---\n{text}",
        f".github/instructions/{name}.instructions.md": text,
        f".claude/rules/{other}.md": f"---\npaths: 5\n---\n{text}",
        f"{directory}/AGENTS.md": text,
        f"{directory}/opencode.json": json.dumps({"instructions": [f"{name}.md", "gone.md"], f"k{other}": 1}),
        "opencode.json": json.dumps({"instructions": [f"{name}.md", "\n::error::gone.md"], "agent": {"x": 5}}),
        "etcode.json": '{"instructions": ["\n::error::" nope',
        ".codex/config.toml": 'project_doc_fallback_filenames = "\x01\n::error::',
        "app.py": "",
    }
    folder = lay_out(tmp_path / hostile(chance, 4).replace("/", "").strip(". "), files)
    return folder, [folder / path for path in files]


def assert_harmless(text: str, *, tabs: bool) -> None:
    """Nothing but line feeds, and tabs where the text of a file is shown, and no line is a command."""
    odd = {letter for letter in text if unicodedata.category(letter) == "Cc" or letter in BIDI + BREAKS}
    assert odd <= ({"\n", "\t"} if tabs else {"\n"}), odd
    for line in text.split("\n"):
        assert not line.lstrip().startswith("::"), line
        assert "##[" not in line, line
        assert "##vso[" not in line, line


def written(capfdbinary: pytest.CaptureFixture[bytes], *args: object) -> tuple[str, str]:
    main([os.fspath(each) if isinstance(each, Path) else str(each) for each in args])
    out, err = capfdbinary.readouterr()
    return out.decode(), err.decode()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_check(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], seed: int) -> None:
    folder, _ = hostile_folder(tmp_path, random.Random(seed))  # noqa: S311 - the same each time
    for form in FORMATS:
        out, err = written(capfdbinary, "check", folder, "--no-network", "--format", form)
        assert out
        assert_harmless(err, tabs=False)
        if form == "github":
            # Its own commands, one a line, and no other.
            lines = out.removesuffix("\n").split("\n")
            assert all(line.startswith(("::error file=", "::warning file=", "::notice file=")) for line in lines)
            assert all("title=promptls " in line.split("::")[1] for line in lines)
            out = "\n".join(line.removeprefix("::") for line in lines)
        assert_harmless(out, tabs=form == "text")
        if form in ("json", "sarif", "gitlab"):
            assert json.loads(out)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_patch(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], seed: int) -> None:
    folder, _ = hostile_folder(tmp_path, random.Random(seed))  # noqa: S311 - the same each time
    out, err = written(capfdbinary, "check", folder, "--no-network", "--diff")
    assert_harmless(err, tabs=False)
    assert not {letter for letter in out if unicodedata.category(letter) == "Cc"} - {"\n", "\t"}
    assert not any(line.lstrip().startswith("::") or "##[" in line for line in out.split("\n"))


@pytest.mark.parametrize("name", harnesses.names())
def test_a_preview(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], name: str) -> None:
    folder, paths = hostile_folder(tmp_path, random.Random(name))  # noqa: S311 - the same each time
    for form, path in (("text", folder / "app.py"), ("markdown", paths[6]), ("json", paths[6])):
        args = ("--harness", name, "--format", form, "--no-network", "--agent", "x\n::error::y")
        out, err = written(capfdbinary, "preview", path, *args, "--", "--x\n::error::y\x1b")
        assert name in out
        assert_harmless(out, tabs=form != "json")
        assert_harmless(err, tabs=False)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_others(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)  # noqa: S311 - the same each time
    folder, paths = hostile_folder(tmp_path, chance)
    monkeypatch.chdir(folder)
    # Both forms are of one explanation, which takes longer than to write it.
    asked: dict[tuple[str, object], Explained] = {}

    def once(path: str, *given: Any, lines: Any, **named: Any) -> Explained:
        if (path, lines) not in asked:
            asked[path, lines] = explained(path, *given, lines=lines, **named)
        return asked[path, lines]

    with monkeypatch.context() as patch:
        patch.setattr(explain, "explained", once)
        for path in paths:
            for form in ("text", "json"):
                assert_harmless("".join(written(capfdbinary, "explain", path, "--format", form)), tabs=False)
                assert_harmless("".join(written(capfdbinary, "explain", f"{path}:1", "--format", form)), tabs=False)
    assert len(asked) > len(paths)
    commit(folder)
    for path in paths:
        path.write_text(f"{path.read_text()}\n{hostile(chance, tabs=False)}\n")
    for form in ("text", "markdown", "json"):
        assert_harmless("".join(written(capfdbinary, "diff", "--format", form)), tabs=False)
    for args in (
        ("harnesses",),
        ("harnesses", "--format", "json"),
        ("rules",),
        ("rules", "--format", "json"),
        ("rule", "secret"),
        ("config", "schema"),
        ("rule", hostile(chance)),
        (hostile(chance),),
        ("check", hostile(chance)),
        ("check", "--changed", hostile(chance)),
        ("check", f"--{hostile(chance)}"),
        ("preview", "--harness", hostile(chance)),
        ("preview", "--cwd", hostile(chance)),
        ("explain", hostile(chance)),
        ("find", "x"),
        ("find", hostile(chance)),
        ("find", "::error::", "--format", "json"),
        ("diff", hostile(chance)),
        ("diff", "HEAD", hostile(chance), "--format", "markdown"),
        ("check", "--baseline", hostile(chance)),
    ):
        assert_harmless("".join(written(capfdbinary, *args)), tabs=False)


def test_a_fault_of_ours_writes_no_raw_traceback(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: object) -> None:
        raise RuntimeError("x\n::error::\x1b[31m")

    monkeypatch.setattr("promptls.cli.check._options", fails)
    assert main(["check"]) == 2
    out, err = capfdbinary.readouterr()
    assert out == b""
    assert err.decode().splitlines()[-3:-1] == ["RuntimeError: x", "\\::error::␛[31m"]
    assert_harmless(err.decode(), tabs=False)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a_b", "a_b"),
        ("_a_ *b*", r"\_a\_ \*b\*"),
        ("](command:x)", r"\](command:x)"),
        ("`<b>&amp;", r"\`\<b\>\&amp;"),
        ("a\n# b\r\n- c", r"a␤\# b␍␤- c"),
        ("- a", r"\- a"),
        ("1. a", r"1\. a"),
        ("~~a~", r"\~~a~"),
        ("\u202ea\x85", "\ufffda␤"),
    ],
)
def test_markdown(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_a_code_span_holds_whatever_it_is_given() -> None:
    assert code("a`b``c\nd") == "```a`b``c␤d```"
    assert code("`") == "`` ` ``"
    assert code("") == "` `"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("HEAD → working tree", "HEAD → working tree"),
        ("10 → 1,234 tokens (+1,224)", "10 → 1,234 tokens (+1,224)"),
        ("codex (on read, started in a/@b and 2 more)", "codex (on read, started in `a/@b` and 2 more)"),
        ("x@octocat, (#12).", "`x@octocat`, (`#12`)."),
        ("o/r#1 GH-12 deadbeef 1234567", "`o/r#1` `GH-12` `deadbeef` `1234567`"),
        ("www.a.b https://a.b :tada:", "`www.a.b` `https://a.b` `:tada`:"),
        ("a|b `c", "`a|b` `` `c ``"),
        ("- # _a_ <b> \\", "`-` `#` `_a_` `<b>` `\\`"),
        ("a\n@b", "`a␤@b`"),
    ],
)
def test_what_becomes_no_link(text: str, shown: str) -> None:
    assert unlinked(text) == shown
    assert "|" not in cell(unlinked(text)).replace("\\|", "")


# What GitHub or GitLab make a link or a mention of, an image of, or remove.
LINKS = (
    *("@octocat", "x@octocat", "@o/team", "#12", "o/r#1", "GH-12", "!7", "deadbeef", "0123456789abcdef" * 2),
    *("https:a.b", "www.a.b", "a@b.co", "[a](b)", "![a](b)", "<b>", "<!--", "&amp;", ":tada:"),
    *("|", "a|b", "`", "``", "\\|"),
)


def test_a_comment_of_a_pull_request_mentions_nobody(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"{name} {name}/AGENTS.md": "1\n" for name in LINKS}
    folder = commit(lay_out(tmp_path / "shop", {**files, "a.py": "", ".codex/config.toml": ""}, git=False))
    for path in files:
        (folder / path).write_text("a longer text\n")
    for path in list(files)[:3]:
        (folder / path).with_name("AGENTS.override.md").write_text("1\n")
    monkeypatch.chdir(folder)
    out, _ = written(capfdbinary, "diff", "--format", "markdown", "--harness", "codex", "--harness", "opencode")
    tokens = MarkdownIt("commonmark").enable("table").parse(out)
    rows = [number for number, token in enumerate(tokens) if token.type == "tr_open"]
    widths = [sum(each.type in ("td_open", "th_open") for each in tokens[row : row + 10]) for row in rows]
    assert len(rows) > 10
    assert set(widths) == {3}
    leaves = [leaf for token in tokens for leaf in token.children or ()]
    assert {leaf.type for leaf in leaves} == {"text", "code_inline", "html_inline"}
    assert {leaf.content for leaf in leaves if leaf.type == "html_inline"} <= {"<br>"}
    said = " ".join(leaf.content for leaf in leaves if leaf.type == "text")
    assert not re.search(r"[@#!/|`&<\[]\S|:\w|\w-\d|\d{4}|deadbeef", said), said
    shown = {leaf.content for leaf in leaves if leaf.type == "code_inline"}
    assert [name for name in LINKS if not any(name in each for each in shown)] == []


@pytest.mark.parametrize("text", ["a::error::b", "a: ::b", "# a", "#[x]", "# #[x]"])
def test_what_is_no_command_stays(text: str) -> None:
    assert inert(text) == visible(text) == text
