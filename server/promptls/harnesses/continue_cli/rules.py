"""Continue's rules: the command line's, those of config.yaml, and files (source: systemMessage, ConfigService)."""

from __future__ import annotations

import re

from promptls.core.formats import parse_yaml
from promptls.core.formats.read_again import strict
from promptls.core.lazy import regex
from promptls.core.model import Fault, Origin, Segment
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass
from promptls.kit.base import with_consequence
from promptls.kit.candidates import Rule, our_cut, own
from promptls.kit.configs import ConfigReader
from promptls.kit.javascript import trimmed
from promptls.kit.paths import join, resolve
from promptls.kit.pieced_text import File

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.formats.tree import Value
    from promptls.core.host import Host
    from promptls.kit.draft import Draft

WHY_RULE = "Continue sends every rule of .continue/rules that holds always, then those of ~/.continue/rules"
WHY_CONFIG = "Continue sends the rules of config.yaml, also those with globs"
READER = ConfigReader(
    "Continue reads its configuration here",
    parse=parse_yaml,
    reason="it is not valid",
    until="Continue cannot load it",
)
WHY_OPTION = "--rule gives it, and Continue sends it once more with the rules of the configuration"
WHY_ENDING = "a rule's name must end in .md, so Continue ignores it"
ALWAYS = "alwaysApply"
# A limit of ours: links may make directories endless.
MAX_DEPTH = 32
_DASHES = regex(r"^---\s*$", re.MULTILINE)
_ENDING = regex(r"\.[a-zA-Z]+$")


@dataclass(frozen=True, slots=True)
class Places:
    """The working directory, the global directory, and the configuration."""

    cwd: str
    home: str
    config: str


def rules(draft: Draft, host: Host, places: Places, given: Sequence[str]) -> list[list[Segment]]:
    """The text of each rule in order, without its neighbours (wire: config-rules-full, rule-flag).

    ``given`` are those of the command line: a text or a file. They come twice: first of all, and with the rules of the
    configuration, texts before those and files after them. There a bare name of a file is a text (wire:
    rule-flag-forms). Of the files, one with a text that is there is left out.
    """
    first = [(each, block) for each in given if (block := _rule_option(draft, host, places.cwd, each))]
    texts = [[_text(each)] for each in given if _is_text(each)]
    files = [_again(block) for each, block in first if not _is_text(each)]
    configured = [*texts, *([each] for each in _configured(draft, host, places.config)), *files]
    known = {"".join(segment.text for segment in each) for each in configured}
    blocks = [*(block for _, block in first), *configured]
    for directory in (join(places.cwd, ".continue", "rules"), join(places.home, "rules")):
        for path in _files(draft, host, directory):
            segment = _rule(draft, host, path, known)
            if segment is not None:
                blocks.append([segment])
    return blocks


def _is_text(given: str) -> bool:
    """Whether an option is a text for the configuration (source: isStringRule)."""
    return " " in given or "\n" in given or not (given.startswith((".", "/", "~", "file:/")) or "\\" in given)


def _rule_option(draft: Draft, host: Host, cwd: str, given: str) -> list[Segment]:
    """What ``--rule`` gives: what looks like a path is the text of that file (wire: rule-flag-forms)."""
    origin = Origin("argument", name=f"--rule {given}")
    stripped = given.strip()
    is_path = stripped.startswith((".", "/")) or "\\" in stripped or _ENDING.search(stripped) is not None
    if not is_path or "\n" in given:
        return [_text(given)]
    path, rule = resolve(cwd, stripped), Rule("--rule names it", origin)
    contents = host.read(path)
    if contents.state != "file":
        draft.candidates.append(rule.unread(path, contents.state))
        return []
    draft.candidates.append(rule.read(path, contents))
    text = decode(contents.data, keep_bom=True)
    file = File(path, text, our_cut(contents), host.realpath(path))
    return [Segment("instructions", path, text, file.origin(0, len(text)), WHY_OPTION, cut=file.cut)]


def _text(given: str) -> Segment:
    return Segment("instructions", "--rule", given, Origin("argument", name=f"--rule {given}"), WHY_OPTION)


def _again(segments: list[Segment]) -> list[Segment]:
    """The second copy of a file, as of the configuration: without its front matter (wire: rule-flag)."""
    found: list[Segment] = []
    for each in segments:
        file = File(each.origin.path or "", each.text, each.cut)
        start, end = _body(each.text)
        found.append(Segment("instructions", each.title, each.text[start:end], file.origin(start, end), WHY_OPTION))
    return found


# -- config.yaml -------------------------------------------------------------------------------------------------------


