"""The problems that a check has found, as JSON and in the formats of CI services."""

from __future__ import annotations

import os
from collections import Counter

from promptls import __version__
from promptls.checks.rules.catalogue import RULES
from promptls.cli.faulty import faults_json
from promptls.cli.output import write, write_json
from promptls.cli.reports import SEVERITIES
from promptls.core.visible import inert, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from promptls.cli.reports import Report
    from promptls.core.model import Problem, Range

# The severities in the terms of other tools.
SARIF_LEVEL = {"error": "error", "warning": "warning", "information": "note", "hint": "note"}
GITHUB_COMMAND = {"error": "error", "warning": "warning", "information": "notice", "hint": "notice"}
GITLAB_SEVERITY = {"error": "major", "warning": "minor", "information": "info", "hint": "info"}
# The name of what promptls failed at, where a format has a place for problems only.
FAULT_NAME = "promptls-fault"
# The shape of the JSON, for who collects that of many repositories.
SCHEMA = "urn:promptls:schema:1:check"
SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def write_report(form: str, report: Report) -> None:
    """Write the report in a format for programs."""
    if form == "github":
        write("".join(f"{line}\n" for line in github(report)))
    else:
        write_json({"json": as_json, "sarif": sarif, "gitlab": gitlab}[form](report))


def as_json(report: Report) -> dict[str, Any]:
    """The JSON of ``check``: lines and characters from 0, in UTF-16; paths relative to the folder."""
    counts = Counter(problem.severity for problem in report.problems)
    return {
        "schema": SCHEMA,
        "root": report.root,
        "sessions": list(report.sessions),
        "problems": [
            {
                "path": report.relative(problem.path),
                "range": {
                    "start": {"line": problem.range.start_line, "character": problem.range.start_character},
                    "end": {"line": problem.range.end_line, "character": problem.range.end_character},
                },
                "code": problem.code,
                "severity": problem.severity,
                "message": problem.message,
                "harnesses": list(problem.harnesses),
                "start": problem.start and report.relative(problem.start),
                "fix": bool(problem.fixes),
            }
            for problem in report.problems
        ],
        "summary": {severity: counts[severity] for severity in SEVERITIES},
        "budgets": list(report.budgets),
        "how": [each.as_json() for each in report.unknown],
        "faults": faults_json(report.prompts),
    }


def sarif(report: Report) -> dict[str, Any]:
    """SARIF 2.1.0, with columns in UTF-16 units."""
    codes = sorted({problem.code for problem in report.problems})
    return {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "promptls",
                        "semanticVersion": __version__,
                        "rules": [_sarif_rule(code) for code in codes],
                    }
                },
                "invocations": [_sarif_invocation(report)],
                "columnKind": "utf16CodeUnits",
                "results": [_sarif_result(report, problem, codes.index(problem.code)) for problem in report.problems],
            }
        ],
    }


def _faults(report: Report) -> list[str]:
    """Why harnesses could not be shown, each sentence once."""
    return list(dict.fromkeys(str(each["why"]) for each in faults_json(report.prompts)))


def _sarif_invocation(report: Report) -> dict[str, Any]:
    said = [{"level": "error", "message": {"text": sentence}} for sentence in _faults(report)]
    return {"executionSuccessful": not said, **({"toolExecutionNotifications": said} if said else {})}


def _sarif_rule(code: str) -> dict[str, Any]:
    rule = RULES[code]
    is_on = rule.severity != "off"
    return {
        "id": code,
        "shortDescription": {"text": f"{rule.summary}."},
        "fullDescription": {"text": rule.why},
        "help": {"text": rule.help},
        "defaultConfiguration": {"enabled": is_on, "level": SARIF_LEVEL[rule.severity] if is_on else "warning"},
        "properties": {"tags": [rule.family]},
    }


