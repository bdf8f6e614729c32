"""A harness that raises: a fault of promptls, which must not keep the others from being shown."""

from __future__ import annotations

from promptls.core.model import Prompt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from promptls.core.model import Session

    # Gets the sentence for the user, and what was raised.
    Listener = Callable[[str, Exception], None]

FAULT = "This is a fault of promptls"
PACKAGE = "promptls/"
_listeners: list[Listener] = []


def tell(listener: Listener) -> None:
    """Have ``listener`` called with each fault from now on, for a log; it may raise what it is listener."""
    _listeners[:] = [listener]


def faulty(session: Session, title: str, error: Exception) -> Prompt:
    """In the place of the prompt that could not be made: it says so, and is not one of which nothing is sent."""
    return Prompt(session, (), (), stopped=sentence_of(f"the prompt of {title}", error), is_fault=True)


def sentence_of(what: str, error: Exception) -> str:
    """The sentence for the user: no text of the error, which may be of a file."""
    sentence = (
        f"promptls cannot show {what} here. {FAULT} ({type(error).__name__}"
        f"{_place(error.__traceback__)}): please report it, with the lines that PROMPTLS_TRACEBACK=1 adds."
    )
    for listener in _listeners:
        listener(sentence, error)
    return sentence


def _place(trace: TracebackType | None) -> str:
    """Where in promptls it was raised."""
    place = ""
    while trace is not None:
        path = trace.tb_frame.f_code.co_filename.replace("\\", "/")
        if f"/{PACKAGE}" in path:
            place = f" in {path.rpartition(f'/{PACKAGE}')[2]}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return place
