"""``promptls rules`` and ``promptls rule CODE``: what a check can report."""

from __future__ import annotations

from promptls.checks.rules import SEVERITY
from promptls.cli.arguments import Parser
from promptls.cli.output import show, write
from promptls.core.render import Line
from promptls.errors import UsageError


def run(argv: list[str]) -> int:
    """List every code with its severity."""
    parser = Parser(prog="promptls rules", description="Every rule that promptls check knows.")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(argv)
    if options.format == "json":
        import json  # noqa: PLC0415 - people do not need it

        known = [{"code": code, "severity": severity} for code, severity in SEVERITY.items()]
        write(json.dumps({"rules": known}, indent=2) + "\n")
        return 0
    width = max(map(len, SEVERITY))
    show(Line(f"{code:<{width}}  {severity}") for code, severity in SEVERITY.items())
    return 0


def run_one(argv: list[str]) -> int:
    """Say everything about one code."""
    parser = Parser(prog="promptls rule", description="What a rule means.")
    parser.add_argument("code", metavar="CODE", help="a rule, such as instruction-missing")
    code = parser.parse_args(argv).code
    if code not in SEVERITY:
        from difflib import get_close_matches  # noqa: PLC0415 - only where something is wrong

        close = get_close_matches(code, SEVERITY, n=1)
        advice = f"did you mean {close[0]}?" if close else "run “promptls rules” to see them."
        raise UsageError(f"There is no rule {code!r}; {advice}")
    show([Line(f"{code}  {SEVERITY[code]}", "title")])
    return 0
