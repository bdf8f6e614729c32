"""Files that two programs in use take differently: the rules whose codes end in -elsewhere.

Nothing here knows a program: what each does with a file is what its previews say.
"""

from __future__ import annotations

from posixpath import basename

from promptls.checks.rules import problem
from promptls.core import specs
from promptls.core.formats.header import header
from promptls.core.model import START, USED, Range
from promptls.core.paths import join, parent, relative
from promptls.core.phrases import and_list
from promptls.core.text import decode
from promptls.core.values import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from promptls.checks.tree import Tree
    from promptls.core.formats.header import Header
    from promptls.core.host import Host
    from promptls.core.model import Candidate, Problem, Prompt
    from promptls.core.settings import Settings

# The key that keeps a skill from the model of the programs that know it.
HIDES = "disable-model-invocation"
# Outcomes of what is there, and kept from the model.
HIDDEN = ("excluded", "disabled")
# Outcomes of a link that is left.
NOT_FOLLOWED = ("excluded", "failed", "outside")
# In the sentence of a program that sends nothing until its user trusts the folder.
AWAITS_TRUST = "does not trust this folder"
# Fields that count with these values only.
VALUES = {"context": ("fork",), "user-invocable": ("false",)}


@dataclass(frozen=True, slots=True)
class HiddenSkill:
    """A skill that says that models may not call it: who keeps it from theirs, and who lists it all the same."""

    path: str
    hidden_in: tuple[str, ...]
    listed_in: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IgnoredField:
    """A field of a skill that some programs follow which have the skill, and others ignore."""

    path: str
    key: str
    followed_in: tuple[str, ...]
    ignored_in: tuple[str, ...]


@dataclass(slots=True)
class _Takes:
    """What a program takes in sessions that start at the top: files at start, and those that a read adds."""

    harness: str
    at_start: set[str] = field(default_factory=set)
    on_read: set[str] = field(default_factory=set)
    # Files that only a start beside them brings.
    only_there: set[str] = field(default_factory=set)


def check_tree(tree: Tree, settings: Settings) -> Iterator[Problem]:
    """A problem for each file that two programs take differently."""
    tops = [each for each in tree.prompts if each.session.cwd == tree.root and each.stopped is None]
    starts = {each.session.harness: each for each in reversed(tops) if not each.session.turns}
    yield from _trust(tree, list(starts.values()))
    if len(starts) <= 1:
        return
    host = tree.host
    yield from _skills(tree, list(starts.values()))
    yield from _fields(tree, list(starts.values()))
    taken = [_taken(harness, tree.prompts, tree.root, host) for harness in starts]
    yield from _links(tree, list(starts.values()))
    yield from _imports(tree, list(starts.values()), {each.harness: each for each in taken})
    yield from _scopes(tree, tops, taken)
    if dict(settings.rules).get("nested-elsewhere", "off") != "off":
        yield from _nested(tree, taken)


def _taken(harness: str, prompts: Iterable[Prompt], root: str, host: Host) -> _Takes:
    found = _Takes(harness)
    for prompt in prompts:
        if prompt.session.harness == harness:
            for each in prompt.candidates:
                if each.path is not None and each.use == "instruction" and each.outcome in (*USED, "duplicate"):
                    is_top = prompt.session.cwd == root
                    kind = (found.at_start if each.at == START else found.on_read) if is_top else found.only_there
                    kind.add(host.realpath(each.path))
    found.only_there -= found.at_start | found.on_read
    found.on_read -= found.at_start
    return found


def _titles(names: Iterable[str]) -> str:
    """The names of programs in a sentence."""
    return and_list(specs.of(each).title for each in names)


# -- skills ------------------------------------------------------------------------------------------------------------


def hidden_skills(starts: Sequence[Prompt], host: Host) -> list[HiddenSkill]:
    """The skills that one program keeps from the model because their front matter says so, and another lists."""
    hidden: dict[str, list[str]] = {}
    listed: dict[str, list[str]] = {}
    for prompt in starts:
        shown = {segment.origin.path for message in prompt.messages for segment in message.segments}
        for each in prompt.candidates:
            if each.use == "skill" and each.path is not None and each.at == START:
                kind = listed if each.outcome in USED and each.path in shown else None
                kind = hidden if each.outcome in HIDDEN and HIDES in each.reason else kind
                names = kind.setdefault(host.realpath(each.path), []) if kind is not None else []
                if prompt.session.harness not in names:
                    names.append(prompt.session.harness)
    return [
        HiddenSkill(path, tuple(names), tuple(each for each in listed[path] if each not in names))
        for path, names in sorted(hidden.items())
        if any(each not in names for each in listed.get(path, ()))
    ]


