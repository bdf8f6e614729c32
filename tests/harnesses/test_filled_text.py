"""Configuration texts of opencode with variables filled in: what they say, and where it is in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls.core.formats import parse_json
from promptls.core.host import Host
from promptls.core.model import Range
from promptls.harnesses.opencode.start import filled_text as of_opencode
from promptls.harnesses.opencode.start.filled_text import FilledText, Source, TooMuchError, fill_in, origin_of
from promptls.harnesses.opencode.start.variables import flags

pytestmark = pytest.mark.same_everywhere


def filled(folder: Path, text: str, **env: str) -> FilledText:
    (folder / "a.md").write_text("  A\n", encoding="utf-8")
    (folder / "long.md").write_text("long text", encoding="utf-8")
    host = Host(home=str(folder), env=env)
    return fill_in(host, flags(host, str(folder)), Source(str(folder / "opencode.json"), str(folder), text))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{env:X}", "xx"),
        ("{env:X}{env:Y}-{env:X}", "xxyyy-xx"),
        ("{env:GONE}|", "|"),
        ("{file:a.md}|{file:./a.md}", "A|A"),
        ("{file:~/a.md}", "A"),
        ("{file:{env:F}}", "A"),
        ("{env:F} {file:a.md} {env:X}", "a.md A xx"),
        ("// {file:a.md}\n{file:a.md}", "// {file:a.md}\nA"),
        ("x // {file:a.md}", "x // A"),
        ("  // a\n //{file:a.md}", "  // a\n //{file:a.md}"),
        ("// {env:X}", "// xx"),
        ("{env:}", "{env:}"),
    ],
)
def test_what_is_filled_in(tmp_path: Path, text: str, says: str) -> None:
    assert filled(tmp_path, text, X="xx", Y="yyy", F="a.md").text == says


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "{env:X}", "b": 1}',
        '{"a": "{env:LONG}", "b": 1, "c": "{env:X}"}',
        '{"a": "{file:long.md}", "b": "{file:a.md}", "c": "d"}',
        '{"a": "{env:X}{file:a.md}", "b": "-{file:a.md}-", "c": "{env:LONG}"}',
        '{"a": "{file:{env:F}}", "b": "{env:X}{env:X}", "c": "d"}',
        '{"a": "{env:GONE}", "b": "{env:GONE}x", "c": "d"}',
    ],
)
def test_each_value_stands_where_it_stood(tmp_path: Path, text: str) -> None:
    """The names of keys, and where their values begin and end, in the file as it is."""
    found = filled(tmp_path, text, X="xx", F="a.md", LONG="a value that is longer than its name")
    root, raw = parse_json(found.text, comments=False).root, parse_json(text, comments=False).root
    assert root
    assert raw
    for (key, value), (old_key, old) in zip(root.members, raw.members, strict=True):
        assert key.data == old_key.data
        assert found.range(key.start, key.end) == Range(0, old_key.start, 0, old_key.end)
        assert found.range(value.start, value.end) == Range(0, old.start, 0, old.end)


@pytest.mark.parametrize(
    ("text", "file"),
    [('["{file:a.md}"]', "a.md"), ('["{file:a.md} "]', None), ('["{env:X}"]', None), ('["{env:X}", "x"]', None)],
)
def test_a_file_that_is_a_whole_value(tmp_path: Path, text: str, file: str | None) -> None:
    found = filled(tmp_path, text, X="xx")
    root = parse_json(found.text, comments=False).root
    assert root
    assert found.file(root.items[0]) == (file and str(tmp_path / file))


def test_a_file_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    found = filled(tmp_path, "{env:X}\n  {file:gone.md} {file:gone2.md}", X="xx")
    assert found.fault
    assert found.fault.range == Range(1, 2, 1, 16)
    assert found.fault.message == "the file that {file:gone.md} names cannot be read"
    assert found.text == "xx\n  {file:gone.md} {file:gone2.md}"
    assert filled(tmp_path, "{file:a.md}").fault is None


def test_what_grows_too_large_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_opencode, "MAX_FILLED", 6)
    monkeypatch.setattr(of_opencode, "MAX_TIMES_FILLED", 3)
    assert filled(tmp_path, "{env:X}" * 3, X="xx").text == "xxxxxx"
    with pytest.raises(TooMuchError):
        filled(tmp_path, "{env:X}" * 2, X="xxxx")
    with pytest.raises(TooMuchError):
        filled(tmp_path, "{env:X}" * 4, X="x")


def test_where_a_value_comes_from(tmp_path: Path) -> None:
    found = filled(tmp_path, '["{env:X}"]', X="xx")
    value = parse_json(found.text, comments=False).root
    assert value
    origin = origin_of(Source("/w/opencode.json", "/w", ""), found, value.items[0])
    assert (origin.kind, origin.path, origin.range, origin.name) == (
        "config",
        "/w/opencode.json",
        Range(0, 1, 0, 10),
        "xx",
    )
    assert origin_of(Source(None, "/w", ""), found, value.items[0]).kind == "argument"
