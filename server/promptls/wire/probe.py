"""Starts a program that promptls does not know, enclosed, and says which lines of which files it sends.

It gets a scratch copy of the folder and an empty home, with the files and variables that it is told, of which some have
the address of the recording server. It is the command that the user typed; nothing else of the folder is run, unless
the user says so.
"""

from __future__ import annotations

import os
from heapq import nsmallest

from promptls.core import files
from promptls.core.model import Prompt, Session
from promptls.core.paths import is_below, join, parent, resolve
from promptls.core.secrets import is_config, masked_file
from promptls.core.text import decode
from promptls.core.values import dataclass, field, replace
from promptls.errors import UsageError
from promptls.git import top_of
from promptls.git.listing import Listing
from promptls.git.replica import build
from promptls.kit.launch import KEY, PORT, URL, Program, Start
from promptls.wire import scratch
from promptls.wire.enclosing import LocalDisk, means
from promptls.wire.enclosure import MOVES, NEEDS_NAMESPACES
from promptls.wire.find_program import enclosure_of, on_path, search_path
from promptls.wire.given_files import Given, Rules, choose, distance, is_code, is_of_system
from promptls.wire.job import Job
from promptls.wire.packages import Package, package_of
from promptls.wire.run import recorded, run, scratch_home
from promptls.wire.sent_lines import Files
from promptls.wire.sentinels import looked_in, read_places, sentinels
from promptls.wire.visible_disk import started_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from promptls.core.host import Host
    from promptls.wire.job import Report
    from promptls.wire.recorder import Recorded
    from promptls.wire.request_formats import RequestBlock
    from promptls.wire.sent_lines import Stood
    from promptls.wire.sentinels import Found
    from promptls.wire.visible_disk import Bind

# What most libraries read; ``{url}``, ``{port}`` and ``{key}`` stand for the recording server and a key of no worth.
VARIABLES = {
    "OPENAI_API_KEY": "{key}",
    "OPENAI_BASE_URL": "{url}/v1",
    "OPENAI_API_BASE": "{url}/v1",
    "OPENAI_HOST": "{url}",
    "ANTHROPIC_API_KEY": "{key}",
    "ANTHROPIC_BASE_URL": "{url}",
    "ANTHROPIC_HOST": "{url}",
    "GEMINI_API_KEY": "{key}",
    "GOOGLE_API_KEY": "{key}",
    "GOOGLE_GEMINI_BASE_URL": "{url}",
    "GEMINI_API_BASE": "{url}",
    "LLM_API_KEY": "{key}",
    "LLM_BASE_URL": "{url}/v1",
    "OLLAMA_HOST": "{url}",
    "CI": "1",
    "DO_NOT_TRACK": "1",
}
# Files of a folder that are copied, those nearest to the working directory; bytes of one, and of all.
MOST_FILES, LARGEST, MOST_BYTES = 4000, 1 << 20, 64 << 20
# Seconds without a request after which a program has said all.
QUIET = 8.0


@dataclass(frozen=True, slots=True)
class Probe:
    """What to start. ``variables`` and ``files`` (of the scratch home, by their paths in it) have placeholders.

    ``reads``: files that it is asked to read; ``given``: files of the folder that it gets as they are; ``runs``: it
    gets all of them so. ``places``: files of ours show which places it reads.
    """

    command: tuple[str, ...]
    cwd: str
    workspace: str
    variables: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    reads: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    places: bool = False
    runs: bool = False
    patience: float = 90.0


@dataclass(frozen=True, slots=True)
class BlockWithFiles:
    """A block of a request with the files in it. ``is_new``: no earlier request has it."""

    block: RequestBlock
    stood: tuple[Stood, ...]
    is_new: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """A request to a model."""

    request: Recorded
    said: tuple[BlockWithFiles, ...]


@dataclass(frozen=True, slots=True)
class Probed:
    """What came of it.

    ``given``: the files that the program got, ``opened`` those that it opened, None where the disk does not tell.
    ``places``: where it read files of ours (``sentinels.py``).
    """

    path: str
    package: Package
    report: Report
    asked: tuple[Asked, ...]
    given: Mapping[str, bytes]
    opened: tuple[str, ...] | None
    left_out: tuple[tuple[str, str], ...]
    notes: tuple[str, ...] = ()
    places: tuple[Found, ...] = ()
    is_repository: bool = False

    @property
    def main(self) -> Asked | None:
        """The first request with most tools: that of the agent itself."""
        return max(self.asked, key=lambda each: len(each.request.offered), default=None)


