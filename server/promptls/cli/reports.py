"""The problems that a check has found, as text and in the formats of CI systems."""

from __future__ import annotations

import os
from collections import Counter
from itertools import groupby

from promptls import __version__
from promptls.checks.rules.catalogue import RULES
from promptls.cli.faulty import faults_json
from promptls.cli.output import show, write, write_json
from promptls.core.model import Range
from promptls.core.paths import from_home, is_below, relative, with_relative
from promptls.core.render import Line
from promptls.core.secrets import masked_file
from promptls.core.table_text import wrapped
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass
from promptls.core.visible import inert, visible
from promptls.workspace.machine import home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from promptls.core.host import Host
    from promptls.core.how import Open
    from promptls.core.model import Problem, Prompt, Severity
    from promptls.core.prompt_json import Json
    from promptls.core.render import Style

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "information", "hint")
# Of a longer line, only the part around the problem is shown.
WIDTH = 100
BEFORE = 30
# Characters that join others or change how they look; other zero-width characters are shown as a sign.
JOINER, JOINERS, EMOJI_STYLE = "\u200d", "\u200c\u200d", "\ufe0f"
SKINS = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
SIGN = "\ufffd"
# The severities in the terms of other tools.
SARIF_LEVEL = {"error": "error", "warning": "warning", "information": "note", "hint": "note"}
GITHUB_COMMAND = {"error": "error", "warning": "warning", "information": "notice", "hint": "notice"}
GITLAB_SEVERITY = {"error": "major", "warning": "minor", "information": "info", "hint": "info"}
# The name of what promptls failed at, where a format has a place for problems only.
FAULT_NAME = "promptls-fault"
# The shape of the JSON, for who collects that of many repositories.
SCHEMA = "urn:promptls:schema:1:check"
SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


@dataclass(frozen=True, slots=True)
class Report:
    """The problems of the folder ``root``, sorted by file and place; ``host`` has read the files.

    ``repository`` contains the folder: CI services name files relative to it.
    """

    root: str
    problems: tuple[Problem, ...]
    host: Host
    repository: str
    # Those that could not be made say which harnesses the problems are not of.
    prompts: tuple[Prompt, ...] = ()
    # Which sessions the problems are of, as JSON.
    sessions: tuple[Json, ...] = ()
    # What is used of budgets, as JSON.
    budgets: tuple[Json, ...] = ()
    # What is not known, and may have problems.
    unknown: tuple[Open, ...] = ()

    def relative(self, path: str) -> str:
        """``path`` relative to the folder; from the home directory where it is there and not in the folder."""
        own = from_home(path, home())
        return own if own != path and not is_below(path, self.root) else relative(path, self.root)

    def says(self, message: str) -> str:
        """A message with its paths relative to the folder, else from the home directory."""
        return with_relative(message, self.root, home())

    def named(self, path: str) -> str:
        """``path`` relative to the repository."""
        return relative(path, self.repository)


def write_report(form: str, report: Report) -> None:
    """Write the report in a format; as text, nothing if there are no problems."""
    if form == "text":
        show(text(report))
        return
    if form == "github":
        write("".join(f"{line}\n" for line in github(report)))
        return
    write_json({"json": as_json, "sarif": sarif, "gitlab": gitlab}[form](report))


# -- for people --------------------------------------------------------------------------------------------------


def text(report: Report) -> Iterator[Line]:
    """The problems by file, each with its line and a caret, and their number."""
    alike = _alike(report.problems)
    for path, problems in groupby((each[0] for each in alike.values()), key=lambda problem: problem.path):
        yield Line(report.relative(path), "title")
        contents = report.host.read(path)
        source = masked_file(path, decode(contents.data, keep_bom=False)) if contents.state == "file" else ""
        index = LineIndex(source)
        for problem in problems:
            place = f"{problem.range.start_line + 1}:{problem.range.start_character + 1}"
            whose = f" [{', '.join(problem.harnesses)}]" if problem.harnesses else ""
            style: Style = "problem" if problem.severity == "error" else "text"
            yield Line(f"  {place} {problem.severity} {problem.code}{whose}: {report.says(problem.message)}", style)
            yield from (Line(f"    | {line}", "source") for line in _excerpt(index, problem.range))
            for related in problem.related:
                where = f"{report.relative(related.path)}:{related.range.start_line + 1}"
                yield Line(f"    {where}: {report.says(related.message)}", "note")
            yield from (Line(line, "note") for line in _others(alike[_cause(problem)][1:], report))
        yield Line("")
    if report.problems:
        yield Line(_total(report.problems))


