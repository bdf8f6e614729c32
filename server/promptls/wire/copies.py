"""The scratch folder of a capture: copies of the files that a program is given, and a preview of these."""

from __future__ import annotations

import os

from promptls import harnesses
from promptls.core.paths import is_below, join, name
from promptls.core.values import dataclass
from promptls.errors import UsageError
from promptls.git import top_of
from promptls.git.listing import Listing
from promptls.git.replica import build, mark
from promptls.wire import scratch
from promptls.wire.find_program import program_of
from promptls.wire.given_files import Given, Rules, called_for, choose, is_code, is_of_system, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session

# A preview of what is left may look at more, which may lead to more again.
MOST_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Laid:
    """A scratch folder: ``given`` is below ``root``, and ``host`` sees it as the program does at the start.

    ``own``: the directories of the user's that a program does not see as they are. ``prompt``: the preview of ``host``.
    """

    root: str
    given: Given
    own: tuple[str, ...]
    host: Host
    prompt: Prompt


def lay_out(
    session: Session,
    prompt: Prompt,
    host: Host,
    workspace: str,
    packages: tuple[str, ...],
    *,
    folder: str,
    runs: bool,
    is_case: bool,
) -> Laid:
    """Put what the program needs into the scratch ``folder``, twice: one is for the program, one stays as it is.

    A preview of the copies may look at more than that of the folder, where something is left out. ``packages``:
    directories of programs that are seen as they are; for the rest see ``capture``.

    Raises:
        UsageError: without what is left out, nothing would be sent.
    """
    own = tuple(dict.fromkeys((workspace, host.home, session.cwd, *session.folders)))
    harness = harnesses.get(session.harness)
    program = program_of(harness.name)
    rules = Rules(program, harness.spec, host.home, own, packages, keeps_secrets=is_case, runs=runs)
    further: set[str] = {session.cwd, host.home, workspace, *scratch.TEMPORARY}
    further |= {path for path in called_for(session) if any(is_below(path, each) for each in own)}
    further |= {value for name in scratch.PLACES if (value := host.env.get(name))}
    if not runs:
        with Listing(workspace) as listing:
            further |= set(texts(listing.files(), program, session.cwd))
    for number in range(MOST_ROUNDS):
        given = choose(host, prompt, rules, further=further)
        root, kept = (join(folder, f"{name}{number}") for name in ("root", "kept"))
        scratch.lay_out(root, given)
        _lay_out_repositories(host, root, session.cwd, rules)
        scratch.copy(root, kept)
        disk = scratch.Rooted(kept, own, (*packages, *filter(None, (host.sysroot, workspace if runs else ""))))
        seen = host.elsewhere(disk)
        shown = harnesses.preview(session, seen)
        missed = {path for path in seen.looked_at() if path not in further and not host.has_looked_at(path)}
        if not missed:
            break
        further |= missed
    if shown.stopped and not prompt.stopped:
        named = ", ".join(dict.fromkeys(what for what, _ in given.left_out)) or "some files"
        raise UsageError(f"{harness.title} would send nothing without {named}, which it is not given here.")
    return Laid(root, given, own, host.elsewhere(disk), shown)


def _lay_out_repositories(host: Host, root: str, cwd: str, rules: Rules) -> None:
    """A repository of ours for the one that ``cwd`` is in, and for each other one only what shows it."""
    top = top_of(cwd)
    tops = {path.partition("/.git")[0] for path in host.looked_at() if name(path) == ".git" and host.kind(path)}
    for each in sorted(tops):
        if is_of_system(each, rules.own) or not os.path.isdir(root + each):
            continue
        if each == top:
            build(each, root, host.git(cwd), lambda path: not is_code(path, rules))
        else:
            mark(each, root)
