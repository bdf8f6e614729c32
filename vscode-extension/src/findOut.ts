/** “Find Out What Is Not Known”: runs the command that finds it out in a terminal, after asking. */
import * as vscode from 'vscode';

import type { Client } from './client';
import { isHow, saysOf, startOf, typed, type Unknown, unknownsOf } from './how';
import type { FilePrompt, Preview } from './preview';
import { type How, type PreviewResult, SCHEME } from './protocol';
import type { Row } from './row';

const RUN = 'Run in the Terminal';
const COPY = 'Copy';
const COMMAND = 'promptls.findOut';

export class FindOut implements vscode.CodeLensProvider, vscode.Disposable {
  /** What is not known in the virtual documents that were shown last, by their URIs. */
  private readonly known = new Map<string, { unknowns: Unknown[]; line: number }>();
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;
  private readonly registrations: vscode.Disposable[];

  constructor(
    private readonly client: Client,
    preview: Preview,
  ) {
    this.registrations = [
      vscode.languages.registerCodeLensProvider({ scheme: SCHEME }, this),
      preview.onDidUpdate((prompt) => {
        this.remember(prompt);
      }),
    ];
  }

  /** Above the first line of the preview, and above the reader's own text, where the preview opens. */
  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const { unknowns, line } = this.known.get(uri.toString()) ?? { unknowns: [], line: 0 };
    return unknowns.map(({ how, names }) => {
      const parts = names.length === 1 ? (names[0] ?? '') : `${names.length} parts`;
      const title = `$(question) Not known: ${parts} · find out …`;
      const range = new vscode.Range(line, 0, line, 0);
      return new vscode.CodeLens(range, { title, command: COMMAND, arguments: [how], tooltip: typed(how) });
    });
  }

  /** Asks, then runs a command, or shows those of a file to choose from. */
  async run(argument: unknown, file: vscode.Uri | undefined): Promise<void> {
    const given = isHow(argument) ? argument : (argument as Row | undefined)?.how;
    const how = isHow(given) ? given : await this.choose(file);
    if (how === undefined) return;
    const isTrusted = vscode.workspace.isTrusted;
    const detail = `${saysOf(how)}${isTrusted ? '' : ' This workspace is not trusted, so it is only copied.'}`;
    const answers = isTrusted ? [RUN, COPY] : [COPY];
    const answer = await vscode.window.showInformationMessage(
      typed(how),
      { modal: true, detail },
      ...answers,
    );
    if (answer === COPY) await vscode.env.clipboard.writeText(typed(how));
    if (answer === RUN) await this.execute(how);
  }

  dispose(): void {
    for (const disposable of [...this.registrations, this.changed]) disposable.dispose();
  }

  private remember({ result }: FilePrompt): void {
    const line = Math.max(0, result.ownLine ?? 0);
    this.known.set(this.client.uri(result.uri).toString(), { unknowns: unknownsOf(result), line });
    this.changed.fire();
  }

  private async choose(file: vscode.Uri | undefined): Promise<How | undefined> {
    if (file === undefined) {
      void vscode.window.showInformationMessage('Open a file to see what is not known of its prompt.');
      return undefined;
    }
    const result: PreviewResult = await this.client.preview({ textDocument: { uri: file.toString() } });
    const unknowns = unknownsOf(result);
    if (unknowns.length === 0) {
      void vscode.window.showInformationMessage('Nothing in this prompt waits for a command to find it out.');
      return undefined;
    }
    const items = unknowns.map(({ how, names }) => ({ label: typed(how), detail: names.join(', '), how }));
    return (await vscode.window.showQuickPick(items, { title: 'Find Out What Is Not Known' }))?.how;
  }

  /** In a terminal, where the command can ask and its output stays; no shell takes its arguments apart. */
  private async execute(how: How): Promise<void> {
    const [program, args] = startOf(how, this.client.started);
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const options = folder === undefined ? {} : { cwd: folder.uri.fsPath };
    const task = new vscode.Task(
      { type: 'promptls' },
      vscode.TaskScope.Workspace,
      typed(how),
      'promptls',
      new vscode.ProcessExecution(program, args, options),
    );
    task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, focus: true, clear: false };
    const running = await vscode.tasks.executeTask(task);
    // What it has found out is in the next preview.
    const ended = vscode.tasks.onDidEndTask(({ execution }) => {
      if (execution !== running) return;
      ended.dispose();
      void this.client.settingsChanged();
    });
  }
}
