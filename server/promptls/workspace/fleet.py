"""What the CI jobs of many repositories wrote, ``map --json`` and ``check --json``, put together.

The results are kept in a database on the disk, so that memory does not grow with them. Nothing in a result is trusted:
one that cannot be read is named with the reason, and the others count.
"""

from __future__ import annotations

import json
import os
import sqlite3

from promptls.core import files
from promptls.core.values import dataclass
from promptls.errors import PromptlsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

# Bytes of one result, letters of one name in it, and the largest number that is one of tokens.
LARGEST, LONGEST, MOST = 8 * 1024 * 1024, 200, 1 << 40
# Sections of one repository, and programs and budgets of one, that count.
MOST_RULES, MOST_OF_ONE = 5000, 200
# What is looked at when it is written by a version of promptls that says so.
SCHEMA = "urn:promptls:schema:1:"
KINDS = ("map", "check")
CUT = frozenset(("cut", "dropped", "listing-cut"))
TABLES = """
pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -8000; pragma temp_store = file;
create table repository (id integer primary key, name text unique, has_map int default 0, has_check int default 0,
    tokens int default 0, over_limits int default 0, cut int default 0, errors int default 0, warnings int default 0,
    over int default 0, programs text default '[]', budgets text default '[]');
create table program (harness text, repository int, tokens int);
create table rule (digest text, repository int, path text, title text, tokens int);
create table unread (path text, why text);
"""


class ResultError(PromptlsError):
    """Why a file is not one; a clause."""


@dataclass(frozen=True, slots=True)
class Repository:
    """What is known of one; None where the result that says it is missing.

    ``programs``: each with the tokens of the user's own text at a start, and whether there are more.
    """

    name: str
    programs: list[dict[str, Any]] | None
    cut: int | None
    errors: int | None
    warnings: int | None
    budgets: list[dict[str, Any]]

    @property
    def tokens(self) -> int | None:
        """Those of the program that gets most."""
        return max((each["tokens"] for each in self.programs), default=0) if self.programs is not None else None

    @property
    def over(self) -> int:
        """How many budgets are exceeded."""
        return sum(each["over"] for each in self.budgets)

    @property
    def missing(self) -> int:
        """How many budgets are for a directory that does not exist, so that they limit nothing."""
        return sum(each["missing"] for each in self.budgets)


