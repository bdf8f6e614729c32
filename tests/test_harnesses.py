import pytest

from promptls import harnesses
from promptls.core import specs
from promptls.harnesses import catalogue


def test_each_harness_has_its_spec() -> None:
    assert [harness.spec for harness in harnesses.every()] == list(specs.every())
    assert [harness.name for harness in harnesses.every()] == list(catalogue.FOLDERS)


def test_one_of_them_is_what_a_folder_without_evidence_is_previewed_as() -> None:
    assert [each.name for each in specs.every() if each.is_fallback] == [harnesses.fallback()]


def test_a_harness_of_another_package_takes_the_place_of_one_that_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    other = harnesses.get("pi")
    monkeypatch.setitem(harnesses._registered, "codex", other)
    assert harnesses.get("codex") is other
