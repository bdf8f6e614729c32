"""Windows is a host: a session there is that of its POSIX twin, but for the paths.

Nobody has captured the programs there, so every preview says that it is not verified.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import pytest

from promptls import harnesses
from promptls.core import prompt_json
from promptls.core.model import Prompt
from tests.path_sizes import without_path_sizes
from tests.wire.case import Case, cases
from tests.wire.in_memory import MACHINE, POSIX, WINDOWS, InMemory, can_be_on_windows

pytestmark = pytest.mark.same_everywhere

# These are about letter case, which does not count on Windows, and about back slashes.
OTHER = {
    *("pi/agents-md-is-directory", "pi/case-variants", "pi/no-context", "kimi-cli/git-file", "mistral-vibe/trust-home"),
    *("claude-code/agents-md-variants", "claude-code/case-imports-dirs", "opencode/name-variants"),
    *("copilot-cli/settle-custom-dirs-inside-root", "copilot-cli/settle-imports-code"),
    *("copilot-cli/settle-imports-forms", "copilot-cli/settle-names", "kimi-cli/chain-root-to-cwd"),
    *("kimi-code/name-case", "kimi-code/rnd-00", "kimi-code/rnd-09", "kimi-code/rnd-101", "kimi-code/rnd-11"),
    *("kimi-code/rnd-12", "kimi-code/rnd-18", "kimi-code/rnd-22", "kimi-code/rnd-27"),
    "deepagents-code/skills",
    # The limit counts the paths, too.
    *("kimi-cli/budget-drops-root", "kimi-cli/budget-leaf-first"),
}
# Names of these differ in letter case alone, so that on Windows one file has several of them.
LETTER_CASE = ("droid", "goose", "grok-build", "hermes")
CASES = [
    case
    for case in cases()
    if can_be_on_windows(case) and case.id not in OTHER and case.data["harness"] not in LETTER_CASE
]
# Sizes, and where in a line something is: a path of Windows is longer, and has more letters in a configuration.
SIZES = {"totals", "sizes", "tokens", "start", "end", "range", "characters", "size", "used", "left"}


def preview(case: Case, top: str, *, crlf: bool = False) -> Prompt:
    layout = InMemory(case, top, crlf=crlf)
    return harnesses.preview(layout.session(), layout.host())


def posix(value: Any) -> Any:
    """JSON of a prompt with paths of POSIX and without sizes."""
    if isinstance(value, dict):
        return {key: posix(each) for key, each in value.items() if key not in SIZES}
    if isinstance(value, list):
        return [posix(each) for each in value]
    return _posix_text(value) if isinstance(value, str) else value


@lru_cache(100_000)
def _posix_text(text: str) -> str:
    text = text.replace("\\", "/")
    for pattern, there in MACHINE.items():
        text = re.sub(pattern, there, text)
    text = re.sub(r"/+", "/", text.replace("C:/", "/"))
    # The size of a text of the program's own that names files.
    text = re.sub(r"(?<=⟪reminders of Copilot Chat, )\d+", "-", without_path_sizes(text))
    # The name of a long path ends with a hash of it.
    text = re.sub(r"/projects/[^/ ]+/memory", "/projects/-/memory", text)
    text = text.replace("C--", "-").replace("OS is: Windows", "OS is: Linux")
    return text.replace(": win32", ": linux").replace(": Windows_NT", ": Linux")


def same(one: Prompt, other: Prompt) -> None:
    first, second = (posix(prompt_json.to_json(each, ())) for each in (one, other))
    assert first["notes"].pop(0).startswith("Not verified on Windows: ")
    assert not first["harness"].pop("verified")
    second["harness"].pop("verified")
    assert first == second


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_session_is_that_of_its_posix_twin(case: Case) -> None:
    prompt = preview(case, WINDOWS)
    same(prompt, preview(case, POSIX))
    for message in prompt.messages:
        for segment in message.segments:
            if segment.origin.kind in ("computed", "builtin") and segment.elided is None:
                assert not re.search(r"C:/|/Users", segment.text)


@pytest.mark.parametrize("case", [case for case in CASES if case.data["tier"] == "start"], ids=lambda case: case.id)
def test_lines_may_end_as_on_windows(case: Case) -> None:
    same(preview(case, WINDOWS, crlf=True), preview(case, POSIX, crlf=True))
