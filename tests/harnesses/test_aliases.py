"""Short names of harnesses."""

from __future__ import annotations

import pytest

from promptls import harnesses
from promptls.core import specs
from promptls.core.settings import Settings
from promptls.sessions.start import start_of

pytestmark = pytest.mark.same_everywhere
ALIASES = {alias: name for name in specs.names() for alias in specs.detection(name).aliases}


def test_an_alias_means_one_harness_and_is_the_name_of_none() -> None:
    assert sum(len(specs.detection(name).aliases) for name in specs.names()) == len(ALIASES)
    assert not {*ALIASES} & {*specs.names()}


@pytest.mark.parametrize("alias", ALIASES)
def test_an_alias_is_taken_for_the_name(alias: str) -> None:
    assert harnesses.get(alias).name == ALIASES[alias]
    assert harnesses.split(f"{alias}@1.2") == (ALIASES[alias], "1.2")


def test_copilot_is_the_command_line_program() -> None:
    assert ALIASES["copilot"] == "copilot-cli"


def test_a_version_of_the_settings_counts_for_an_alias() -> None:
    settings = Settings(harnesses=("claude-code@1.2.3",))
    assert start_of("claude", settings).version == "1.2.3"
    assert start_of("claude@4", settings).version == "4"
