/** The preview: a virtual document of the server beside the file, which follows the active file. */
import * as vscode from 'vscode';

import type { Client } from './client';
import { sentence } from './logging';
import { openFiles } from './open';
import { type OpenOptions, type PreviewResult, SCHEME } from './protocol';
import { OneAtATime } from './queue';
import { SECTION } from './settings';
import { asServer } from './words';

const SETTLED_MS = 300;

/** The prompt of a file. `isEmpty`: no harness is chosen or set up here, and nothing is loaded. */
export interface FilePrompt {
  file: vscode.Uri;
  result: PreviewResult;
  isEmpty: boolean;
}

export class Preview implements vscode.Disposable {
  /** The file whose prompt to show. */
  private file: vscode.Uri | undefined;
  /** A file that was opened from the prompt: while it is active, the prompt does not switch to it. */
  private held: string | undefined;
  /** The virtual document of that file, if it is known. */
  private document: string | undefined;
  private opening = false;
  /** Whether the preview was the last active editor, and the files that it leads to. */
  private isInPreview = false;
  private sources: ReadonlySet<string> = new Set();
  /** Whether the prompt depends on the open editor, so that it follows the selection. */
  private countsOpen = false;
  private selecting: NodeJS.Timeout | undefined;
  private readonly updates = new OneAtATime(() => this.update());
  private readonly listeners: vscode.Disposable[];
  private readonly updated = new vscode.EventEmitter<FilePrompt>();
  private readonly failed = new vscode.EventEmitter<string>();

  /** The prompt of the file has become known, or has changed. */
  readonly onDidUpdate = this.updated.event;
  /** The prompt cannot be determined; why, in one sentence. */
  readonly onDidFail = this.failed.event;

  constructor(
    private readonly client: Client,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.listeners = [
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (this.follow(editor)) this.refresh();
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (this.countsOpen && textEditor.document.uri.toString() === this.file?.toString())
          this.refreshSoon();
      }),
      client.onDidChangePreviews((uris) => {
        if (this.document !== undefined && uris.has(this.document)) this.refresh();
      }),
      client.onDidChangeAnswers(() => {
        this.refresh();
      }),
    ];
    this.follow(vscode.window.activeTextEditor);
  }

  /** Opens the preview of the active file; an active preview counts as the file it shows. */
  async show(): Promise<void> {
    this.held = undefined;
    this.follow(vscode.window.activeTextEditor);
    this.opening = this.file !== undefined;
    await this.updates.request();
  }

  /** Opens the prompt of a start in the folder. */
  async showStart(harness: string): Promise<void> {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    if (folder === undefined) return;
    const { uri, ownLine } = await this.client.preview({
      textDocument: { uri: folder.uri.toString() },
      harness,
      reads: [],
    });
    await vscode.window.showTextDocument(this.client.uri(uri), { selection: topOf(ownLine) });
  }

  /** Opens the source of a part of the prompt, in a column that does not show the preview. */
  async open(path: string, selection?: vscode.Range): Promise<void> {
    const file = vscode.Uri.file(path);
    this.held = file.toString();
    const beside = vscode.window.visibleTextEditors.find(({ document }) => document.uri.scheme === 'file');
    await vscode.window.showTextDocument(file, {
      viewColumn: beside?.viewColumn ?? vscode.ViewColumn.Active,
      ...(selection && { selection }),
    });
  }

  /** The file that the preview follows, if any. */
  get source(): vscode.Uri | undefined {
    return this.file;
  }

  dispose(): void {
    clearTimeout(this.selecting);
    for (const disposable of [...this.listeners, this.updated, this.failed]) disposable.dispose();
  }

  /** Whether there is another file to show now. Previews, logs and the like are not files. */
  private follow(editor: vscode.TextEditor | undefined): boolean {
    const uri = editor?.document.uri;
    const cameFromPreview = this.isInPreview;
    if (uri !== undefined) this.isInPreview = uri.toString() === this.document;
    if (cameFromPreview && uri?.scheme === 'file' && this.sources.has(asServer(uri.fsPath)))
      this.held = uri.toString();
    if (uri?.scheme !== 'file' || uri.toString() === this.held) return false;
    this.held = undefined;
    if (uri.toString() === this.file?.toString()) return false;
    this.file = uri;
    void vscode.commands.executeCommand('setContext', 'promptls.hasFile', true);
    return true;
  }

  private refresh(): void {
    if (this.file === undefined || !this.client.running) return;
    this.updates.request().catch((error: unknown) => {
      this.log.error(sentence(error));
      this.failed.fire(sentence(error));
    });
  }

  private async update(): Promise<void> {
    const file = this.file;
    if (file === undefined) return;
    const result = await this.ask(file);
    if (file !== this.file) return; // the next update is queued already
    const settings = vscode.workspace.getConfiguration(SECTION, file);
    const chosen = this.client.choices.harness || settings.get<string>('harness');
    const isEmpty = !chosen && result.found.length === 0 && result.totals.files === 0;
    this.sources = sourcesOf(result);
    this.updated.fire({ file, result, isEmpty });
    await this.display(result);
  }

  /** The prompt of a file, with the open editors where they count. */
  private async ask(file: vscode.Uri): Promise<PreviewResult> {
    const textDocument = { uri: file.toString() };
    const result = await this.client.preview({ textDocument });
    this.countsOpen = result.session.counts_open;
    return this.countsOpen ? this.client.preview({ textDocument, open: openEditors(file) }) : result;
  }

  /** A selection grows with every move of the mouse. */
  private refreshSoon(): void {
    clearTimeout(this.selecting);
    this.selecting = setTimeout(() => {
      this.refresh();
    }, SETTLED_MS);
  }

  /** Shows the virtual document in the place of the preview, or beside the file if it is to be opened. */
  private async display(result: PreviewResult): Promise<void> {
    const uri = this.client.uri(result.uri);
    this.document = uri.toString();
    const visible = previewGroup();
    if (visible === undefined && !this.opening) return;
    this.opening = false;
    if (previewOf(visible?.activeTab) === this.document) return;

    const viewColumn = visible?.viewColumn ?? vscode.ViewColumn.Beside;
    // Not as a preview tab: a source file that is opened from here would replace it.
    // It opens where the reader's own text begins; the program's own parts are folded.
    const selection = topOf(result.ownLine);
    await vscode.window.showTextDocument(uri, { viewColumn, preview: false, preserveFocus: true, selection });
    if (visible === undefined) await lock(uri);
    const outdated = visible?.tabs.filter((tab) => ![undefined, this.document].includes(previewOf(tab)));
    if (outdated !== undefined && outdated.length > 0) await vscode.window.tabGroups.close(outdated, true);
  }
}

