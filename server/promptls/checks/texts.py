"""What an instruction file says that is not so: encoding, link-dead, path-dead. Commands are looked at on the way."""

from __future__ import annotations

import re
from posixpath import basename, normpath

from promptls.checks.commands import Commands, shows_commands
from promptls.checks.hedges import is_claimed, is_example, is_only_a_word, is_to_fill_in
from promptls.checks.names import MDC, is_template, kind_of
from promptls.checks.rules import problem
from promptls.core import specs
from promptls.core.formats import front_matter, markdown
from promptls.core.lazy import regex
from promptls.core.model import Edit, Fix, Range
from promptls.core.paths import join, parent
from promptls.core.text import LineIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.checks.tree import Tree
    from promptls.core.formats.markdown import Span
    from promptls.core.model import Problem
    from promptls.core.settings import Settings

# Instruction files of some harnesses have this ending; what looks like a link in them is none.
PLAIN = ".txt"

# Names and titles are bounded, so that a line of a million brackets is read in linear time.
_LINK = regex(
    r"(?<!!)\[[^\]\n]{0,300}\]\(\s*(<[^>\n]{1,500}>|[^()\s]{1,500}(?:\([^()\s]{0,500}\)[^()\s]{0,500})?)"
    r"(?:\s{1,20}[\"'(][^\n]{0,300}?)?\s{0,20}\)"
)
_DEFINITION = regex(r"^ {0,3}\[[^\]^\n][^\]\n]{0,300}\]:[ \t]*(<[^>\n]+>|\S+)", re.MULTILINE)
# A name in angle brackets is to be filled in; anything else in them is a path with blanks.
_BLANK = regex(r"<[^./ >]+>")
# A link that only a program or a person can follow, such as a page of a site, or a template's.
_NO_PATH = regex(r"/[^.]*$|[a-zA-Z][\w+.-]*:|#|//|[^?#]*[{}$*<>|…]|\.\.\.$|path/to")
_PATH = regex(r"\.{0,2}/?(?:[\w.-]+/)+[\w.-]*\w\.[A-Za-z]\w{0,9}")
_SPANNED_PATH = regex(rf"`[ ]?({_PATH.pattern})[ ]?`")
# A path in code type is not longer than this.
LONGEST = 300
UTF16 = (b"\xff\xfe", b"\xfe\xff")
UTF8_BOM = b"\xef\xbb\xbf"


def check_tree(tree: Tree, _settings: Settings) -> Iterator[Problem]:
    """The problems in the text of each file that some harness sends."""
    commands = Commands(tree)
    seen: set[object] = set()
    for path, harness in tree.loaded().items():
        # One text may have several names.
        place = tree.host.place(path)
        if place in seen:
            continue
        seen.add(place)
        yield from _encoding(tree, path, harness)
        text = tree.text(path)
        is_markdown = path.endswith(specs.endings()) or kind_of(tree.relative(path)) is not None
        is_markdown = is_markdown and not path.endswith(PLAIN)
        if text and is_markdown and not tree.host.read(path).data.startswith(UTF16):
            yield from _words(tree, path, text, harness, commands)


def _encoding(tree: Tree, path: str, harness: str) -> Iterator[Problem]:
    contents = tree.host.read(path)
    if contents.data.startswith(UTF16):
        message = f"This file is UTF-16, but {harness} reads UTF-8, so the model receives garbage. Save it as UTF-8."
        yield problem("encoding", path, Range(), message, harness=harness)
        return
    if contents.data.startswith(UTF8_BOM):
        message = f"This file begins with a byte order mark, which {harness} may send. Save it as UTF-8 without one."
        yield problem("encoding", path, Range(), message, harness=harness)
    try:
        contents.data.decode("utf-8")
    except UnicodeDecodeError as error:
        if contents.is_cut and error.end == len(contents.data):
            return
        text = tree.text(path) or ""
        at = len(contents.data[: error.start].removeprefix(UTF8_BOM).decode("utf-8", "replace"))
        message = f"These bytes are not UTF-8, and {harness} sends � in their place. Save the file as UTF-8."
        yield problem("encoding", path, LineIndex(text).range(at, at + 1), message, harness=harness)


