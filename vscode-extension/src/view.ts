/** The view “Effective Prompt”: the parts of the active file's prompt. It takes no focus. */
import { posix as path } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import * as vscode from 'vscode';

import type { FilePrompt, Preview } from './preview';
import { folderRows } from './folder';
import { type Order, promptRows } from './prompt';
import type { TableResult } from './protocol';
import { type Group, row, type Row, type State } from './row';

const ICONS: Record<State, [icon: string, colour?: string]> = {
  loaded: ['check'],
  elided: ['ellipsis'],
  cut: ['warning', 'list.warningForeground'],
  missing: ['question', 'list.warningForeground'],
  failed: ['error', 'list.errorForeground'],
  pending: ['watch'],
  empty: ['circle-outline'],
  shadowed: ['eye-closed'],
  duplicate: ['copy'],
  outside: ['link-external'],
  excluded: ['exclude'],
  unscoped: ['filter'],
  dropped: ['trash'],
  disabled: ['circle-slash'],
};

/** States that say less than what the row is. */
const QUIET: (State | undefined)[] = [undefined, 'loaded', 'elided'];

const GROUP_ICONS: Record<Group, string> = {
  session: 'hubot',
  question: 'question',
  start: 'play',
  read: 'book',
  message: 'comment',
  own: 'package',
  tools: 'tools',
  file: 'file',
  url: 'link',
  skills: 'mortar-board',
  commands: 'terminal',
  agents: 'person',
  servers: 'plug',
  hooks: 'zap',
  typed: 'comment-discussion',
  notLoaded: 'circle-slash',
  missing: 'search',
};

const QUESTION = row({
  id: 'question',
  label: 'Which coding agents do you use?',
  tooltip: ['Many coding agents read AGENTS.md. Choose those that you use; the others are left out.'],
  group: 'question',
  command: { id: 'promptls.chooseHarnesses' },
});

/** Said above the folder. */
const OPEN = 'At a start in this folder. Open a file to see the prompt for it.';

/** Why there are no rows; the welcome texts in package.json are for one of these each. */
type Emptiness = 'starting' | 'no file' | 'nothing found' | 'no server';

export class PromptView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private rows: Row[] = [];
  private isAsking = false;
  private order: Order = 'own';
  /** The prompt that the rows are of. */
  private shown: FilePrompt | undefined;
  /** The folder that the rows are of, if there is no prompt of a file. */
  private table: TableResult | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view = vscode.window.createTreeView('promptls.prompt', {
    treeDataProvider: this,
    showCollapseAll: true,
  });
  private readonly listeners: vscode.Disposable[];
  readonly onDidChangeVisibility = this.view.onDidChangeVisibility;

  constructor(preview: Preview) {
    this.listeners = [
      preview.onDidUpdate((prompt) => {
        this.show(prompt);
      }),
      preview.onDidFail((problem) => {
        this.set([], problem);
      }),
    ];
    this.empty('starting');
  }

  /** The server is starting; the rows of the last one stay. */
  starting(): void {
    if (this.rows.length === 0) this.empty('starting');
  }

  /** No file is open: the folder is shown, as soon as it is known. */
  noFile(): void {
    if (this.shown === undefined && this.table === undefined) this.empty('no file');
  }

  /** What each coding agent gets in the folder, until a file is open. */
  folder(table: TableResult): void {
    if (this.shown !== undefined) return;
    this.table = table;
    this.because(table.columns.length === 0 ? 'nothing found' : '');
    this.set(folderRows(table), table.columns.length === 0 ? '' : OPEN);
  }

  /** Whether the folder is what there is to see. */
  get isOfFolder(): boolean {
    return this.shown === undefined && this.view.visible;
  }

  /** The virtual documents of the starts that the rows are of. */
  get starts(): string[] {
    return this.table?.columns.map(({ uri }) => uri) ?? [];
  }

  /** There is no server to ask. */
  failed(): void {
    this.empty('no server');
  }

  getChildren(parent?: Row): Row[] {
    if (parent !== undefined) return parent.rows;
    return this.isAsking && this.rows.length > 0 ? [QUESTION, ...this.rows] : this.rows;
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const { None, Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
    const state = row.rows.length === 0 ? None : row.expanded ? Expanded : Collapsed;
    const item = new vscode.TreeItem(row.label, state);
    item.id = row.id;
    item.description = row.description;
    item.tooltip = tooltip(row);
    item.accessibilityInformation = { label: row.spoken };
    const icon = iconOf(row);
    if (icon) item.iconPath = icon;
    item.contextValue = [row.file ? 'file' : '', row.how ? 'unknown' : ''].filter(Boolean).join(' ');
    if (row.place) item.command = { command: 'promptls.open', title: 'Open', arguments: [row.place] };
    else if (row.command)
      item.command = { command: row.command.id, title: row.label, arguments: [row.command.argument] };
    else if (row.how && row.rows.length === 0)
      item.command = { command: 'promptls.findOut', title: 'Find Out', arguments: [row.how] };
    return item;
  }

  dispose(): void {
    for (const disposable of [...this.listeners, this.view, this.changed]) disposable.dispose();
  }

  private show(prompt: FilePrompt): void {
    const { file, result, isEmpty } = prompt;
    this.shown = prompt;
    this.table = undefined;
    this.because(isEmpty ? 'nothing found' : '');
    if (isEmpty) {
      this.set([], '');
      return;
    }
    const stopped =
      result.stopped === null ? [] : [result.fault ? result.stopped : `Nothing is sent: ${result.stopped}`];
    this.set(
      promptRows(result, path.basename(file.path), this.order),
      [...stopped, ...result.notes].join(' '),
    );
  }

  /** Whether the question which coding agents are used is open: it stays above the rows until it is answered. */
  asks(isOpen: boolean): void {
    if (this.isAsking === isOpen) return;
    this.isAsking = isOpen;
    this.changed.fire();
  }

  /** Shows the prompt in the other order. */
  turn(order: Order): void {
    this.order = order;
    void vscode.commands.executeCommand('setContext', 'promptls.order', order);
    if (this.shown !== undefined) this.show(this.shown);
  }

  private empty(why: Emptiness): void {
    this.shown = undefined;
    this.table = undefined;
    this.because(why);
    this.set([], '');
  }

  /** What the welcome texts and the menus depend on. */
  private because(why: Emptiness | ''): void {
    void vscode.commands.executeCommand('setContext', 'promptls.empty', why);
  }

  private set(rows: Row[], message: string): void {
    this.view.message = message;
    if (isDeepStrictEqual(rows, this.rows)) return; // rows that are drawn anew would close an open tooltip
    this.rows = rows;
    this.changed.fire();
  }
}

function iconOf({ group, state }: Row): vscode.ThemeIcon | undefined {
  if (group && QUIET.includes(state)) return new vscode.ThemeIcon(GROUP_ICONS[group]);
  if (!state) return undefined;
  const [icon, colour] = ICONS[state];
  return new vscode.ThemeIcon(icon, colour === undefined ? undefined : new vscode.ThemeColor(colour));
}

function tooltip({ label, description, tooltip }: Row): vscode.MarkdownString {
  const text = new vscode.MarkdownString('**')
    .appendText(label)
    .appendMarkdown('** ')
    .appendText(description);
  for (const paragraph of tooltip) text.appendMarkdown('\n\n').appendText(paragraph);
  return text;
}
