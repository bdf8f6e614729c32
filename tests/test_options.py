"""Settings that are wrong are told in plain words: the key, what was expected, and what is there."""

from __future__ import annotations

from typing import Any

import pytest

from promptls.core.settings import DEFAULT
from promptls.workspace.options import Fault, resolve, resolve_file


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ({"urls": {"slowMs": -1}}, "promptls.urls.slowMs is not valid: this has to be at least 0"),
        (
            {"urls": {"slowMs": 1.5}},
            "promptls.urls.slowMs is not valid: this has to be a whole number, but it is a number",
        ),
        ({"urls": "x"}, "promptls.urls is not valid: this has to be an object, but it is a text"),
        ({"args": [1]}, "promptls.args.0 is not valid: this has to be a text, but it is a number"),
        ({"fade": "maybe"}, "promptls.fade is not valid: this has to be true or false, but it is a text"),
        ({"harnesses": [None]}, "promptls.harnesses.0 is not valid: this has to be a text, but it is null"),
    ],
)
def test_a_wrong_value_keeps_its_default(raw: dict[str, Any], says: str) -> None:
    settings, faults = resolve({**raw, "model": "some/model"}, untrusted=False)
    assert faults == [f"The setting {says}; its default is used."]
    assert settings.model == "some/model"


def test_settings_that_are_no_object_are_told() -> None:
    says = "The settings of promptls have to be an object, but they are a list; they are ignored."
    assert resolve([1], untrusted=False) == (DEFAULT, [says])
    assert not resolve([1], untrusted=True)[0].urls_enabled
    assert resolve(None, untrusted=False) == (resolve({}, untrusted=False)[0], [])


def test_a_wrong_level_is_told_with_the_right_ones() -> None:
    says = "this has to be 'error', 'warning', 'information', 'hint' or 'off'"
    assert resolve_file({"rules": {"cut": "of"}})[1] == [Fault(("rules", "cut"), says)]
