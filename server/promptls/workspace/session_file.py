"""A session as JSON, as ``preview --session`` and ``prompt/preview`` take it.

Always imported late: pydantic costs more than a whole preview.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from promptls.core.model import Call, OpenFile, Range, Turn
from promptls.errors import UsageError
from promptls.sessions.start import Overrides
from promptls.workspace.invalid import sentence

# A session that is longer than this is no session (bytes).
MOST = 16 * 1024 * 1024
HELP = "see “promptls preview --help”"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class CallOptions(_Part):
    """A call of a tool: `read` a file, or `tool` with its `input`."""

    read: str | None = Field(None, description="A file that the tool for reading reads.")
    tool: str | None = Field(None, description="The tool, as the harness names it.")
    input: dict[str, Any] | None = Field(None, description="The arguments of the tool.")

    @model_validator(mode="after")
    def _either(self) -> CallOptions:
        if (self.read is None) == (self.tool is None):
            raise ValueError("a call has either read or tool, and not both")
        return self


class OpenOptions(_Part):
    """A file that is open in the editor."""

    path: str
    selection: list[int] | None = Field(
        None, min_length=4, max_length=4, description="Line, character, line, character, from 0."
    )


class TurnOptions(_Part):
    """What the user sends at once, and what the model calls then."""

    prompt: str | None = Field(None, description="What the user typed.")
    stdin: str | None = Field(None, description="What was piped to the program with the prompt.")
    attached: list[str] = Field(default_factory=list, description="Attached files.")
    open: list[OpenOptions] = Field(default_factory=list, description="Files that are open in the editor.")
    steps: list[list[CallOptions]] = Field(
        default_factory=list, description="The steps of the model; the calls of one step are parallel."
    )
    resume: bool = Field(False, description="A new process took the session up and sent this, as with `--continue`.")
    args: list[str] | None = Field(
        None, description="With `resume`, the command line of that process, where it is not that of the session."
    )

    @model_validator(mode="after")
    def _of_a_process(self) -> TurnOptions:
        if self.args is not None and not self.resume:
            raise ValueError("a turn has args only with resume")
        return self


class SessionOptions(_Part):
    """A session; the preview shows its last request."""

    harness: str = Field(description="The harness, with `@` and a version if another than the newest one is meant.")
    cwd: str = Field(description="Where the harness is started.")
    folders: list[str] = Field(default_factory=list, description="The folders of a workspace that has several.")
    model: str | None = Field(None, description="The model, as the harness names it.")
    agent: str | None = Field(None, description="The agent, as the harness names it.")
    args: list[str] = Field(default_factory=list, description="The command line of the harness.")
    hints: list[str] = Field(default_factory=list, description="Runtime hints, for some harnesses.")
    turns: list[TurnOptions] = Field(default_factory=list, description="What has been said and done.")


def parse(text: str | bytes, name: str = "The session") -> Overrides:
    """What the session asks for that is in ``text``; ``name`` begins the sentence about an error.

    Raises:
        UsageError: it is not JSON, a key is unknown, or a value has the wrong type.
    """
    if len(text) > MOST:
        raise UsageError(f"{name} is larger than {MOST // 1024 // 1024} MiB.")
    try:
        return given(SessionOptions.model_validate(json.loads(text)))
    except RecursionError:
        raise UsageError(f"{name} is nested too deeply; {HELP}.") from None
    except ValidationError as error:
        raise UsageError(f"{name} is not valid: {sentence(dict(error.errors()[0]))}; {HELP}.") from None
    except ValueError as error:
        raise UsageError(f"{name} is not valid JSON: {error}; {HELP}.") from None


def opened_files(text: str) -> tuple[OpenFile, ...]:
    """The open files that are in ``text``, as JSON.

    Raises:
        UsageError: they are not valid.
    """
    try:
        return tuple(map(_open, TypeAdapter(list[OpenOptions]).validate_json(text)))
    except ValidationError as error:
        raise UsageError(f"The open files are not valid: {sentence(dict(error.errors()[0]))}.") from None


def given(options: SessionOptions) -> Overrides:
    """The same, already validated."""
    return Overrides(
        cwd=options.cwd,
        harness=options.harness,
        turns=tuple(map(_turn, options.turns)),
        model=options.model,
        agent=options.agent,
        args=tuple(options.args),
        hints=tuple(options.hints),
        folders=tuple(options.folders),
        is_trusted=False,
    )


def _turn(options: TurnOptions) -> Turn:
    return Turn(
        prompt=options.prompt,
        attached=tuple(options.attached),
        open=tuple(map(_open, options.open)),
        steps=tuple(tuple(map(_call, step)) for step in options.steps),
        stdin=options.stdin,
        resumes=options.resume,
        args=tuple(options.args) if options.args is not None else None,
    )


def _open(options: OpenOptions) -> OpenFile:
    return OpenFile(options.path, Range(*options.selection) if options.selection else None)


def _call(options: CallOptions) -> Call:
    if options.read is not None:
        return Call(read=options.read)
    return Call(tool=options.tool or "", input=json.dumps(options.input or {}, ensure_ascii=False, sort_keys=True))
