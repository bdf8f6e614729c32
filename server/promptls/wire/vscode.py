"""Starts code-server in a scratch profile, shows it to a browser without a window, and has one thing said to Copilot.

What is run is told by the arguments: the browser, code-server, and JSON: the folder, what is typed and the rest that
``vscode_driver.js`` is asked for. It ends with what it has started.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from urllib.error import URLError
from urllib.parse import quote
from urllib.request import ProxyHandler, build_opener

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HOST = "127.0.0.1"
VENDOR = "customendpoint"
# Seconds between two looks.
POLL = 0.1
# Nothing runs, asks or updates by itself.
SETTINGS: dict[str, object] = {
    "chat.mcp.autostart": "never",
    "chat.tools.global.autoApprove": False,
    "extensions.autoCheckUpdates": False,
    "extensions.autoUpdate": False,
    "extensions.ignoreRecommendations": True,
    "security.workspace.trust.enabled": False,
    "task.allowAutomaticTasks": "off",
    "telemetry.telemetryLevel": "off",
    "update.mode": "none",
    "workbench.enableExperiments": False,
    "workbench.startupEditor": "none",
}
MANIFEST = {
    "name": "driver",
    "publisher": "promptls",
    "version": "1.0.0",
    "engines": {"vscode": "^1.90.0"},
    "main": "./driver.js",
    "activationEvents": ["onStartupFinished"],
    "extensionKind": ["workspace"],
}
SERVER = ("--auth", "none", "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust")
QUIET = ("--disable-getting-started-override", "--ignore-last-opened")
FEATURES = "--disable-features=OptimizationHints,AutofillServerCommunication"
# A sandbox needs rights that are given up already; the page is our own.
BROWSER = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-quic", "--disable-sync")
SILENT = ("--disable-background-networking", "--disable-component-update", "--disable-default-apps", FEATURES)


def main() -> None:
    """Say it, and end with what came of it."""
    browser, server, text = sys.argv[1:]
    asked = json.loads(text)
    home = os.environ["HOME"]
    log, data, extensions = (os.path.join(home, ".tmp", name) for name in ("said", "data", "extensions"))
    _write_profile(data, asked)
    _write_driver(os.path.join(extensions, "promptls.driver-1.0.0"))
    config = os.path.join(home, ".tmp", "config.yaml")
    _write(config, "auth: none\n")
    port = _free_port()
    places = ("--config", config, "--user-data-dir", data, "--extensions-dir", extensions)
    told = json.dumps({**asked, "log": log, "vendor": VENDOR})
    environment = {**os.environ, "PROMPTLS_ASKED": told, "EXTENSIONS_GALLERY": "{}"}
    serving = subprocess.Popen(
        [server, *places, *SERVER, *QUIET, "--bind-addr", f"{HOST}:{port}", asked["folder"]], env=environment
    )
    _wait(f"http://{HOST}:{port}/healthz", serving)
    profile = f"--user-data-dir={os.path.join(home, '.tmp', 'browser')}"
    page = f"http://{HOST}:{port}/?folder={quote(asked['folder'])}"
    showing = subprocess.Popen(
        [browser, *BROWSER, *SILENT, profile, page], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while not os.path.exists(log):
        if serving.poll() is not None or showing.poll() is not None:
            sys.exit(f"{server if showing.poll() is None else browser} has ended by itself")
        time.sleep(POLL)
    with open(log, encoding="utf-8") as file:
        sys.exit(file.read())


def _write_profile(data: str, asked: dict[str, Any]) -> None:
    model = {"id": asked["model"], "name": asked["model"], "url": asked["url"], "toolCalling": True, "vision": False}
    limits = {"maxInputTokens": 200_000, "maxOutputTokens": 16_000}
    service = {"name": "promptls", "vendor": VENDOR, "apiKey": asked["key"], "models": [{**model, **limits}]}
    _write(os.path.join(data, "User", "chatLanguageModels.json"), json.dumps([service]))
    _write(os.path.join(data, "User", "settings.json"), json.dumps({**SETTINGS, **asked["settings"]}))


def _write_driver(directory: str) -> None:
    with open(os.path.join(os.path.dirname(__file__), "vscode_driver.js"), encoding="utf-8") as file:
        _write(os.path.join(directory, "driver.js"), file.read())
    _write(os.path.join(directory, "package.json"), json.dumps(MANIFEST))


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _free_port() -> int:
    with socket.socket() as any_socket:
        any_socket.bind((HOST, 0))
        port: int = any_socket.getsockname()[1]
        return port


def _wait(address: str, serving: subprocess.Popen[bytes]) -> None:
    """Wait until the server answers."""
    opener = build_opener(ProxyHandler({}))
    while serving.poll() is None:
        try:
            opener.open(address, timeout=POLL * 10).close()
        except (OSError, URLError):
            time.sleep(POLL)
        else:
            return
    sys.exit("code-server has ended by itself")
