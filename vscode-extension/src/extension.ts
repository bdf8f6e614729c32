/** Wires the parts together. */
import * as os from 'node:os';

import * as vscode from 'vscode';

import { Client } from './client';
import { openPlace, promptCommands } from './commands';
import { activeInterpreter, onDidChangeEnvironment } from './environment';
import { Explain } from './explain';
import { FindOut } from './findOut';
import { Choices } from './choices';
import { Question } from './harness';
import { Installer } from './installer';
import { createLog, sentence, TraceChannel } from './logging';
import { environmentOutside, mayStart } from './outside';
import { Pages } from './pages';
import { Preview } from './preview';
import { CrashCount, Restarts } from './restart';
import type { Row } from './row';
import { Ruler } from './ruler';
import { Rules } from './rules';
import { findServer, type Found, hasServer, type NotFound, onPath } from './server';
import { SECTION, START_KEYS, startSettings } from './settings';
import { Status } from './status';
import { Tables } from './table';
import { Verify } from './verify';
import { PromptView } from './view';

/** Everything that a running server depends on. */
interface Target {
  server: Found | NotFound;
  trusted: boolean;
  /** Without trust, it leads to nothing in the workspace. */
  env: NodeJS.ProcessEnv;
}

/** What the tests inside the editor use. */
export interface Api {
  /** The server in use; its process id changes with each start. */
  server(): { because: string; pid: number | undefined } | undefined;
  /** The rows of the view. */
  rows(): readonly Row[];
}

