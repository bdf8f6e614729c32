"""Settings: initializationOptions, workspace/configuration and workspace/didChangeConfiguration."""

from __future__ import annotations

import asyncio

from lsprotocol import types

from promptls.lsp.server import PromptServer

SECTION = "promptls"


def register(server: PromptServer) -> None:
    """Ask the client for its settings, and again when it says that they changed."""
    context, events = server.context, server.context.events

    @events.initialized.listen
    def start(_: None) -> None:
        context.settings.untrusted = context.options.get("untrustedWorkspace") is True
        server.spawn(_start(server), "the settings")

    @events.folders_changed.listen
    def folders(_: None) -> None:
        server.spawn(_ask(server), "the settings of a folder")

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def changed(params: types.DidChangeConfigurationParams) -> None:
        if context.client.configuration:
            await _ask(server)
        elif isinstance(params.settings, dict):
            context.settings.take(params.settings.get(SECTION, params.settings))
            _apply(server)


async def _start(server: PromptServer) -> None:
    context = server.context
    context.settings.take(dict(context.options))
    if context.client.did_change_configuration_dynamic:
        options = {"section": SECTION}
        registration = types.Registration("settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, options)
        server.spawn(_register(server, registration), "the watch of settings")
    await _ask(server)


async def _register(server: PromptServer, registration: types.Registration) -> None:
    await server.client_register_capability_async(types.RegistrationParams([registration]))


async def _ask(server: PromptServer) -> None:
    context = server.context
    if context.client.configuration:
        folders = list(context.folders)
        items = [types.ConfigurationItem(scope_uri=folder.uri, section=SECTION) for folder in folders]
        items.append(types.ConfigurationItem(section=SECTION))
        try:
            answers = await asyncio.shield(
                asyncio.ensure_future(server.workspace_configuration_async(types.ConfigurationParams(items)))
            )
        finally:
            context.settings.complete()
        for folder, answer in zip([*folders, None], answers, strict=False):
            context.settings.take({**context.options, **(answer if isinstance(answer, dict) else {})}, folder)
    _apply(server)


def _apply(server: PromptServer) -> None:
    context = server.context
    context.settings.complete()
    server.fetch.allow(context.settings.urls_allowed)
    server.fetch.enabled = context.settings.urls_enabled
    context.events.settings_changed.emit(None)
