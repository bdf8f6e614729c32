"""Gemini CLI: context files in three tiers. Sections named here are those of its specification.

What says "source" was read in the public program and not seen on the wire. Tier 1 (global files, private index)
goes into the system instruction, tier 2 (extensions, project) into the first user message, tier 3 (what a tool
comes near) to the tool's result.
"""

from __future__ import annotations

import re

from promptls.core.model import START, Origin, Segment
from promptls.core.text import decode
from promptls.core.values import dataclass, field
from promptls.harnesses.base import described
from promptls.harnesses.candidates import STATE_SAYS, Rule, argument, our_cut, own
from promptls.harnesses.draft import Draft
from promptls.harnesses.frames import elided, head, tail
from promptls.harnesses.gemini_cli.imports import (
    JOIN,
    File,
    Importer,
    Piece,
    after,
    before,
    nearest_marked,
    segments,
    trimmed,
    without_empty_lines,
)
from promptls.harnesses.gemini_cli.places import (
    WHY_JIT,
    ContextFile,
    Search,
    boundary_markers,
    extension_files,
    file_names,
    global_files,
    private_index,
    project_files,
    same_file,
    upward_files,
    workspace_directories,
)
from promptls.harnesses.gemini_cli.read import read_result
from promptls.harnesses.gemini_cli.settings import Setting, home_of, read_settings
from promptls.harnesses.gemini_cli.spec import SPEC
from promptls.harnesses.gemini_cli.versions import ROWS
from promptls.harnesses.shared import args
from promptls.harnesses.shared.javascript import SPACE
from promptls.harnesses.shared.paths import is_below, join, native, parent, resolve, upwards
from promptls.harnesses.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Candidate, Layer, Prompt, Session
    from promptls.harnesses.gemini_cli.settings import Settings
    from promptls.harnesses.shared.args import Arguments

VALUES = {
    "--model": "model",
    "-m": "model",
    "--include-directories": "directories",
    "--extensions": "extensions",
    "-e": "extensions",
    "--prompt": "prompt",
    "-p": "prompt",
    "--prompt-interactive": "prompt",
    "-i": "prompt",
    # These change nothing that is shown here.
    "--approval-mode": "ignored",
    "--output-format": "ignored",
    "-o": "ignored",
    "--policy": "ignored",
    "--allowed-tools": "ignored",
    "--session-id": "ignored",
}
SWITCHES = ("--skip-trust", "--yolo", "-y", "--debug", "-d", "--screen-reader")

WHY_SYSTEM = "GEMINI_SYSTEM_MD replaces the base of the system instruction"
WHY_TIER_1 = "global context files and the private index belong to the system instruction"
WHY_TIER_2 = "context files of extensions and of the project belong to the first user message"

_VARIABLE = re.compile(r"\$\{(AgentSkills|SubAgents|AvailableTools|\w+_ToolName)\}")


@dataclass(slots=True)
class Loaded:
    """The context files that are in the prompt, by tier. ``paths`` are those that count as loaded."""

    paths: list[str] = field(default_factory=list)
    global_: list[Piece] = field(default_factory=list)
    private: list[Piece] = field(default_factory=list)
    extension: list[Piece] = field(default_factory=list)
    project: list[Piece] = field(default_factory=list)


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of Gemini CLI for a session."""
    draft = Draft(session)
    cwd = host.realpath(session.cwd)
    command = args.read(session.args, values=VALUES, switches=SWITCHES)
    settings, trusted = read_settings(draft, host, cwd, skip_trust="--skip-trust" in command.switches)
    search = Search(draft, host, settings, cwd, file_names(settings), boundary_markers(settings))
    stopped, stopped_by = settings.stopped, settings.stopped_by
    if not trusted and not stopped:
        stopped = (
            "gemini-cli does not trust this folder: it ends, or asks first when it runs interactively. Trust the "
            "folder there, or start it with --skip-trust or GEMINI_CLI_TRUST_WORKSPACE=true."
        )
    base, missing = _base(search)
    roots = workspace_directories(search, list(_included(settings, host, command)))
    loaded = _load(search, roots, _listed(command, "extensions"))
    if missing and not stopped:
        stopped, stopped_by = missing, Origin("argument", name="GEMINI_SYSTEM_MD")
    draft.add_message("system", _system(search, base, loaded), index=0)
    draft.add_message("user", _first_message(loaded), index=1)
    for index, read in enumerate(session.reads, 2):
        draft.add_message("tool", _tool_result(search, roots, loaded, read), index=index, at=f"read:{read}")
    draft.candidates += _left_out(session, host, cwd, command)
    model = session.model or command.last("model") or host.env.get("GEMINI_MODEL") or settings.text("model.name")
    return draft.prompt(model=model, verified=True, stopped=stopped, stopped_by=stopped_by)


def _listed(command: Arguments, option: str) -> list[str]:
    """The values of an option that may be given several times and holds a list each time."""
    return [each.strip() for value in command.values.get(option, ()) for each in value.split(",") if each.strip()]


def _included(settings: Settings, host: Host, command: Arguments) -> Iterator[Setting]:
    """Workspace directories besides cwd: settings, then arguments, then an editor's folders."""
    yield from settings.all_strings("context.includeDirectories")
    for each in _listed(command, "directories"):
        yield Setting(each, Origin("argument", name=f"--include-directories {each}"))
    for each in host.env.get("GEMINI_CLI_IDE_WORKSPACE_PATH", "").split(host.list_separator):
        if each.strip():
            yield Setting(each, Origin("argument", name="GEMINI_CLI_IDE_WORKSPACE_PATH"))


