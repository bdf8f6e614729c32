from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptls.core.text import LineIndex
from promptls.lsp import documents as documents_module
from promptls.lsp import folders as folders_module
from promptls.lsp.context import DocumentEvent
from promptls.lsp.documents import Documents, Edit
from promptls.lsp.folders import folder, holding
from promptls.lsp.uris import path_of
from tests.lsp.client import Client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.text import Encoding

URI = "file:///project/a%20b%231.md"


def change(start: tuple[int, int], end: tuple[int, int], text: str) -> dict[str, Any]:
    places = [{"line": line, "character": character} for line, character in (start, end)]
    return {"range": {"start": places[0], "end": places[1]}, "text": text}


async def test_a_document_lives_from_open_to_close(client: Client) -> None:
    seen: list[tuple[str, str]] = []
    client.server.context.events.document_changed.listen(lambda event: seen.append((event.kind, event.document.text)))
    await client.start()
    documents = client.server.context.documents
    await client.open(URI, "one\n")
    document = documents.get(URI)
    assert document is not None
    assert (document.path, document.language, document.version) == ("/project/a b#1.md", "markdown", 1)
    await client.change(URI, change((0, 0), (0, 3), "two"), change((1, 0), (1, 0), "three"))
    await client.notify("textDocument/didSave", {"textDocument": {"uri": URI}})
    await client.close_document(URI)
    assert documents.get(URI) is None
    assert document.text == "one\n"
    assert seen == [
        ("opened", "one\n"),
        ("changed", "two\nthree"),
        ("saved", "two\nthree"),
        ("closed", "two\nthree"),
    ]


async def test_whole_texts_and_edits_in_one_change(client: Client) -> None:
    await client.start()
    await client.open(URI, "one")
    await client.change(URI, "two\r\nthree", change((1, 0), (1, 5), "3"), change((0, 99), (0, 99), "!"))
    document = client.server.context.documents.get(URI)
    assert document is not None
    assert (document.text, document.version) == ("two!\r\n3", 2)


async def test_what_is_not_open_changes_nothing(client: Client) -> None:
    seen: list[DocumentEvent] = []
    client.server.context.events.document_changed.listen(seen.append)
    await client.start()
    for method in ("didChange", "didSave", "didClose"):
        params = {"textDocument": {"uri": URI, "version": 1}, "contentChanges": [{"text": "x"}]}
        await client.notify(f"textDocument/{method}", params)
    assert seen == []


async def test_a_listener_that_fails_does_not_cost_the_others(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    seen: list[DocumentEvent] = []
    client.server.context.events.document_changed.listen(lambda _: 1 / 0)
    client.server.context.events.document_changed.listen(seen.append)
    await client.start()
    await client.open(URI, "one")
    assert len(seen) == 1
    assert "A listener failed." in caplog.text
    caplog.clear()


def test_two_spellings_of_a_file_are_one_document() -> None:
    documents = Documents()
    documents.open("file:///c%3A/a", "markdown", 1, "text")
    assert documents.get("file:///c:/a") is documents.at("/c:/a") is not None
    documents.open("untitled:Untitled-1", "markdown", 1, "other")
    untitled = documents.get("untitled:Untitled-1")
    assert untitled is not None
    assert untitled.path is None
    assert len(documents) == len(list(documents)) == 2


def test_on_windows_two_spellings_differ_in_letter_case_too(monkeypatch: pytest.MonkeyPatch) -> None:
    windows = partial(path_of, windows=True)
    for module in (documents_module, folders_module):
        monkeypatch.setattr(module, "path_of", windows)
    documents = Documents()
    opened = documents.open("file:///c%3A/Users/me/AGENTS.md", "markdown", 1, "x")
    assert opened.path == "C:/Users/me/AGENTS.md"
    assert documents.get("file:///C:/users/Me/agents.md") is opened
    assert documents.at("C:/USERS/me/AGENTS.md") is opened
    home, share = folder("file:///c%3A/Users/me"), folder("file://server/share")
    assert (home.name, share.name) == ("me", "share")
    assert holding([home, share], "C:/users/ME/proj/a.md") == home
    assert holding([home, share], "//Server/Share/a.md") == share
    assert holding([home, share], "C:/Users/meadow/a.md") is None


@pytest.mark.parametrize(("encoding", "character"), [("utf-8", 4), ("utf-16", 2), ("utf-32", 1)])
def test_an_edit_counts_in_the_encoding_of_the_client(encoding: Encoding, character: int) -> None:
    documents = Documents()
    documents.encoding = encoding
    documents.open("untitled:1", "markdown", 1, "😀b")
    place = Place(0, character)
    changed = documents.change("untitled:1", 2, [Edit("-", Between(place, place))])
    assert changed is not None
    assert changed.text == "😀-b"


class Place:
    def __init__(self, line: int, character: int) -> None:
        self.line = line
        self.character = character


class Between:
    def __init__(self, start: Place, end: Place) -> None:
        self.start = start
        self.end = end


def reference(text: str, line: int, character: int, encoding: Encoding) -> int:
    """An offset by the letter of the specification, one character after the other."""
    at = 0
    while line and at < len(text):
        if text[at] == "\n" or (text[at] == "\r" and text[at + 1 : at + 2] != "\n"):
            line -= 1
        at += 1
    while at < len(text) and text[at] not in "\r\n" and character > 0 and not line:
        bytes_of_it = text[at].encode(encoding + "-le" if encoding != "utf-8" else encoding)
        character -= len(bytes_of_it) // {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
        at += 1
    return at


ENCODINGS: st.SearchStrategy[Encoding] = st.sampled_from(["utf-8", "utf-16", "utf-32"])
TEXTS = st.text(alphabet="ab\r\n\f\u2028\x85é😀", max_size=30)
PLACES = st.tuples(st.integers(0, 8), st.integers(0, 20))


@pytest.mark.property
@settings(max_examples=80, deadline=None)
@given(TEXTS, st.lists(st.tuples(PLACES, PLACES, TEXTS), max_size=4), ENCODINGS)
def test_edits_are_those_of_the_reference(
    text: str, edits: list[tuple[tuple[int, int], tuple[int, int], str]], encoding: Encoding
) -> None:
    documents = Documents()
    documents.encoding = encoding
    documents.open("untitled:1", "markdown", 1, text)
    given = []
    for one, other, new in edits:
        (start, first), (end, last) = sorted(
            [(reference(text, *one, encoding), one), (reference(text, *other, encoding), other)]
        )
        text = text[:start] + new + text[end:]
        given.append(Edit(new, Between(Place(*first), Place(*last))))
    document = documents.change("untitled:1", 2, given)
    assert document is not None
    assert document.text == text


@pytest.mark.property
@settings(max_examples=80, deadline=None)
@given(TEXTS, ENCODINGS)
def test_offsets_come_back(text: str, encoding: Encoding) -> None:
    index = LineIndex(text, encoding)
    for offset in range(len(text) + 1):
        inside = text[offset - 1 : offset + 1] == "\r\n" and offset > 0
        line, character = index.position(offset)
        assert index.offset(line, character) == offset - inside
        assert reference(text, line, character, encoding) == offset - inside