def probe(wanted: Probe, host: Host) -> Probed:
    """Start a program and see what it sends.

    Raises:
        UsageError: it cannot be started here.
        CaptureError: it could not be run.
    """
    by = means()
    if by not in MOVES:
        raise UsageError(NEEDS_NAMESPACES.format(wanted.command[0]))
    if host.platform == "win32" or is_below(host.home, wanted.workspace):
        raise UsageError(f"{wanted.workspace} holds your home directory; choose a folder inside it.")
    search = search_path(host, wanted.workspace)
    command = _command(wanted, search)
    package = package_of(command, search)
    own = tuple(dict.fromkeys((wanted.workspace, host.home, wanted.cwd)))
    with scratch_home() as folder:
        root = join(folder, "root")
        chosen, notes = _laid_out(wanted, host, own, root)
        added = _put_sentinels(wanted, host, chosen, command, root)
        chosen = replace(chosen, files={**chosen.files, **{path: text.encode() for path, text in added.items()}})
        settings = {join(host.home, each): filled(text, wanted, host.home) for each, text in wanted.files.items()}
        for path in settings:
            os.makedirs(root + parent(path), exist_ok=True)
        marks = _read_times(root, chosen)
        shown = [*((source, at, True) for source, at in scratch.binds(root, own)), *_own_program(command, wanted)]
        job = replace(
            _job(wanted, host, command, search, shown),
            means=by,
            home=folder,
            known_version=package.version or "?",
            settings={root + path: text for path, text in settings.items()},
        )
        report = run(job)
        opened = _opened(root, marks)
    given = {path: data for path, data in chosen.files.items() if path not in added}
    copies = {path: decode(data, keep_bom=True) for path, data in given.items() if b"\0" not in data} | settings
    return Probed(
        command,
        package,
        report,
        tuple(_asked(report, copies)),
        given,
        opened=tuple(path for path in opened if path in given) if opened is not None else None,
        left_out=chosen.left_out,
        notes=notes,
        places=read_places(added, recorded(report), opened) if added else (),
        is_repository=top_of(wanted.cwd) is not None,
    )


def _laid_out(wanted: Probe, host: Host, own: tuple[str, ...], root: str) -> tuple[Given, tuple[str, ...]]:
    """Put what the program is given below ``root``, with a repository of ours for that of the folder."""
    chosen, notes = _chosen(wanted, host, own)
    scratch.lay_out(root, chosen)
    rules = Rules(_program(wanted), None, host.home, own, runs=wanted.runs)
    top = top_of(wanted.cwd)
    if top is not None and is_below(top, wanted.workspace):
        build(top, root, host.git(wanted.cwd), lambda path: not is_code(path, rules))
    return chosen, notes


def _put_sentinels(wanted: Probe, host: Host, chosen: Given, command: str, root: str) -> dict[str, str]:
    """Put files of ours beside the copies."""
    if not wanted.places:
        return {}
    there = {*chosen.files, *chosen.links, *(join(host.home, each) for each in wanted.files)}
    places = looked_in(wanted.workspace, wanted.cwd, wanted.reads)
    found = sentinels(places, host.home, command, there=there)
    scratch.lay_out(root, Given({path: text.encode() for path, text in found.items()}))
    return found


def _job(wanted: Probe, host: Host, command: str, search: str, shown: list[Bind]) -> Job:
    """What the runner is asked to do; ``shown``: the scratch copies, and the program itself if it is in the folder."""
    seen = enclosure_of(_outside(command, wanted, search), search, "/nowhere", host.home, shown)
    kept = {each: host.env[each] for each in scratch.KEEPS if host.env.get(each)}
    told = scratch.variables(host.home, kept, _program(wanted), search, (wanted.workspace, host.home))
    told |= {name: filled(value, wanted, host.home) for name, value in wanted.variables.items()}
    return Job(
        command=command,
        arguments=[[filled(each, wanted, host.home) for each in wanted.command[1:]]],
        variables={name: value for name, value in told.items() if value},
        cwd=wanted.cwd,
        settings={},
        version="",
        main=["*"],
        answers=[[]],
        patience=wanted.patience,
        binds=list(seen.binds),
        links=list(seen.links),
        quiet=QUIET,
        reads=list(wanted.reads),
    )


def filled(text: str, wanted: Probe, home: str) -> str:
    """A text with its placeholders filled in."""
    values = {"{url}": URL, "{port}": PORT, "{key}": KEY, "{home}": home, "{folder}": wanted.workspace}
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def _command(wanted: Probe, search: str) -> str:
    """The path of the program that was typed, which may be in the folder only where its path was typed."""
    typed = wanted.command[0]
    if "/" not in typed:
        found = on_path(typed, search, wanted.workspace)
        if found is None:
            raise UsageError(f"There is no {typed} on the search path; install it, or name its path.")
        return found
    path = resolve(wanted.cwd, typed)
    if files.kind_of(files.stat_of(path)) != "file" or not os.access(path, os.X_OK):
        raise UsageError(f"{path} is no program that can be started; check the path and its rights.")
    return path


