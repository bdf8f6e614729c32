/** The choice of a harness. */
import * as vscode from 'vscode';

import type { Client } from './client';
import type { Harness } from './protocol';
import { askOnce } from './question';
import { SECTION } from './settings';

interface Choice extends vscode.QuickPickItem {
  /** The value of the setting; empty: the server finds the harness itself. */
  harness: string;
  /** Opens the list of those that are left out. */
  isMore?: boolean;
}

/** The programs used in the workspace: asked for once, and whenever the user runs the command. */
export async function chooseHarnesses(client: Client, file: vscode.Uri | undefined): Promise<void> {
  const { harnesses } = await client.harnesses({ ...documentOf(file), all: true });
  const configuration = vscode.workspace.getConfiguration(SECTION, file);
  const kept = configuration.get<string[]>('harnesses') ?? [];
  const suggested = kept.length > 0 ? kept : harnesses.filter(hasOwnFiles).map(({ name }) => name);
  const items = choices(harnesses).map((each) => ({ ...each, picked: isPicked(each.harness, suggested) }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'Coding agents you use here',
    placeHolder: 'None: detected from the files in the folder',
    canPickMany: true,
    matchOnDescription: true,
  });
  if (chosen === undefined) return;
  const names = chosen.map(({ harness }) => harness);
  const target = names.length === 0 ? workspaceOrUser() : await where();
  if (target !== undefined)
    await configuration.update('harnesses', names.length > 0 ? names : undefined, target);
}

/** Asks once in a workspace where AGENTS.md counts for several programs and none has been chosen. */
export async function askForHarnesses(
  client: Client,
  memory: vscode.Memento,
  file: vscode.Uri | undefined,
): Promise<void> {
  const isOpen = async (): Promise<boolean> => (await client.harnesses(documentOf(file))).undecided ?? false;
  await askOnce(memory, ASKED, isOpen, async () => {
    const choose = 'Choose…';
    const question = 'Many coding agents read AGENTS.md. Which of them do you use here?';
    if ((await vscode.window.showInformationMessage(question, choose)) === choose)
      await chooseHarnesses(client, file);
  });
}

const ASKED = 'askedForHarnesses';

function documentOf(file: vscode.Uri | undefined): { textDocument?: { uri: string } } {
  return file === undefined ? {} : { textDocument: { uri: file.toString() } };
}

/** Whether a harness has files of its own here: many read AGENTS.md, which says little. */
function hasOwnFiles({ evidence }: Harness): boolean {
  return evidence.some((file) => !/(^|\/)AGENTS\.md$/u.test(file));
}

function isPicked(name: string, kept: string[]): boolean {
  return kept.some((each) => each.split('@')[0] === name);
}

function workspaceOrUser(): vscode.ConfigurationTarget {
  const { Workspace, Global } = vscode.ConfigurationTarget;
  return vscode.workspace.workspaceFolders ? Workspace : Global;
}

async function where(): Promise<vscode.ConfigurationTarget | undefined> {
  if (!vscode.workspace.workspaceFolders) return vscode.ConfigurationTarget.Global;
  const places = [
    { label: 'In this workspace', target: vscode.ConfigurationTarget.Workspace },
    { label: 'Everywhere', description: 'your user settings', target: vscode.ConfigurationTarget.Global },
  ];
  return (await vscode.window.showQuickPick(places, { title: 'Where to save it' }))?.target;
}

/** Asks for the harness whose prompt to show, and saves the answer as a setting of the workspace. */
export async function selectHarness(client: Client, file: vscode.Uri | undefined): Promise<void> {
  const { harnesses, current } = await client.harnesses(documentOf(file));
  const configuration = vscode.workspace.getConfiguration(SECTION, file);
  const automatic = !configuration.get<string>('harness');

  const first = await vscode.window.showQuickPick<Choice>(
    [
      {
        label: 'Automatic',
        description: automatic ? `now ${current.name} ${current.version}` : '',
        detail: 'The harness whose own files are closest to the open file',
        harness: '',
      },
      ...choices(harnesses),
      { label: 'More…', harness: '', isMore: true, alwaysShow: true },
    ],
    { title: 'Harness whose prompt to show', matchOnDescription: true, matchOnDetail: true },
  );
  const choice = first?.isMore ? await anyHarness(client, file) : first;
  if (choice !== undefined)
    await configuration.update('harness', choice.harness || undefined, workspaceOrUser());
}

/** One of all supported harnesses, including uncommon ones. */
async function anyHarness(client: Client, file: vscode.Uri | undefined): Promise<Choice | undefined> {
  const { harnesses } = await client.harnesses({ ...documentOf(file), all: true });
  return await vscode.window.showQuickPick(choices(harnesses), {
    title: 'Harness whose prompt to show',
    matchOnDescription: true,
  });
}

/** Asks for a harness other than `current` to compare with; undefined: none. */
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

/** Those that the workspace is configured for come first. */
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
      ...(evidence.length > 0 && {
        detail: evidence.map((file) => vscode.workspace.asRelativePath(file)).join(', '),
      }),
    })),
  ];
}
