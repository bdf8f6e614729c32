"""What stands on a command line: its options, and the paths that it names.

A plain command line, as nearly all are, is read here; argparse reads the others, writes the help and says what is
wrong. To import argparse and to make its parser would take a tenth of a preview.
"""

from __future__ import annotations

import os

from promptls.core.files import ONLY_BELOW, expand_home, from_system, realpath
from promptls.core.paths import is_below, join, name, parent, resolve
from promptls.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    # The names of an option or of an argument, and what else argparse takes.
    Argument = tuple[tuple[str, ...], dict[str, Any]]


# What an option without a value is where it is not given, by its action.
DEFAULTS = {"store_true": False, "store_false": True}
# What --allow does.
ALLOW = "fetch URLs of this host, address or network even if it is link-local or cloud metadata; repeatable"


class Options:
    """What was asked for: an attribute for each option and each argument."""

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...  # noqa: D105 - for type checkers
        def __setattr__(self, name: str, value: Any) -> None: ...  # noqa: D105 - the same


class Group:
    """Options that stand together in the help, or of which one may be given."""

    def __init__(self, title: str | None = None, *, is_exclusive: bool = False) -> None:
        self.title = title
        self.is_exclusive = is_exclusive
        self.parts: list[Argument | Group] = []

    def add_argument(self, *names: str, **how: Any) -> None:
        """As argparse has it."""
        self.parts.append((names, how))

    def add_argument_group(self, title: str) -> Group:
        """As argparse has it."""
        return self._add(Group(title))

    def add_mutually_exclusive_group(self) -> Group:
        """As argparse has it."""
        return self._add(Group(is_exclusive=True))

    def each(self, exclusive: Group | None = None) -> Iterator[tuple[Argument, Group | None]]:
        """Every option and argument, with the group of which only one may be given."""
        exclusive = self if self.is_exclusive else exclusive
        for part in self.parts:
            if isinstance(part, Group):
                yield from part.each(exclusive)
            else:
                yield part, exclusive

    def tell(self, to: Any) -> None:
        """Make the same options and arguments in a parser or group of argparse."""
        for part in self.parts:
            if isinstance(part, tuple):
                to.add_argument(*part[0], **part[1])
            elif part.is_exclusive:
                part.tell(to.add_mutually_exclusive_group())
            else:
                part.tell(to.add_argument_group(part.title))

    def _add(self, group: Group) -> Group:
        self.parts.append(group)
        return group


class Parser(Group):
    """The options of a command. argparse hears of them only where it is needed."""

    def __init__(self, prog: str, description: str) -> None:
        super().__init__()
        self.prog = prog
        self.description = description
        self.epilog: str | None = None

    def parse_args(self, words: Sequence[str]) -> Options:
        """What ``words`` ask for.

        Raises:
            UsageError: they are not understood.
            SystemExit: they asked for the help, and it is written.
        """
        found = self.plainly(words)
        return self.full().parse_args(words, Options()) if found is None else found

    def full(self) -> ArgumentParser:
        """The same as a parser of argparse."""
        from promptls.cli.full_parser import FullParser  # noqa: PLC0415 - not for a plain command line

        parser = FullParser(self.prog, self.description, self.epilog)
        self.tell(parser)
        return parser

    def plainly(self, words: Sequence[str]) -> Options | None:
        """What ``words`` ask for; None: only argparse can tell.

        They are plain if options are in full, each value is a word of its own, and arguments are next to each other.
        """
        values: dict[str, Any] = {}
        options: dict[str, tuple[str, dict[str, Any], Group | None]] = {}
        arguments: list[tuple[str, dict[str, Any]]] = []
        for (names, how), exclusive in self.each():
            attribute = how.get("dest") or names[-1].lstrip("-").replace("-", "_")
            values.setdefault(attribute, how.get("default", DEFAULTS.get(how.get("action", ""))))
            if names[0].startswith("-"):
                options |= dict.fromkeys(names, (attribute, how, exclusive))
            else:
                arguments.append((attribute, how))
        loose = _take_options(words, options, values)
        if loose is None or not _take_arguments(loose, arguments, values):
            return None
        return Options(**values)


