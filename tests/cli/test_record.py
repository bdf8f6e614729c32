"""``promptls record``, as a process."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

from promptls.cli import main
from tests.limits import at_most

KEY = "sk-" + "Canary7f3a" * 4


def test_requests_are_printed_without_keys_until_ctrl_c() -> None:
    command = [sys.executable, "-c", "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "]
    command[-1] += "from promptls.cli import main; raise SystemExit(main(['record', '--tools']))"
    with at_most(30), subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        port = re.search(rb"127\.0\.0\.1:(\d+)", process.stdout.readline())
        assert port
        body = f'{{"messages": [{{"role": "user", "content": "say {KEY}\\u001b[31m"}}], "tools": [{{"name": "T"}}]}}'
        url = f"http://127.0.0.1:{int(port[1])}/v1/messages?key={KEY}"
        with urllib.request.urlopen(urllib.request.Request(url, body.encode()), timeout=60) as answer:
            assert b"ok" in answer.read()
        lines = iter(process.stdout.readline, b"")
        printed = b"".join([next(line for line in lines if b"request 1" in line), *(next(lines) for _ in range(3))])
        process.send_signal(signal.SIGINT)
        rest, err = process.communicate()
    printed += rest
    assert (process.returncode, err) == (0, b"")
    assert "POST /v1/messages · Anthropic Messages · 1 tool, 12 characters" in printed.decode()
    assert "── user · message 1, block 0" in printed.decode()
    assert "── tool T" in printed.decode()
    assert b"say ***" in printed
    assert KEY.encode() not in printed
    assert b"\x1b" not in printed


@pytest.mark.parametrize("port", ["x", "-1", "65536", "1.5"])
def test_what_is_no_port_is_refused(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", f"--port={port}"]) == 2
    assert capsys.readouterr().err == f"promptls: {port!r} is not a port; choose a number from 1 to 65535.\n"


def test_a_port_that_is_taken_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["record", "--port", str(port)]) == 2
    assert capsys.readouterr().err == f"promptls: The port {port} is already in use; choose another one.\n"
