"""misplaced: hooks, MCP servers, commands and skills where no harness in use reads them."""

from __future__ import annotations

import re
from posixpath import basename

from promptls.checks.names import in_use
from promptls.checks.rules import problem
from promptls.core import specs
from promptls.core.formats import parse_json
from promptls.core.formats.header import header
from promptls.core.lazy import regex
from promptls.core.model import SKILL_FILE, Edit, Fix, Range
from promptls.core.paths import join, parent
from promptls.core.uses import is_in_effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.checks.tree import Tree
    from promptls.core.model import Problem, Use
    from promptls.core.settings import Settings
    from promptls.core.spec import Misplaced

# A Markdown file in a folder of skills at the top of the checked folder: a flat one, or the text of a skill.
_SKILL = regex(r"(\.[\w-]+/skills?)/([^/]+\.md|[^/]+/SKILL\.md)")
NOUNS: dict[Use, str] = {"server": "MCP servers", "hook": "hooks", "command": "commands"}


def check_tree(tree: Tree, _settings: Settings) -> Iterator[Problem]:
    """A problem for each such place, unless another harness in use reads it."""
    yield from _skills(tree)
    read = {(each.path, each.use) for _, each in tree.candidates() if is_in_effect(each)}
    for harness in in_use(tree.prompts):
        spec = specs.of(harness)
        for known in spec.misplaced:
            is_there = re.compile(rf"(?:^|/){re.escape(known.holder)}/{known.place}$").search
            inside = f"/{known.holder}/"
            for path in [each for each in tree.files if inside in each]:
                where = _place(tree, path, known) if is_there(tree.relative(path)) else None
                if where is not None and (path, known.use) not in read:
                    message = f"{spec.title} reads no {NOUNS[known.use]} here. {known.instead}"
                    yield problem("misplaced", path, where, message, harness=harness)


def _skills(tree: Tree) -> Iterator[Problem]:
    """A problem for each skill that is no folder of its own, or is in one that no harness in use looks into."""
    used = in_use(tree.prompts)
    if not used:
        return
    folders = {folder: spec.name for spec in reversed(specs.every()) for folder in spec.skills}
    # In the order of those that are looked at, the first speaks for all.
    readers = {folder: name for name in reversed(list(used)) for folder in specs.of(name).skills}
    hidden = f"{tree.root.rstrip('/')}/."
    near = [path for path in tree.prose() if path.startswith(hidden) and path.endswith(".md")]
    pages = {path: _SKILL.fullmatch(tree.relative(path)) for path in near}
    in_folders = {
        path: found for path, found in pages.items() if found is not None and _meant(found[1]) & folders.keys()
    }
    looked_at = {tree.host.realpath(each.path) for _, each in tree.candidates() if each.path} if in_folders else set()
    for path, found in in_folders.items():
        if tree.host.realpath(path) in looked_at:
            continue
        if _is_known(path, used) or not _is_skill(tree, path):
            continue
        reader, rest = readers.get(found[1]), found[2]
        if reader is None:
            yield _unread_folder(path, found[1], tuple(used))
        elif not rest.endswith(SKILL_FILE):
            yield _no_folder(tree, path, reader)


def _meant(folder: str) -> set[str]:
    """A folder of skills, and the same in the plural, which some write as .claude/skill."""
    return {folder, f"{folder.removesuffix('s')}s"}


def _is_known(path: str, used: Iterable[str]) -> bool:
    """Whether a harness reads the file although no preview shows it."""
    return any(re.search(rf"/{place}\Z", path) for name in used for place, _ in specs.of(name).not_shown)


def _is_skill(tree: Tree, path: str) -> bool:
    """Whether the file says of itself that it is one, as other files beside skills do not."""
    head = header(tree.text(path) or "")
    return bool(head.word("description")) and (path.endswith(f"/{SKILL_FILE}") or bool(head.word("name")))


def _no_folder(tree: Tree, path: str, harness: str) -> Problem:
    new = join(path.removesuffix(".md"), SKILL_FILE)
    says = f"{specs.of(harness).title} does not read this skill: each skill is a folder with a {SKILL_FILE}."
    fixes = (Fix(f"Rename it to {basename(parent(new))}/{SKILL_FILE}", (Edit(path, rename=new),)),)
    is_free = tree.host.kind(new) is None
    message = f"{says} Rename it to {basename(parent(new))}/{SKILL_FILE}."
    return problem("misplaced", path, Range(), message, harness=harness, fixes=fixes if is_free else ())


def _unread_folder(path: str, folder: str, used: tuple[str, ...]) -> Problem:
    names = [each for name in used for each in specs.of(name).skills]
    first = next((each for each in names if each in _meant(folder)), names[0] if names else None)
    where = f"Put it into {first}, or make that a link to {folder}." if first else "Move it to where they do."
    message = f"No coding agent that is set up here reads skills in {folder}. {where}"
    return problem("misplaced", path, Range(), message, harness=used[0], severity="information")


def _place(tree: Tree, path: str, known: Misplaced) -> Range | None:
    """Where the file says it; None if it does not."""
    if not known.key:
        return Range()
    document = parse_json(tree.text(path) or "", comments=True)
    keys = (key for key, _ in document.root.members if key.data == known.key) if document.root is not None else ()
    return next((document.range(key) for key in keys), None)