def _take_options(
    words: Sequence[str], options: Mapping[str, tuple[str, dict[str, Any], Group | None]], values: dict[str, Any]
) -> list[str] | None:
    """Put what options say into ``values``; what is left are the arguments. None: the words are not plain."""
    loose: list[str] = []
    chosen: list[Group] = []
    after_loose, left = False, iter(words)
    for word in left:
        if not word.startswith("-"):
            if after_loose:
                return None
            loose.append(word)
            continue
        after_loose = bool(loose)
        if word not in options:
            return None
        attribute, how, exclusive = options[word]
        action = how.get("action", "store")
        if exclusive is not None:
            if exclusive in chosen:
                return None
            chosen.append(exclusive)
        if action in DEFAULTS:
            values[attribute] = action == "store_true"
            continue
        value = next(left, "-")
        if value.startswith("-") or not _takes(how, value) or "nargs" in how or action not in ("store", "append"):
            return None
        values[attribute] = [*values[attribute], value] if action == "append" else value
    return loose


def _take_arguments(loose: list[str], arguments: Iterable[tuple[str, dict[str, Any]]], values: dict[str, Any]) -> bool:
    """Put arguments into ``values``: whether they are as many as are wanted, and of the right kind."""
    for attribute, how in arguments:
        count = how.get("nargs")
        if not all(_takes(how, each) for each in loose) or (not loose and count not in ("?", "*")):
            return False
        if count in ("*", "+"):
            values[attribute], loose = loose or values[attribute] or [], []
        elif loose:
            values[attribute], loose = loose[0], loose[1:]
    return not loose


def _takes(how: Mapping[str, Any], value: str) -> bool:
    return "type" not in how and ("choices" not in how or value in how["choices"])


def takes_habits(parser: Parser) -> None:
    """Let the user of an answer of their own ask for what anybody else would see."""
    parser.add_argument(
        "--no-habits",
        dest="with_habits",
        action="store_false",
        help="ignore which coding agents you use; answer only for those that the folder has files for",
    )


def takes_mine(parser: Parser) -> None:
    """Let the user of an answer for a team ask for their own."""
    parser.add_argument(
        "--mine",
        dest="with_habits",
        action="store_true",
        help="also answer for the coding agents that you use; without it, every machine gets the same answer",
    )


def absolute(path: str, base: str | None = None) -> str:
    """``path`` as an absolute path without ``.`` and ``..``; its links stay. Each path that is opened comes from here.

    Raises:
        UsageError: it, or what its links lead to, is outside of the one folder where paths may lie.
    """
    named, path = path, expand_home(path)
    found = resolve(base or current_directory("/" if os.path.isabs(path) else None), path)
    top = only_below()
    if top is not None and not (is_below(found, top) and is_below(realpath(found), realpath(top))):
        raise UsageError(f"{named!r} is outside of {top}; choose a path in this folder.")
    return found


def only_below() -> str | None:
    """The folder that paths must lie in; None: they may lie anywhere."""
    return os.environ.get(ONLY_BELOW)


def current_directory(otherwise: str | None = None) -> str:
    """The current directory; ``otherwise`` if it no longer exists.

    Raises:
        UsageError: it no longer exists, and there is no ``otherwise``.
    """
    try:
        return from_system(os.getcwd())
    except OSError:
        if otherwise is not None:
            return otherwise
        raise UsageError("The current directory no longer exists; change to another one.") from None


def existing(path: str, what: str) -> str:
    """``path``, if it is there.

    Raises:
        UsageError: nothing is there.
    """
    if not os.path.exists(path):
        if os.path.islink(path):
            raise UsageError(f"{path} is a link to a missing {what}; correct it.")
        directory = parent(path)
        meant = _near(name(path), os.listdir(directory)) if os.path.isdir(directory) else None
        advice = f"did you mean {join(directory, meant)}?" if meant else "check the path."
        raise UsageError(f"There is no {what} {path}; {advice}")
    return path


def _near(text: str, known: Iterable[str]) -> str | None:
    from promptls.core.near import TYPED, near  # noqa: PLC0415 - only when something is wrong

    return near(text, known, TYPED)


def takes_page(parser: Parser, shown: Any, what: str = "") -> None:
    """The options for one page; ``what``: when there is one."""
    shown.add_argument("--html", metavar="FILE", help=f"{what}write one page to FILE; - for standard output")
    parser.add_argument(
        "--redact",
        action="store_true",
        help="with --html: a page for others, without paths elsewhere, names of people and folders, messages and links",
    )
