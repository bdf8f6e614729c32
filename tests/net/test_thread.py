from __future__ import annotations

import asyncio
import gc
import socket

from promptls.net.thread import LoopThread


def test_a_connection_that_was_dropped_is_closed_with_the_thread() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        async def connect() -> None:
            transport, _ = await asyncio.get_running_loop().create_connection(asyncio.Protocol, *server.getsockname())
            dropped.append(transport)

        dropped: list[asyncio.Transport] = []
        thread = LoopThread("test")
        thread.submit(connect()).result(5)
        thread.close(5)
        peer, _ = server.accept()
        with peer:
            peer.settimeout(5)
            assert not peer.recv(1), "the end of the connection"
        assert dropped[0].is_closing()
        dropped.clear()
        gc.collect()  # a socket that is still open would warn, which is an error here


def test_one_that_nothing_refers_to_is_not_lost() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        async def connect() -> None:
            transport, _ = await asyncio.get_running_loop().create_connection(asyncio.Protocol, *server.getsockname())
            transport.pause_reading()

        thread = LoopThread("test")
        thread.submit(connect()).result(5)
        gc.collect()  # a socket that is lost would warn here
        thread.close(5)
        peer, _ = server.accept()
        with peer:
            peer.settimeout(5)
            assert not peer.recv(1), "the end of the connection"
