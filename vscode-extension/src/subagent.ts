/** “Preview as Sub-agent”: the prompt of an agent's first request, from its file. */
import * as vscode from 'vscode';

import type { Client } from './client';
import { previewGroup, topOf } from './preview';

/** What the server's code lens names: the file as a URI, the harness, and the agent. */
type Asked = [uri: string, harness: string, agent: string];

const COMMAND = 'promptls.previewSubagent';

/** Opens the prompt beside the file. Without arguments the agent is that of the active file. */
export async function previewSubagent(client: Client, given: unknown[]): Promise<void> {
  const asked = isAsked(given) ? given : await ofActiveFile();
  if (asked === undefined) return;
  const [uri, harness, subagent] = asked;
  const shown = await client.preview({ textDocument: { uri }, harness, subagent, reads: [] });
  await vscode.window.showTextDocument(client.uri(shown.uri), {
    viewColumn: previewGroup()?.viewColumn ?? vscode.ViewColumn.Beside,
    preview: false,
    selection: topOf(shown.ownLine),
  });
}

/** The lens above the active file knows it. */
async function ofActiveFile(): Promise<Asked | undefined> {
  const file = vscode.window.activeTextEditor?.document.uri;
  const lenses = file === undefined ? [] : await lensesOf(file);
  const found = lenses.map(({ command }): unknown[] => command?.arguments ?? []).filter(isAsked);
  if (found.length === 0) {
    const says = 'Open the file of an agent that a coding agent of yours starts as a sub-agent.';
    void vscode.window.showInformationMessage(says);
  }
  if (found.length < 2) return found[0];
  const items = found.map((asked) => ({ label: asked[2], description: asked[1], asked }));
  return (await vscode.window.showQuickPick(items, { title: 'Sub-agent of which coding agent' }))?.asked;
}

async function lensesOf(file: vscode.Uri): Promise<vscode.CodeLens[]> {
  const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
    'vscode.executeCodeLensProvider',
    file,
  );
  return lenses.filter(({ command }) => command?.command === COMMAND);
}

function isAsked(given: unknown[]): given is Asked {
  return given.length === 3 && given.every((each) => typeof each === 'string');
}
