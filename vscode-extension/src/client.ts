/** Starts and stops the server, and talks to it. */
import { setTimeout as delay } from 'node:timers/promises';

import * as vscode from 'vscode';
import {
  DidChangeConfigurationNotification,
  LanguageClient,
  TextDocumentContentRequest,
  WorkDoneProgress,
} from 'vscode-languageclient/node';

import type { Choices } from './choices';
import { sentence } from './logging';
import { type Channels, clientOptions, currentSettings, editorUri } from './options';
import { end, ended, launch, type ServerProcess } from './process';
import {
  DID_CHANGE,
  type DidChangeParams,
  EXPLAIN,
  type ExplainParams,
  type ExplainResult,
  HARNESSES,
  type HarnessesParams,
  type HarnessesResult,
  MAP,
  type MapParams,
  type MapResult,
  PREVIEW,
  type PreviewParams,
  type PreviewResult,
  RULES,
  type RulesParams,
  type RulesResult,
  SCHEME,
  SESSION,
  type SessionPageParams,
  type SessionPageResult,
  SESSIONS,
  type SessionsParams,
  type SessionsResult,
  TABLE,
  type TableParams,
  type TableResult,
  USE,
  type UseParams,
  type UseResult,
  VERIFY,
  type VerifyParams,
  type VerifyResult,
} from './protocol';
import type { Found } from './server';
import { SECTION } from './settings';
import { Spellings } from './uri';
import { versionProblem } from './version';

/** How long after a failed write the exit of the process is known. */
const END_NOTICE_MS = 500;

/** The library's client without its error messages: whoever starts the server reports its exit, in one message. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export class Client implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private process: ServerProcess | undefined;
  private because = '';
  private found: Found | undefined;
  private asked = 0;
  private readonly spellings = new Spellings();
  private readonly changed = new vscode.EventEmitter<ReadonlySet<string>>();
  private readonly outdated = new vscode.EventEmitter<void>();
  private readonly crashed = new vscode.EventEmitter<string>();

  /** Virtual documents, as `Uri.toString` writes them, whose text has changed. */
  readonly onDidChangePreviews = this.changed.event;
  /** Any answer of the server may have changed: it has started, or has new settings. */
  readonly onDidChangeAnswers = this.outdated.event;
  /** A running server has exited by itself; how, in one sentence. */
  readonly onDidCrash = this.crashed.event;

  constructor(
    private readonly channels: Channels,
    /** A folder outside the workspace: the server runs in it. */
    private readonly cwd: string,
    readonly choices: Choices,
  ) {}

  /** Starts a server; throws an error with one sentence as its message if that fails. */
  async start(server: Found, trusted: boolean, env: NodeJS.ProcessEnv): Promise<void> {
    const { command, args } = server;
    this.channels.log.info(`Starting ${[command, ...args].join(' ')} (from ${server.because}).`);
    const process = await launch(command, args, this.cwd, env);
    this.process = process;
    this.because = server.because;
    this.found = server;
    const client = new QuietClient(
      SECTION,
      'promptls',
      () => Promise.resolve(process),
      clientOptions({
        ...this.channels,
        trusted,
        spellings: this.spellings,
        choices: this.choices,
        settingsSent: () => {
          this.outdated.fire();
        },
      }),
    );
    client.onNotification(DID_CHANGE, ({ uris }: DidChangeParams) => {
      this.changed.fire(new Set(uris.map((uri) => this.uri(uri).toString())));
    });
    this.client = client;

    // The library would wait for the reply of a server that has exited, or report only that it could not write.
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
    // A client that never ran has nothing to stop, and throws an error.
    await client?.dispose().catch(() => undefined);
    if (process !== undefined) await end(process);
  }

  /** How the server was started last. */
  get started(): Found | undefined {
    return this.found;
  }

  get running(): boolean {
    return this.client?.isRunning() ?? false;
  }

  /** The running server, and why it was chosen. */
  get server(): { because: string; pid: number | undefined } | undefined {
    return this.running ? { because: this.because, pid: this.process?.pid } : undefined;
  }

  preview(params: PreviewParams): Promise<PreviewResult> {
    return this.request(PREVIEW, params);
  }

  harnesses(params: HarnessesParams): Promise<HarnessesResult> {
    return this.request(HARNESSES, params);
  }

  explain(params: ExplainParams): Promise<ExplainResult> {
    return this.request(EXPLAIN, params);
  }

  sessions(params: SessionsParams): Promise<SessionsResult> {
    return this.request(SESSIONS, params);
  }

  session(params: SessionPageParams): Promise<SessionPageResult> {
    return this.request(SESSION, params);
  }

  rules(params: RulesParams): Promise<RulesResult> {
    return this.request(RULES, params);
  }

  /** Which harnesses the user has. With some, or with none, that is kept, and answers may be others. */
  async use(params: UseParams): Promise<UseResult> {
    const result = await this.request<UseResult>(USE, params);
    if (params.harnesses !== undefined) this.outdated.fire();
    return result;
  }

  map(params: MapParams): Promise<MapResult> {
    return this.request(MAP, params);
  }

  table(params: TableParams): Promise<TableResult> {
    return this.request(TABLE, params);
  }

  /** `say` receives what is being done. */
  async verify(
    params: VerifyParams,
    token: vscode.CancellationToken,
    say: (what: string) => void,
  ): Promise<VerifyResult> {
    const workDoneToken = `verify-${++this.asked}`;
    const listener = this.client?.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
      if (value.kind === 'begin') say(value.title);
    });
    try {
      return await this.request(VERIFY, { ...params, workDoneToken }, token);
    } finally {
      listener?.dispose();
    }
  }

  /** Tells the server that its settings have changed. */
  async settingsChanged(): Promise<void> {
    if (!this.running) return;
    const settings = { [SECTION]: currentSettings(this.choices) };
    await this.client?.sendNotification(DidChangeConfigurationNotification.type, { settings });
    this.outdated.fire();
  }

  /** The editor's form of a URI that the server wrote. */
  uri(text: string): vscode.Uri {
    return editorUri(text, this.spellings);
  }

  dispose(): void {
    this.changed.dispose();
    this.outdated.dispose();
    this.crashed.dispose();
  }

  private async request<Result>(
    method: string,
    params: object,
    token?: vscode.CancellationToken,
  ): Promise<Result> {
    if (this.client === undefined || !this.running) throw new Error('The server is not running.');
    // The library would send `undefined` as another parameter.
    return token === undefined
      ? this.client.sendRequest<Result>(method, params)
      : this.client.sendRequest<Result>(method, params, token);
  }

  /** A new server has not yet been asked for the open previews. */
  private refreshOpenPreviews(): void {
    const providers = this.client?.getFeature(TextDocumentContentRequest.method)?.getProviders() ?? [];
    for (const { uri } of vscode.workspace.textDocuments) {
      if (uri.scheme !== SCHEME) continue;
      for (const provider of providers) provider.onDidChangeEmitter.fire(uri);
    }
  }
}