@dataclass(frozen=True, slots=True)
class Copied:
    """Sections that stand in several repositories, where they stand in one of them, and what they cost there.

    ``sections``: how many of one file do; ``title`` is that of the only one.
    """

    repositories: int
    sections: int
    tokens: int
    repository: str
    path: str
    title: str

    @property
    def says(self) -> str:
        """The file, and what of it."""
        if self.sections > 1:
            return f"{self.path} ({self.sections} sections)"
        return f"{self.path} “{self.title}”" if self.title else self.path


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over all repositories; ``programs``: each with its number of repositories and their tokens."""

    repositories: int
    cut: int
    broken: int
    over: int
    unread: int
    programs: tuple[tuple[str, int, int], ...]

    @property
    def says(self) -> str:
        """What is wrong in how many."""
        return f"{self.broken:,} with errors, {self.cut:,} where something is cut, {self.over:,} over a budget"


class Fleet:
    """The results that were read so far."""

    def __init__(self) -> None:
        """An empty database, which is gone with the process."""
        self._database = sqlite3.connect("")
        self._database.executescript(TABLES)

    def add(self, path: str, name: str) -> None:
        """Read the result at ``path``, which is of the repository ``name``."""
        try:
            found, kind = _parsed(path)
            name = _text(name)
            number = self._begin(name, kind)
            (self._add_map if kind == "map" else self._add_check)(number, found)
        except ResultError as error:
            self._database.execute("insert into unread values (?, ?)", (path, str(error)))

    def _begin(self, name: str, kind: str) -> int:
        """The number of the repository, which has no result of this kind yet."""
        row = self._database.execute("select has_map, has_check, id from repository where name = ?", (name,)).fetchone()
        if row is None:
            return self._database.execute("insert into repository (name) values (?)", (name,)).lastrowid or 0
        if row[KINDS.index(kind)]:
            raise ResultError(f"there is another {kind} of {name}")
        return int(row[2])

    def _add_map(self, number: int, found: dict[str, Any]) -> None:
        programs = _programs(found)
        most = max((each["tokens"] for each in programs), default=0)
        values = {"has_map": 1, "tokens": most, "over_limits": _over_limits(found), "programs": json.dumps(programs)}
        self._update(number, **values, **_of_budgets(found))
        self._database.executemany(
            "insert into program values (?, ?, ?)", [(each["harness"], number, each["tokens"]) for each in programs]
        )
        self._database.executemany("insert into rule values (?, ?, ?, ?, ?)", _rules(number, found))

    def _add_check(self, number: int, found: dict[str, Any]) -> None:
        summary = found["summary"]
        cut = sum(_text(each.get("code")) in CUT for each in _dicts(found["problems"]))
        errors, warnings = _number(summary.get("error")), _number(summary.get("warning"))
        self._update(number, has_check=1, cut=cut, errors=errors, warnings=warnings, **_of_budgets(found))

    def _update(self, number: int, **values: int | str) -> None:
        keys = ", ".join(f"{key} = ?" for key in values)
        self._database.execute(f"update repository set {keys} where id = ?", (*values.values(), number))  # noqa: S608 - words of ours

    def repositories(self, most: int = -1) -> Iterator[Repository]:
        """The repositories, that with most errors first, then by what is cut, by budgets and by tokens."""
        rows = self._database.execute(
            "select name, has_map, has_check, over_limits, cut, errors, warnings, programs, budgets from repository "
            "order by errors desc, max(cut, over_limits) desc, over desc, tokens desc, name limit ?",
            (most,),
        )
        for name, has_map, has_check, over_limits, cut, errors, warnings, programs, budgets in rows:
            yield Repository(
                name,
                json.loads(programs) if has_map else None,
                cut if has_check else over_limits,
                errors if has_check else None,
                warnings if has_check else None,
                json.loads(budgets),
            )

    def copied(self, most: int) -> list[Copied]:
        """What stands in more than one repository, by the file of the first one; that in most of them first."""
        rows = self._database.execute(
            "select number, count(*), sum(tokens) as cost, repository, path, min(title) from "
            "(select number, most as tokens, name as repository, path, title from "
            "(select count(*) as number, max(tokens) as most, min(rowid) as first from rule group by digest "
            "having number > 1) join rule on rule.rowid = first join repository on id = repository) "
            "group by number, repository, path order by number desc, cost desc, repository, path limit ?",
            (most,),
        )
        return [Copied(*row) for row in rows]

    def unread(self, most: int = -1) -> list[tuple[str, str]]:
        """The results that could not be read, with the reason."""
        return self._database.execute("select path, why from unread order by path limit ?", (most,)).fetchall()

    def totals(self) -> Totals:
        """Sums over all repositories."""
        number, cut, broken, over = self._database.execute(
            "select count(*), sum(case when has_check then cut else over_limits end > 0), sum(errors > 0), "
            "sum(over > 0) from repository"
        ).fetchone()
        unread = self._database.execute("select count(*) from unread").fetchone()[0]
        programs = self._database.execute(
            "select harness, count(distinct repository), sum(tokens) from program group by harness order by 2 desc, 1"
        )
        return Totals(number, cut or 0, broken or 0, over or 0, unread, tuple(programs))


def results(named: Iterable[str], resolve: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """Each file that is named, or is in a directory that is named, with the name of its repository.

    ``resolve`` makes a path absolute. ``map.json`` and ``check.json`` are of the repository that their directory is
    called by, ``api.map.json`` and ``api.check.json`` of ``api``.
    """
    for each in named:
        place = resolve(each)
        if not os.path.isdir(place):
            yield place, _name(each)
            continue
        for directory, below, inside in os.walk(place):
            below.sort()
            for file in sorted(inside):
                if file.endswith(".json"):
                    path = os.path.join(directory, file)
                    yield path, _name(os.path.relpath(path, place))


def _name(path: str) -> str:
    directory, file = os.path.split(path)
    stem = file.removesuffix(".json")
    if stem in KINDS:
        return directory or "."
    for kind in KINDS:
        for mark in ".-_":
            stem = stem.removesuffix(f"{mark}{kind}")
    return os.path.join(directory, stem)


def _parsed(path: str) -> tuple[dict[str, Any], str]:
    contents = files.read(path, LARGEST)
    if contents.state != "file":
        raise ResultError(
            {"missing": "there is no such file", "directory": "it is a directory"}.get(
                contents.state, "it cannot be read"
            )
        )
    if contents.is_cut or len(contents.data) > LARGEST:
        raise ResultError(f"it has more than {LARGEST // 1024 // 1024} MB")
    try:
        found = json.loads(contents.data)
    except (ValueError, RecursionError):
        raise ResultError("it is not valid JSON") from None
    if not isinstance(found, dict):
        raise ResultError("it is no result of “promptls map” or “promptls check”")
    said = found.get("schema")
    if said is not None and (not isinstance(said, str) or not said.startswith(SCHEMA)):
        raise ResultError("another version of promptls wrote it, in a form that is not known")
    if isinstance(found.get("directories"), list) and isinstance(found.get("harnesses"), list):
        return found, "map"
    if isinstance(found.get("problems"), list) and isinstance(found.get("summary"), dict):
        return found, "check"
    raise ResultError("it is no result of “promptls map” or “promptls check”")


def _programs(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The programs with the tokens of a start at the top."""
    first = next(_dicts(found["directories"]), {})
    programs = []
    for harness, place in zip(found["harnesses"][:MOST_OF_ONE], _dicts(first.get("places")), strict=False):
        parts = list(_dicts(place.get("at_start")))
        tokens = min(sum(_number(each.get("tokens")) for each in parts), MOST)
        programs.append(
            {
                "harness": _text(harness),
                "tokens": tokens,
                "at_least": any(each.get("at_least") is True for each in parts),
            }
        )
    return programs


