import pytest

from promptls.harnesses.mini_claude_code import hint_flaw

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("hint", "flaw"),
    [
        ("free text", None),
        ('<system_hint type="tool_degraded" tool="bash">slow</system_hint>', None),
        ('<system_hint type="tool_degraded" tool="bash">slow', "unclosed"),
        ('<system_hint type="tool_degraded" tool="bash"><system_hint>', "unclosed"),
        ("slow</system_hint>", "unopened"),
        ('<system_hint type="truncated" tool="bash">x</system_hint>', "unknown-type"),
        ("<system_hint>x</system_hint>", "unknown-type"),
        ('<system_hint type="tool_degraded" tool="fly">x</system_hint>', "unknown-tool"),
        ('<system_hint type="tool_degraded">x</system_hint>', "unknown-tool"),
    ],
)
def test_what_is_wrong_with_a_hint(hint: str, flaw: str | None) -> None:
    found = hint_flaw(hint)
    assert (found[0] if found else None) == flaw
