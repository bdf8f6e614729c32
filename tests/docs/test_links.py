"""Every link of the documentation leads to a file and a heading that are there, and every page can be reached."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT, anchors, name, prose

LINK = re.compile(r"\]\(([^()\s]+)\)")
SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)


def links(path: Path) -> Iterator[tuple[str, Path, str]]:
    """Each link to a file of the repository: as it is written, the file, and the heading."""
    for link in LINK.findall(SPAN.sub("", prose(path.read_text(encoding="utf-8")))):
        if not re.match(r"[a-z]+:", link):
            file, _, heading = link.partition("#")
            yield link, (path.parent / file).resolve() if file else path, heading


@pytest.mark.parametrize("path", PAGES, ids=map(name, PAGES))
def test_every_link_leads_somewhere(path: Path) -> None:
    for link, target, heading in links(path):
        assert target.exists(), link
        if heading and target.suffix == ".md":
            assert heading in anchors(target.read_text(encoding="utf-8")), link


def test_every_page_can_be_reached_from_the_readme() -> None:
    seen, left = set[Path](), [ROOT / "README.md"]
    while left:
        path = left.pop()
        if path not in seen and path.suffix == ".md":
            seen.add(path)
            left += [target for _, target, _ in links(path)]
    own = [path for path in PAGES if "transcripts" not in path.parts and path.is_relative_to(ROOT / "docs")]
    assert [name(path) for path in own if path not in seen] == []


@pytest.mark.parametrize("path", PAGES, ids=map(name, PAGES))
def test_every_picture_has_a_text(path: Path) -> None:
    assert re.findall(r"!\[\s*\]\(", path.read_text(encoding="utf-8")) == []