def _over_limits(found: dict[str, Any]) -> int:
    """How many limits are exceeded, each where it is worst."""
    over = set()
    for directory in _dicts(found["directories"]):
        for number, place in enumerate(_dicts(directory.get("places"))):
            for limit in _dicts(place.get("limits")):
                if _number(limit.get("used")) > _number(limit.get("most")):
                    over.add((number, _text(limit.get("name"))))
    return len(over)


def _of_budgets(found: dict[str, Any]) -> dict[str, int | str]:
    """The columns of the budgets, if a result has any: the other one may have them."""
    budgets = list(_budgets(found))
    return {"budgets": json.dumps(budgets), "over": sum(each["over"] for each in budgets)} if budgets else {}


def _budgets(found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for each in list(_dicts(found.get("budgets")))[:MOST_OF_ONE]:
        harness, tokens, owners = each.get("harness"), each.get("tokens"), each.get("owners")
        owners = owners if isinstance(owners, list) else []
        yield {
            "path": _text(each.get("path")),
            "of": _text(each.get("of")),
            "harness": _text(harness) if harness is not None else None,
            "budget": _number(each.get("budget")),
            "tokens": _number(tokens) if tokens is not None else None,
            "over": each.get("over") is True,
            "missing": each.get("missing") is True,
            "owners": [_text(owner) for owner in owners[:MOST_OF_ONE] if isinstance(owner, str)],
        }


def _rules(number: int, found: dict[str, Any]) -> Iterable[tuple[str, int, str, str, int]]:
    """Those of the repository with this number, each once."""
    rows: dict[str, tuple[str, int, str, str, int]] = {}
    for each in list(_dicts(found.get("rules")))[:MOST_RULES]:
        digest = _text(each.get("digest"))
        if digest and digest not in rows:
            path, title = _text(each.get("path")), _text(each.get("title"))
            rows[digest] = digest, number, path, title, _number(each.get("tokens"))
    return rows.values()


def _dicts(value: object) -> Iterator[dict[str, Any]]:
    return (each for each in value if isinstance(each, dict)) if isinstance(value, list) else iter(())


def _number(value: object) -> int:
    """A number of tokens or problems; 0 for what is none."""
    return min(max(value, 0), MOST) if isinstance(value, int) and not isinstance(value, bool) else 0


def _text(value: object) -> str:
    """A name, no longer than a line; lone surrogates, which no database takes, are replaced."""
    text = value if isinstance(value, str) else ""
    if len(text) <= LONGEST and text.isascii():
        return text
    text = text.encode("utf-8", "replace").decode()
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
