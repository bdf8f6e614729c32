/** “Verify against the Installed Program”: what the program really sends, beside what the preview expects. */
import * as path from 'node:path';

import * as vscode from 'vscode';

import type { Client } from './client';
import type { VerifyResult } from './protocol';
import { differs, holds, titleOf } from './verified';

const SCHEME = 'promptls-verify';
const PREVIEW = 'Show Preview';
const LOG = 'Show Log';
const SAVE = 'Save All and Verify';

export class Verify implements vscode.TextDocumentContentProvider, vscode.Disposable {
  /** The texts of the two sides, of the last time that they differed. */
  private readonly texts = new Map<string, string>();
  /** The files whose verification runs: one at a time for each. */
  private readonly running = new Set<string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  constructor(
    private readonly client: Client,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Runs the program for `file`, unless it runs already; the server ends it if the user cancels. */
  async run(file: vscode.Uri): Promise<void> {
    const key = file.toString();
    if (this.running.has(key)) return;
    this.running.add(key);
    try {
      await this.verify(file);
    } finally {
      this.running.delete(key);
    }
  }

  private async verify(file: vscode.Uri): Promise<void> {
    if (!(await isSaved())) return;
    const name = path.posix.basename(file.path);
    const found = await this.ask(file, name);
    if (found === undefined) return;
    for (const note of found.notes) this.log.info(note);
    if (found.same) {
      // With a button, a long message is shown as a whole.
      void vscode.window.showInformationMessage(holds(found, name), PREVIEW).then((chosen) => {
        if (chosen === PREVIEW) void vscode.commands.executeCommand('promptls.preview');
      });
      return;
    }
    const left = this.document(`${name} expected (prompt)`, file, found.expected);
    const right = this.document(`${name} captured (prompt)`, file, found.sent);
    await vscode.commands.executeCommand('vscode.diff', left, right, titleOf(found, name));
    void vscode.window.showWarningMessage(differs(found, name), LOG).then((chosen) => {
      if (chosen === LOG) this.log.show();
    });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }

  /** The answer of the server; undefined if the user has cancelled. */
  private ask(file: vscode.Uri, name: string): Thenable<VerifyResult | undefined> {
    const title = `Verifying the preview of ${name}`;
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    return vscode.window.withProgress(options, async (progress, token) => {
      const say = (message: string): void => {
        progress.report({ message });
      };
      try {
        return await this.client.verify({ textDocument: { uri: file.toString() } }, token, say);
      } catch (error) {
        if (token.isCancellationRequested) return undefined;
        throw error;
      }
    });
  }

  private document(name: string, { path: query }: vscode.Uri, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}`, query });
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
    return uri;
  }
}

/** Whether all files are as the program will read them; asks to save those that are not. */
async function isSaved(): Promise<boolean> {
  const { textDocuments } = vscode.workspace;
  if (!textDocuments.some(({ isDirty, uri }) => isDirty && uri.scheme === 'file')) return true;
  const says = 'The program reads files as they are saved, and some are not.';
  if ((await vscode.window.showWarningMessage(says, SAVE)) !== SAVE) return false;
  return vscode.workspace.saveAll(false);
}
