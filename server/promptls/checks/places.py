"""Instruction files by their names and places: those that nobody loads, and those that are elsewhere than it looks.

never-loaded, shadowed as a warning, symlink-broken, case-mismatch, absolute-path, outside-workspace.
"""

from __future__ import annotations

from posixpath import basename, splitext

from promptls.checks.hidden import shadowed as hidden_by
from promptls.checks.instructions import STATES, unreadable
from promptls.checks.names import in_use, is_apart, is_of_others, kind_of, spellings
from promptls.checks.rules import problem
from promptls.core import specs
from promptls.core.model import USED, Edit, Fix, Range, Related
from promptls.core.paths import is_absolute, join, parent, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.checks.names import Kind
    from promptls.checks.tree import Tree
    from promptls.core.model import Candidate, Origin, Problem, Prompt
    from promptls.core.settings import Settings

# Outcomes of a file that a harness looks for and, in this session, has no use for: other checks tell what is wrong.
KNOWN = ("loaded", "cut", "unscoped", "duplicate", "empty", "dropped", "disabled")
# Why a harness drops a file without a word: left-out tells it.
SILENT = ("link", "not-utf-8", "ignored")
# Outcomes of an entry whose target exists.
LEADS = ("loaded", "cut", "empty", "duplicate")


def check_tree(tree: Tree, _settings: Settings) -> Iterator[Problem]:
    """What can only be said when every session of every harness in use has been looked at."""
    told = {(name, other.path) for each in misspelt(tree) for name in each.harnesses for other in each.related}
    for each in _nobody_loads(tree):
        # That an entry misses it by its spelling is the reason, and told there.
        if each.code != "shadowed" or not any((name, each.path) in told for name in each.harnesses):
            yield each
    yield from _spelling(tree)
    yield from _entries(tree)


def _nobody_loads(tree: Tree) -> Iterator[Problem]:
    used = in_use(tree.prompts)
    # What a harness that stops would load, is not known.
    stopped = {prompt.session.harness for prompt in tree.prompts if prompt.stopped or _is_replaced(prompt)}
    known, shadowed = _looked_at(tree)
    real: set[str] = set()
    if not used:
        return
    for path in tree.prose():
        # Most are known, and need not be told by their name.
        kind = kind_of(tree.relative(path)) if path not in known else None
        if kind is None or is_of_others(kind, used):
            continue
        # Another path of the same file counts for it.
        real = real or {tree.host.realpath(each) for each in known}
        if path in real or tree.host.realpath(path) in known or is_apart(path, tree.host, tree.root):
            continue
        asked = [name for name in used if not kind.harnesses or name in kind.harnesses]
        state = tree.host.read(path).state
        if state == "missing":  # git knows it, and it is gone
            continue
        if state in STATES:
            yield unreadable(asked[0], path, state)
        elif path in shadowed:
            for prompt, candidate in shadowed[path].values():
                yield hidden_by(prompt.session.harness, candidate, prompt.candidates, "warning")
        elif stopped.isdisjoint(asked):
            message = (
                f"This looks like an instruction file, but {' or '.join(asked)} never loads it, "
                "wherever it is started. "
                "Give it the name and location that the harness looks for, or name it in the configuration."
            )
            yield problem("never-loaded", path, Range(), message, harness=asked[0], fixes=_renamed(tree, path, kind))


def _is_replaced(prompt: Prompt) -> bool:
    """Whether one file is sent in place of the whole prompt, which is told at that file."""
    return any(candidate.state == "replaces" for candidate in prompt.candidates)


def _looked_at(tree: Tree) -> tuple[set[str], dict[str, dict[str, tuple[Prompt, Candidate]]]]:
    """The files that some harness has a use for, and those whose turn another file has, by harness."""
    known: set[str] = set()
    shadowed: dict[str, dict[str, tuple[Prompt, Candidate]]] = {}
    for prompt in tree.prompts:
        for candidate in prompt.candidates:
            if candidate.path is None or candidate.use == "config":
                continue
            # What a setting leaves out, somebody wants to be left out.
            is_set_aside = candidate.outcome == "excluded" and candidate.origin.kind == "config"
            # What is wrong with a text is told at its place.
            is_told = candidate.use == "instruction" and (bool(candidate.faults) or candidate.state in SILENT)
            if candidate.outcome in KNOWN or is_set_aside or is_told or candidate.state == "untrusted":
                known.add(candidate.path)
            elif candidate.outcome == "shadowed" and candidate.other not in (None, candidate.path):
                shadowed.setdefault(candidate.path, {}).setdefault(prompt.session.harness, (prompt, candidate))
    return known, shadowed


def _renamed(tree: Tree, path: str, kind: Kind) -> tuple[Fix, ...]:
    """A file that only has the wrong ending for its place is renamed."""
    right = kind.loaded_ending
    new = splitext(path)[0] + right
    if not right or path.endswith(right) or tree.host.kind(new) is not None:
        return ()
    return (Fix(f"Rename it to {basename(new)}", (Edit(path, rename=new),)),)


