"""The page of a map: complete, without network, and inert whatever the files are called."""

from __future__ import annotations

import os
import re
import shlex
import stat
from html.parser import HTMLParser
from pathlib import Path

import pytest

from promptls.cli import main
from promptls.core.settings import Settings
from promptls.git.listing import Listing
from promptls.page import page
from promptls.page.elements import Links, raw
from promptls.page.sections import directories
from promptls.workspace.folder_check import problems_of
from promptls.workspace.folder_map import FolderMap, map_of
from promptls.workspace.folder_prompts import folder_prompts
from tests.folder import lay_out

NONCE = "bm9uY2U"
EVIL = "<img src=x onerror=alert(1)>\"'&amp;"
FILES: dict[str, str | bytes | dict[str, object]] = {
    "AGENTS.md": "Use tabs.\n" * 4000,
    "CLAUDE.md": "See @gone.md and docs.\n",
    ".codex/config.toml": "",
    ".claude/skills/x/SKILL.md": "---\nname: x\ndescription: makes x\n---\nx\n",
    ".claude/skills/y/SKILL.md": "---\nname: y\ndescription: makes y\n---\ny\n",
    f"{EVIL}/AGENTS.md": "evil\n",
    f"{EVIL}/CLAUDE.md": "evil\n",
    f"{EVIL}/a.py": "1\n",
    "::error::/CLAUDE.md": "a log's command\n",
    "::error::/a.py": "1\n",
    "##[x]/CLAUDE.md": "another log's\n",
    "##[x]/a.py": "1\n",
}


