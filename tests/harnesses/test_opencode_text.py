"""Places in a configuration of opencode whose {env:} and {file:} are filled in lead back to the file as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.formats import parse_json
from promptls.core.host import Host
from promptls.core.model import Session
from promptls.harnesses.opencode.start.filled_text import Source, fill_in
from promptls.harnesses.opencode.start.variables import flags
from tests.disk import disk_of
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
ENV = {"A": "a", "EMPTY": "", "FILE": "{file:a.md}", "OPEN": "x{file:", "TWO": "{file:a.md} {file:a.md}"}


@pytest.mark.parametrize(
    ("value", "filled"),
    [
        ("plain", "plain"),
        ("{env:A}", "a"),
        ("{env:EMPTY}", ""),
        ("x{env:A}y", "xay"),
        ("{file:a.md}", "rules"),
        ("{file:{env:A}.md}", "rules"),
        ("{env:FILE}", "rules"),
        ("{env:TWO}", "rules rules"),
        ("{env:OPEN}a.md}", "xrules"),
        ("{env:A}{file:a.md}{env:A}", "arulesa"),
        ("{env:EMPTY}{file:a.md}{env:EMPTY}", "rules"),
        ("{file:missing.md}{env:A}", "{file:missing.md}a"),
    ],
)
def test_each_value_leads_back_to_its_place(tmp_path: Path, value: str, filled: str) -> None:
    folder = lay_out(tmp_path, {"a.md": "rules\n"}, git=False)
    host = Host(home=str(tmp_path / "home"), env=ENV)
    text = f'{{"a": "{{env:A}}", "b": "{value}", "c": "{{file:a.md}}"}}'
    found = fill_in(host, flags(host, str(folder)), Source("/config.json", str(folder), text))
    root = parse_json(found.text, comments=True).root
    assert root is not None
    assert (root.text("a"), root.text("b"), root.text("c")) == ("a", filled, "rules")
    for key, value_of in root.members:
        where = found.range(value_of.start, value_of.end)
        original = {"a": "{env:A}", "b": value, "c": "{file:a.md}"}[str(key.data)]
        assert text[where.start_character : where.end_character] == f'"{original}"'
        assert (found.file(value_of) is not None) == (value_of.data == "rules")


def test_what_follows_a_value_without_quotes_keeps_its_place(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"a.md": "x"})
    host = Host(home=str(tmp_path), env={"LIST": '"a", '})
    text = '{"x": [{env:LIST}"b"]}'
    found = fill_in(host, flags(host, str(folder)), Source("/config.json", str(folder), text))
    root = parse_json(found.text, comments=True).root
    assert root is not None
    listed = root.get("x")
    assert listed is not None
    where = [found.range(each.start, each.end) for each in listed.items]
    assert [text[each.start_character : each.end_character] for each in where] == ["{env:LIST}", '"b"']


def test_a_value_before_a_file_keeps_its_place(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"n.md": "5"})
    host = Host(home=str(tmp_path), env={"LIST": '"a", ', "NOTHING": ""})
    text = "[{env:LIST}{file:n.md}, 6{env:NOTHING}]"
    found = fill_in(host, flags(host, str(folder)), Source("/config.json", str(folder), text))
    root = parse_json(found.text, comments=True).root
    assert root is not None
    where = [found.range(each.start, each.end) for each in root.items]
    assert [text[each.start_character : each.end_character] for each in where] == ["{env:LIST}", "{file:n.md}", "6"]


def test_the_matches_of_a_directory_are_sent_last_first() -> None:
    """In the opposite of the order of the disk, which here lists by name: as ``verify`` found it."""
    config = '{"instructions": ["d/*.md", "e.md"]}'
    files = {"/w/.git/HEAD": "", "/w/opencode.json": config, "/w/e.md": "e"}
    disk = disk_of({**files, **{f"/w/d/{name}.md": name for name in "abc"}})
    prompt = harnesses.preview(Session("opencode", "/w"), Host(home="/h", env={}, disk=disk))
    paths = [segment.origin.path for message in prompt.messages for segment in message.segments if not segment.frame]
    assert [path for path in paths if path] == ["/w/d/c.md", "/w/d/b.md", "/w/d/a.md", "/w/e.md"]
