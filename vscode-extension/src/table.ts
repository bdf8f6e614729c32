/** What each harness takes for a file, as a read-only document: from there, two prompts are compared. */
import * as path from 'node:path';

import * as vscode from 'vscode';

import type { Client } from './client';

const SCHEME = 'promptls-table';
const FIRST_LINE = new vscode.Range(0, 0, 0, 0);

/** A file as a URI, and the harness whose prompt to compare with the one that is shown; none: the user chooses. */
export interface Compared {
  file: string;
  harness?: string;
}

export class Tables
  implements vscode.TextDocumentContentProvider, vscode.CodeLensProvider, vscode.Disposable
{
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly registrations = [
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
    vscode.languages.registerCodeLensProvider({ scheme: SCHEME }, this),
  ];

  constructor(private readonly client: Client) {}

  /** Opens the table of `file`; one that is already open is refreshed. */
  async show(file: vscode.Uri): Promise<void> {
    const name = `${path.posix.basename(file.path)} in each harness`;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}`, query: file.toString() });
    this.changed.fire(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
  }

  async provideTextDocumentContent({ query }: vscode.Uri): Promise<string> {
    const { text } = await this.client.table({ textDocument: { uri: query } });
    return text || 'No coding agent is set up here.\n';
  }

  /** One for all harnesses, and one for each of the table but the one that is shown. */
  async provideCodeLenses({ uri }: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const textDocument = { uri: uri.query };
    const [{ harnesses }, { current }] = await Promise.all([
      this.client.table({ textDocument }),
      this.client.harnesses({ textDocument }),
    ]);
    // Short, so that all of them fit beside a preview.
    const lens = (title: string, compared: Compared) =>
      new vscode.CodeLens(FIRST_LINE, { title, command: 'promptls.compareWith', arguments: [compared] });
    // The choice of any is first: in a narrow window the names that follow may not be seen.
    return [
      lens(`Compare ${current.name} with …`, { file: uri.query }),
      ...harnesses
        .filter((harness) => harness !== current.name)
        .map((harness) => lens(harness, { file: uri.query, harness })),
    ];
  }

  dispose(): void {
    for (const disposable of [...this.registrations, this.changed]) disposable.dispose();
  }
}