def _cause(problem: Problem) -> tuple[object, ...]:
    """What several files have in common of which the same is said; what is said of a place in a text is that alone."""
    is_of_file = problem.range == Range() and problem.related
    said = problem.code, problem.severity, problem.message, problem.harnesses, problem.related
    return said if is_of_file else (*said, problem.path, problem.range)


def _alike(problems: Iterable[Problem]) -> dict[tuple[object, ...], list[Problem]]:
    """The problems by their cause, in their order."""
    found: dict[tuple[object, ...], list[Problem]] = {}
    for each in problems:
        found.setdefault(_cause(each), []).append(each)
    return found


def _others(problems: Sequence[Problem], report: Report) -> Iterator[str]:
    """The other files with the same cause."""
    if problems:
        names = ", ".join(report.relative(each.path) for each in problems)
        yield from wrapped(f"    The same is so of {names}.", ", ", WIDTH)


def _total(problems: tuple[Problem, ...]) -> str:
    counts = Counter(problem.severity for problem in problems)
    files = len({problem.path for problem in problems})
    plural = {"error": "errors", "warning": "warnings", "information": "information", "hint": "hints"}
    parts = [f"{counts[each]} {each if counts[each] == 1 else plural[each]}" for each in SEVERITIES if counts[each]]
    return f"{', '.join(parts)} in {files} file{'s' if files > 1 else ''}"


def _excerpt(index: LineIndex, where: Range) -> Iterator[str]:
    """The line where a range starts, and a caret below it; nothing for an empty line."""
    start, end = index.offset(where.start_line, 0), index.offset(where.start_line, 1 << 30)
    first = index.offset(where.start_line, where.start_character)
    last = index.offset(where.end_line, where.end_character) if where.end_line == where.start_line else end
    # Of a long line, use only the part that is shown: it may have ten thousand problems.
    crop = max(first - BEFORE, start) if end - start > WIDTH else start
    shown = _with_signs(index.text[crop : min(crop + WIDTH, end)])
    if not shown.strip():
        return
    first, last = first - crop, last - crop
    ahead, marked = shown[:first], shown[first : max(last, first + 1)]
    yield f"{'…' if crop > start else ''}{shown}{'…' if crop + WIDTH < end else ''}"
    yield f"{' ' if crop > start else ''}{_blank(ahead)}{'^' * max(len(_blank(marked).expandtabs(1)), 1)}"


def _blank(piece: str) -> str:
    """White space as wide as ``piece`` on a terminal."""
    if piece.isascii():
        return "".join("\t" if letter == "\t" else " " for letter in piece)
    from unicodedata import category, east_asian_width  # noqa: PLC0415 - most lines are ASCII

    blanks, before = [], ""
    for letter in piece:
        if letter == "\t":
            blanks.append(letter)
        elif letter == EMOJI_STYLE:  # shown wide, whatever stood there
            blanks.append(" " if before and east_asian_width(before) not in "WF" else "")
        elif before != JOINER and category(letter) not in ("Mn", "Me", "Cf") and letter not in SKINS:
            blanks.append("  " if east_asian_width(letter) in "WF" else " ")
        before = letter
    return "".join(blanks)


def _with_signs(line: str) -> str:
    """``line`` with a sign for each letter that is invisible or reverses the terminal's text."""
    if line.isascii():
        return line
    from unicodedata import category  # noqa: PLC0415 - most lines are ASCII

    return "".join(SIGN if category(letter) == "Cf" and letter not in JOINERS else letter for letter in line)


# -- for programs ------------------------------------------------------------------------------------------------


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
