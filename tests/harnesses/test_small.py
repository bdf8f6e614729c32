"""The values that small harnesses are written with: what a chain finds, how it is read, and what a read brings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from promptls.core.host import Host
from promptls.core.model import Prompt, Session, reading
from promptls.core.spec import Spec
from promptls.core.values import replace
from promptls.kit.args import Options
from promptls.kit.chain import (
    Chain,
    Frame,
    Includes,
    OnRead,
    Reading,
    from_disk_root,
    from_git_root,
    only_git_root,
    without_space,
    without_space_after,
)
from promptls.kit.writer import Unread, Writer
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
SPEC = Spec("acme", "Acme", evidence=())
FRAME = Frame(before="<files>", label="[{relative}:", end="]", between="|", after="</files>")
CHAIN = Chain(("A.md",), "Acme loads A.md", from_git_root)


def shown(
    top: Path, files: dict[str, Any], chain: Chain = CHAIN, *, frame: Frame = FRAME, cwd: str = "", **given: Any
) -> Prompt:
    """What a harness sends of a chain; ``given``: what is read, brought by a read, and on the command line."""
    folder = lay_out(top / "folder", files)
    turns = reading(str(folder / each) for each in given.pop("reads", ()))
    session = Session(
        "acme", str(folder / cwd), turns=turns, args=given.pop("args", ()), agent=given.pop("agent", None)
    )
    host = Host(home=str(top / "home"), env={})
    writer = Writer(SPEC, session, host, given.pop("options", Options()), given.pop("starts", None))
    writer.system(*frame.around(writer.find(chain), base=str(folder)))
    writer.chat(index=1, why="it is so", on_read=given.pop("on_read", None))
    if unread := given.pop("unread", None):
        writer.name_unread(unread, chain)
    assert not given
    return writer.prompt()


def system(prompt: Prompt) -> str:
    return "".join(each.text for each in prompt.messages if each.index == 0)


def outcomes(prompt: Prompt, top: Path) -> list[str]:
    return [
        f"{(each.path or each.origin.name or '').removeprefix(f'{top}/folder/')} {each.outcome}"
        for each in prompt.candidates
    ]


TREE = {"A.md": "root", "a/A.md": "a", "a/b/A.md": "b"}


@pytest.mark.parametrize(
    ("where", "sent"),
    [
        (from_git_root, "<files>[A.md:root]|[a/A.md:a]|[a/b/A.md:b]</files>"),
        (only_git_root, "<files>[A.md:root]</files>"),
        (from_disk_root, "<files>[A.md:root]|[a/A.md:a]|[a/b/A.md:b]</files>"),
        (lambda _host, cwd: [cwd], "<files>[a/b/A.md:b]</files>"),
    ],
)
def test_the_directories_of_a_search(tmp_path: Path, where: Any, sent: str) -> None:
    assert system(shown(tmp_path, TREE, replace(CHAIN, where=where), cwd="a/b")) == sent


def test_without_a_repository_the_search_is_in_the_working_directory(tmp_path: Path) -> None:
    (tmp_path / "folder" / "a").mkdir(parents=True)
    (tmp_path / "folder" / "A.md").write_text("root", encoding="utf-8")
    (tmp_path / "folder" / "a" / "A.md").write_text("a", encoding="utf-8")
    cwd, host = str(tmp_path / "folder" / "a"), Host(home=str(tmp_path), env={})
    assert from_git_root(host, cwd) == [cwd]
    assert only_git_root(host, cwd) == []


@pytest.mark.parametrize(
    ("files", "takes_first", "sent"),
    [
        ({"A.md": "a", "B.md": "b"}, "file", ["A.md loaded", "B.md shadowed"]),
        ({"B.md": "b"}, "file", ["A.md missing", "B.md loaded"]),
        ({"A.md": "", "B.md": "b"}, "file", ["A.md empty", "B.md shadowed"]),
        ({"A.md": "", "B.md": "b"}, "text", ["A.md empty", "B.md loaded"]),
        ({"A.md/x": "", "B.md": "b"}, "file", ["A.md failed", "B.md loaded"]),
        ({"A.md/x": "", "B.md": "b"}, "entry", ["A.md failed", "B.md shadowed"]),
    ],
)
def test_the_first_of_several_names(tmp_path: Path, files: dict[str, Any], takes_first: Any, sent: list[str]) -> None:
    prompt = shown(tmp_path, files, replace(CHAIN, names=(("A.md", "B.md"),), takes_first=takes_first))
    assert outcomes(prompt, tmp_path) == sent


def test_a_blank_file_may_hide_others_and_says_so(tmp_path: Path) -> None:
    chain = replace(CHAIN, names=(("A.md", "B.md"),), blank_hides="it hides")
    empty, hidden = shown(tmp_path, {"A.md": "", "B.md": "b"}, chain).candidates
    assert (empty.reason, hidden.reason) == ("it hides", f"{empty.path} comes first and is blank")


@pytest.mark.parametrize(
    ("data", "how", "sent"),
    [
        (b"\xef\xbb\xbfx", Reading(), "\ufeffx"),
        (b"\xef\xbb\xbfx", Reading(keeps_bom=False), "x"),
        (b" a\r\n b \r\n", Reading(), " a\r\n b \r\n"),
        (b" a\r\n b \r\n", Reading(parts=without_space), "a\r\n b"),
        (b" a\r\n b \r\n", Reading(parts=without_space_after), " a\r\n b"),
        (b" a\r\n b \r\n", Reading(parts=without_space, has_unix_lines=True), "a\n b"),
        (b"a\xffb", Reading(), "a\ufffdb"),
        (b"a\xffb", Reading(not_utf_8="removed"), "ab"),
        (b"a\xffb", Reading(not_utf_8="left out"), None),
        (b"", Reading(), None),
        (b"", Reading(sends_empty=True), ""),
        (b" \n", Reading(parts=without_space), None),
        (b"one two three", Reading(parts=lambda text: [(0, 4), (8, len(text))]), "one three"),
    ],
)
def test_how_a_file_is_read(tmp_path: Path, data: bytes, how: Reading, sent: str | None) -> None:
    text = system(shown(tmp_path, {"A.md": data}, replace(CHAIN, reading=how)))
    assert text == ("" if sent is None else f"<files>[A.md:{sent}]</files>")


@pytest.mark.parametrize(
    ("files", "ends_if", "says"),
    [
        ({}, "missing", "there is no such file"),
        ({"A.md/x": ""}, "unreadable", "it is a directory"),
        ({"A.md": b"a\xff"}, "not UTF-8", "byte 2 is not UTF-8"),
    ],
)
def test_a_program_may_end_with_an_error(tmp_path: Path, files: dict[str, Any], ends_if: Any, says: str) -> None:
    chain = replace(CHAIN, reading=Reading(ends_if=(ends_if,), advice="Mend it."))
    prompt = shown(tmp_path, files, chain)
    assert prompt.stopped == f"Acme ends with an error at {tmp_path}/folder/A.md: {says}. Mend it."
    assert prompt.stopped_by is not None
    assert prompt.stopped_by.path == f"{tmp_path}/folder/A.md"
    assert prompt.messages == ()
    assert shown(tmp_path / "2", files).stopped is None


def test_links(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "folder", {"A.md": "x", "a/x": ""})
    (folder / "a" / "A.md").symlink_to("../A.md")
    host = Host(home=str(tmp_path), env={})
    writer = Writer(SPEC, Session("acme", str(folder / "a")), host)
    first, second = (each.segments[0].origin for each in writer.find(CHAIN))
    assert (first.again, second.again) == (False, True)
    strict = Writer(SPEC, writer.session, host)
    strict.find(replace(CHAIN, reading=Reading(follows_links=False)))
    assert outcomes(strict.prompt(), tmp_path) == ["A.md loaded", "a/A.md excluded"]


INCLUDES = Includes(re.compile(r"@(\S+)"), depth=2, why="it is named", before="<{written}>", after="</>")


def test_files_that_stand_for_others(tmp_path: Path) -> None:
    files = {"A.md": "see @b.md and @gone.md!", "b.md": "b @c.md", "c.md": "c @d.md @b.md", "d.md": "d"}
    prompt = shown(tmp_path, files, replace(CHAIN, reading=Reading(includes=INCLUDES)))
    sent = "see <b.md>b <c.md>c @d.md @b.md</></> and @gone.md!"
    assert system(prompt) == f"<files>[A.md:{sent}]</files>"
    states = [(each.outcome, each.state) for each in prompt.candidates[1:]]
    assert states == [
        ("loaded", None),
        ("loaded", None),
        ("excluded", "too-deep"),
        ("duplicate", "cycle"),
        ("missing", "missing"),
    ]
    places = [
        (Path(each.origin.path).name, each.origin.range.start_character, each.text, each.origin.again)
        for each in prompt.messages[0].segments
        if each.origin.path and each.origin.range and not each.frame
    ]
    assert places == [
        ("A.md", 0, "see ", False),
        ("b.md", 0, "b ", False),
        ("c.md", 0, "c @d.md @b.md", False),
        ("A.md", 9, " and @gone.md!", True),
    ]


def test_a_target_may_be_refused(tmp_path: Path) -> None:
    includes = replace(INCLUDES, target=lambda _host, _file, _written: None)
    prompt = shown(tmp_path, {"A.md": "@b.md", "b.md": "b"}, replace(CHAIN, reading=Reading(includes=includes)))
    assert (system(prompt), len(prompt.candidates)) == ("<files>[A.md:@b.md]</files>", 1)


NESTED: dict[str, Any] = {**TREE, "a/b/x.py": "", "a/y.py": ""}


@pytest.mark.parametrize(
    ("place", "reads", "brought"),
    [
        ("after", ["a/b/x.py"], ["tool ?<files>[a/A.md:a]|[a/b/A.md:b]</files>"]),
        ("before", ["a/b/x.py"], ["tool <files>[a/A.md:a]|[a/b/A.md:b]</files>?"]),
        ("instead", ["a/b/x.py"], ["tool <files>[a/A.md:a]|[a/b/A.md:b]</files>"]),
        ("user", ["a/b/x.py"], ["tool ?", "user <files>[a/A.md:a]|[a/b/A.md:b]</files>"]),
        ("system", ["a/y.py"], ["tool ?", "system <files>[a/A.md:a]</files>"]),
        ("after", ["a/y.py", "a/b/x.py"], ["tool ?<files>[a/A.md:a]</files>", "tool ?<files>[a/b/A.md:b]</files>"]),
        ("after", ["x.py"], ["tool ?"]),
        ("after", ["../elsewhere.py"], ["tool ?"]),
    ],
)
def test_files_that_come_with_a_read(tmp_path: Path, place: Any, reads: list[str], brought: list[str]) -> None:
    prompt = shown(tmp_path, NESTED, reads=reads, on_read=OnRead(CHAIN, FRAME, place))
    later = [each for each in prompt.messages if each.at.startswith("read:")]
    texts = [f"{each.role} {''.join('?' if part.elided else part.text for part in each.segments)}" for each in later]
    assert texts == brought
    indexes = [each.index for each in prompt.messages]
    assert indexes == sorted(indexes)


@pytest.mark.parametrize(
    ("changes", "brought"),
    [
        ({}, ""),
        ({"from_git_root": True}, "[a/A.md:a]"),
        ({"from_git_root": True, "has_top": True}, "[A.md:root]|[a/A.md:a]"),
        ({"from_git_root": True, "has_top": True, "is_nearest_first": True}, "[a/A.md:a]|[A.md:root]"),
        ({"from_git_root": True, "has_top": True, "levels": 1}, "[a/A.md:a]"),
    ],
)
def test_where_files_on_the_way_are_looked_for(tmp_path: Path, changes: dict[str, Any], brought: str) -> None:
    on_read = replace(OnRead(CHAIN, Frame(label="[{relative}:", end="]", between="|"), "user"), **changes)
    folder = lay_out(tmp_path / "folder", NESTED)
    session = Session("acme", str(folder / "a" / "b"), turns=reading([str(folder / "a" / "y.py")]))
    writer = Writer(SPEC, session, Host(home=str(tmp_path), env={}))
    (call,) = session.calls
    files = writer.brought(on_read, call)
    assert "".join(each.text for each in on_read.frame.around(files, base=str(folder))) == brought
    # Each directory once.
    assert writer.brought(on_read, call) == []


OPTIONS = Options(
    cwd=("--dir", "-C"),
    model=("--model",),
    prompt=("-p",),
    values=("--tools",),
    switches=("--quiet", "--resume"),
    not_modelled=("--resume", "--agent"),
    no_effect={"--quiet": "it is only quiet"},
)


def test_a_command_line(tmp_path: Path) -> None:
    args = ("-C", "a", "--model=m", "-p", "hello", "--tools", "x", "--quiet", "--resume", "--new")
    prompt = shown(tmp_path, TREE, options=OPTIONS, args=args, agent="helper")
    assert system(prompt) == "<files>[A.md:root]|[a/A.md:a]</files>"
    assert (prompt.model, prompt.messages[1].text) == ("m", "hello")
    assert outcomes(prompt, tmp_path)[2:] == [
        "--resume excluded",
        "--quiet excluded",
        "--new excluded",
        "--agent excluded",
    ]
    assert [each.why for each in prompt.candidates[3:4]] == ["it is only quiet"]


def test_a_program_without_a_command_line(tmp_path: Path) -> None:
    session = Session("acme", str(tmp_path), args=("--x",))
    (said,) = Writer(SPEC, session, Host(home=str(tmp_path), env={})).prompt().candidates
    assert said.why == "Acme has no options"


def test_files_that_look_as_if_they_were_read(tmp_path: Path) -> None:
    unread = Unread(names=("B.md",), why="no", above="above", on_read="nested")
    files = {**NESTED, "a/B.md": "", "a/b/c/A.md": "", "a/b/c/x.py": ""}
    chain = replace(CHAIN, where=lambda _host, cwd: [cwd])
    prompt = shown(tmp_path, files, chain, cwd="a", unread=unread, reads=["a/b/c/x.py"])
    found = {f"{name}: {each.why}" for name, each in zip(outcomes(prompt, tmp_path), prompt.candidates, strict=True)}
    assert found == {
        "a/A.md loaded: Acme loads A.md",
        "a/B.md excluded: no",
        "A.md outside: above",
        "a/b/A.md excluded: nested",
        "a/b/c/A.md excluded: nested",
    }
