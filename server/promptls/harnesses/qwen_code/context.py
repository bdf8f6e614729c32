"""Qwen Code's context files: where they are, in which order, and how they are sent (source: memoryDiscovery).

By name before depth: every file of the first name, from the global one down to the working directory, then every file
of the next name (wire: chain-name-before-depth).
"""

from __future__ import annotations

from promptls.core.model import COMPUTED, Elided, Origin, Segment
from promptls.core.text import decode
from promptls.core.values import dataclass
from promptls.harnesses.qwen_code.imports import imports, with_imports
from promptls.kit.candidates import Rule, our_cut, own
from promptls.kit.configs import Setting
from promptls.kit.inline_imports import nearest_marked
from promptls.kit.javascript import SPACE
from promptls.kit.paths import is_below, join, name, native, parent, relative, resolve, upwards
from promptls.kit.pieced_text import File, segments, trimmed
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.harnesses.qwen_code.settings import Setup
    from promptls.harnesses.qwen_code.versions import Facts
    from promptls.kit.draft import Draft

NAMES = ("QWEN.md", "AGENTS.md")
LOCAL, LANGUAGE = "QWEN.local.md", "output-language.md"
# The program's own marks of its language file; it writes one without them anew.
LANGUAGE_MARKS = ("qwen-code:llm-output-language:", "Output Language Rule")
WHY_NAMED = "Qwen Code reads every {} from the global one and the top down, then every file of the next name"
WHY_LOCAL = "Qwen Code reads the local context file of the git root after all others"
WHY_LANGUAGE = "Qwen Code writes its language file at the first start and sends it as a context file"
WHY_UNTRUSTED = "the folder is not trusted, so Qwen Code reads only its global files"
# What stands for the program's own text of that file, as in the captured sessions.
LANGUAGE_TEXT = "[... text of the agent left out ...]"


@dataclass(frozen=True, slots=True)
class Search:
    """What the search needs. ``root`` is the git root, ``directories`` the working directory and included ones."""

    draft: Draft
    host: Host
    setup: Setup
    facts: Facts
    cwd: str
    root: str | None
    directories: tuple[str, ...]


def git_root(host: Host, directory: str) -> str | None:
    """The nearest directory at or above with ``.git`` in it."""
    return nearest_marked(host, directory, (".git",))


def names(setup: Setup) -> tuple[Setting, ...]:
    """``context.fileName`` in place of the default names, else these.

    (wire: filename-list-settings, filename-workspace)
    """
    found = (Setting(each.text.strip(), each.origin) for each in setup.settings.strings("context.fileName") or ())
    default = tuple(Setting(each, Origin("builtin", name=each)) for each in NAMES)
    return tuple(each for each in found if each.text) or default


def context(search: Search) -> list[list[Segment]]:
    """A block for each context file that is not blank; a file that links lead to is sent once, by its first name."""
    host, importer = search.host, imports(search.draft, search.host)
    is_flat = search.setup.settings.text("context.importFormat") == "flat"
    blocks: list[list[Segment]] = []
    sent: dict[str, str] = {}
    for path, rule in _files(search):
        real, contents = host.realpath(path), host.read(path)
        if (known := sent.get(real)) is not None:
            search.draft.candidates.append(rule.duplicate(path, f"it is the same file as {known}", of=known))
        elif name(path) == LANGUAGE and _is_written_anew(host, path):
            search.draft.candidates.append(rule.missing(path, "it is written when Qwen Code starts"))
            blocks.append(_framed(search, path, [_language(search)], announced=None))
        elif contents.state != "file":
            # A name that is configured is not missed in every directory.
            search.draft.candidates.append(own(rule.why).unread(path, contents.state))
        else:
            sent[real] = path
            text = decode(contents.data, keep_bom=True)
            is_blank = not text.strip(SPACE)
            search.draft.candidates.append(rule.empty(path, "it is blank") if is_blank else rule.read(path, contents))
            pieces = trimmed(with_imports(importer, File(path, text, our_cut(contents), real), is_flat=is_flat))
            if pieces:
                text_of = [*segments(pieces, "instructions", rule.why, set())]
                blocks.append(_framed(search, path, text_of, announced=path))
    return blocks


