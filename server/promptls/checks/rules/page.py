"""The page of a rule, in Markdown: what, why, an example, how to fix it and how to configure it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.checks.rules.rule import Rule

# What is said about the fixes of a rule.
FIXES = {
    "safe": "`promptls check --fix` fixes it where the intent is unambiguous.",
    "offered": "Editors offer a fix. `promptls check --fix` does not apply it, because you have to choose.",
}


def page(rule: Rule) -> str:
    """The page of a rule."""
    fix = ["", FIXES[rule.fix]] if rule.fix else []
    lines = [
        *(f"# {rule.code}", "", f"{rule.summary}.", ""),
        *(f"Family: {rule.family}. Severity: {rule.severity}.", ""),
        *("## Why", "", rule.why, ""),
        *("## Example", "", "Before:", "", *_indented(rule.before), "", "After:", "", *_indented(rule.after), ""),
        *("## How to fix", "", rule.help, *fix, ""),
        *(("## Source", "", f"<{rule.source}>", "") if rule.source else ()),
        *("## How to configure", "", *_configuration(rule)),
    ]
    return "\n".join([*lines, ""])


def _configuration(rule: Rule) -> list[str]:
    is_off = rule.severity == "off"
    lines = [
        "Set its severity in `promptls.toml`: `error`, `warning`, `information`, `hint` or `off`.",
        "",
        *_indented(f'[rules]\n{rule.code} = "{"error" if is_off else "off"}"'),
    ]
    if rule.settings and rule.code not in rule.settings:
        lines += ["", "It also depends on this setting:", "", *_indented(rule.settings)]
    if rule.code != "suppression-unused":
        where = "for the paragraph, list or code block that follows"
        lines += ["", f"Where it is reported in a Markdown file, a comment suppresses it {where}:"]
        lines += ["", *_indented(f"<!-- promptls: ignore {rule.code} the reason -->")]
    return lines


def _indented(text: str) -> list[str]:
    return [f"    {line}" for line in text.split("\n")]
