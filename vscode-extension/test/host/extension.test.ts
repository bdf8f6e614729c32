/** The installed extension, from inside: with VS Code's own API, in a folder for etcode. */
import assert from 'node:assert/strict';

import * as vscode from 'vscode';

import type { Api } from '../../src/extension';
import type { Row } from '../../src/row';

const LIMIT_MS = 15_000;

interface Manifest {
  contributes: {
    commands: { command: string }[];
    menus: Record<string, { command: string; when: string }[]>;
    viewsWelcome: { when: string }[];
  };
}

function extension(): vscode.Extension<Api> {
  const found = vscode.extensions.getExtension<Api>('promptls.promptls');
  assert.ok(found, 'the extension is not installed');
  return found;
}

const { contributes } = extension().packageJSON as Manifest;
const settings = () => vscode.workspace.getConfiguration('promptls');
const api = () => extension().exports;
const uri = (name: string) =>
  vscode.Uri.joinPath(vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file('/'), name);

/** Waits until `look` has something to say; an event of the editor makes it look again. */
async function until<Value>(what: string, look: () => Value | undefined | false): Promise<Value> {
  const end = Date.now() + LIMIT_MS;
  for (;;) {
    const value = look();
    if (value !== undefined && value !== false) return value;
    assert.ok(Date.now() < end, `${what} did not come`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

function flat(rows: readonly Row[]): Row[] {
  return rows.flatMap((row) => [row, ...flat(row.rows)]);
}

function preview(name: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(
    ({ uri, isClosed }) => !isClosed && uri.scheme === 'promptls' && uri.path === `/${name} (prompt)`,
  );
}

async function openFile(name: string): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(uri(name));
  return vscode.window.showTextDocument(document, vscode.ViewColumn.One);
}

suite('promptls', () => {
  test('a folder with a file of a harness activates it, and starts the server that the settings name', async () => {
    await until('activation', () => extension().isActive);
    assert.equal((await until('the server', () => api().server())).because, 'promptls.interpreter');
  });

  test('every command is there, and is in the palette under a condition', async () => {
    const known = await vscode.commands.getCommands(true);
    const palette = new Map(contributes.menus.commandPalette?.map(({ command, when }) => [command, when]));
    for (const { command } of contributes.commands) {
      assert.ok(known.includes(command), `${command} is not registered`);
      assert.ok(palette.get(command), `${command} has no condition`);
    }
    assert.equal(palette.get('promptls.install'), 'promptls.canInstall');
    assert.equal(palette.get('promptls.compareHead'), 'promptls.hasFile && isWorkspaceTrusted');
  });

  test('conditions ask for nothing of ours that is not set', () => {
    const conditions = [...Object.values(contributes.menus).flat(), ...contributes.viewsWelcome].map(
      ({ when }) => when,
    );
    // The view and a file are named so, too.
    const keys = new Set(conditions.flatMap((when) => when.match(/promptls\.\w+/g) ?? []));
    const ours = [
      'promptls.active',
      'promptls.canInstall',
      'promptls.empty',
      'promptls.hasFile',
      'promptls.order',
    ];
    assert.deepEqual(
      [...keys].filter((key) => !['promptls.prompt', 'promptls.toml'].includes(key)).sort(),
      ours,
    );
  });

  test('the view has the parts of the prompt of the active file', async () => {
    await openFile('pkg/app.py');
    const row = await until('the row', () =>
      flat(api().rows()).find(({ label }) => label === 'pkg/AGENTS.md'),
    );
    assert.equal(row.state, 'loaded');
    assert.equal(row.place?.path, uri('pkg/AGENTS.md').fsPath);
    assert.match(row.spoken, /^pkg\/AGENTS\.md, loaded, about \d+ tokens/);
    // Yours first, then one row for the program, then what is not loaded.
    assert.deepEqual(
      api()
        .rows()
        .map(({ label }) => label)
        .slice(-3),
      ['etcode itself', 'Not loaded', 'Looked for, not there'],
    );
    const missing = flat(api().rows()).find(({ label }) => label === 'missing.md');
    assert.equal(missing?.state, 'missing');
    assert.equal(missing.place?.path, uri('etcode.json').fsPath);
  });

  test('the preview is a document that cannot be written, beside the file, which stays the active one', async () => {
    const editor = await openFile('pkg/app.py');
    await vscode.commands.executeCommand('promptls.preview');
    const document = await until('the preview', () => preview('app.py'));
    assert.equal(document.languageId, 'promptls');
    assert.match(document.getText(), /^# Effective prompt of app\.py\n/);
    assert.match(document.getText(), /Prices are integers in cents\./);
    assert.equal(vscode.window.activeTextEditor?.document, editor.document);
    const shown = vscode.window.visibleTextEditors.find((each) => each.document === document);
    assert.equal(shown?.viewColumn, vscode.ViewColumn.Two);
    const before = document.getText();
    await vscode.window.showTextDocument(document, vscode.ViewColumn.Two);
    await vscode.commands.executeCommand('type', { text: 'x' });
    assert.equal(document.getText(), before);
    await openFile('pkg/app.py');
  });

  test('what is typed is in the preview before it is saved', async () => {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(uri('AGENTS.md'), new vscode.Position(0, 0), 'Round half up.\n');
    await vscode.workspace.applyEdit(edit);
    await until('the text', () => preview('app.py')?.getText().includes('Round half up.'));
    const document = await vscode.workspace.openTextDocument(uri('AGENTS.md'));
    assert.ok(document.isDirty);
  });

  test('a setting of the server is followed without a restart', async () => {
    const before = api().server()?.pid;
    await settings().update('harness', 'opencode', vscode.ConfigurationTarget.Workspace);
    await until('the other prompt', () => preview('app.py')?.getText().includes('\nopencode 1.'));
    assert.equal(api().server()?.pid, before);
    await settings().update('harness', undefined, vscode.ConfigurationTarget.Workspace);
    await until('the prompt of before', () => preview('app.py')?.getText().includes('\netcode '));
  });

  test('a setting that chooses the server starts it anew; a command goes before an interpreter', async () => {
    const before = api().server()?.pid;
    const interpreter = settings().get<string>('interpreter');
    const command = [interpreter, '-P', '-m', 'promptls', 'serve'];
    await settings().update('path', command, vscode.ConfigurationTarget.Workspace);
    const server = await until('the other server', () => {
      const now = api().server();
      return now?.because === 'promptls.path' ? now : undefined;
    });
    assert.notEqual(server.pid, before);
    await until('the preview', () => preview('app.py')?.getText().includes('Round half up.'));
    await settings().update('path', undefined, vscode.ConfigurationTarget.Workspace);
    await until('the server of before', () => api().server()?.because === 'promptls.interpreter');
  });

  test('the restart command starts it anew', async () => {
    const before = api().server()?.pid;
    await vscode.commands.executeCommand('promptls.restart');
    assert.notEqual(api().server()?.pid, before);
    assert.ok(api().server());
  });
});
