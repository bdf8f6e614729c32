"""``promptls rules`` and ``promptls rule CODE``: what a check can report."""

from __future__ import annotations

from itertools import groupby

from promptls.checks.rules.catalogue import RULES
from promptls.checks.rules.page import page
from promptls.cli.arguments import Parser
from promptls.cli.output import show, write_json
from promptls.core.render import Line
from promptls.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from promptls.checks.rules.rule import Rule


def run(argv: list[str]) -> int:
    """List every rule by family, with its severity."""
    parser = Parser(prog="promptls rules", description="List every rule of promptls check.")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(argv)
    if options.format == "json":
        write_json({"rules": [_json(rule) for rule in RULES.values()]})
    else:
        show(_list())
    return 0


def run_one(argv: list[str]) -> int:
    """Explain one rule."""
    parser = Parser(prog="promptls rule", description="Explain a rule, with an example.")
    parser.add_argument("code", metavar="CODE", help="a rule, such as instruction-missing")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(argv)
    rule = RULES.get(options.code)
    if rule is None:
        from difflib import get_close_matches  # noqa: PLC0415 - only when something is wrong

        close = get_close_matches(options.code, RULES, n=1)
        advice = f"try “promptls rule {close[0]}”" if close else "“promptls rules” lists them"
        raise UsageError(f"There is no rule {options.code!r}; {advice}.")
    if options.format == "json":
        write_json(_json(rule))
    else:
        show(_page(rule))
    return 0


def _list() -> Iterator[Line]:
    width = max(map(len, RULES))
    for family, rules in groupby(RULES.values(), key=lambda rule: rule.family):
        yield Line(family, "title")
        for rule in rules:
            yield Line(f"  {rule.code:<{width}}  {rule.severity:<11}  {rule.summary}")


def _page(rule: Rule) -> Iterator[Line]:
    for line in page(rule).splitlines():
        bare = line.lstrip("#").strip() if line.startswith("#") else line
        is_note = bare != line or line in ("Before:", "After:")
        yield Line(bare, "title" if line.startswith("# ") else "note" if is_note else "text")


def _json(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "family": rule.family,
        "severity": rule.severity,
        "summary": rule.summary,
        "why": rule.why,
        "before": rule.before,
        "after": rule.after,
        "help": rule.help,
        "fix": rule.fix or None,
    }
