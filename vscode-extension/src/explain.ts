/** “Explain Why This Is (Not) Loaded”: a read-only document with the server's answer. */
import * as path from 'node:path';

import * as vscode from 'vscode';

import type { Client } from './client';
import { explanationText } from './explanation';
import { previewGroup } from './preview';
import { asServer } from './words';

const SCHEME = 'promptls-explain';

export class Explain implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  constructor(private readonly client: Client) {}

  /** Opens the explanation of `file` beside it; one that is already open is refreshed. */
  async show(file: vscode.Uri): Promise<void> {
    const name = `Who loads ${path.posix.basename(file.path)}`;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}`, query: file.toString() });
    this.changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.languages.setTextDocumentLanguage(document, 'markdown');
    // In the preview's column, but not in its place.
    await vscode.window.showTextDocument(document, {
      viewColumn: previewGroup()?.viewColumn ?? vscode.ViewColumn.Beside,
      preview: false,
    });
  }

  async provideTextDocumentContent({ query }: vscode.Uri): Promise<string> {
    const explained = await this.client.explain({ textDocument: { uri: query } });
    const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(query));
    return explanationText(explained, folder && asServer(folder.uri.fsPath));
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }
}
