/** The running server: starts it, stops it, talks to it. */
import { setTimeout as delay } from 'node:timers/promises';

import * as vscode from 'vscode';
import {
  CloseAction,
  DidChangeConfigurationNotification,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  TextDocumentContentRequest,
} from 'vscode-languageclient/node';

import { sentence } from './logging';
import { end, ended, launch, type ServerProcess } from './process';
import {
  DID_CHANGE,
  type DidChangeParams,
  HARNESSES,
  type HarnessesParams,
  type HarnessesResult,
  type InitializationOptions,
  PREVIEW,
  type PreviewParams,
  type PreviewResult,
  SCHEME,
  type Settings,
} from './protocol';
import type { Found } from './server';
import { SECTION, serverSettings } from './settings';
import { Spellings } from './uri';
import { versionProblem } from './version';

/**
 * The documents whose text in the editor, saved or not, stands in for the file on disk: whatever can be an
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

/** How long after a failed write the end of the process is known. */
const END_NOTICE_MS = 500;

export interface Channels {
  log: vscode.LogOutputChannel;
  trace: vscode.LogOutputChannel;
}

/** The library's client, less its error messages: who starts the server tells of its end, in one message. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export class Client implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private process: ServerProcess | undefined;
  private readonly spellings = new Spellings();
  private readonly changed = new vscode.EventEmitter<ReadonlySet<string>>();
  private readonly outdated = new vscode.EventEmitter<void>();
  private readonly crashed = new vscode.EventEmitter<string>();

  /** Virtual documents, as `Uri.toString` writes them, whose text is another one now. */
  readonly onDidChangePreviews = this.changed.event;
  /** Any answer of the server may be another one now: it has started, or has new settings. */
  readonly onDidChangeAnswers = this.outdated.event;
  /** A server that was running has ended by itself; how, in one sentence. */
  readonly onDidCrash = this.crashed.event;

  constructor(
    private readonly channels: Channels,
    /** A folder that is not the workspace's: the server runs in it. */
    private readonly cwd: string,
  ) {}

  /** Starts a server; throws an error with one sentence as its message if that fails. */
  async start(server: Found, trusted: boolean): Promise<void> {
    const { command, args } = server;
    this.channels.log.info(`Starting ${[command, ...args].join(' ')} (from ${server.because}).`);
    const process = await launch(command, args, this.cwd);
    this.process = process;
    const client = new QuietClient(
      SECTION,
      'promptls',
      () => Promise.resolve(process),
      this.options(trusted),
    );
    client.onNotification(DID_CHANGE, ({ uris }: DidChangeParams) => {
      this.changed.fire(new Set(uris.map((uri) => this.uri(uri).toString())));
    });
    this.client = client;

    // The library would wait for the reply of a server that has ended, or say only that it could not write.
    const end = ended(process);
    const started = client.start().then(
      () => (client.isRunning() ? versionProblem(client.initializeResult?.serverInfo?.version) : end),
      (error: unknown) =>
        Promise.race([end, delay(END_NOTICE_MS, `The server does not start: ${sentence(error)}`)]),
    );
    const problem = await Promise.race([started, end]);
    if (problem !== undefined) {
      await this.stop();
      throw new Error(problem);
    }
    void end.then((how) => {
      if (this.process === process) this.crashed.fire(how);
    });
    this.channels.log.info(`promptls ${client.initializeResult?.serverInfo?.version} is running.`);
    this.refreshOpenPreviews();
    this.outdated.fire();
  }

  async stop(): Promise<void> {
    const { client, process } = this;
    this.client = undefined;
    this.process = undefined;
    // A client that never came to run has nothing to stop, and says so by an error.
    await client?.dispose().catch(() => undefined);
    if (process !== undefined) await end(process);
  }

  get running(): boolean {
    return this.client?.isRunning() ?? false;
  }

  preview(params: PreviewParams): Promise<PreviewResult> {
    return this.request(PREVIEW, params);
  }

  harnesses(params: HarnessesParams): Promise<HarnessesResult> {
    return this.request(HARNESSES, params);
  }

  /** Tells the server that its settings are others now. */
  async settingsChanged(): Promise<void> {
    if (!this.running) return;
    const settings = { [SECTION]: currentSettings() };
    await this.client?.sendNotification(DidChangeConfigurationNotification.type, { settings });
    this.outdated.fire();
  }

  /** The editor's form of a URI that the server wrote. */
  uri(text: string): vscode.Uri {
    const uri = vscode.Uri.parse(text);
    if (uri.scheme === SCHEME) this.spellings.remember(uri, text);
    return uri;
  }

  dispose(): void {
    this.changed.dispose();
    this.outdated.dispose();
    this.crashed.dispose();
  }

  private async request<Result>(method: string, params: object): Promise<Result> {
    if (this.client === undefined || !this.running) throw new Error('The server is not running.');
    return this.client.sendRequest<Result>(method, params);
  }

  /** A new server has not been asked for the previews that are still open. */
  private refreshOpenPreviews(): void {
    const providers = this.client?.getFeature(TextDocumentContentRequest.method)?.getProviders() ?? [];
    for (const { uri } of vscode.workspace.textDocuments) {
      if (uri.scheme !== SCHEME) continue;
      for (const provider of providers) provider.onDidChangeEmitter.fire(uri);
    }
  }

  private options(trusted: boolean): LanguageClientOptions {
    const initializationOptions: InitializationOptions = {
      ...currentSettings(),
      untrustedWorkspace: !trusted,
    };
    return {
      documentSelector: DOCUMENTS,
      initializationOptions,
      outputChannel: this.channels.log,
      traceOutputChannel: this.channels.trace,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue }),
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
      },
      // Problems belong to files, not to what is shown of them.
      diagnosticPullOptions: { onChange: true, filter: (document) => document.uri.scheme === SCHEME },
      uriConverters: {
        code2Protocol: (uri) => (uri.scheme === SCHEME ? this.spellings.of(uri) : uri.toString()),
        protocol2Code: (value) => this.uri(value),
      },
      middleware: {
        workspace: {
          configuration: async (params, token, next) => {
            const values: unknown = await next(params, token);
            // After the reply is sent: only then does the server know its new settings.
            setImmediate(() => {
              this.outdated.fire();
            });
            if (!Array.isArray(values)) return [];
            return values.map((value: unknown, i) =>
              params.items[i]?.section === SECTION ? serverSettings(value) : value,
            );
          },
        },
      },
    };
  }
}

function currentSettings(): Settings {
  return serverSettings(vscode.workspace.getConfiguration().get(SECTION));
}