def _configured(draft: Draft, host: Host, path: str) -> Iterator[Segment]:
    """Rules are texts, or have one under ``rule``; those from elsewhere are not known."""
    document = READER.read(draft, host, path)
    if document is None:
        return
    listed = document.root.get("rules") if document.root is not None else None
    for item in listed.items if listed is not None else ():
        value: Value | None = item if item.kind == "string" else item.get("rule")
        origin = Origin("config", path=path, range=document.range(item), name=item.text("uses"))
        if value is not None and isinstance(value.data, str) and value.data:
            where = Origin("file", path=path, range=document.range(value))
            yield Segment("instructions", "rule of config.yaml", value.data, where, WHY_CONFIG)
        elif item.get("uses") is not None:
            why = "promptls does not know a rule that is used from elsewhere"
            draft.candidates.append(Rule(why, origin).excluded())


# -- files -------------------------------------------------------------------------------------------------------------


def _files(draft: Draft, host: Host, directory: str) -> Iterator[str]:
    """The files of a directory by name, then those of each directory in it; links are followed (wire: rule-forms)."""
    waiting, depth = [directory], 0
    while waiting and depth < MAX_DEPTH:
        below: list[str] = []
        for place in waiting:
            for entry in sorted(host.entries(place), key=lambda each: each.name.encode("utf-8", "surrogatepass")):
                path = join(place, entry.name)
                if entry.is_directory or (entry.is_link and host.kind(path) == "directory"):
                    below.append(path)
                elif entry.name.endswith(".md"):
                    yield path
                elif entry.name.endswith((".mdc", ".txt")):
                    draft.candidates.append(own(WHY_ENDING).excluded(path))
        waiting, depth = below, depth + 1


def _rule(draft: Draft, host: Host, path: str, known: set[str]) -> Segment | None:
    """The text of a rule that holds always; of any other one, why it is left out (wire: rule-forms, nested-read)."""
    rule, contents = own(WHY_RULE), host.read(path)
    if contents.state != "file":
        draft.candidates.append(rule.unread(path, contents.state))
        return None
    file = File(path, decode(contents.data, keep_bom=True), our_cut(contents), host.realpath(path))
    start, end = _body(file.text)
    text = file.text[start:end].replace("\r\n", "\n")
    why_not, fault = _why_not(file.text)
    if why_not:
        draft.candidates.append(rule.unscoped(path, why_not))
    elif not text.strip():
        draft.candidates.append(rule.empty(path, "it has no text"))
    elif text in known:
        draft.candidates.append(rule.duplicate(path, "its text is a rule of the configuration already", of=None))
    else:
        reason = "its front matter is not valid, so it is sent, too" if fault else ""
        candidate = rule.loaded(path, reason, faults=(fault,)) if fault else rule.read(path, contents)
        draft.candidates.append(candidate)
        return Segment("instructions", path, text, file.origin(start, end), WHY_RULE, cut=file.cut)
    return None


def _matter(text: str) -> tuple[int, int, int] | None:
    """Where the front matter begins and ends, and where the text after it begins; whatever comes before is dropped.

    The program splits a text at lines of three dashes, wherever they are (wire: header-forms).
    """
    found = _DASHES.finditer(text)
    opening, closing = next(found, None), next(found, None)
    return (opening.end(), closing.start(), closing.end()) if opening and closing else None


def _body(text: str) -> tuple[int, int]:
    """What is sent: all of it, or what follows valid front matter, trimmed."""
    matter = _matter(text)
    if matter is None:
        return 0, len(text)
    start, end, after = matter
    return trimmed(text, after) if strict(text[start:end]) is not None else (0, len(text))


def _why_not(text: str) -> tuple[str, Fault | None]:
    """Why the front matter keeps a rule out, "" if it does not; and what is wrong with it."""
    matter = _matter(text)
    if matter is None:
        return "", None
    start, end, _ = matter
    document = strict(text[start:end])
    if document is None:
        where = LineIndex(text).range(start, end)
        fault = Fault("front-matter-invalid", where, "this is not valid YAML")
        return "", with_consequence(fault, "Continue sends it as a part of the rule")
    root = document.root
    if root is None:
        return "", None
    values = {key: value for key in (ALWAYS, "globs", "regex", "invokable") if (value := root.get(key))}
    if "invokable" in values and _is_truthy(values["invokable"]):
        return "invokable makes it a command", None
    if ALWAYS in values:
        return "" if values[ALWAYS].kind == "true" else "alwaysApply is not true", None
    scoped = [key for key in ("globs", "regex") if key in values and _is_truthy(values[key])]
    return (f"it has {scoped[0]}, and Continue's command line never sends such a rule" if scoped else ""), None


def _is_truthy(value: Value) -> bool:
    return value.kind not in ("false", "null") and value.data not in ("", 0)