def _words(tree: Tree, path: str, text: str, harness: str, commands: Commands) -> Iterator[Problem]:
    # Most files have nothing to tell of, and need not be parsed to know what is code.
    if not _may_be_wrong(tree, path, text, commands):
        return
    # What a template says is meant for the place that it is copied to.
    if any(map(is_template, tree.relative(path).split("/")[:-1])):
        return
    body = front_matter.split(text).body
    lines = LineIndex(text)
    code = [_moved(span, body) for span in markdown.code(text[body:])]
    spans = [(start, end) for kind, start, end in code if kind == "code"]
    prose = _without(text, [(start, end) for _, start, end in code])
    for pattern in (_LINK, _DEFINITION):
        for found in pattern.finditer(prose, body):
            start, end = found.span(1)
            target = _bare(found[1])
            if (
                not _BLANK.fullmatch(found[1])
                and not _NO_PATH.match(target)
                and not is_only_a_word(target)
                and not _is_there(tree, path, target)
                and not is_example(text, *found.span())
            ):
                message = f"{target} does not exist, and {harness} sends the model there. Fix the link."
                yield problem("link-dead", path, lines.range(start, end), message, harness=harness)
    yield from _paths(tree, path, text, spans, harness)
    for _, start, end in code:
        for place, message, right in commands.missing(text, start, end) if shows_commands(text[start:end]) else ():
            where = lines.range(*place)
            fixes = (Fix(f"Write {right}", (Edit(path, where, right),)),) if right else ()
            yield problem("command-missing", path, where, message, harness=harness, fixes=fixes)


def _paths(tree: Tree, path: str, text: str, spans: Iterable[tuple[int, int]], harness: str) -> Iterator[Problem]:
    """Paths in backticks that lead to nothing. What a text once says need not be there, it claims nowhere."""
    lines = LineIndex(text)
    lost = []
    for start, end in spans:
        inside = text[start:end].strip("`").strip()
        if len(inside) < LONGEST and _PATH.fullmatch(inside) and _is_lost(tree, path, inside):
            lost.append((inside, start, is_claimed(text, start, end)))
    unclaimed = {inside for inside, _, is_said in lost if not is_said}
    for inside, start, _ in lost:
        at = text.find(inside, start)
        if inside not in unclaimed:
            message = f"{inside} does not exist, though its directory does. Fix the path."
            places = (normpath(join(parent(path), inside)), normpath(join(tree.root, inside)))
            if right := next(filter(None, map(tree.other_spelling, places)), None):
                message = f"{inside} does not exist: the file is named {basename(right)}. Use that name."
            yield problem("path-dead", path, lines.range(at, at + len(inside)), message, harness=harness)


def _may_be_wrong(tree: Tree, path: str, text: str, commands: Commands) -> bool:
    """Whether anything in ``text``, be it code or not, would be reported."""
    # To look for what each must have first takes a tenth of the time.
    return (
        any(_is_dead(tree, path, each) for each in _targets(text))
        or ("`" in text and any(_is_lost(tree, path, found[1]) for found in _SPANNED_PATH.finditer(text)))
        or next(commands.missing(text, 0, len(text)), None) is not None
    )


def _targets(text: str) -> Iterator[str]:
    """What the links of a text lead to, but for what is to be filled in."""
    for mark, pattern in (("](", _LINK), ("]:", _DEFINITION)):
        for found in pattern.finditer(text) if mark in text else ():
            if not _BLANK.fullmatch(found[1]):
                yield _bare(found[1])


def _is_dead(tree: Tree, path: str, target: str) -> bool:
    return not _NO_PATH.match(target) and not _is_there(tree, path, target)


def _bare(target: str) -> str:
    """The target of a link as a path."""
    return target.strip("<>").removeprefix(MDC)


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """``text`` with blanks in the place of the spans, line ends kept."""
    pieces, at = [], 0
    for start, end in spans:
        pieces += [text[at:start], re.sub(r"[^\n]", " ", text[start:end])]
        at = end
    return "".join([*pieces, text[at:]])


def _moved(span: Span, by: int) -> tuple[str, int, int]:
    return span.kind, span.start + by, span.end + by


def _is_there(tree: Tree, path: str, target: str) -> bool:
    """Whether a link leads to something, read from the file's directory or, as many write it, from the root."""
    from urllib.parse import unquote  # noqa: PLC0415 - most files have no link

    bare = re.sub(r"[?#].*$|:\d+(?:[:-]\d+)?$", "", unquote(target))
    places = (
        join(parent(path), bare),
        # Through a link to its directory, as a program opens it.
        join(parent(tree.host.realpath(path)), bare),
        tree.root + "/" + bare.lstrip("/"),
        join(tree.root, bare.lstrip("/")),
    )
    found = [normpath(place) for place in places]
    return not bare or any(tree.host.kind(place) is not None or tree.is_ignored(place) for place in found)


def _is_lost(tree: Tree, path: str, target: str) -> bool:
    """Whether a path means nothing, from nowhere, though its directory is there."""
    if target.startswith("/") or is_to_fill_in(target):
        return False
    bare = normpath(target)
    places = [join(parent(path), bare), join(parent(tree.host.realpath(path)), bare), join(tree.root, bare)]
    ending = "/" + bare.lstrip("./")
    if any(tree.host.kind(normpath(each)) is not None for each in places):
        return False
    if not any(tree.host.kind(normpath(parent(each))) == "directory" for each in places):
        return False
    if any(file.endswith(ending) for file in tree.files):
        return False
    # What git leaves out, others may have.
    return not any(tree.is_ignored(normpath(each)) for each in places)
