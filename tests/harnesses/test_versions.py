"""Versions: how they compare, and which known one is shown for a name."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Prompt, Session
from promptls.errors import UsageError
from promptls.kit.base import Version
from promptls.kit.versions import choose, current, key
from tests.newest import newest

pytestmark = pytest.mark.same_everywhere
NEWEST = newest("claude-code")
IN_ORDER = (
    *("1.0.9", "1.0.102", "2.1", "2.1.85", "2.1.330-alpha", "2.1.330-nightly.3", "2.1.330-nightly.10"),
    *("2.1.330-nightly.x", "2.1.330", "2.1.331", "2.2.0", "2.9.9", "2.10.0", "2026.9.6"),
)


def test_versions_compare_number_by_number() -> None:
    for older, newer in itertools.pairwise(IN_ORDER):
        first, second = key(older), key(newer)
        assert first is not None
        assert second is not None
        assert first < second, (older, newer)


@pytest.mark.parametrize(("one", "same"), [("2.1.330", "v2.1.330"), ("2.1", "2.1.0"), ("1.0.2", "1.0.2+build.7")])
def test_what_is_the_same_version(one: str, same: str) -> None:
    assert key(one) == key(same) is not None


def test_sessions_of_an_earlier_version_are_of_a_later_one_that_is_like_it() -> None:
    known = (Version("3.1", like="3.0"), Version("3.0", like="2.0"), Version("2.0"), Version("1.0", like="0.9"))
    assert [*current(known)] == ["3.1", "3.0", "2.0"]
    assert [*current(known[2:])] == ["2.0"]


@pytest.mark.parametrize(
    "name", ["design", "d1504ac", "2026-03", "9", "", ".", "1.", "1.x", "-1.0", "1.0 ", "٣.١", "1." + "9" * 5000]
)
def test_what_is_no_number(name: str) -> None:
    assert key(name) is None


@pytest.mark.parametrize(
    ("name", "shown", "which"),
    [
        ("", "2.1.330", ""),
        ("2.1.85", "2.1.85", ""),
        ("v2.1.85", "2.1.85", ""),
        ("2.2.0", "2.1.330", "newest"),
        ("10.0", "2.1.330", "newest"),
        ("2.1.331-nightly.1", "2.1.330", "newest"),
        ("2.1.330-nightly.1", "2.1.330", "nearest"),
        ("2.1.300", "2.1.330", "nearest"),
        ("2.1.200", "2.1.197", "nearest"),
        ("1.0.102", "2.1.85", "oldest"),
    ],
)
def test_the_version_that_is_shown(name: str, shown: str, which: str) -> None:
    # In no order, and with one that is no number.
    known = [Version(each) for each in ("2.1.330", "2.1.85", "design", "2.1.197")]
    assert choose(known, name) == (Version(shown), which)


def test_what_a_version_leaves_out_is_0() -> None:
    known = [Version("1.2"), Version("1.0")]
    assert choose(known, "1.1") == (known[0], "nearest"), "of two that are as near, the newer one"


@pytest.mark.parametrize("name", ["nosuch", "9", "2026-03"])
def test_nothing_is_shown_for_what_is_no_number(name: str) -> None:
    assert choose([Version("2.1.330")], name) is None
    assert choose([Version("design"), Version("d1504ac")], "2.2.0") is None


def preview(harness: str, version: str, tmp_path: Path) -> Prompt:
    return harnesses.preview(Session(harness, str(tmp_path), version), Host(home=str(tmp_path), env={}))


@pytest.mark.parametrize(
    ("version", "shown", "says"),
    [
        ("2.2.0", NEWEST, f"this is what {NEWEST} sends, the newest version that is known."),
        ("2.1.999-nightly.3", NEWEST, f"this is what {NEWEST} sends, the newest version that is known."),
        ("2.1.200", "2.1.197", "this is what 2.1.197 sends, the nearest version that is known."),
        ("2.0.9", "2.1.85", "this is what 2.1.85 sends, the oldest version that is known."),
    ],
)
def test_the_preview_of_an_unknown_version_says_whose_it_is(
    tmp_path: Path, version: str, shown: str, says: str
) -> None:
    prompt = preview("claude-code", version, tmp_path)
    assert (prompt.session.version, prompt.verified) == (shown, False)
    assert prompt.notes[0] == f"Claude Code {version} is not known; {says}"
    known = preview("claude-code", shown, tmp_path)
    assert known.verified
    assert prompt.messages == known.messages


def test_where_one_version_is_known_it_is_shown(tmp_path: Path) -> None:
    prompt = preview("gemini-cli", "1.0.0", tmp_path)
    assert prompt.notes[0] == "Gemini CLI 1.0.0 is not known; this is what 0.61.0 sends, the version that is known."


def test_what_is_no_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"Gemini CLI 'nosuch' is not a known version; choose one of 0\.61\.0\."):
        preview("gemini-cli", "nosuch", tmp_path)
    with pytest.raises(UsageError, match="choose one of design, d1504ac"):
        preview("etcode", "2.0.0", tmp_path)
