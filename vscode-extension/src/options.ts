/** The options of the library's client: which documents, which settings, what it leaves to us. */
import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  type LanguageClientOptions,
  RevealOutputChannelOn,
} from 'vscode-languageclient/node';

import type { Choices } from './choices';
import { type InitializationOptions, SCHEME, type Settings } from './protocol';
import { SECTION, serverSettings } from './settings';
import type { Spellings } from './uri';

/**
 * The documents whose text in the editor, saved or not, replaces the file on disk: everything that can be an
 * instruction file or a configuration. Sources are not among them: a harness reads those from disk. Named by
 * pattern as well as by language, since an editor may know an instruction file under a language of its own.
 * The previews themselves are, so that the server can give them links and hovers.
 */
const DOCUMENTS = [
  ...['markdown', 'json', 'jsonc', 'yaml', 'toml'].map((language) => ({ scheme: 'file', language })),
  { scheme: 'file', pattern: '**/*.{md,mdc,markdown,txt,json,jsonc,yaml,yml,toml}' },
  { scheme: 'file', pattern: '**/.{cursorrules,windsurfrules,clinerules}' },
  { scheme: SCHEME },
];

export interface Channels {
  log: vscode.LogOutputChannel;
  trace: vscode.LogOutputChannel;
}

interface Setup extends Channels {
  trusted: boolean;
  spellings: Spellings;
  choices: Choices;
  /** Called when the server has new settings. */
  settingsSent: () => void;
}

export function clientOptions({
  log,
  trace,
  trusted,
  spellings,
  choices,
  settingsSent,
}: Setup): LanguageClientOptions {
  const initializationOptions: InitializationOptions = {
    ...currentSettings(choices),
    untrustedWorkspace: !trusted,
  };
  return {
    documentSelector: DOCUMENTS,
    initializationOptions,
    outputChannel: log,
    traceOutputChannel: trace,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue }),
      closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
    },
    // A hover links to what finds out more, which asks before it runs anything.
    markdown: { isTrusted: { enabledCommands: ['promptls.findOut'] } },
    // Problems belong to files, not to previews of them.
    diagnosticPullOptions: { onChange: true, filter: (document) => document.uri.scheme === SCHEME },
    uriConverters: {
      code2Protocol: (uri) => (uri.scheme === SCHEME ? spellings.of(uri) : uri.toString()),
      protocol2Code: (value) => editorUri(value, spellings),
    },
    middleware: {
      workspace: {
        configuration: async (params, token, next) => {
          const values: unknown = await next(params, token);
          // After the reply has been sent: only then does the server know its new settings.
          setImmediate(settingsSent);
          if (!Array.isArray(values)) return [];
          return values.map((value: unknown, i) =>
            params.items[i]?.section === SECTION ? choices.over(serverSettings(value)) : value,
          );
        },
      },
    },
  };
}

/** The editor's form of a URI that the server wrote. */
export function editorUri(text: string, spellings: Spellings): vscode.Uri {
  const uri = vscode.Uri.parse(text);
  if (uri.scheme === SCHEME) spellings.remember(uri, text);
  return uri;
}

/** What the settings say, and what the user has chosen here. */
export function currentSettings(choices: Choices): Settings {
  return choices.over(serverSettings(vscode.workspace.getConfiguration().get(SECTION)));
}
