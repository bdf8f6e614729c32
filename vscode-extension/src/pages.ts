/** Pages that the server makes, each in a tab: the map of a folder, and a recorded session. A click opens the source. */
import * as vscode from 'vscode';

import type { Client } from './client';
import { placeOf } from './place';
import type { Place } from './row';
import { chooseSession } from './sessions';

/** A page, and the folder that its links are relative to. */
interface Made {
  root: string;
  html: string;
}

export class Pages implements vscode.Disposable {
  private readonly map: Tab;
  private readonly session: Tab;

  constructor(
    private readonly client: Client,
    open: (place: Place) => Promise<void>,
  ) {
    this.map = new Tab('promptls.map', 'Prompt Map', open);
    this.session = new Tab('promptls.session', 'Session', open);
  }

  /** Shows the map of the folder of `file`, or of the first one; a map that is open is made anew. */
  async showMap(file: vscode.Uri | undefined): Promise<void> {
    const params = file === undefined ? {} : { textDocument: { uri: file.toString() } };
    this.map.show(await working(() => this.client.map(params)));
  }

  /** Asks for a session that was recorded in the folder, and shows it request by request. */
  async showSession(file: vscode.Uri | undefined): Promise<void> {
    const textDocument = file === undefined ? null : { uri: file.toString() };
    const chosen = await chooseSession(this.client, textDocument, 'Choose a session to see its requests');
    if (chosen === undefined) return;
    const { harness, id } = chosen;
    this.session.show(await working(() => this.client.session({ textDocument, harness, id })));
  }

  dispose(): void {
    this.map.dispose();
    this.session.dispose();
  }
}

/** The view says that a page is being made. */
function working<Result>(make: () => Promise<Result>): Thenable<Result> {
  return vscode.window.withProgress({ location: { viewId: 'promptls.prompt' } }, make);
}

/** A tab with a page; the next page of its kind takes its place. */
class Tab implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private root = '';

  constructor(
    private readonly type: string,
    private readonly title: string,
    private readonly open: (place: Place) => Promise<void>,
  ) {}

  show({ root, html }: Made): void {
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
    const panel = vscode.window.createWebviewPanel(this.type, this.title, vscode.ViewColumn.Active, options);
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
