"""Aider: it reads nothing by itself, and sends for reference what its configuration or command line names.

Sections named here are those of the harness specification for Aider; [source] is the package of that version.
"""

from __future__ import annotations

from promptls.harnesses.aider.config import read_config
from promptls.harnesses.aider.files import read_only
from promptls.harnesses.aider.options import FILE, NO_GIT, OPTIONS
from promptls.harnesses.aider.spec import SPEC
from promptls.harnesses.aider.versions import ROWS
from promptls.kit.base import described
from promptls.kit.paths import git_root
from promptls.kit.versions import row
from promptls.kit.writer import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session

WHY_BASE = "Aider's own text, and how to write changes for this model"
WHY_EXAMPLES = "Aider shows the model how a change looks; how many messages that takes depends on the model"
WHY_MAP = (
    "Aider describes the repository to the model, unless --map-tokens is 0; the place of what follows depends on it"
)
WHY_CHAT = "the files that the model may change are sent after those for reference"
WHY_PLAIN = "what the user types is sent unchanged, and a file that is read brings no instructions"
NOTE_NOTHING = "Aider reads no instruction file by itself, and nothing here names one: put read into .aider.conf.yml."


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of a session (section "Placement")."""
    writer = Writer(SPEC, session, host, OPTIONS)
    draft, command, cwd = writer.draft, writer.command, writer.cwd
    # The configuration of a repository is found also without using git [source].
    repository = git_root(host, cwd)
    config = read_config(draft, host, cwd, repository, command)
    root = cwd if repository is None or NO_GIT in command.switches else repository
    writer.system(writer.own("base prompt", why=WHY_BASE))
    draft.add_message("user", [writer.own("examples", why=WHY_EXAMPLES)], index=1)
    draft.add_message("user", [writer.own("map of the repository", why=WHY_MAP, layer="environment")], index=3)
    files = read_only(draft, host, cwd, root, config)
    if not config.sources and draft.stopped is None:
        draft.notes.append(NOTE_NOTHING)
    index = row(ROWS, session.version).index
    draft.add_message("user", files, index=index)
    if command.values.get(FILE) or command.rest:
        chat = writer.own("files of the chat", why=WHY_CHAT, layer="runtime")
        draft.add_message("user", [chat], index=index + 2)
    writer.chat(index=index + 4, why=WHY_PLAIN)
    return writer.prompt(model=config.model)


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "Nothing by itself: no AGENTS.md, CLAUDE.md or CONVENTIONS.md",
        "The files that --read names, else AIDER_READ of the environment or .env, else read of .aider.conf.yml",
        "That of the working directory, else of the git root, else of the home directory: lists are not joined",
        "Relative paths count from the working directory; of a directory all files are sent",
    ),
)
