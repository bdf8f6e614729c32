import pytest

from promptls.kit.imports import Branch, Mention, follow

pytestmark = pytest.mark.same_everywhere
FILES = {"a": "b c", "b": "c a", "c": "d", "d": "e"}


def imports_of(path: str) -> list[Mention]:
    return [Mention(at, at + 1, name) for at, name in enumerate(FILES.get(path, "").split())]


def fates(root: Branch) -> list[tuple[str, int, str]]:
    return [(branch.path, branch.depth, branch.fate) for branch in root.flat()]


def test_each_file_once_the_first_place_wins() -> None:
    seen: set[str] = set()
    assert fates(follow("a", imports_of, max_depth=4, seen=seen)) == [
        ("a", 0, "followed"),
        ("b", 1, "followed"),
        ("c", 2, "followed"),
        ("d", 3, "followed"),
        ("e", 4, "followed"),
        ("a", 2, "cycle"),
        ("c", 1, "duplicate"),
    ]
    assert seen == {"a", "b", "c", "d", "e"}


def test_without_memory_only_cycles_and_depth_end_it() -> None:
    assert [fate for fate in fates(follow("a", imports_of, max_depth=2)) if fate[2] != "followed"] == [
        ("d", 3, "too-deep"),
        ("a", 2, "cycle"),
        ("e", 3, "too-deep"),
    ]


def test_a_refusal_names_its_reason_and_two_paths_may_be_one_file() -> None:
    root = follow(
        "a",
        imports_of,
        max_depth=9,
        refuse=lambda importer, mention: "not from there" if (importer, mention.path) == ("a", "b") else None,
        identity=lambda path: {"c": "a"}.get(path, path),
    )
    assert [(branch.fate, branch.reason) for branch in root.branches] == [("refused", "not from there"), ("cycle", "")]
