"""JSON-RPC for the server: every request gets exactly one reply, on every path.

pygls supplies the registry of handlers, the capabilities and client calls; messages are received,
dispatched and answered here. How a handler runs:

- a plain function runs at once, on the loop: only for what takes no time;
- a coroutine function is a task on the loop; a cancelled request ends it at its next ``await``;
- a function under ``@server.thread()`` runs in the pool; once it runs it cannot be cancelled.

The state of the server changes on the loop only. A handler that awaits works on values it took before.
"""

from __future__ import annotations

import asyncio
import inspect
import itertools
import json
import logging
import threading
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeAlias

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcServerNotInitialized,
)
from pygls.feature_manager import is_thread_function
from pygls.protocol import JsonRPCRequestMessage, LanguageServerProtocol, lsp_method

from promptls.core.secrets import masked
from promptls.core.visible import visible
from promptls.errors import ClientError, PromptlsError
from promptls.lsp.arrived import ARRIVED
from promptls.lsp.custom import CustomRequests, is_model, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cattrs import Converter
    from pygls.lsp.server import LanguageServer

    from promptls.lsp.stdio import Sink

_log = logging.getLogger(__name__)
# Of each request, also one that is refused.
TOOK = "%s took %.1f ms."

_Id: TypeAlias = int | str
_Handler: TypeAlias = Callable[..., Any]
_Outcome: TypeAlias = "Future[Any] | asyncio.Future[Any]"

# pygls keeps its own documents and folders under these; here a feature owns each.
_NOT_BUILT_IN = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
)


def _is_notification(method: str) -> bool:
    return method in types.METHOD_TO_TYPES and types.METHOD_TO_TYPES[method][1] is None


