/** Two prompts side by side, in the editor's own diff. */
import * as path from 'node:path';

import * as vscode from 'vscode';

import type { Client } from './client';
import { otherHarness } from './harness';
import type { PreviewParams } from './protocol';

/** The prompt of `file` against that of another harness. */
export async function compareHarnesses(client: Client, file: vscode.Uri): Promise<void> {
  const textDocument = { uri: file.toString() };
  const { harness } = await client.preview({ textDocument });
  const other = await otherHarness(client, file, harness.name);
  if (other === undefined) return;
  // Both are named: the left one is to stay what it is when another harness is chosen.
  const current = `${harness.name}@${harness.version}`;
  await diff(client, { textDocument, harness: current }, { textDocument, harness: other });
}

/** The prompt of `file` against that of a file to be chosen. */
export async function compareFiles(client: Client, file: vscode.Uri): Promise<void> {
  const other = await otherFile(file);
  if (other === undefined) return;
  await diff(client, { textDocument: { uri: file.toString() } }, { textDocument: { uri: other.toString() } });
}

async function diff(client: Client, ...sides: [PreviewParams, PreviewParams]): Promise<void> {
  const [left, right] = await Promise.all(
    sides.map(async (params) => {
      const { uri, harness } = await client.preview(params);
      const name = path.posix.basename(vscode.Uri.parse(params.textDocument?.uri ?? '').path);
      return { uri: client.uri(uri), title: `${name} in ${harness.name}` };
    }),
  );
  await vscode.commands.executeCommand(
    'vscode.diff',
    left?.uri,
    right?.uri,
    `${left?.title} ↔ ${right?.title}`,
  );
}

/** One of the open files, or any other. */
async function otherFile(file: vscode.Uri): Promise<vscode.Uri | undefined> {
  const browse = { label: '$(folder-opened) Browse…', alwaysShow: true, uri: undefined };
  const open = openFiles()
    .filter((uri) => uri.toString() !== file.toString())
    .map((uri) => ({ label: vscode.workspace.asRelativePath(uri), iconPath: vscode.ThemeIcon.File, uri }));
  const title = `File whose prompt to compare with that of ${path.posix.basename(file.path)}`;
  const choice = await vscode.window.showQuickPick([...open, browse], { title });
  if (choice === undefined || choice.uri !== undefined) return choice?.uri;
  const defaultUri = vscode.Uri.joinPath(file, '..');
  return (await vscode.window.showOpenDialog({ title, defaultUri, openLabel: 'Compare' }))?.[0];
}

function openFiles(): vscode.Uri[] {
  const uris = vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .map(({ input }) => (input instanceof vscode.TabInputText ? input.uri : undefined))
    .filter((uri) => uri?.scheme === 'file');
  return [...new Map(uris.map((uri) => [String(uri), uri])).values()].filter((uri) => uri !== undefined);
}