# -- which files, each once ------------------------------------------------------------------------------------


def _load(search: Search, roots: list[str], extensions: list[str]) -> Loaded:
    """All tiers that are sent at start. A file that is in several counts in the first (source)."""
    loaded = Loaded()
    is_flat = search.settings.text("context.importFormat") == "flat"
    tiers = (
        (global_files(search), loaded.global_),
        (extension_files(search, extensions), loaded.extension),
        (project_files(search, roots), loaded.project),
        (private_index(search), loaded.private),
    )
    for places, pieces in tiers:
        _add_blocks(search, places, pieces, loaded, is_flat=is_flat)
    return loaded


def _add_blocks(
    search: Search, places: list[ContextFile], pieces: list[Piece], loaded: Loaded, *, is_flat: bool, at: str = START
) -> None:
    """A block for each file that is not loaded yet and not blank, joined by a blank line (section "Wrapper")."""
    importer = Importer(search.draft, search.host, search.markers, at)
    for place in places:
        known = next((path for path in loaded.paths if same_file(search.host, path, place.path)), None)
        if known is not None:
            rule = Rule(place.why, place.origin, at=at)
            search.note(rule.duplicate(place.path, "it is loaded already", of=known))
            continue
        file = _file(search, place, at)
        if file is None:
            continue
        loaded.paths.append(place.path)
        text = trimmed(importer.flat(file) if is_flat else importer.tree(file))
        if text:
            label = f"{JOIN if pieces else ''}--- Context from: {native(place.path)} ---\n"
            end = after(f"\n--- End of Context from: {native(place.path)} ---")
            pieces += [before(label, announces=place.path), *text, end]


def _file(search: Search, place: ContextFile, at: str) -> File | None:
    contents = search.host.read(place.path)

    rule = Rule(place.why, place.origin, at=at)
    if contents.state != "file":
        search.note(rule.failed(place.path, STATE_SAYS[contents.state], state=contents.state))
        return None
    cut = our_cut(contents)
    text = decode(contents.data, keep_bom=True)
    search.note(rule.read(place.path, contents) if text.strip(SPACE) else rule.empty(place.path, "it is blank"))
    return File(place.path, text, cut)


# -- what is sent at start -------------------------------------------------------------------------------------


def _base(search: Search) -> tuple[list[Piece | Segment], str | None]:
    """The base of the system instruction: prose, or the file in GEMINI_SYSTEM_MD; or why gemini-cli ends."""
    asked = search.host.env.get("GEMINI_SYSTEM_MD", "").strip()
    if asked.lower() in ("", "0", "false"):
        why = "gemini-cli begins with its own instructions"
        return [elided("provider", "gemini-cli", "core system prompt", why=why)], None
    home = home_of(search.host)
    path = resolve(search.cwd, home + asked[1:] if asked == "~" or asked.startswith("~/") else asked)
    if asked.lower() in ("1", "true"):
        path = join(search.cwd, ".gemini", "system.md")
    place = ContextFile(path, WHY_SYSTEM, Origin("argument", name="GEMINI_SYSTEM_MD"))
    file = _file(search, place, START)
    if file is None:
        return [], f"gemini-cli ends, because it cannot read the system prompt {path}. Create it or unset the variable."
    pieces: list[Piece | Segment] = []
    for piece in trimmed([Piece(file.text, file)]):
        at = 0
        for found in _VARIABLE.finditer(piece.text):
            pieces.append(Piece(piece.text[at : found.start()], file, piece.start + at))
            pieces.append(elided("provider", "gemini-cli", f"value of {found[1]}", why="the file names this variable"))
            at = found.end()
        pieces.append(Piece(piece.text[at:], file, piece.start + at))
    return pieces, None


