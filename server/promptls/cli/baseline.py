"""``check --baseline``: the known problems of a repository, so that it can begin with those that are new.

A problem is known by its file, its code and the text of its line, not by the number of the line: a text that has
moved is still known. One of a whole file, or of its place, is known by file and code alone.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter

from promptls.checks.rules import find_rule
from promptls.cli.output import complain
from promptls.core import files
from promptls.core.paths import join, relative
from promptls.core.text import LineIndex, decode
from promptls.errors import UsageError
from promptls.system.write_file import write_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Problem

    # File relative to the repository, code, and a fingerprint of the line, "" if that does not matter.
    Key = tuple[str, str, str]

FORMAT = 1
# Bytes of a baseline, and letters of a fingerprint.
MOST, LETTERS = 64 * 1024 * 1024, 16


def without_known(
    path: str, found: Sequence[Problem], host: Host, top: str, holds: Callable[[str], bool]
) -> list[Problem]:
    """The problems that the baseline at ``path`` does not list; says on standard error how many are known or gone.

    ``top`` is the repository, with which its paths begin. ``holds``: whether a file was checked; entries of others are
    not stale.

    Raises:
        UsageError: it cannot be read, or is no baseline.
    """
    left = _read(path)
    new: list[Problem] = []
    for problem, key in zip(found, _keys(found, host, top), strict=True):
        if left[key] > 0:
            left[key] -= 1
        else:
            new.append(problem)
    complain(f"promptls: {_number(len(found) - len(new), 'known problem')} left out, {len(new):,} new.")
    gone = sum(number for (file, _, _), number in left.items() if holds(join(top, file)))
    if gone:
        stale = f"{_number(gone, 'entry', 'entries')} of {path}"
        verb = "is" if gone == 1 else "are"
        complain(f"promptls: {stale} {verb} stale, as the problems are gone; update it with --write-baseline.")
    return new


def write(path: str, found: Sequence[Problem], host: Host, top: str, holds: Callable[[str], bool]) -> None:
    """Make the baseline at ``path`` list the problems, and say so; it keeps its entries of files that were not checked.

    Raises:
        UsageError: it cannot be read or written, or is something else than a baseline.
    """
    is_new = files.read(path).state == "missing"
    kept = Counter() if is_new else _read(path)
    known = Counter({key: number for key, number in kept.items() if not holds(join(top, key[0]))})
    known.update(_keys(found, host, top))
    entries = [
        {"path": file, "code": code, **({"line": line} if line else {}), **({"count": number} if number > 1 else {})}
        for (file, code, line), number in sorted(known.items())
        if number
    ]
    text = json.dumps({"version": FORMAT, "problems": entries}, indent=2, ensure_ascii=False)
    try:
        write_file(files.realpath(path), f"{text}\n".encode(), is_new=is_new)
    except OSError as error:
        raise UsageError(f"{path} cannot be written ({error.strerror}); choose another file.") from None
    complain(f"promptls: {path} now lists {_number(len(found), 'problem')}.")


def _number(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def _keys(found: Sequence[Problem], host: Host, top: str) -> list[Key]:
    indexes: dict[str, LineIndex] = {}
    return [_key(each, host, top, indexes) for each in found]


def _key(problem: Problem, host: Host, top: str, indexes: dict[str, LineIndex]) -> Key:
    file, rule = relative(problem.path, top), find_rule(problem.code)
    if rule is not None and (rule.of_file or rule.of_place):
        return file, problem.code, ""
    index = indexes.get(problem.path)
    if index is None:
        index = indexes[problem.path] = LineIndex(decode(host.read(problem.path).data, keep_bom=False))
    line = problem.range.start_line
    text = index.text[index.offset(line, 0) : index.offset(line + 1, 0)].strip()
    return file, problem.code, hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:LETTERS]


def _read(path: str) -> Counter[Key]:
    contents = files.read(path, MOST)
    if contents.state == "missing":
        raise UsageError(f"There is no baseline {path}; write one with --write-baseline.")
    try:
        given = json.loads(contents.data.decode("utf-8"))
        if given["version"] != FORMAT:
            raise UsageError(f"The baseline {path} is of another version of promptls; write it again.")
        return Counter(
            {
                (str(each["path"]), str(each["code"]), str(each.get("line", ""))): int(each.get("count", 1))
                for each in given["problems"]
            }
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UsageError(f"{path} is not a baseline; write one with --write-baseline to another file.") from None