def _program(wanted: Probe) -> Program:
    return Program(command=wanted.command[0], version="", main=("*",), start=lambda _run: Start(()))


def _named(wanted: Probe) -> Iterator[str]:
    """Files outside of the folder that the command names: what an interpreter is to run."""
    for each in wanted.command[1:]:
        if os.path.isabs(each) and os.path.isfile(each) and not is_of_system(each, ()):
            yield each


def _outside(command: str, wanted: Probe, search: str) -> list[str]:
    """The programs outside of the folder: those that are named, and interpreters, also of a program in it."""
    places = search.split(os.pathsep)
    started = [path for each in (command, *_named(wanted)) for path in started_by(each, places, LocalDisk())]
    found = (files.realpath(each) if is_below(each, wanted.workspace) else each for each in started)
    return [each for each in found if not is_below(each, wanted.workspace)]


def _own_program(command: str, wanted: Probe) -> Iterator[Bind]:
    """What is to be seen of a program in the folder itself, which the user typed: it, and its package."""
    for path in (command, *_named(wanted)):
        if not is_below(path, wanted.workspace):
            continue
        steps = path.split("/")
        place, environment = path, parent(parent(path))
        if "node_modules" in steps:
            place = "/".join(steps[: steps.index("node_modules") + 1])
        elif os.path.isfile(join(environment, "pyvenv.cfg")):
            place = environment
        yield place, place, False


def _chosen(wanted: Probe, host: Host, own: tuple[str, ...]) -> tuple[Given, tuple[str, ...]]:
    """What the program is given of the folder."""
    with Listing(wanted.workspace) as listing:
        listed = listing.files()
    near = nsmallest(MOST_FILES, listed, key=lambda path: distance(path, wanted.cwd))
    total, kept = 0, set[str]()
    for path in near:
        info = files.stat_of(path)
        size = info.st_size if info is not None else 0
        if size <= LARGEST and total + size <= MOST_BYTES:
            total += size
            kept.add(path)
            # What was read is named where it is left out.
            host.read(path)
    notes = [f"It was given {len(kept):,} of {len(listed):,} files."] if len(kept) < len(listed) else []
    kept |= {wanted.cwd, wanted.workspace, host.home, *scratch.TEMPORARY}
    rules = Rules(_program(wanted), None, host.home, own, runs=wanted.runs)
    chosen = choose(host, Prompt(Session("", wanted.cwd), (), ()), rules, further=kept)
    found = dict(chosen.files)
    for path in wanted.given:
        data = files.read(path).data
        text = masked_file(path, decode(data, keep_bom=True)) if is_config(path) else None
        found[path] = data if text is None else text.encode("utf-8", "replace")
    left_out = tuple(each for each in chosen.left_out if each[1] not in wanted.given)
    return replace(chosen, files=found, left_out=left_out), tuple(notes)


def _read_times(root: str, chosen: Given) -> dict[str, int] | None:
    """When each copy was last read, by its path; None where the disk does not note that."""
    if os.statvfs(root).f_flag & os.ST_NOATIME:
        return None
    return {path: os.stat(root + path).st_atime_ns for path in chosen.files if os.path.isfile(root + path)}


def _opened(root: str, marks: Mapping[str, int] | None) -> tuple[str, ...] | None:
    if marks is None:
        return None
    return tuple(path for path, at in marks.items() if os.path.isfile(root + path) and _read_at(root + path) != at)


def _read_at(path: str) -> int:
    return os.stat(path, follow_symlinks=False).st_atime_ns


def _asked(report: Report, copies: Mapping[str, str]) -> Iterator[Asked]:
    known = Files(copies)
    before: set[tuple[str, str]] = set()
    stood: dict[str, tuple[Stood, ...]] = {}
    for request in recorded(report):
        said: list[BlockWithFiles] = []
        for block in request.blocks:
            if block.text not in stood:
                stood[block.text] = known.stood(block.text)
            said.append(BlockWithFiles(block, stood[block.text], (block.role, block.text) not in before))
        before |= {(each.role, each.text) for each in request.blocks}
        yield Asked(request, tuple(said))


def sent(asked: Iterable[Asked]) -> frozenset[str]:
    """The files of which something was sent."""
    return frozenset(
        path for one in asked for said in one.said for each in said.stood for path in (each.path, *each.also)
    )