class PromptProtocol(LanguageServerProtocol):
    """Receives, dispatches and answers messages. ``exit_code`` is None until the server exits.

    The server sets ``on_initialize``, which answers with the capabilities, and ``on_initialized``.
    """

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self.exit_code: int | None = None
        self.on_initialize: Callable[[Mapping[str, Any]], types.ServerCapabilities]
        self.on_initialized: Callable[[None], None]
        self.custom = CustomRequests()
        self._sink: Sink | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = 0
        self._initialized = False
        self._running: dict[_Id, _Outcome] = {}
        self._tasks: set[_Outcome] = set()
        self._asked: dict[object, tuple[str, Future[Any]]] = {}
        self._count = itertools.count(1)
        for method in _NOT_BUILT_IN:
            del self.fm.builtin_features[method]

    # Incoming messages.

    def attach(self, sink: Sink) -> None:
        """Write to ``sink``, from the running loop only."""
        self._sink = sink
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()

    def receive_bytes(self, body: bytes) -> None:
        """Handle the body of one message; never raises."""
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            self._send_error(None, types.ErrorCodes.ParseError, "The message is not valid JSON.")
        else:
            self.receive(message)

    def receive(self, message: object) -> None:
        """Handle one message (plain JSON); never raises."""
        if not isinstance(message, dict) or message.get("jsonrpc") != self.VERSION:
            self._refuse(None, "A message is a JSON object with jsonrpc 2.0.")
            return
        method, params, msg_id = message.get("method"), message.get("params"), message.get("id")
        if "method" not in message:
            self._receive_answer(message)
        elif "id" not in message:
            self._receive_notification(str(method), params)
        elif isinstance(msg_id, bool) or not isinstance(msg_id, int | str):
            self._refuse(None, "The id of a request is a string or an integer.")
        elif msg_id in self._running:
            self._refuse(msg_id, "A request with this id is still running.")
        else:
            self._receive_request(msg_id, str(method), params)

    def hang_up(self) -> None:
        """The client has disconnected or asked the server to exit: 0 if it shut down first, else 1."""
        if self.exit_code is None:
            self._cancel_all()
            self.exit_code = 0 if self._shutdown else 1

    def _receive_request(self, msg_id: _Id, method: str, params: object) -> None:
        begun = time.monotonic()
        try:
            self._check_state(method)
            handler = self._handler(method)
            if handler is None or _is_notification(method):
                raise JsonRpcMethodNotFound(f"promptls has no request {method}.")  # noqa: TRY301 - as the others
            outcome = self._run(handler, self._params(method, params))
        except Exception as error:  # noqa: BLE001 - whatever it is, it becomes the reply
            _log.debug(TOOK, method, (time.monotonic() - begun) * 1000)
            self._send_failure(msg_id, method, error)
            return
        self._running[msg_id] = outcome
        outcome.add_done_callback(partial(self._reply, msg_id=msg_id, method=method, begun=begun))

    def _receive_notification(self, method: str, params: object) -> None:
        if method == types.EXIT:
            self.hang_up()
            return
        if not self._initialized or self._shutdown:
            return
        if method == types.CANCEL_REQUEST:
            self._cancel(params)
            return
        handler = self._handler(method)
        if handler is None:
            _log.debug("Ignored the notification %s.", method)
            return
        try:
            outcome = self._run(handler, self._params(method, params))
        except JsonRpcException as error:
            _log.warning("Ignored the notification %s: %s", method, error)
            return
        except Exception:  # noqa: BLE001 - nobody waits for an answer
            _log.exception("promptls failed to handle the notification %s.", method)
            return
        self._keep(outcome, f"the notification {method}")

    def _receive_answer(self, message: dict[str, Any]) -> None:
        msg_id = message.get("id")
        asked = self._asked.pop(msg_id, None) if isinstance(msg_id, int | str) else None
        # False: nobody is waiting for it any more.
        if asked is None or not asked[1].set_running_or_notify_cancel():
            return
        method, future = asked
        if (error := message.get("error")) is not None:
            text = error.get("message") if isinstance(error, dict) else error
            future.set_exception(ClientError(f"The client failed to handle {method}: {text}"))
            return
        try:
            result = message.get("result")
            if (result_type := self.get_result_type(method)) is not None:
                whole = {"jsonrpc": self.VERSION, "id": msg_id, "result": result}
                result = self._converter.structure(whole, result_type).result
        except Exception:  # noqa: BLE001 - cattrs raises many kinds, and each is the client's fault
            future.set_exception(ClientError(f"The client's answer to {method} is not valid."))
        else:
            future.set_result(result)

    def _check_state(self, method: str) -> None:
        if self._shutdown:
            raise JsonRpcInvalidRequest("promptls is shutting down.")
        if method == types.INITIALIZE:
            if self._initialized:
                raise JsonRpcInvalidRequest("promptls is already initialized.")
        elif not self._initialized:
            raise JsonRpcServerNotInitialized("promptls is not initialized yet.")

    def _handler(self, method: str) -> _Handler | None:
        handler: _Handler | None = self.fm.builtin_features.get(method) or self.fm.features.get(method)
        return handler

    def _params(self, method: str, params: object) -> object:
        """The parameters as the handler gets them; those of unknown methods stay plain JSON."""
        if method in self.custom:
            return self.custom.validated(method, params)
        if method == types.INITIALIZE or method not in types.METHOD_TO_TYPES:
            return params
        params_type: Any = types.METHOD_TO_TYPES[method][2]
        if params_type is None:
            return None
        try:
            return self._converter.structure({} if params is None else params, params_type)
        except Exception as error:
            _log.info("The parameters of %s are not valid.", method, exc_info=True)
            raise JsonRpcInvalidParams(f"The parameters of {method} are not valid.") from error

    # Handlers.

    def _run(self, handler: _Handler, *args: Any, **kwargs: Any) -> _Outcome:
        """Start ``handler``; what it returns or raises is in the future."""
        if is_thread_function(handler):  # type: ignore[no-untyped-call] # pygls is half typed
            return self._server.thread_pool.submit(handler, *args, **kwargs)
        done: Future[Any] = Future()
        try:
            result = handler(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - the caller answers it
            done.set_exception(error)
            return done
        if inspect.iscoroutine(result):
            return asyncio.ensure_future(result)
        if isinstance(result, Future | asyncio.Future):
            return result
        done.set_result(result)
        return done

    def spawn(self, work: Coroutine[Any, Any, object], what: str) -> None:
        """Run ``work`` in parallel with the handlers; a failure is logged as one of ``what``. Not after exit."""
        if self.exit_code is None:
            before = ARRIVED.set(None)
            self._keep(asyncio.ensure_future(work), what)
            ARRIVED.reset(before)
        else:
            work.close()

    def _keep(self, outcome: _Outcome, what: str) -> None:
        # The loop itself holds a task only weakly.
        self._tasks.add(outcome)
        outcome.add_done_callback(partial(self._note_failure, what=what))

    def _note_failure(self, outcome: _Outcome, *, what: str) -> None:
        if self._hand_over(partial(self._note_failure, outcome, what=what)):
            return
        self._tasks.discard(outcome)
        error = None if outcome.cancelled() else outcome.exception()
        if error is not None and self.exit_code is None:
            _log.error("promptls failed to handle %s.", what, exc_info=error)

    def _cancel(self, params: object) -> None:
        msg_id = params.get("id") if isinstance(params, dict) else None
        outcome = self._running.get(msg_id) if isinstance(msg_id, int | str) else None
        if outcome is not None:
            outcome.cancel()

    def _cancel_all(self) -> None:
        for outcome in [
            *self._running.values(),
            *self._tasks,
            *(future for _, future in list(self._asked.values())),
        ]:
            outcome.cancel()

    # Outgoing messages.

    def _reply(self, outcome: _Outcome, *, msg_id: _Id, method: str, begun: float) -> None:
        if self._hand_over(partial(self._reply, outcome, msg_id=msg_id, method=method, begun=begun)):
            return
        self._running.pop(msg_id, None)
        _log.debug(TOOK, method, (time.monotonic() - begun) * 1000)
        if outcome.cancelled():
            self._send_error(msg_id, types.LSPErrorCodes.RequestCancelled, f"{method} was cancelled.")
        elif (failure := outcome.exception()) is not None:
            self._send_failure(msg_id, method, failure)
        else:
            try:
                body = self._encode({"jsonrpc": self.VERSION, "id": msg_id, "result": outcome.result()})
            except Exception as error:  # noqa: BLE001 - a result that is no JSON is a failure like others
                self._send_failure(msg_id, method, error)
            else:
                self._write(body)

    def _send_failure(self, msg_id: _Id, method: str, error: BaseException) -> None:
        if isinstance(error, JsonRpcException):
            self._send_error(msg_id, error.code, error.message)
        elif isinstance(error, PromptlsError | ClientError):
            self._send_error(msg_id, types.LSPErrorCodes.RequestFailed, str(error))
        else:
            if self.exit_code is None:
                _log.error("promptls failed to handle %s.", method, exc_info=error)
            message = f"promptls failed to handle {method}; see the log."
            self._send_error(msg_id, types.ErrorCodes.InternalError, message)

    def _refuse(self, msg_id: _Id | None, message: str) -> None:
        self._send_error(msg_id, types.ErrorCodes.InvalidRequest, message)

    def _send_error(self, msg_id: _Id | None, code: int, message: str) -> None:
        error = {"code": int(code), "message": visible(masked(message))}
        self._write(self._encode({"jsonrpc": self.VERSION, "id": msg_id, "error": error}))

    def notify(self, method: str, params: Any | None = None) -> None:
        """Send a notification. ``params``: an lsprotocol type, a pydantic model or plain JSON."""
        notification_type = self.get_message_type(method)
        if notification_type is None:
            message: object = {"jsonrpc": self.VERSION, "method": method, "params": params}
        else:
            message = notification_type(method=method, params=params, jsonrpc=self.VERSION)
        self._write(self._encode(message))

    def send_request(
        self,
        method: str,
        params: Any | None = None,
        callback: Callable[[Any], None] | None = None,
        msg_id: _Id | None = None,
    ) -> Future[Any]:
        """Send a request to the client; the future holds its answer, or ClientError. It is cancelled at exit."""
        msg_id = msg_id or f"promptls-{next(self._count)}"
        future: Future[Any] = Future()
        if callback is not None:
            future.add_done_callback(lambda done: callback(done.result()))
        if self._shutdown or self.exit_code is not None:
            future.cancel()
            return future
        request_type = self.get_message_type(method) or JsonRPCRequestMessage
        body = self._encode(request_type(id=msg_id, method=method, params=params, jsonrpc=self.VERSION))
        self._asked[msg_id] = method, future
        self._write(body)
        return future

    def _encode(self, message: object) -> bytes:
        # Plain JSON passes through unchanged; other values are converted in place. ASCII only, so that a lone
        # surrogate, which JSON may contain, can be written.
        return json.dumps(message, default=self._serialize_message, separators=(",", ":")).encode("ascii")

    def _serialize_message(self, data: Any) -> Any:
        if is_model(data):
            return plain(data)
        if hasattr(data, "__attrs_attrs__"):
            return self._converter.unstructure(data)
        raise TypeError(f"{type(data).__name__} is no JSON")

    def _write(self, body: bytes) -> None:
        if self._hand_over(partial(self._write, body)) or self._sink is None or self.exit_code is not None:
            return
        try:
            self._sink.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        except (OSError, ValueError):
            if not self._shutdown:
                _log.warning("The client no longer reads its input.")
            self.hang_up()
            self._sink.close()

    def _hand_over(self, call: Callable[[], None]) -> bool:
        """Whether ``call`` was handed to the loop, because this is another thread."""
        if self._loop is None or threading.get_ident() == self._thread:
            return False
        try:
            self._loop.call_soon_threadsafe(call)
        except RuntimeError:  # the loop has ended
            _log.debug("A message arrived after the connection was closed.")
        return True

    # The methods that belong to the protocol itself.

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: Any) -> types.InitializeResult:  # type: ignore[override] # no generator
        """Answer with the capabilities; everything slow comes after ``initialized``."""
        if not isinstance(params, dict):
            raise JsonRpcInvalidParams("The parameters of initialize are a JSON object.")
        self.server_capabilities = self.on_initialize(params)
        self._initialized = True
        return types.InitializeResult(self.server_capabilities, self.server_info)

    @lsp_method(types.INITIALIZED)
    def lsp_initialized(self, _params: object = None) -> None:
        """Tell the features that the handshake is complete."""
        self.on_initialized(None)

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, _params: object = None) -> None:  # type: ignore[override] # no generator
        """Accept no more requests; running ones are cancelled and answered."""
        self._shutdown = True
        self._cancel_all()

    @lsp_method(types.SET_TRACE)
    def lsp_set_trace(self, params: types.SetTraceParams) -> None:  # type: ignore[override] # no generator
        """Remember the level; nothing is traced."""
        self.trace = params.value

    @lsp_method(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def lsp_work_done_progress_cancel(self, params: types.WorkDoneProgressCancelParams) -> None:
        """The user cancelled the operation."""
        token: object = params.token  # of whatever type: the library does not look
        future = self.progress.tokens.get(token) if isinstance(token, int | str) else None
        if future is not None:
            future.cancel()

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    def lsp_workspace__execute_command(self, params: types.ExecuteCommandParams) -> Any:
        """Run a command that was registered with ``@server.command``."""
        handler = self.fm.commands.get(params.command)
        if handler is None:
            raise JsonRpcInvalidParams(f"promptls has no command {params.command}.")
        try:
            arguments = _arguments(handler, params.arguments or (), self._converter)
        except Exception as error:
            raise JsonRpcInvalidParams(f"The arguments of {params.command} are not valid.") from error
        return self._run(handler, *arguments)


def _arguments(handler: _Handler, given: Sequence[Any], converter: Converter) -> list[Any]:
    """What a command is called with: each argument as the type that the handler names; raises if one does not fit."""
    function = getattr(handler, "func", handler)  # where it wants the server, pygls hands that over first
    parameters = list(inspect.signature(function, eval_str=True).parameters.values())
    expected = parameters if function is handler else parameters[1:]
    return [converter.structure(value, each.annotation) for value, each in zip(given, expected, strict=True)]
