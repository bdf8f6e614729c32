"""Random inputs: parsers never raise, views lose nothing, and a preview is current exactly until something changes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from promptls import harnesses
from promptls.core import blocks, files, render, text_view
from promptls.core.formats import front_matter, parse_json, parse_toml, parse_yaml
from promptls.core.formats.tree import Document, Value
from promptls.core.host import NO_BUFFERS, Buffers, Host
from promptls.core.model import Message, Origin, Prompt, Segment, Session, reading
from tests.folder import lay_out

pytestmark = pytest.mark.property
few = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
EVERY = ["etcode@design", "etcode@d1504ac", "opencode"]
# Any code point, lone surrogates too; and texts of the pieces that the grammars are made of.
ANY = st.text(st.characters(), max_size=200)
JSON_PIECES = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    '"a"',
    "1",
    "-",
    "e9",
    "true",
    "//",
    "/*",
    "*/",
    "\n",
    "\\",
    "é",
    "😀",
]
YAML_PIECES = [
    "- ",
    "? ",
    ": ",
    "a",
    "a: ",
    "\n",
    " ",
    "\t",
    "[",
    "]",
    "{",
    "}",
    ",",
    "'",
    '"',
    "|",
    ">",
    "#",
    "&a ",
    "*a",
]
YAML_PIECES += ["!t ", "---\n", "...\n", "%YAML", "é", "\0", "\r", "\ufeff", "1", "true", "<<", "\ud800"]
TOML_PIECES = [
    "[",
    "]",
    "[[",
    "]]",
    "a",
    ".",
    "=",
    '"',
    "'",
    '"""',
    "\n",
    "{",
    "}",
    ",",
    "1",
    "-",
    "#",
    "é",
    "😀",
    "\\",
]
TOML_PIECES += ["true", "1979-05-27", "\r", "\t", " ", "\0", "\ud800", "a = 1\n", "_", "inf"]
CONFIG = (
    '// a\n{"instructions": ["é.md", "😀/**/*.md",], "agent": {"a": {"prompt": "x\\u00e9", "n": -1.5e3}}, "n": null}'
)


def values(value: Value | None) -> Iterator[Value]:
    if value is not None:
        yield value
        for item in value.items:
            yield from values(item)
        for pair in value.members:
            for each in pair:
                yield from values(each)


def check(document: Document, text: str, *, nested: bool = True) -> None:
    """Every place lies in the text, and inside of what holds it if ``nested``; ranges can be made."""
    for value in values(document.root):
        assert 0 <= value.start <= value.end <= len(text)
        document.range(value)
        for inner in (*value.items, *(each for pair in value.members for each in pair)):
            assert not nested or value.start <= inner.start <= inner.end <= value.end
    if document.flaw is not None:
        assert 0 <= document.flaw.start <= document.flaw.end <= len(text)
        assert document.fault("x") is not None


def texts(pieces: list[str]) -> st.SearchStrategy[str]:
    return ANY | st.lists(st.sampled_from(pieces), max_size=60).map("".join)


@few
@given(text=texts(JSON_PIECES), comments=st.booleans())
def test_json_never_raises(text: str, comments: bool) -> None:
    check(parse_json(text, comments=comments), text)


@few
@given(start=st.integers(0, len(CONFIG)), size=st.integers(0, 9), piece=st.sampled_from(JSON_PIECES) | ANY)
def test_a_changed_configuration_never_raises(start: int, size: int, piece: str) -> None:
    text = CONFIG[:start] + piece + CONFIG[start + size :]
    check(parse_json(text, comments=True), text)


