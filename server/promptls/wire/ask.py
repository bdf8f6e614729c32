"""Asks a configured server as a program does, and keeps its answer for previews of the same configuration."""

from __future__ import annotations

import json
import os
from datetime import datetime

from promptls.core import files
from promptls.core.formats.tree import EMPTY
from promptls.core.paths import join
from promptls.core.servers import HEADERS, VARIABLES, entry_at, kept_path
from promptls.core.servers import KEPT as KEPT_IN
from promptls.errors import PromptlsError, ServerError
from promptls.harnesses import catalogue
from promptls.system.write_file import write_file
from promptls.wire.server_client import ask
from promptls.workspace.machine import known_texts_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from promptls.core.servers import ServerStart
    from promptls.wire.server_client import Told
    from promptls.workspace.request import Here
    from promptls.workspace.servers_here import Listed

# What of a tool, a prompt and a resource is kept: what programs look at.
KEPT = {
    "tools": ("name", "description", "inputSchema", "_meta"),
    "prompts": ("name", "arguments"),
    "resources": ("uri",),
}


def ask_for(listed: Listed, here: Here, *, is_open: bool) -> Told:
    """Ask a server as its program does, and keep the answer.

    Raises:
        ServerError: it does not answer; what is known of it stays.
        PromptlsError: the answer cannot be kept.
    """
    program, start = catalogue.program(listed.harness), listed.start
    if start is None or program is None or program.client is None:
        raise ServerError(f"It is not known how {listed.title} asks {listed.name}.")
    host = here.host
    told = ask(
        start,
        program.client,
        listed.version,
        cwd=here.start,
        workspace=here.place.workspace,
        env={**host.env, "HOME": host.home},
        given=_values_with_secrets(listed, here),
        network=is_open,
    )
    keep(start, told)
    return told


def keep(start: ServerStart, told: Told) -> None:
    """Keep an answer, where only the user can read it.

    Raises:
        PromptlsError: nothing can be written.
    """
    answer = {key: _without_unread(key, value) for key, value in told.answer.items()}
    kept = {
        "asked": f"{datetime.now().astimezone():%Y-%m-%d}",
        "harness": start.harness,
        "name": start.name,
        "start": start.shown,
        "server": {key: str(told.server[key]) for key in ("name", "version") if key in told.server},
        "seconds": round(told.seconds, 2),
        "answer": answer,
    }
    path = kept_path(known_texts_directory(), start)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        os.chmod(os.path.dirname(path), 0o700)
        write_file(
            path, json.dumps(kept, ensure_ascii=False).encode("utf-8", "replace"), is_new=not os.path.exists(path)
        )
        os.chmod(path, 0o600)
    except OSError as error:
        raise PromptlsError(
            f"{path} cannot be written: {error.strerror}. Set PROMPTLS_DATA_DIR to another directory, and try again."
        ) from None


def forget(starts: Iterable[ServerStart] | None) -> int:
    """Forget the answers of servers, or of all that were ever asked; how many there were.

    Raises:
        PromptlsError: one cannot be removed.
    """
    kept = known_texts_directory()
    if starts is None:
        directory = join(kept, KEPT_IN)
        paths = [join(directory, each.name) for each in files.entries(directory) if each.name.endswith(".json")]
    else:
        paths = [kept_path(kept, each) for each in starts]
    number = 0
    for path in dict.fromkeys(paths):
        try:
            os.unlink(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise PromptlsError(f"{path} cannot be removed: {error.strerror}.") from None
        number += 1
    return number


def _without_unread(key: str, value: object) -> object:
    """A list with what programs look at; titles, annotations and schemas of results never reach a model."""
    if key not in KEPT or not isinstance(value, list):
        return value
    return [{name: each[name] for name in KEPT[key] if name in each} for each in value if isinstance(each, dict)]


def _values_with_secrets(listed: Listed, here: Here) -> dict[str, str]:
    """The variables or headers that the configuration gives the server, with their secrets, which no preview has."""
    host = here.sources.host()
    there = entry_at(host.read, listed.origin)
    if there is None:
        return {}
    document, _, entry = there
    words = HEADERS if listed.start is not None and listed.start.url else VARIABLES
    given = next((each for word in words if (each := entry.get(word)) is not None), EMPTY)
    found = {str(key.data): _text(document.text[value.start : value.end]) for key, value in given.members}
    token = entry.text("bearer_token_env_var")
    return found | ({"Authorization": f"Bearer ${{{token}}}"} if token else {})


def _text(written: str) -> str:
    """A string of JSON or TOML as it is written, or another value."""
    if written.startswith("'"):
        return written.strip("'")
    try:
        found = json.loads(written)
    except ValueError:
        return written.strip('"')
    return found if isinstance(found, str) else written
