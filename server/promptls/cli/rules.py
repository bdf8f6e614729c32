"""``promptls rules`` and ``promptls rule CODE``: what a check can report."""

from __future__ import annotations

from itertools import groupby

from promptls.checks.rules import RULES
from promptls.cli.arguments import Parser
from promptls.cli.output import show, write
from promptls.core.render import Line
from promptls.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from promptls.checks.rules import Rule


def run(argv: list[str]) -> int:
    """List every rule by family, with its severity."""
    parser = Parser(prog="promptls rules", description="Every rule that promptls check knows.")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(argv)
    if options.format == "json":
        import json  # noqa: PLC0415 - people do not need it

        write(json.dumps({"rules": [_json(rule) for rule in RULES.values()]}, indent=2) + "\n")
    else:
        show(_list())
    return 0


def run_one(argv: list[str]) -> int:
    """Say everything about one rule."""
    parser = Parser(prog="promptls rule", description="What a rule means, with an example.")
    parser.add_argument("code", metavar="CODE", help="a rule, such as instruction-missing")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(argv)
    rule = RULES.get(options.code)
    if rule is None:
        from difflib import get_close_matches  # noqa: PLC0415 - only where something is wrong

        close = get_close_matches(options.code, RULES, n=1)
        advice = f"“promptls rule {close[0]}” is near" if close else "“promptls rules” lists them"
        raise UsageError(f"There is no rule {options.code!r}; {advice}.")
    if options.format == "json":
        import json  # noqa: PLC0415 - people do not need it

        write(json.dumps(_json(rule), indent=2) + "\n")
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
    for line in rule.page.splitlines():
        is_title = line.startswith("# ")
        yield Line(
            line.removeprefix("# "), "title" if is_title else "note" if line in ("Before:", "After:") else "text"
        )


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
