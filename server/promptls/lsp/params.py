"""Our own requests: their names, and what a client asks with. results.py and view_results.py have the answers."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from promptls.workspace.session_file import OpenOptions, SessionOptions

PREVIEW = "prompt/preview"
DID_CHANGE = "prompt/didChange"
HARNESSES = "prompt/harnesses"
USE = "prompt/use"
EXPLAIN = "prompt/explain"
SESSIONS = "prompt/sessions"
SESSION = "prompt/session"
RULES = "prompt/rules"
MAP = "prompt/map"
TABLE = "prompt/table"
VERIFY = "prompt/verify"


class Params(BaseModel):
    """Parameters: camel case, unknown keys ignored."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", alias_generator=to_camel, populate_by_name=True, defer_build=True
    )


class TextDocumentIdentifier(Params):
    """A document by its URI."""

    uri: str


class PreviewParams(Params):
    """Selects the prompt: missing values come from the document, the settings and the workspace.

    With ``rev``, a git revision, the files of the document's repository are those of that commit. ``session`` is a
    whole session as ``preview --session`` takes it; the other values are over it. ``open`` are the files that are open
    in the editor, the active one last; it has an effect where ``session.counts_open`` of the result is true.
    ``recorded`` is a session that a program recorded, by its identifier, or ``last``. ``subagent``: the first
    request of a sub-agent that the session starts, by the name of the agent, with its task after a colon.
    """

    text_document: TextDocumentIdentifier | None = None
    cwd: str | None = None
    harness: str | None = None
    model: str | None = None
    agent: str | None = None
    reads: list[str] | None = None
    args: list[str] | None = None
    rev: str | None = None
    session: SessionOptions | None = None
    open: list[OpenOptions] | None = None
    recorded: str | None = None
    subagent: str | None = None


class SessionsParams(Params):
    """Selects the folder: that of the document, else the first one."""

    text_document: TextDocumentIdentifier | None = None


class SessionPageParams(Params):
    """Selects a recorded session of a folder, by its identifier or ``last``."""

    text_document: TextDocumentIdentifier | None = None
    harness: str | None = None
    id: str


class RulesParams(Params):
    """Selects the folder: that of the document, else the first one."""

    text_document: TextDocumentIdentifier | None = None


class HarnessesParams(Params):
    """Selects the workspace: that of the document, else the first folder; `all`: also uncommon harnesses."""

    text_document: TextDocumentIdentifier | None = None
    all: bool = False


class UseParams(Params):
    """The harnesses that the user has, the one to show first, with a version if they say so (`NAME@VERSION`).

    None: they go by what is found, and are not asked again. Missing or null: nothing is written.
    """

    harnesses: list[str] | None = None


class ExplainParams(Params):
    """Selects the file."""

    text_document: TextDocumentIdentifier


class MapParams(Params):
    """Selects the folder: that of the document, else the first one."""

    text_document: TextDocumentIdentifier | None = None


class TableParams(Params):
    """Selects the file; without one, the first folder."""

    text_document: TextDocumentIdentifier | None = None


class VerifyParams(Params):
    """Selects the file, and the harness if it is not the one that is shown.

    The progress is one that the server begins, if there is no ``work_done_token``; who cancels it, or the request, ends
    the program.
    """

    text_document: TextDocumentIdentifier
    harness: str | None = None
    work_done_token: int | str | None = None
