"""Where the program of a harness is on this machine, what starts it, and what of the disk it sees."""

from __future__ import annotations

import os
import shutil
import sys

from promptls.core import servers
from promptls.core.paths import is_below
from promptls.errors import UsageError
from promptls.harnesses import catalogue
from promptls.wire.enclosing import LocalDisk, means
from promptls.wire.enclosure import HOLDS, MOVES, NEEDS
from promptls.wire.run import CaptureError
from promptls.wire.visible_disk import Enclosure, enclosure, homes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.host import Host
    from promptls.kit.launch import Program
    from promptls.wire.enclosure import Means
    from promptls.wire.visible_disk import Bind


def program_of(harness: str) -> Program:
    """How the program of a harness is started.

    Raises:
        UsageError: nobody knows.
    """
    found = catalogue.program(harness)
    if found is None:
        known = ", ".join(each for each in catalogue.FOLDERS if catalogue.program(each))
        raise UsageError(f"promptls does not know how to start {harness}; choose one of {known}.")
    return found


def enclosure_of(
    commands: Sequence[str], search: str, workspace: str, home: str, shown: Sequence[Bind] = ()
) -> Enclosure:
    """What a program sees of the disk: the system, its own package, and what is shown."""
    homes = (home, *homes_of(LocalDisk().text("/etc/passwd")))
    return enclosure(LocalDisk(), commands, search.split(os.pathsep), workspace=workspace, homes=homes, shown=shown)


def search_path(host: Host, workspace: str) -> str:
    """The search path without what depends on the working directory or lies in the workspace."""
    real = os.path.realpath(workspace)
    named = (host.env.get("PATH") or "").split(host.list_separator)
    return host.list_separator.join(
        each
        for each in named
        if os.path.isabs(each) and not is_below(each, workspace) and not is_below(os.path.realpath(each), real)
    )


def means_for(title: str, *, runs: bool = False, etc: str = "", needs: str = NEEDS) -> Means:
    """What encloses a program; ``needs`` is said of one that nothing does.

    Raises:
        UsageError: nothing does, and it is not to run with the folder itself.
        CaptureError: files for /etc cannot be laid out.
    """
    found = means()
    if found not in HOLDS and not runs:
        raise UsageError(needs.format(title))
    if etc and found not in MOVES:
        raise CaptureError("Files for /etc can be laid out in a namespace only, and there is none here.")
    return found


def command_of(program: Program, search: str, workspace: str) -> str:
    """The path of the program."""
    found = on_path(program.command, search, workspace)
    if found is None:
        says = f"There is no {program.command} on the search path; install it, or add it to PATH."
        raise UsageError(f"{says} {program.advice}".rstrip())
    return found


def launcher_of(program: Program, search: str, workspace: str) -> list[str]:
    """What starts the program; [] where it is started itself."""
    if not program.launcher:
        return []
    beside = next(filter(None, (on_path(each, search, workspace) for each in program.beside)), None)
    if beside is None:
        raise UsageError(f"{program.command} needs a browser beside it, such as {program.beside[0]}; install one.")
    return [sys.executable, "-P", "-c", f"from promptls.wire.{program.launcher} import main; main()", beside]


def shown_commands(launcher: Sequence[str]) -> list[str]:
    """What of a command that starts the program is to be seen: programs, and what they import."""
    package = os.path.join(os.path.dirname(os.path.dirname(__file__)), "__init__.py")
    return [package, *(each for each in launcher if os.path.isabs(each))] if launcher else []


def on_path(wanted: str, search: str, workspace: str) -> str | None:
    """The path of a program on a search path; nothing in the workspace counts."""
    found = shutil.which(wanted, path=search)
    if found is not None and is_below(os.path.realpath(found), os.path.realpath(workspace)):
        raise UsageError(f"{found} leads into the workspace, and nothing there is run; install it elsewhere.")
    return found


def commands_of_servers(host: Host, harness: str, search: str, workspace: str) -> Iterator[str]:
    """The programs of the MCP servers that a preview asked for, where they are outside of the folder."""
    for server, origin in host.asked_servers:
        start = servers.start_at(host.read, harness, server, origin)
        for number, word in enumerate(start.command if start is not None else ()):
            found = shutil.which(word, path=search) if not number else word
            if found and os.path.isabs(found) and os.path.isfile(found) and not is_below(found, workspace):
                yield found