def _framed(search: Search, path: str, text: list[Segment], *, announced: str | None) -> list[Segment]:
    shown = native(relative(path, search.cwd))
    label = head(f"--- Context from: {shown} ---\n", path=announced)
    return [label, *text, tail(f"\n--- End of Context from: {shown} ---")]


def _files(search: Search) -> Iterator[tuple[str, Rule]]:
    """Every path that is looked at, in order, each once; what is not trusted is not looked at."""
    seen: set[str] = set()
    for directory in search.directories:
        for path, rule in (*_named(search, directory), _language_file(search)):
            if path not in seen:
                seen.add(path)
                yield path, rule
    if search.root is not None:
        local = join(search.root, ".qwen", LOCAL)
        if search.setup.is_trusted:
            yield local, own(WHY_LOCAL)
        elif search.host.kind(local) is not None:
            search.draft.candidates.append(own(WHY_UNTRUSTED).excluded(local))


def _named(search: Search, directory: str) -> Iterator[tuple[str, Rule]]:
    """The global file and those from above down to ``directory``, name after name (wire: root-names)."""
    for each in names(search.setup):
        origin = each.origin if each.origin.kind == "config" else own(each.text).origin
        rule = Rule(WHY_NAMED.format(each.text), origin)
        yield resolve(search.setup.directory, each.text), rule
        for path in reversed([resolve(place, each.text) for place in _places(search, directory)]):
            if search.setup.is_trusted or directory == search.host.home:
                yield path, rule
            elif search.host.kind(path) == "file":
                search.draft.candidates.append(own(WHY_UNTRUSTED).excluded(path))


def _places(search: Search, directory: str) -> Iterator[str]:
    """``directory`` and those above it, up to the one that holds the git root, but not the disk's root.

    Without a repository, up to the one that holds the home directory (wire: no-git, no-git-under-home; captured:
    parent-of-git-root). Of the home directory only itself.
    """
    home = search.host.home
    if directory == home:
        yield home
        return
    last = parent(git_root(search.host, directory) or home)
    for place in upwards(directory):
        if place == parent(place) or place in (search.setup.directory, join(home, ".qwen")):
            return
        yield place
        if place == last:
            return


def _language_file(search: Search) -> tuple[str, Rule]:
    """The project's, if it has one, else the global one (source)."""
    projects = join(search.cwd, ".qwen", LANGUAGE)
    place = projects if search.host.kind(projects) is not None else join(search.setup.directory, LANGUAGE)
    return place, own(WHY_LANGUAGE)


def _is_written_anew(host: Host, path: str) -> bool:
    contents = host.read(path)
    text = contents.data.decode("utf-8", "replace") if contents.state == "file" else ""
    return not any(each in text for each in LANGUAGE_MARKS)


def _language(search: Search) -> Segment:
    """The text that the program writes; in a language that a setting names, its size is not known."""
    chosen = search.setup.settings.text("general.outputLanguage") or "auto"
    size = search.facts.output_language if chosen.lower() == "auto" else None
    unknown = Elided("output language", size)
    return Segment("instructions", "output language", LANGUAGE_TEXT, COMPUTED, WHY_LANGUAGE, elided=unknown)


def warnings(search: Search, sent: list[list[Segment]]) -> Iterator[str]:
    """What surprises users: files above the repository, and the order of names."""
    paths = [path for block in sent if (path := block[0].origin.path) is not None]
    own_files = [path for path in paths if not is_below(path, search.setup.directory)]
    top = search.root or search.cwd
    above = [path for path in own_files if is_below(top, parent(path)) and parent(path) != top]
    if above and search.root is not None:
        yield f"{', '.join(above)}: sent from above the git root, because Qwen Code looks one directory above it, too."
    elif above:
        yield f"{', '.join(above)}: sent from above the working directory, because there is no git root to stop at."
    depths = [parent(path).count("/") for path in own_files if name(path) != LOCAL]
    if depths != sorted(depths):
        order = ", then every ".join(dict.fromkeys(each.text for each in names(search.setup)))
        yield f"The order is by name before depth: every {order}."
