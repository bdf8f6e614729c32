/** Two prompts side by side, in the editor's own diff. */
import * as path from 'node:path';

import * as vscode from 'vscode';

import type { Client } from './client';
import { otherHarness } from './harness';
import type { PreviewParams } from './protocol';

const HEAD = 'HEAD';

/** One side: the prompt, and its part of the title. */
interface Side {
  params: PreviewParams;
  title: string;
}

/** Compares the prompt of `file` with that of another harness: of `chosen`, or of one that the user chooses. */
export async function compareHarnesses(client: Client, file: vscode.Uri, chosen?: string): Promise<void> {
  const textDocument = { uri: file.toString() };
  const { harness } = await client.preview({ textDocument });
  const other = chosen ?? (await otherHarness(client, file, harness.name));
  if (other === undefined) return;
  // Both are named: the left one must not change when another harness is chosen.
  const side = (name: string, title: string): Side => ({
    params: { textDocument, harness: name },
    title: `${nameOf(file)} in ${title}`,
  });
  await diff(client, side(`${harness.name}@${harness.version}`, harness.name), side(other, other));
}

/** Compares the prompt of `file` with that of a file that the user chooses. */
export async function compareFiles(client: Client, file: vscode.Uri): Promise<void> {
  const other = await otherFile(file);
  if (other === undefined) return;
  const side = (uri: vscode.Uri): Side => ({
    params: { textDocument: { uri: uri.toString() } },
    title: nameOf(uri),
  });
  await diff(client, side(file), side(other));
}

/** Compares the prompt of `file` made from the files of the last commit with the current one. */
export async function compareHead(client: Client, file: vscode.Uri): Promise<void> {
  const textDocument = { uri: file.toString() };
  const { name, version } = (await client.preview({ textDocument })).harness;
  // The same harness on both sides, even if nothing in the commit points to it.
  const now = { textDocument, harness: `${name}@${version}` };
  await diff(
    client,
    { params: { ...now, rev: HEAD }, title: `${nameOf(file)} at ${HEAD}` },
    { params: now, title: `${nameOf(file)} now` },
  );
}

async function diff(client: Client, left: Side, right: Side): Promise<void> {
  const [from, to] = await Promise.all([left, right].map(({ params }) => client.preview(params)));
  if (from === undefined || to === undefined) return;
  await vscode.commands.executeCommand(
    'vscode.diff',
    client.uri(from.uri),
    client.uri(to.uri),
    `${left.title} ↔ ${right.title}`,
  );
}

function nameOf(file: vscode.Uri): string {
  return path.posix.basename(file.path);
}

/** Asks for one of the open files, or any other. */
async function otherFile(file: vscode.Uri): Promise<vscode.Uri | undefined> {
  const browse = { label: '$(folder-opened) Browse…', alwaysShow: true, uri: undefined };
  const open = openFiles()
    .filter((uri) => uri.toString() !== file.toString())
    .map((uri) => ({ label: vscode.workspace.asRelativePath(uri), iconPath: vscode.ThemeIcon.File, uri }));
  const title = `File whose prompt to compare with that of ${nameOf(file)}`;
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
