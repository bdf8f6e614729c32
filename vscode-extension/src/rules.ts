/** “Show How Often Each Rule Was Sent”: the server's table as a read-only document; a link opens each file. */
import * as vscode from 'vscode';

import type { Client } from './client';
import type { RulesResult } from './protocol';
import { linksOf } from './rule';

const SCHEME = 'promptls-rules';
const NAME = 'Rules in your sessions';

export class Rules
  implements vscode.TextDocumentContentProvider, vscode.DocumentLinkProvider, vscode.Disposable
{
  /** What is shown, by the document. */
  private readonly shown = new Map<string, RulesResult>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly registrations = [
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
    vscode.languages.registerDocumentLinkProvider({ scheme: SCHEME }, this),
  ];

  constructor(private readonly client: Client) {}

  /** Opens the table of the folder of `file`, or of the first one, at the row of `file`. */
  async show(file: vscode.Uri | undefined): Promise<void> {
    const folder = file && vscode.workspace.getWorkspaceFolder(file);
    const params = file === undefined ? {} : { textDocument: { uri: file.toString() } };
    const location = { viewId: 'promptls.prompt' };
    const result = await vscode.window.withProgress({ location }, () => this.client.rules(params));
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${NAME}`, query: folder?.uri.toString() ?? '' });
    this.shown.set(uri.toString(), result);
    this.changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    const link = linksOf(document.getText(), result).find(({ path }) => path === file?.fsPath);
    const line = link?.line ?? 0;
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(line, 0, line, 0) });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.shown.get(uri.toString())?.text ?? '';
  }

  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    const result = this.shown.get(document.uri.toString());
    if (result === undefined) return [];
    return linksOf(document.getText(), result).map(
      ({ path, line, start, end }) =>
        new vscode.DocumentLink(new vscode.Range(line, start, line, end), vscode.Uri.file(path)),
    );
  }

  dispose(): void {
    for (const disposable of [...this.registrations, this.changed]) disposable.dispose();
  }
}
