/** The choice of a harness. */
import * as vscode from 'vscode';

import type { Client } from './client';
import type { Harness } from './protocol';
import { SECTION } from './settings';

interface Choice extends vscode.QuickPickItem {
  /** The value of the setting; empty: the server finds the harness itself. */
  harness: string;
}

/** Asks for the harness whose prompt is to be shown, and keeps the answer as a setting of the workspace. */
export async function selectHarness(client: Client, file: vscode.Uri | undefined): Promise<void> {
  const { harnesses, current } = await client.harnesses(
    file === undefined ? {} : { textDocument: { uri: file.toString() } },
  );
  const configuration = vscode.workspace.getConfiguration(SECTION, file);
  const automatic = !configuration.get<string>('harness');

  const choice = await vscode.window.showQuickPick(
    [
      {
        label: 'Automatic',
        description: automatic ? `now ${current.name} ${current.version}` : '',
        detail: 'The harness whose own files are nearest above the open file',
        harness: '',
      },
      ...group('Found here', harnesses.filter(isFound)),
      ...group(
        'Not found here',
        harnesses.filter((harness) => !isFound(harness)),
      ),
    ],
    { title: 'Harness whose prompt is shown', matchOnDescription: true, matchOnDetail: true },
  );
  if (choice === undefined) return;

  const target = vscode.workspace.workspaceFolders
    ? vscode.ConfigurationTarget.Workspace
    : vscode.ConfigurationTarget.Global;
  await configuration.update('harness', choice.harness || undefined, target);
}

function isFound(harness: Harness): boolean {
  return harness.found;
}

function group(label: string, harnesses: Harness[]): Choice[] {
  if (harnesses.length === 0) return [];
  return [
    { label, kind: vscode.QuickPickItemKind.Separator, harness: '' },
    ...harnesses.map(({ name, title, evidence }) => ({
      label: title,
      description: name,
      harness: name,
      ...(evidence.length > 0 && { detail: evidence.join(', ') }),
    })),
  ];
}