def _sarif_result(report: Report, problem: Problem, rule: int) -> dict[str, Any]:
    related = [
        {**_sarif_location(report, each.path, each.range), "message": {"text": each.message}}
        for each in problem.related
    ]
    return {
        "ruleId": problem.code,
        "ruleIndex": rule,
        "level": SARIF_LEVEL[problem.severity],
        "message": {"text": problem.message},
        "locations": [_sarif_location(report, problem.path, problem.range)],
        **({"relatedLocations": related} if related else {}),
        "partialFingerprints": {"promptls/v1": _fingerprint(report, problem)},
        "properties": {"harnesses": list(problem.harnesses)},
    }


def _sarif_location(report: Report, path: str, where: Range) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(report.named(path))},
            "region": {
                "startLine": where.start_line + 1,
                "startColumn": where.start_character + 1,
                "endLine": where.end_line + 1,
                "endColumn": where.end_character + 1,
            },
        }
    }


def _uri(path: str) -> str:
    from urllib.parse import quote  # noqa: PLC0415 - for SARIF only

    return quote(os.fsencode(path))


def _fingerprint(report: Report, problem: Problem) -> str:
    """The same for the same fault as lines move, in every checkout: without its place and the repository's."""
    from hashlib import sha256  # noqa: PLC0415 - people do not need it

    message = problem.message.replace(report.repository.rstrip("/") + "/", "")
    identity = "\0".join((report.named(problem.path), problem.code, message))
    return sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def github(report: Report) -> Iterator[str]:
    """Workflow commands, which GitHub shows as annotations in the changed files; a fault has no file."""
    for sentence in _faults(report):
        yield f"::warning title=promptls::{_escaped(sentence)}"
    for problem in report.problems:
        where = problem.range
        keys = {
            "file": report.named(problem.path),
            "line": str(where.start_line + 1),
            "endLine": str(where.end_line + 1),
            # Columns are only allowed within one line.
            **(
                {"col": str(where.start_character + 1), "endColumn": str(where.end_character + 1)}
                if where.start_line == where.end_line
                else {}
            ),
            "title": f"promptls {problem.code}",
        }
        said = ",".join(f"{key}={_escaped(value, keys=True)}" for key, value in keys.items())
        yield f"::{GITHUB_COMMAND[problem.severity]} {said}::{_escaped(problem.message)}"


def _escaped(value: str, *, keys: bool = False) -> str:
    for letter, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"), *([(":", "%3A"), (",", "%2C")] if keys else [])):
        value = value.replace(letter, code)
    return inert(visible(value))


def gitlab(report: Report) -> list[dict[str, Any]]:
    """GitLab's code quality report; fingerprints are unique in it, as it demands.

    It has no place for what went wrong, so a fault is an issue of the whole repository.
    """
    seen: Counter[str] = Counter()
    issues: list[dict[str, Any]] = [_gitlab_fault(sentence) for sentence in _faults(report)]
    for problem in report.problems:
        fingerprint = _fingerprint(report, problem)
        seen[fingerprint] += 1
        again = f"-{seen[fingerprint]}" if seen[fingerprint] > 1 else ""
        issues.append(
            {
                "description": problem.message,
                "check_name": problem.code,
                "fingerprint": fingerprint + again,
                "severity": GITLAB_SEVERITY[problem.severity],
                "location": {
                    "path": report.named(problem.path),
                    "lines": {"begin": problem.range.start_line + 1, "end": problem.range.end_line + 1},
                },
            }
        )
    return issues


def _gitlab_fault(sentence: str) -> dict[str, Any]:
    from hashlib import sha256  # noqa: PLC0415 - only when something is wrong

    return {
        "description": sentence,
        "check_name": FAULT_NAME,
        "fingerprint": sha256(f"{FAULT_NAME}\0{sentence}".encode()).hexdigest()[:32],
        "severity": GITLAB_SEVERITY["error"],
        "location": {"path": ".", "lines": {"begin": 1}},
    }
