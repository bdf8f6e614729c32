/** “Prompt Map”: the server's page of what each harness gets in a folder, in a tab. A click opens the source. */
import * as vscode from 'vscode';

import type { Client } from './client';
import { placeOf } from './place';
import type { Place } from './row';

export class PromptMap implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  /** The folder that is shown; what the page links to is in it. */
  private root = '';

  constructor(
    private readonly client: Client,
    private readonly open: (place: Place) => Promise<void>,
  ) {}

  /** Shows the map of the folder of `file`, or of the first one; a map that is open is made anew. */
  async show(file: vscode.Uri | undefined): Promise<void> {
    const params = file === undefined ? {} : { textDocument: { uri: file.toString() } };
    const location = { viewId: 'promptls.prompt' };
    const { root, html } = await vscode.window.withProgress({ location }, () => this.client.map(params));
    this.root = root;
    this.panel ??= this.create();
    // The page has a content policy of its own, which allows its own style and script and nothing else.
    this.panel.webview.html = html;
    this.panel.reveal();
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private create(): vscode.WebviewPanel {
    const options = { enableScripts: true, enableFindWidget: true, localResourceRoots: [] };
    const panel = vscode.window.createWebviewPanel(
      'promptls.map',
      'Prompt Map',
      vscode.ViewColumn.Active,
      options,
    );
    panel.webview.onDidReceiveMessage((message: unknown) => {
      const place = placeOf(message, this.root);
      if (place !== undefined) void this.open(place);
    });
    panel.onDidDispose(() => {
      this.panel = undefined;
    });
    return panel;
  }
}