def _skills(tree: Tree, starts: Sequence[Prompt]) -> Iterator[Problem]:
    for each in hidden_skills(starts, tree.host):
        if not tree.holds(each.path):
            continue
        where = header(tree.text(each.path) or "").range(HIDES) or Range()
        titles = _titles(each.hidden_in)
        for name in each.listed_in:
            message = (
                f"{name} lists this skill to the model although it says {HIDES}, which hides it in {titles}. "
                f"Turn it off there too, or remove the key."
            )
            yield problem("skill-hidden-elsewhere", each.path, where, message, harness=name)


def ignored_fields(starts: Sequence[Prompt], host: Host) -> list[IgnoredField]:
    """The fields of skills that some of the programs follow, and others were seen to ignore."""
    having: dict[str, list[str]] = {}
    for prompt in starts:
        for each in prompt.candidates:
            is_there = each.use == "skill" and each.at == START and each.outcome in (*USED, "unscoped")
            if is_there and each.path is not None and specs.of(prompt.session.harness).skill_fields is not None:
                having.setdefault(host.realpath(each.path), []).append(prompt.session.harness)
    found = []
    for path, names in sorted(having.items()):
        known = {each: specs.of(each).skill_fields or {} for each in dict.fromkeys(names)}
        keys = sorted({key for fields in known.values() for key in fields}) if len(known) > 1 else ()
        front = header(decode(host.read(path).data, keep_bom=False)) if keys else None
        for key in keys:
            followed = tuple(each for each, fields in known.items() if fields.get(key))
            ignored = tuple(each for each, fields in known.items() if fields.get(key) == "")
            if front is not None and followed and ignored and _counts(front, key):
                found.append(IgnoredField(path, key, followed, ignored))
    return found


def _counts(front: Header, key: str) -> bool:
    """Whether front matter has a field with a value that counts."""
    value = front.value(key)
    text = "false" if value is not None and value.kind == "false" else front.word(key)
    return text in VALUES[key] if key in VALUES else bool(front.patterns(key))


def _fields(tree: Tree, starts: Sequence[Prompt]) -> Iterator[Problem]:
    for each in ignored_fields(starts, tree.host):
        if not tree.holds(each.path):
            continue
        where = header(tree.text(each.path) or "").range(each.key) or Range()
        does = "; ".join(
            f"{specs.of(name).title} {(specs.of(name).skill_fields or {})[each.key]}" for name in each.followed_in
        )
        for name in each.ignored_in:
            message = f"{name} ignores “{each.key}” of this skill; {does}. Say in its text what must hold everywhere."
            yield problem("field-elsewhere", each.path, where, message, harness=name)


# -- trust -------------------------------------------------------------------------------------------------------------


def _trust(tree: Tree, starts: Sequence[Prompt]) -> Iterator[Problem]:
    """What some programs take of a folder that another sends nothing of, because its user does not trust it there."""
    # Where nothing is said of trust, a session that is trusted is taken for so.
    told = [each for each in tree.prompts if each.session.is_trusted and AWAITS_TRUST in (each.stopped or "")]
    path, titles = _first_instructions(tree, starts) if told else ("", [])
    for name in sorted({each.session.harness for each in told}) if path else ():
        message = (
            f"{name} sends nothing of this folder, because you do not trust it there; "
            f"{_titles(titles)} {'sends' if len(titles) == 1 else 'send'} this file all the same."
        )
        yield problem("trust-elsewhere", path, Range(), message, harness=name)


def _first_instructions(tree: Tree, starts: Sequence[Prompt]) -> tuple[str, list[str]]:
    """The first instruction file of the folder in a prompt, and who sends it."""
    senders: dict[str, list[str]] = {}
    for prompt in starts:
        for each in prompt.candidates:
            is_sent = each.use == "instruction" and each.at == START and each.outcome in USED
            if is_sent and each.path is not None and tree.holds(each.path):
                senders.setdefault(each.path, []).append(prompt.session.harness)
    path = next(iter(senders), "")
    return path, list(dict.fromkeys(senders.get(path, ())))


# -- links -------------------------------------------------------------------------------------------------------------


def _links(tree: Tree, starts: Sequence[Prompt]) -> Iterator[Problem]:
    """Links that one program follows at start, and another leaves, without their text by any other name."""
    realpath = tree.host.realpath
    followed: dict[str, list[str]] = {}
    told: dict[str, set[str]] = {}
    for prompt in starts:
        for each in prompt.candidates:
            if each.path is not None and each.at == START and each.outcome in (*USED, "duplicate"):
                followed.setdefault(each.path, []).append(prompt.session.harness)
                told.setdefault(prompt.session.harness, set()).add(realpath(each.path))
    for prompt in starts:
        name = prompt.session.harness
        for each in prompt.candidates:
            path = each.path or ""
            others = [other for other in followed.get(path, ()) if other != name]
            is_left = each.at == START and each.outcome in NOT_FOLLOWED and "link" in f"{each.rule} {each.reason}"
            if not others or not is_left or not tree.holds(path):
                continue
            is_link = realpath(path) != join(realpath(tree.root), relative(path, tree.root))
            if is_link and realpath(path) not in told.get(name, ()):
                why = each.reason or each.rule
                remedy = "" if ";" in why else " Put the text itself there."
                message = (
                    f"{name} does not get what this link leads to, but {_titles(dict.fromkeys(others))} "
                    f"{'does' if len(set(others)) == 1 else 'do'}: {why}.{remedy}"
                )
                yield problem("link-elsewhere", path, Range(), message, harness=name)


