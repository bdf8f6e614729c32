"""``promptls probe``: start a program that promptls does not know, and say what of a folder it sends."""

from __future__ import annotations

import os

from promptls.cli.arguments import Options, Parser, absolute, current_directory, existing
from promptls.cli.output import complain, show, write_json
from promptls.cli.unwinding import unwinding
from promptls.core import files
from promptls.core.lazy import regex
from promptls.core.paths import is_below, join, name
from promptls.core.text import decode
from promptls.errors import PromptlsError, UsageError
from promptls.system.write_file import write_file
from promptls.workspace.machine import load_harnesses
from promptls.workspace.request import Sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from promptls.wire.probe import Probe, Probed

SOURCES = Sources(with_known_texts=False, with_habits=False)
RUNS = (
    "give the program all files of the folder unchanged, also those that configure servers, hooks and plugins, which "
    "it may then run; still a copy, and still without a network"
)
MOST_SECONDS = 600
NAME = regex(r"[a-z][a-z0-9-]{0,40}")
MOST_FILE = 1 << 20


def run(argv: list[str]) -> int:
    """Start the program and show what it sends."""
    end = argv.index("--") if "--" in argv else len(argv)
    parser = _parser()
    options = parser.parse_args(argv[:end])
    command = tuple(argv[end + 1 :])
    if not command:
        raise UsageError("Name the program after two dashes: promptls probe -- COMMAND ...")
    load_harnesses()
    from promptls.wire.probe import probe  # noqa: PLC0415 - not for --help

    wanted = _wanted(options, command)
    written = _new_folder(options.new_harness)
    host = SOURCES.host()
    with unwinding():
        found = probe(wanted, host)
    if found.asked and (options.record is not None or written is not None):
        _write(options, wanted, found, host.home, written)
    if options.format == "json":
        from promptls.cli.probe_json import to_json  # noqa: PLC0415 - only for this format

        write_json(to_json(wanted, found))
    else:
        from promptls.cli.probe_text import to_text  # noqa: PLC0415 - only for this format

        show(to_text(wanted, found))
    return 0 if found.asked else 1


