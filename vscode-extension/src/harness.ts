/** The choice of harnesses: which one is shown, and which are in use. Nothing is written into the folder. */
import * as vscode from 'vscode';

import type { Memory } from './choices';
import type { Client } from './client';
import type { Harness } from './protocol';
import { SECTION } from './settings';

interface Choice extends vscode.QuickPickItem {
  /** The value of the setting; empty: the server finds the harness itself. */
  harness: string;
  /** Opens the list of those that are left out. */
  isMore?: boolean;
}

/** The programs that the user has: whenever they run the command, or answer the question. The server keeps them. */
export async function chooseHarnesses(client: Client, file: vscode.Uri | undefined): Promise<void> {
  const [{ harnesses, chosen }, { harnesses: kept }] = await Promise.all([
    client.harnesses({ ...documentOf(file), all: true }),
    client.use({}),
  ]);
  const suggested = chosen?.length ? chosen : harnesses.filter(hasOwnFiles).map(({ name }) => name);
  const items = choicesOf(harnesses).map((each) => ({
    ...each,
    picked: isPicked(each.harness, suggested),
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: 'Coding agents you use, in all your folders',
    placeHolder: 'None: detected from the files in the folder',
    canPickMany: true,
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  if (picked === undefined) return;
  await client.use({
    harnesses: inOrder(
      picked.map(({ harness }) => harness),
      kept,
    ),
  });
  await sayWhatCounts(file);
}

/** Those that were chosen before stay where they are, with their versions. */
function inOrder(names: string[], kept: string[]): string[] {
  const still = kept.filter((each) => names.includes(nameOf(each)));
  return [...still, ...names.filter((name) => !isPicked(name, kept))];
}

/** A setting counts before what the user has chosen. */
async function sayWhatCounts(file: vscode.Uri | undefined): Promise<void> {
  const named = vscode.workspace.getConfiguration(SECTION, file).get<string[]>('harnesses') ?? [];
  if (named.length === 0) return;
  const open = 'Open Settings';
  const says = `Your choice is kept. Here the setting promptls.harnesses counts before it: ${named.join(', ')}.`;
  if ((await vscode.window.showInformationMessage(says, open)) === open)
    await vscode.commands.executeCommand('workbench.action.openSettings', `${SECTION}.harnesses`);
}

/** The question which programs are in use, while AGENTS.md counts for several: it stays until it is answered. */
export class Question {
  constructor(
    private readonly client: Client,
    private readonly memory: Memory,
    /** Shows the question, or takes it away. */
    private readonly show: (isOpen: boolean) => void,
  ) {}

  /** Looks whether it is open now. A message says so once in a workspace; the view says so until the answer. */
  async look(file: vscode.Uri | undefined): Promise<void> {
    if (!this.client.running) return;
    const { undecided } = await this.client.harnesses(documentOf(file));
    const isOpen = undecided === true;
    this.show(isOpen);
    if (!isOpen || this.memory.get(ASKED) === true) return;
    await this.memory.update(ASKED, true);
    const choose = 'Choose…';
    const question = 'Many coding agents read AGENTS.md. Which of them do you use?';
    if ((await vscode.window.showInformationMessage(question, choose)) === choose)
      await chooseHarnesses(this.client, file);
  }
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
  return kept.some((each) => nameOf(each) === name);
}

/** `codex` of `codex@0.169.0`. */
function nameOf(harness: string): string {
  return harness.split('@')[0] ?? harness;
}

/** Asks for the harness whose prompt to show; the answer is kept for the user, in this folder. */
export async function selectHarness(client: Client, file: vscode.Uri | undefined): Promise<void> {
  const { choices } = client;
  const { harnesses, current } = await client.harnesses(documentOf(file));
  const first = await vscode.window.showQuickPick<Choice>(
    [
      {
        label: 'Automatic',
        description: choices.harness ? '' : `now ${current.name} ${current.version}`,
        detail: 'The one that the settings name, else the one that you use here',
        harness: '',
      },
      ...choicesOf(harnesses, current.name),
      { label: 'More…', harness: '', isMore: true, alwaysShow: true },
    ],
    { title: 'Harness whose prompt to show', matchOnDescription: true, matchOnDetail: true },
  );
  const choice = first?.isMore ? await anyHarness(client, file) : first;
  if (choice !== undefined) await choices.show(choice.harness);
}

/** One of all supported harnesses, including uncommon ones. */
async function anyHarness(client: Client, file: vscode.Uri | undefined): Promise<Choice | undefined> {
  const { harnesses } = await client.harnesses({ ...documentOf(file), all: true });
  return await vscode.window.showQuickPick(choicesOf(harnesses), {
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
  const choice = await vscode.window.showQuickPick(choicesOf(others), { title, matchOnDescription: true });
  return choice?.harness;
}

/** Those that the workspace is configured for come first. */
function choicesOf(harnesses: Harness[], shown = ''): Choice[] {
  const found = harnesses.filter((harness) => harness.found);
  const others = harnesses.filter((harness) => !harness.found);
  return [...group('Found here', found, shown), ...group('Not found here', others, shown)];
}

function group(label: string, harnesses: Harness[], shown: string): Choice[] {
  if (harnesses.length === 0) return [];
  return [
    { label, kind: vscode.QuickPickItemKind.Separator, harness: '' },
    ...harnesses.map(({ name, title, evidence }) => ({
      label: title,
      description: name === shown ? `${name} · shown now` : name,
      harness: name,
      ...(evidence.length > 0 && {
        detail: evidence.map((file) => vscode.workspace.asRelativePath(file)).join(', '),
      }),
    })),
  ];
}