# -- imports -----------------------------------------------------------------------------------------------------------


def _imports(tree: Tree, starts: Sequence[Prompt], taken: dict[str, _Takes]) -> Iterator[Problem]:
    """Imports that one program follows at start, in a file that another sends with the import in it."""
    followed: dict[tuple[str, Range], tuple[Candidate, list[str]]] = {}
    for prompt in starts:
        for each in prompt.candidates:
            if _is_import(each) and each.outcome in USED and tree.holds(each.origin.path or ""):
                key = tree.host.realpath(each.origin.path or ""), each.origin.range or Range()
                _, names = followed.setdefault(key, (each, []))
                names.append(prompt.session.harness)
    for (path, where), (each, names) in followed.items():
        target = tree.host.realpath(each.path or "")
        for prompt in starts:
            other = prompt.session.harness
            is_told = target in taken[other].at_start or target in taken[other].on_read
            if other in names or is_told or not _sends(prompt, path, where, each.origin.name or "", tree.host):
                continue
            titles = _titles(dict.fromkeys(names))
            file = tree.relative(each.path or "")
            message = (
                f"{other} sends “{each.origin.name}” as it is written; in {titles}, the text of {file} replaces it. "
                f"Say in words when to read it, or leave it if nobody needs it there."
            )
            yield problem("import-elsewhere", path, where, message, harness=other)


def _is_import(each: Candidate) -> bool:
    origin = each.origin
    return each.use == "instruction" and each.at == START and origin.kind == "file" and origin.range is not None


def _sends(prompt: Prompt, path: str, where: Range, written: str, host: Host) -> bool:
    """Whether a start sends a file with what is written at a place of it."""
    for message in prompt.messages:
        for each in message.segments if message.at == START else ():
            origin = each.origin
            if origin.path is not None and origin.range is not None and not each.frame and each.elided is None:
                is_there = origin.range.start <= where.start and where.end <= origin.range.end
                if is_there and host.realpath(origin.path) == path and written in each.text:
                    return True
    return False


# -- rules for some files, and nested files ----------------------------------------------------------------------------


def _scopes(tree: Tree, tops: Sequence[Prompt], taken: Sequence[_Takes]) -> Iterator[Problem]:
    """Rules that one program adds for some files only, and another has at start."""
    scoped: dict[str, list[str]] = {}
    for prompt in tops:
        for each in prompt.candidates if not prompt.session.turns else ():
            if each.outcome == "unscoped" and each.use == "instruction" and each.path is not None:
                path = tree.host.realpath(each.path)
                if _pattern_range(tree, path) is not None:
                    scoped.setdefault(path, []).append(prompt.session.harness)
    for path, names in sorted(scoped.items()):
        for other in taken:
            if tree.holds(path) and path in other.at_start and other.harness not in names:
                titles = _titles(dict.fromkeys(names))
                message = f"{other.harness} sends this rule at each start; it is for some files only in {titles}."
                where = _pattern_range(tree, path) or Range()
                yield problem("scope-elsewhere", path, where, message, harness=other.harness)


def _pattern_range(tree: Tree, path: str) -> Range | None:
    """Where a rule says which files it is for; None if it does not."""
    found = header(tree.text(path) or "")
    return next((found.range(key) for key in sorted(specs.scope_keys()) if found.patterns(key)), None)


def _nested(tree: Tree, taken: Sequence[_Takes]) -> Iterator[Problem]:
    """Nested files that one program adds on reading, and another only if it is started there: one problem each."""
    for each in taken:
        for name in sorted({basename(path) for path in each.only_there}):
            mine = [path for path in each.only_there if basename(path) == name and parent(path) != tree.root]
            others = [other for other in taken if any(path in other.on_read for path in mine)]
            paths = sorted(path for path in mine if tree.holds(path) and any(path in o.on_read for o in others))
            if paths:
                titles = _titles(other.harness for other in others)
                more = f", and {len(paths) - 1} more of this name so" if len(paths) > 1 else ""
                message = (
                    f"{each.harness} gets this file only if it is started there{more}; on reading a file there "
                    f"it comes in {titles}. Name it in a file that {each.harness} gets at start if it must hold."
                )
                yield problem("nested-elsewhere", paths[0], Range(), message, harness=each.harness)
