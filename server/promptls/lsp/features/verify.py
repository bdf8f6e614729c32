"""prompt/verify: what ``promptls verify`` finds for a file and the harness that is shown for it."""

from __future__ import annotations

import asyncio
import json

from promptls.core import specs
from promptls.errors import UsageError
from promptls.harnesses import catalogue
from promptls.lsp.server import PromptServer
from promptls.lsp.uris import path_of
from promptls.lsp.virtual import PreviewRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pydantic import BaseModel

    from promptls.core.model import Session
    from promptls.lsp.params import VerifyParams


# What it exits with: the same, or different.
OUTCOMES = (0, 1)


def register(server: PromptServer) -> None:
    """Claim the request."""
    context = server.context

    @server.request("prompt/verify", _params)
    async def verified(params: VerifyParams) -> dict[str, Any]:
        from promptls.lsp.commanded import commanded  # noqa: PLC0415 - rarely asked for

        await context.settings.ready()
        if context.settings.untrusted:
            raise UsageError("No program is started in an untrusted folder; trust the folder to verify a preview.")
        uri = params.text_document.uri
        path = path_of(uri)
        if path is None:
            raise UsageError("Only saved files can be verified; save the document first.")
        view, _ = await server.previews.view(PreviewRequest(uri, harness=params.harness))
        session = view.prompt.session
        title = f"Running {specs.of(session.harness).title}, offline"
        task = asyncio.current_task()
        async with server.show_progress(title, task.cancel if task is not None else None, params.work_done_token):
            answer = await commanded(["verify", "--format=json", *_arguments(session, path)], OUTCOMES)
        found: dict[str, Any] = json.loads(answer)
        # Where nobody can type on the screen of a program, nothing of that was compared.
        found["printed"] = session.interactive is True and not _is_typed_to(session)
        # Previews of this prompt now say so.
        context.events.time_passed.emit(None)
        return found


def _arguments(session: Session, path: str) -> list[str]:
    """The options of the session that is shown; the version is the one that is installed."""
    options = {"harness": session.harness, "cwd": session.cwd, "model": session.model, "agent": session.agent}
    given = [f"--{name}={value}" for name, value in options.items() if value]
    given += ["--editor"] if session.editor else []
    given += ["--interactive"] if session.interactive and _is_typed_to(session) else []
    return [*given, path, *(("--", *session.args) if session.args else ())]


def _is_typed_to(session: Session) -> bool:
    """Whether promptls can start the program on the screen and type."""
    program = catalogue.program(session.harness)
    return program is not None and program.on_screen is not None


def _params() -> type[BaseModel]:
    from promptls.lsp.params import VerifyParams  # noqa: PLC0415 - pydantic is too slow for the start

    return VerifyParams