class Page(HTMLParser):
    """What a browser would find: elements with their attributes, and the text of each."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def mapped(root: Path) -> tuple[FolderMap, str]:
    with Listing(str(root)) as listing:
        looked = folder_prompts(str(root), listing, settings=Settings(urls_enabled=False))
    found = map_of(str(root), looked)
    return found, page(found, problems_of(str(root), looked), nonce=NONCE)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[FolderMap, str]:
    return mapped(lay_out(tmp_path_factory.mktemp("folder") / "project", FILES))


def test_only_our_own_style_and_script_may_run(shown: tuple[FolderMap, str]) -> None:
    found = Page(shown[1])
    assert [each["nonce"] for tag in ("style", "script") for each in found.all(tag)] == [NONCE, NONCE]
    policy = next(each["content"] for each in found.all("meta") if "http-equiv" in each) or ""
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert not [name for _, attributes in found.elements for name in attributes if name.startswith("on")]
    assert not [attributes for _, attributes in found.elements if "style" in attributes or "src" in attributes]
    assert not found.all("img")


def test_nothing_is_loaded_from_elsewhere(shown: tuple[FolderMap, str]) -> None:
    found = Page(shown[1])
    links = [each["href"] or "" for _, each in found.elements if "href" in each]
    assert links
    assert [each for each in links if not each.startswith(("#", "./"))] == []
    assert not re.search(r"https?:|url\(|@import", shown[1])


def test_a_name_is_text_whatever_is_in_it(shown: tuple[FolderMap, str]) -> None:
    found = Page(shown[1])
    assert any(EVIL in text for text in found.texts)
    link = next(each for each in found.all("a") if each.get("data-path") == f"{EVIL}/CLAUDE.md")
    assert link["href"] == "./%3Cimg%20src%3Dx%20onerror%3Dalert%281%29%3E%22%27%26amp%3B/CLAUDE.md"
    assert "::error::/CLAUDE.md" in [each.get("data-path") for each in found.all("a")]
    assert "##[x]/CLAUDE.md" in [each.get("data-path") for each in found.all("a")]
    assert "##" not in shown[1]
    assert not re.search(r"^\s*::", shown[1], re.MULTILINE)


def test_everything_is_there(shown: tuple[FolderMap, str]) -> None:
    found = Page(shown[1])
    text = "\n".join(found.texts)
    assert {each.get("id") for each in found.all("section")} == {"tokens", "files", "directories", "problems"}
    assert [each.get("href") for each in found.all("a")][:4] == ["#tokens", "#files", "#directories", "#problems"]
    for column in shown[0].table.columns:
        assert f"{column.harness} · {column.tokens:,} tokens" in text
    assert "its own prompt" in text
    assert "skills (2) " in text
    assert "import-missing" in text
    assert "instruction files" in text
    assert len(found.all("meter")) >= 1, "the limits of Codex"


def test_boxes_are_inside_of_each_other(shown: tuple[FolderMap, str]) -> None:
    ids = {*re.findall(r'id="(b\d+)"', shown[1])}
    for layout in ("", r"\.own "):
        found = re.findall(rf"^{layout}:where\(#(b\d+)\)\{{(.*)\}}$", shown[1], re.MULTILINE)
        assert {name for name, _ in found} == ids
        places = [re.findall(r"[\d.]+(?=%)", place) for _, place in found if place != "display:none"]
        assert len(places) > 5
        for left, top, width, height in (map(float, each) for each in places):
            assert left + width <= 100.01
            assert top + height <= 100.01


def test_without_a_harness_the_page_is_empty(tmp_path: Path) -> None:
    text = mapped(lay_out(tmp_path / "plain", {"a.py": "1\n"}))[1]
    assert "No problems were found" in text


def test_a_script_that_would_end_early_is_refused() -> None:
    with pytest.raises(ValueError, match="script"):
        raw("script", "'</script>'")


def test_the_command_writes_a_file_with_links_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(lay_out(tmp_path / "project", FILES))
    assert main(["map", "--html", "../out/map.html"]) == 0
    out, err = capsysbinary.readouterr()
    assert (out, err) == (b"", b"promptls: ../out/map.html is written; open it in a browser.\n")
    found = Page((tmp_path / "out" / "map.html").read_text(encoding="utf-8"))
    assert "./../project/AGENTS.md" in [each["href"] for each in found.all("a")]
    assert main(["map", "--html", "-"]) == 0
    text = capsysbinary.readouterr().out.decode("utf-8")
    assert text.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert "./AGENTS.md" in [each["href"] for each in Page(text).all("a")]
    assert Page(text).all("script")[0]["nonce"] != found.all("script")[0]["nonce"]


def test_a_place_that_cannot_be_written_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(lay_out(tmp_path / "project", {"AGENTS.md": "x\n"}))
    assert main(["map", "--html", "AGENTS.md/map.html"]) == 2
    assert b"AGENTS.md/map.html cannot be written: " in capsysbinary.readouterr().err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")
def test_what_is_no_regular_file_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(lay_out(tmp_path / "project", {"AGENTS.md": "x\n"}))
    os.mkfifo("pipe")
    (tmp_path / "project" / "link").symlink_to("pipe")
    for name in ("pipe", "link"):
        assert main(["map", "--html", name]) == 2
        says = f"promptls: {name} cannot be written: It is a FIFO, socket or device; name another file.\n"
        assert capsysbinary.readouterr().err.decode() == says
    assert stat.S_ISFIFO(os.stat("link").st_mode)


def test_a_link_stays_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(lay_out(tmp_path / "project", {"AGENTS.md": "x\n", "page.html": ""}))
    os.symlink("page.html", "link")
    assert main(["map", "--html", "link"]) == 0
    assert os.path.islink("link")
    assert os.path.getsize("page.html")
    capsysbinary.readouterr()


def test_what_is_not_known_names_the_command_that_finds_it_out(tmp_path: Path) -> None:
    root = lay_out(tmp_path, {"AGENTS.md": "x\n", "opencode.json": {"instructions": ["https://example.org/a.md"]}})
    with Listing(str(root)) as listing:
        looked = folder_prompts(str(root), listing, settings=Settings(urls_enabled=False), only=["opencode"])
    found = map_of(str(root), looked)
    asks = shlex.join(("promptls", "preview", "--harness=opencode", f"--cwd={root}"))
    assert asks in Page(page(found, (), nonce=NONCE)).texts
    assert asks not in Page(page(found, (), nonce=NONCE, is_shared=True)).texts
    cells = directories(found, Links(str(root), str(root))).iter("td")
    assert ["".join(each.itertext()) for each in cells][-1].endswith(" and ?")
