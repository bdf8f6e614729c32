"""The server with handlers that misbehave, for tests in a process of its own."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from typing import Any, NoReturn

from promptls.lsp import main
from promptls.lsp.server import PromptServer

LIMIT = 60.0


def serve() -> NoReturn:
    create = main.create

    def create_workshop() -> PromptServer:
        server = create()
        register(server)
        return server

    main.create = create_workshop
    main.serve()


def register(server: PromptServer) -> None:
    gate = threading.Event()

    @server.feature("workshop/print")
    def write(params: dict[str, Any]) -> str:  # noqa: ARG001 - the signature of a handler
        print("from print")  # noqa: T201 - the point
        sys.stdout.flush()
        os.write(1, b"from C\n")
        subprocess.run([sys.executable, "-S", "-c", "print('from a child')"], check=True)
        return sys.stdin.read()

    @server.feature("workshop/block")
    @server.thread()
    def block(params: dict[str, Any]) -> bool:  # noqa: ARG001 - the signature of a handler
        return gate.wait(LIMIT)

    @server.feature("workshop/release")
    def release(params: dict[str, Any]) -> None:  # noqa: ARG001 - the signature of a handler
        gate.set()

    @server.feature("workshop/forever")
    async def forever(params: dict[str, Any]) -> None:  # noqa: ARG001 - the signature of a handler
        await asyncio.Event().wait()

    @server.feature("workshop/echo")
    def echo(params: dict[str, Any]) -> dict[str, Any]:
        return params

    @server.feature("workshop/worked")
    def worked(params: dict[str, Any]) -> float:  # noqa: ARG001 - the signature of a handler
        return time.process_time()
