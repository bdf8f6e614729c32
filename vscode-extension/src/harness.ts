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
      ...choices(harnesses),
    ],
    { title: 'Harness whose prompt is shown', matchOnDescription: true, matchOnDetail: true },
  );
  if (choice === undefined) return;

  const target = vscode.workspace.workspaceFolders
    ? vscode.ConfigurationTarget.Workspace
    : vscode.ConfigurationTarget.Global;
  await configuration.update('harness', choice.harness || undefined, target);
}

/** Asks for a harness, other than `current`, to hold the prompt against; undefined: none. */
export async function otherHarness(
  client: Client,
  file: vscode.Uri,
  current: string,
): Promise<string | undefined> {
  const { harnesses } = await client.harnesses({ textDocument: { uri: file.toString() } });
  const others = harnesses.filter(({ name }) => name !== current);
  const title = `Harness to compare with ${current}`;
  const choice = await vscode.window.showQuickPick(choices(others), { title, matchOnDescription: true });
  return choice?.harness;
}

/** Those that the workspace is set up for come first. */
function choices(harnesses: Harness[]): Choice[] {
  const found = harnesses.filter((harness) => harness.found);
  const others = harnesses.filter((harness) => !harness.found);
  return [...group('Found here', found), ...group('Not found here', others)];
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