@few
@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(st.characters(), max_size=9),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
        max_leaves=20,
    ),
    ascii_only=st.booleans(),
)
def test_valid_json_is_read_as_json_reads_it(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    document = parse_json(text, comments=False)
    assert document.flaw is None
    assert plain(document.root) == value


def plain(value: Value | None) -> object:
    assert value is not None
    if value.kind == "object":
        return {name.data: plain(each) for name, each in value.members}
    if value.kind == "array":
        return [plain(item) for item in value.items]
    return {"true": True, "false": False, "null": None}.get(value.kind, value.data)


@few
@given(text=texts(YAML_PIECES))
def test_yaml_never_raises(text: str) -> None:
    check(parse_yaml(text), text)


@few
@given(text=texts(TOML_PIECES))
def test_toml_never_raises(text: str) -> None:
    # A table is written in several places, and its position is that of its header.
    check(parse_toml(text), text, nested=False)


@pytest.mark.parametrize("depth", [10, 99, 253, 254, 260, 5000])
@pytest.mark.parametrize("shape", ["- ", "? ", ": ", "lines", "lines of lists", "tabs"])
def test_deep_yaml_does_not_end_the_process(shape: str, depth: int) -> None:
    lines = {
        "lines": (f"{' ' * n}a:" for n in range(min(depth, 1000))),
        "lines of lists": (f"{' ' * n}- a:" for n in range(min(depth, 1000))),
        "tabs": (f"{chr(9) * n}a:" for n in range(min(depth, 1000))),
    }
    text = "\n".join(lines[shape]) if shape in lines else shape * depth
    check(parse_yaml(text), text)


@few
@given(body=texts(YAML_PIECES), end=st.sampled_from(["---", "---\n", "--- \r\n", "", "----"]), rest=ANY)
def test_front_matter_never_raises(body: str, end: str, rest: str) -> None:
    text = f"---\n{body}\n{end}{rest}"
    found = front_matter.split(text)
    assert 0 <= found.start <= found.body <= len(text)
    if found.document is not None:
        check(found.document, found.document.text)
        assert text[found.start :].startswith(found.document.text)


FRAMES = st.sampled_from([None, "head", "tail"])


@few
@given(pieces=st.lists(st.tuples(st.text(st.characters(), min_size=1, max_size=20), FRAMES), min_size=1, max_size=6))
def test_blocks_and_lines_hold_the_whole_text(pieces: list[tuple[str, str | None]]) -> None:
    segments = tuple(
        Segment("instructions", "a\nb", text, Origin("file", path="/a\r\nb"), "why", frame=frame)  # type: ignore[arg-type] # one of the three
        for text, frame in pieces
    )
    message = Message("system", segments, 0)
    assert "".join(block.text for block in blocks.blocks(message)) == message.text
    prompt = Prompt(Session("etcode", "/"), (message,), ())
    for lines in (list(text_view.to_text(prompt)), list(render.to_markdown(prompt))):
        assert not any("\n" in line.text or "\r" in line.text for line in lines)
        shown = "".join(line.text for line in lines if line.segment is not None)
        assert shown == message.text.replace("\r", "").replace("\n", "")


# -- what a preview hangs on -----------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository of whose files each is looked at, old enough for their time stamps to be trusted."""
    config: dict[str, object] = {"instructions": ["docs/style.md", "gone.md", "link.md"]}
    top = lay_out(
        tmp_path / "project",
        {
            "AGENTS.md": "root\n",
            "etcode.json": config,
            "opencode.json": config,
            "docs/style.md": "style\n",
            "target.md": "one\n",
            "other.md": "two\n",
            "api/AGENTS.md": "api\n",
            "api/app.py": "x\n",
            "unrelated/x.md": "x\n",
        },
    )
    (top / "link.md").symlink_to("target.md")
    for path in top.rglob("*"):
        os.utime(path, (1_000_000, 1_000_000), follow_symlinks=False)
    return top


def preview(folder: Path, harness: str, buffers: Buffers = NO_BUFFERS) -> tuple[Prompt, Host]:
    host = Host(home=str(folder.parent / "home"), env={}, buffers=buffers)
    name, version = harnesses.split(harness)
    return harnesses.preview(
        Session(name, str(folder), version, turns=reading((str(folder / "api/app.py"),))), host
    ), host


def same_size(folder: Path) -> None:
    path = folder / "AGENTS.md"
    path.write_text("toor\n", encoding="utf-8")
    os.utime(path, (1_000_000, 1_000_000))


def to_directory(folder: Path) -> None:
    (folder / "AGENTS.md").unlink()
    (folder / "AGENTS.md").mkdir()


def retarget(folder: Path) -> None:
    (folder / "link.md").unlink()
    (folder / "link.md").symlink_to("other.md")


def target_of_link(folder: Path) -> None:
    (folder / "target.md").write_text("new\n", encoding="utf-8")


def replaced(folder: Path) -> None:
    (folder / "new").write_text("toor\n", encoding="utf-8")
    (folder / "new").replace(folder / "AGENTS.md")


def to_fifo(folder: Path) -> None:
    (folder / "docs/style.md").unlink()
    os.mkfifo(folder / "docs/style.md")


CHANGES: dict[str, Callable[[Path], object]] = {
    "a missing file is created": lambda folder: (folder / "gone.md").write_text("here\n", encoding="utf-8"),
    "a file is deleted": lambda folder: (folder / "docs/style.md").unlink(),
    "other text of the same size and time": same_size,
    "another file of the same size moves there": replaced,
    "a directory takes a file's place": to_directory,
    "a FIFO takes a file's place": to_fifo,
    "a link leads elsewhere": retarget,
    "the text of a link's target changes": target_of_link,
    "a directory is renamed": lambda folder: (folder / "docs").rename(folder / "papers"),
    "the repository ends": lambda folder: (folder / ".git").rename(folder / "git"),
    "the configuration breaks": lambda folder: [
        (folder / f"{name}.json").write_text("{", encoding="utf-8") for name in ("etcode", "opencode")
    ],
    "a global file appears": lambda folder: [
        lay_out(folder.parent / f"home/.config/{name}", {"AGENTS.md": "global\n"}, git=False)
        for name in ("etcode", "opencode")
    ],
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("harness", EVERY)
def test_a_preview_is_current_until_something_changes(
    folder: Path, harness: str, change: Callable[[Path], object]
) -> None:
    before, host = preview(folder, harness)
    assert host.is_current(NO_BUFFERS)
    change(folder)
    assert preview(folder, harness)[0] != before, "the change shows"
    assert not host.is_current(NO_BUFFERS)


@pytest.mark.parametrize("harness", EVERY)
def test_permission_is_a_look_too(folder: Path, harness: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, host = preview(folder, harness)
    (folder / "AGENTS.md").chmod(0)
    assert host.is_current(NO_BUFFERS) == os.access(folder / "AGENTS.md", os.R_OK), "root reads it all the same"
    real = files.read
    monkeypatch.setattr(
        files,
        "read",
        lambda path, info: files.Contents("unreadable") if path.endswith("/AGENTS.md") else real(path, info=info),
    )
    assert not host.is_current(NO_BUFFERS)


@pytest.mark.parametrize("harness", EVERY)
def test_open_documents_are_looks(folder: Path, harness: str) -> None:
    path = str(folder / "AGENTS.md")
    _, host = preview(folder, harness)
    assert host.is_current(Buffers({path: "root\n"})), "the same text as on the disk"
    assert not host.is_current(Buffers({path: "typed\n"}))
    assert not host.is_current(Buffers({str(folder / "gone.md"): "typed\n"}))
    assert not host.is_current(Buffers({str(folder / "target.md"): "typed\n"})), "by the name that a link has"
    _, host = preview(folder, harness, Buffers({path: "typed\n"}))
    assert host.is_current(Buffers({path: "typed\n"}))
    assert not host.is_current(Buffers({path: "typed more\n"}))
    assert not host.is_current(NO_BUFFERS)


@pytest.mark.parametrize("harness", EVERY)
def test_what_nothing_looks_at_does_not_matter(folder: Path, harness: str) -> None:
    before, host = preview(folder, harness)
    (folder / "unrelated/y.md").write_text("y\n", encoding="utf-8")
    (folder / "unrelated/AGENTS.md").write_text("y\n", encoding="utf-8")
    (folder / "new.md").write_text("y\n", encoding="utf-8")
    assert host.is_current(Buffers({str(folder / "unrelated/x.md"): "typed\n"}))
    assert preview(folder, harness)[0] == before


@pytest.mark.parametrize("harness", EVERY)
def test_the_order_of_the_disk_does_not_matter_to_plain_paths(
    folder: Path, harness: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, _ = preview(folder, harness)
    real = files.entries
    monkeypatch.setattr(files, "entries", lambda path: tuple(reversed(real(path))))
    assert preview(folder, harness)[0] == before