def _system(search: Search, base: list[Piece | Segment], loaded: Loaded) -> list[Segment]:
    """The base and tier 1; runs of empty lines are cut down in all of it (source)."""
    context: list[Piece | Segment] = []
    if loaded.private:
        # Only now the global files get a tag of their own (wire: user-project-memory).
        context.append(before("---\n\n<loaded_context>\n"))
        if loaded.global_:
            context += [before("<global_context>\n"), *loaded.global_, after("\n</global_context>\n")]
        index = "--- Private Project Memory Index (private, not committed to repo) ---"
        end = "\n--- End Private Project Memory Index ---\n</user_project_memory>\n</loaded_context>"
        context += [before(f"<user_project_memory>\n{index}\n"), *loaded.private, after(end)]
    elif loaded.global_:
        names = ", ".join(each.text for each in search.names)
        heading = elided("provider", "gemini-cli", "heading of the context files", why=f"it names {names}")
        context += [heading, before("\n\n<loaded_context>\n"), *loaded.global_, after("\n</loaded_context>")]
    memory = {piece.file.path for piece in loaded.private if piece.file}
    found: list[Segment] = []
    seen: set[str] = set()
    run: list[Piece] = []
    for each in (*base, after(JOIN if context else ""), *context, None):
        if isinstance(each, Piece):
            run.append(each)
            continue
        for piece in without_empty_lines(run):
            layer: Layer = "memory" if piece.file and piece.file.path in memory else "instructions"
            found += segments([piece], layer, WHY_TIER_1, seen)
        run = []
        found += [each] if each else []
    return found


def _first_message(loaded: Loaded) -> Iterator[Segment]:
    """The session's context: prose, then tier 2 (section "Three tiers")."""
    seen: set[str] = set()
    yield head("<session_context>\n", "environment")
    why = "gemini-cli describes date, system and directories in the first user message"
    yield elided("environment", "gemini-cli", "session context", why=why)
    yield tail("\n\n", "environment")
    if loaded.extension or loaded.project:
        yield head("\n<loaded_context>\n")
    if loaded.extension:
        tagged = [before("<extension_context>\n"), *loaded.extension, after("\n</extension_context>\n")]
        yield from segments(tagged, "instructions", WHY_TIER_2, seen)
    if loaded.project:
        tagged = [before("<project_context>\n"), *loaded.project, after("\n</project_context>\n")]
        yield from segments(tagged, "instructions", WHY_TIER_2, seen)
    if loaded.extension or loaded.project:
        yield tail("</loaded_context>")
    yield tail("\n</session_context>", "environment")


# -- what a tool adds (section "JIT") ------------------------------------------------------------------------


def _tool_result(search: Search, roots: list[str], loaded: Loaded, read: str) -> list[Segment]:
    """The tool's answer; reading a directory means listing it."""
    path, at = search.host.realpath(read), f"read:{read}"
    kind = search.host.kind(path)
    within = [root for root in roots if is_below(path, root)]
    if not within or kind not in ("file", "directory"):
        why = "the file is not in a workspace directory" if kind else "there is no such file"
        return [elided("runtime", "gemini-cli", f"error of reading {read}", why=why)]
    if kind == "directory":
        result = [elided("runtime", "gemini-cli", f"list of {read}", why="the session lists this directory")]
    else:
        result = read_result(row(ROWS, search.draft.session.version), search.host, path)
    root = max(within, key=len)
    stop = nearest_marked(search.host, root, search.markers) or root
    places = upward_files(search, path if kind == "directory" else parent(path), stop, WHY_JIT, at)
    pieces: list[Piece] = []
    # Always as a tree (captured: lazy-with-import-flat).
    _add_blocks(search, places, pieces, loaded, is_flat=False, at=at)
    if not pieces:
        return result
    label = before("\n\n--- Newly Discovered Project Context ---\n")
    end = after("\n--- End Project Context ---")
    return [*result, *segments([label, *pieces, end], "instructions", WHY_JIT, set())]


# -- what is not modelled --------------------------------------------------------------------------------------


def _left_out(session: Session, host: Host, cwd: str, command: Arguments) -> Iterator[Candidate]:
    for option in command.unknown:
        yield argument(option, f"promptls does not model the option {option}")
    prompts = [*command.values.get("prompt", ()), *command.rest]
    if any("@" in prompt for prompt in prompts):
        yield argument("--prompt", "promptls does not model files that the prompt mentions with @")
    if session.agent is not None:
        yield argument("--agent", "gemini-cli is started without an agent")
    if session.hints:
        yield argument("--hint", "gemini-cli has no hints")
    home = home_of(host)
    for directory in [*upwards(cwd), home]:
        for path in (join(directory, ".gemini", ".env"), join(directory, ".env")):
            if host.kind(path) is not None:
                why = "gemini-cli sets environment variables from it, which promptls does not model"
                yield own(why, use="config").excluded(path)
                return


HARNESS = described(
    SPEC,
    ROWS,
    command="gemini",
    package="@google/gemini-cli",
    preview=preview,
    loads=(
        "The core system prompt, or the file in GEMINI_SYSTEM_MD",
        "GEMINI.md and the names of context.fileName in ~/.gemini, and the private memory index of the project",
        "In the first user message: context files of extensions",
        "Every GEMINI.md and context.fileName from each workspace directory up to the git root, sorted by path",
        "Imports (@path) in all of them, five levels deep",
        "On read: those from the file's directory up to the git root that are not loaded yet",
    ),
)