let restarts: Restarts<Target> | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<Api> {
  const log = createLog();
  const trace = new TraceChannel();
  await vscode.workspace.fs.createDirectory(context.globalStorageUri);
  const cwd = context.globalStorageUri.fsPath;
  const status = new Status();
  const choices = new Choices(context.workspaceState, () => void client.settingsChanged());
  const client: Client = new Client({ log, trace }, cwd, choices);
  const preview = new Preview(client, log);
  const view = new PromptView(preview);
  const explain = new Explain(client);
  const findOut = new FindOut(client, preview);
  const tables = new Tables(client);
  const verify = new Verify(client, log);
  const pages = new Pages(client, (place) => openPlace(preview, place));
  const rules = new Rules(client);
  const question = new Question(client, context.workspaceState, (isOpen) => {
    view.asks(isOpen);
  });
  const look = (): void => {
    question.look(preview.source ?? vscode.window.activeTextEditor?.document.uri).catch((error: unknown) => {
      log.warn(sentence(error));
    });
  };
  const lookAtFolder = (): void => {
    if (!client.running || !view.isOfFolder || preview.source !== undefined) return;
    if (!vscode.workspace.workspaceFolders) return;
    client.table({}).then(
      (table) => {
        view.folder(table);
      },
      (error: unknown) => {
        log.warn(sentence(error));
      },
    );
  };
  const again = () => void queue.request(true);
  const installer = new Installer(context.extensionPath, cwd, log, context.globalState, again);
  /** What the status asks when it is clicked, while there is no server. */
  let ask = (): Promise<void> => Promise.resolve();

  const fail = (problem: string): void => {
    log.error(problem);
    status.failed(problem);
    view.failed();
    ask = () => offerRestart(log, problem);
    void ask();
  };

  const start = async ({ server, trusted, env }: Target): Promise<void> => {
    if (!server.found) {
      const { problem } = server;
      log.warn(problem);
      const canInstall = await installer.isPossible(trusted);
      status.failed(problem, canInstall);
      view.failed();
      ask = () => (canInstall || !trusted ? installer.offer(trusted, true) : offerRestart(log, problem));
      void installer.offer(trusted);
      return;
    }
    installer.found();
    status.starting();
    view.starting();
    try {
      await client.start(server, trusted, env);
      if (preview.source === undefined) {
        status.noFile();
        view.noFile();
      }
    } catch (error) {
      fail(sentence(error));
    }
  };

  const queue = new Restarts<Target>({
    resolve: async () => {
      const trusted = vscode.workspace.isTrusted;
      const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
      const env = trusted ? process.env : await environmentOutside(process.env, folders);
      const isAllowed = (file: string) => (trusted ? Promise.resolve(true) : mayStart(file, folders));
      const server = await findServer({
        settings: startSettings(vscode.workspace.getConfiguration(SECTION), trusted),
        trusted,
        folder: folders[0],
        mayStart: isAllowed,
        home: os.homedir(),
        activeInterpreter,
        hasServer: (interpreter) => hasServer(interpreter, cwd, env),
        onPath: (name) => onPath(name, env, isAllowed),
        ownInterpreter: () => installer.python(trusted),
      });
      return { server, trusted, env };
    },
    stop: () => client.stop(),
    start,
  });
  restarts = queue;

  const crashes = new CrashCount();
  client.onDidCrash((how) => {
    log.error(how);
    if (crashes.isTooMany(Date.now())) fail(`${how} It keeps crashing and will not be restarted.`);
    else void queue.request(true);
  });

  /** Runs a command that needs the server, which may still be starting, or be installed only now. */
  const withServer = (id: string, run: (...given: unknown[]) => Promise<void>): vscode.Disposable =>
    vscode.commands.registerCommand(id, async (...given: unknown[]) => {
      try {
        await queue.idle();
        if (!client.running) await queue.request(true);
        if (client.running) await run(...given);
      } catch (error) {
        log.error(sentence(error));
        void offerLog(log, sentence(error));
      }
    });

  context.subscriptions.push(
    log,
    trace,
    status,
    client,
    preview,
    view,
    explain,
    findOut,
    pages,
    rules,
    tables,
    verify,
    new Ruler(),
    preview.onDidUpdate((prompt) => {
      status.prompt(prompt);
    }),
    ...Object.entries(
      promptCommands({ client, preview, explain, findOut, pages, rules, tables, verify }),
    ).map(([id, run]) => withServer(id, run)),
    vscode.commands.registerCommand('promptls.install', async () => {
      if ((await installer.install()) !== undefined) await queue.request(true);
    }),
    vscode.commands.registerCommand('promptls.orderOnWire', () => {
      view.turn('wire');
    }),
    vscode.commands.registerCommand('promptls.mineFirst', () => {
      view.turn('own');
    }),
    vscode.commands.registerCommand('promptls.ask', () => ask()),
    client.onDidChangeAnswers(() => {
      look();
      lookAtFolder();
    }),
    client.onDidChangePreviews((uris) => {
      if (view.starts.some((uri) => uris.has(client.uri(uri).toString()))) lookAtFolder();
    }),
    view.onDidChangeVisibility(lookAtFolder),
    vscode.commands.registerCommand('promptls.restart', () => queue.request(true)),
    vscode.commands.registerCommand('promptls.showLog', () => {
      log.show();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => queue.request()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => queue.request()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration(SECTION)) return;
      const restart = START_KEYS.some((key) => event.affectsConfiguration(`${SECTION}.${key}`));
      void (restart ? queue.request() : client.settingsChanged());
    }),
  );
  void vscode.commands.executeCommand('setContext', 'promptls.active', true);

  // Not awaited: an editor is usable before the server is.
  setImmediate(() => {
    void queue.request();
    void onDidChangeEnvironment(() => void queue.request()).then((listener) => {
      if (listener !== undefined) context.subscriptions.push(listener);
    });
  });

  return { server: () => client.server, rows: () => view.getChildren() };
}

export function deactivate(): Promise<void> | undefined {
  return restarts?.dispose();
}

async function offerLog(log: vscode.LogOutputChannel, problem: string): Promise<void> {
  const show = 'Show Log';
  if ((await vscode.window.showErrorMessage(problem, show)) === show) log.show();
}

/** What can be done about a server that does not run. */
async function offerRestart(log: vscode.LogOutputChannel, problem: string): Promise<void> {
  const [restart, show] = ['Restart Server', 'Show Log'];
  const answer = await vscode.window.showErrorMessage(problem, restart, show);
  if (answer === restart) await vscode.commands.executeCommand('promptls.restart');
  if (answer === show) log.show();
}