def _spelling(tree: Tree) -> Iterator[Problem]:
    names = {name.lower(): name for name in spellings()}
    for path in tree.prose():
        name = path.rpartition("/")[2]
        right = names.get(name.lower(), name)
        if name == right:
            continue
        directory = parent(path)
        # In lower case, below the root, it may well be a page about agents.
        if (directory != tree.root and name == name.lower()) or tree.host.kind(path) is None:
            continue
        if tree.host.kind(join(directory, right)) is not None:
            continue
        sent_by = {harness for harness, each in tree.candidates() if each.path == path and each.outcome in USED}
        # One that loads a name in any spelling says nothing of the others.
        if not all(specs.of(each).ignores_case for each in sent_by):
            continue
        asked = {harness: None for harness, each in tree.candidates() if basename(each.path or "") == right}
        asked = {harness: None for harness in asked if harness not in sent_by}
        if asked:
            harness = next(iter(asked))
            message = f"{harness} looks for {right}, but this file is named {name}. Rename it."
            # Who names the file by its old name would lose it.
            is_named = any(name in (tree.text(other) or "") for other in tree.prose())
            is_safe = not is_named and not _may_hide(tree, right, asked)
            fixes = (Fix(f"Rename it to {right}", (Edit(path, rename=join(directory, right)),), is_safe=is_safe),)
            yield problem("case-mismatch", path, Range(), message, harness=harness, fixes=fixes)


def _may_hide(tree: Tree, right: str, asked: Iterable[str]) -> bool:
    """Whether a file of this name could take the turn of another that is loaded now."""
    others = {name for name in spellings() if name != right}
    return any(
        harness in asked and each.outcome in USED and basename(each.path or "") in others
        for harness, each in tree.candidates()
    )


def misspelt(tree: Tree) -> Iterator[Problem]:
    """Those entries and imports that miss a file by its spelling."""
    return (each for each in _entries(tree) if each.code == "case-mismatch")


def _entries(tree: Tree) -> Iterator[Problem]:
    """What configurations and imports name: in another spelling, by a path of this machine, or outside."""
    for harness, candidate in tree.candidates():
        origin, path = candidate.origin, candidate.path
        is_entry = origin.path is not None and origin.range is not None and origin.path != path
        if not is_entry or path is None or candidate.use != "instruction" or not tree.holds(origin.path or ""):
            continue
        if origin.kind == "config" and candidate.outcome in LEADS:
            yield from _of_machine(tree, harness, origin, path)
        elif candidate.outcome == "missing" and origin.kind in ("config", "file"):
            right = tree.other_spelling(path)
            if right is not None:
                yield _misspelt(tree, harness, origin, right)


def _of_machine(tree: Tree, harness: str, origin: Origin, path: str) -> Iterator[Problem]:
    file, where, entry = origin.path or "", origin.range or Range(), origin.name or ""
    if not tree.shares(path):
        if not entry.startswith(("~", "{env", "$")) and not tree.shares(tree.host.realpath(path)):
            message = (
                f"{harness} loads {path}, which is outside this workspace, so others do not have it. "
                "Keep a copy here, or name it in your own configuration."
            )
            yield problem("outside-workspace", file, where, message, harness=harness)
    elif is_absolute(entry, tree.root):
        # A pattern stays one, whatever it matches now.
        written = resolve(tree.root, entry)
        own = tree.relative(written if "*" in entry and tree.holds(written) else path)
        message = f"This path is valid only on this machine: elsewhere {harness} loads nothing for it. Write {own}."
        # What it is relative to, is only plain at the top.
        is_plain = parent(file) == tree.root and "*" not in entry
        fixes = (Fix(f"Write {own}", (Edit(file, where, f'"{own}"'),), is_safe=True),) if is_plain else ()
        yield problem("absolute-path", file, where, message, harness=harness, fixes=fixes)


def _misspelt(tree: Tree, harness: str, origin: Origin, right: str) -> Problem:
    file, where, entry = origin.path or "", origin.range or Range(), origin.name or ""
    # A file that comes in no other way is lost as a whole.
    real = tree.host.realpath(right)
    is_sent = any(
        name == harness and each.outcome in USED and each.path is not None and tree.host.realpath(each.path) == real
        for name, each in tree.candidates()
    )
    sign = "@" if entry.startswith("@") else ""
    quote = '"' if origin.kind == "config" else ""
    bare = entry.removeprefix("@")
    new = right[len(right) - len(bare) :]
    # The file exists, so the intent is unambiguous.
    fixes = (Fix(f"Write {new}", (Edit(file, where, f"{quote}{sign}{new}{quote}"),), is_safe=True),)
    message = f"{harness} loads nothing for “{entry}”, because the file is named {tree.relative(right)}. Use that name."
    return problem(
        "case-mismatch",
        file,
        where,
        message,
        harness=harness,
        related=(Related(right, Range(), "The file."),),
        severity="warning" if is_sent else "error",
        fixes=fixes if new.lower() == bare.lower() else (),
    )