def _parser() -> Parser:
    parser = Parser(
        prog="promptls probe",
        description="Start any program, even one that promptls does not know, on a scratch copy of this folder, and "
        "show which lines of which files it sends to a model. It has no network, a dummy key and an empty home; "
        "nothing leaves this machine.",
    )
    parser.add_argument("--cwd", metavar="DIR", help="where the program is started (default: here)")
    parser.add_argument(
        "--read", metavar="FILE", action="append", default=[], help="a file that the model asks to read; repeatable"
    )
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="an environment variable of the program; {url}, {port} and {key} stand for the recording server and a "
        "dummy key, {home} and {folder} for the program's home and this folder; NAME= removes a variable; repeatable",
    )
    parser.add_argument(
        "--file",
        metavar="PATH=TEXT",
        action="append",
        default=[],
        help="a file in the program's home directory, with the placeholders of --set; PATH=@FILE copies the text of "
        "FILE; repeatable",
    )
    parser.add_argument(
        "--give",
        metavar="FILE",
        action="append",
        default=[],
        help="a file of the folder that the program gets unchanged, such as its configuration; repeatable",
    )
    parser.add_argument(
        "--places",
        action="store_true",
        help="also put test files of known names in places that have none, to see which places the program reads",
    )
    parser.add_argument("--record", metavar="DIR", help="write the session as a case into this directory")
    parser.add_argument(
        "--new-harness",
        metavar="NAME",
        help="write the folder NAME-harness: a first version of a package with a harness",
    )
    parser.add_argument("--run-workspace", action="store_true", help=RUNS)
    parser.add_argument(
        "--seconds", metavar="N", type=_seconds, default=90.0, help="how long the program may run (default: 90)"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.epilog = "What follows -- is the program with its arguments, in which the placeholders of --set work, too."
    return parser


def _seconds(text: str) -> float:
    if not text.isdecimal() or not 0 < int(text) <= MOST_SECONDS:
        raise UsageError(f"{text!r} is not a time; choose a number from 1 to {MOST_SECONDS}.")
    return float(text)


def _wanted(options: Options, command: tuple[str, ...]) -> Probe:
    from promptls.git import top_of  # noqa: PLC0415 - not for --help
    from promptls.wire.probe import VARIABLES, Probe  # noqa: PLC0415 - the same

    cwd = existing(absolute(options.cwd or "."), "directory")
    if not os.path.isdir(cwd):
        raise UsageError(f"{cwd} is not a directory; choose one.")
    workspace = top_of(cwd) or cwd
    return Probe(
        command=command,
        cwd=cwd,
        workspace=workspace,
        variables={**VARIABLES, **_pairs(options.set, "NAME=VALUE")},
        files={_in_home(path): _content(text) for path, text in _pairs(options.file, "PATH=TEXT").items()},
        reads=tuple(_inside(each, workspace) for each in options.read),
        given=tuple(_inside(each, workspace) for each in options.give),
        places=options.places,
        runs=options.run_workspace,
        patience=options.seconds,
    )


def _new_folder(called: str | None) -> str | None:
    """Where the package of a harness is written, if one is wanted."""
    if called is None:
        return None
    if not NAME.fullmatch(called):
        raise UsageError(f"{called!r} is not a name for a harness; use lower-case letters, digits and dashes.")
    folder = absolute(f"{called}-harness")
    if os.path.exists(folder):
        raise UsageError(f"{folder} exists; choose another name.")
    return folder


def _write(options: Options, wanted: Probe, found: Probed, home: str, folder: str | None) -> None:
    """Write the case and the package that are wanted."""
    from promptls.wire.new_harness import new_harness  # noqa: PLC0415 - rarely asked for
    from promptls.wire.probe_case import probe_case, written  # noqa: PLC0415 - the same

    called = options.new_harness or found.package.name.rpartition("/")[2] or name(wanted.command[0])
    case = name(wanted.workspace).lower().replace(" ", "-") or "root"
    texts: dict[str, str] = {}
    if folder is not None:
        texts |= {join(folder, path): text for path, text in new_harness(called, wanted, found).items()}
    directory = absolute(options.record) if options.record is not None else join(folder or "", "cases")
    path = join(directory, f"{case}.json")
    if os.path.exists(path):
        raise UsageError(f"{path} exists; choose another directory.")
    texts[path] = written(probe_case(case, called, wanted, found, home))
    for each, text in texts.items():
        try:
            write_file(each, text.encode("utf-8", "replace"), is_new=True)
        except OSError as error:
            raise PromptlsError(f"{each} cannot be written: {error.strerror}.") from None
    complain(f"Written: {', '.join(texts)}. Read it before you keep it.")


def _pairs(given: Iterable[str], form: str) -> dict[str, str]:
    found = {}
    for each in given:
        key, equals, value = each.partition("=")
        if not equals or not key or "\0" in each:
            raise UsageError(f"{each!r} is not of the form {form}.")
        found[key] = value
    return found


def _in_home(path: str) -> str:
    """A path below the home."""
    plain = path.removeprefix("~/").removeprefix("./")
    if os.path.isabs(plain) or ".." in plain.split("/"):
        raise UsageError(f"{path!r} is not a path in the home; name one such as .config/x/config.json.")
    return plain


def _content(text: str) -> str:
    if not text.startswith("@"):
        return text
    path = existing(absolute(text[1:]), "file")
    return decode(files.read(path, MOST_FILE).data, keep_bom=True)


def _inside(path: str, workspace: str) -> str:
    """A file of the folder."""
    found = existing(absolute(path, current_directory("/")), "file")
    if not is_below(found, workspace) or found == workspace:
        raise UsageError(f"{path} is outside of {workspace}; choose a file in it.")
    return join("/", found)