/**
 * Keeps other editors out of the column of a new preview, as VS Code does for its own previews: what one goes to from
 * there opens beside it. A column that has other editors stays as it is.
 */
async function lock(uri: vscode.Uri): Promise<void> {
  const isAlone = previewGroup()?.tabs.length === 1;
  if (isAlone) await vscode.commands.executeCommand('workbench.action.lockEditorGroup', uri);
}

export function topOf(line = 0): vscode.Range {
  return new vscode.Range(line, 0, line, 0);
}

/** The files of all tabs; the one at `file` is the active one. */
function openEditors(file: vscode.Uri): OpenOptions[] {
  const inputs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ input }) => input));
  const files = inputs.flatMap((input) =>
    input instanceof vscode.TabInputText && input.uri.scheme === 'file' ? [input.uri.fsPath] : [],
  );
  const editors = [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors];
  const editor = editors.find((each) => each?.document.uri.toString() === file.toString());
  return openFiles(files, editor && { path: file.fsPath, selection: editor.selection });
}

/** The files that parts of the prompt come from, and those that were looked for. */
function sourcesOf({ messages, candidates }: PreviewResult): Set<string> {
  const origins = [...messages.flatMap(({ segments }) => segments), ...candidates].map(
    ({ origin }) => origin,
  );
  const paths = [
    ...origins.flatMap(({ path, again }) => [path, again]),
    ...candidates.map(({ path }) => path),
  ];
  return new Set(paths.filter((path) => typeof path === 'string'));
}

/** The column in which a preview is visible, if any. */
export function previewGroup(): vscode.TabGroup | undefined {
  return vscode.window.tabGroups.all.find((group) => previewOf(group.activeTab) !== undefined);
}

/** The virtual document that a tab shows, if any. */
function previewOf(tab: vscode.Tab | undefined): string | undefined {
  const input = tab?.input;
  return input instanceof vscode.TabInputText && input.uri.scheme === SCHEME
    ? input.uri.toString()
    : undefined;
}
