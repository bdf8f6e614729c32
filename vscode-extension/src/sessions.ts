/** Sessions that a program recorded: the choice of one, and “Prompt of My Last Session”. */
import * as path from 'node:path';

import * as vscode from 'vscode';

import type { Client } from './client';
import { previewGroup } from './preview';
import type { RecordedSession, SessionsParams } from './protocol';

interface Item extends vscode.QuickPickItem {
  session: RecordedSession;
}

/** Asks which one, the newest first, and opens its prompt beside the file. */
export async function showSession(client: Client, file: vscode.Uri | undefined): Promise<void> {
  const textDocument = file === undefined ? null : { uri: file.toString() };
  const why = 'Choose a session to see its prompt, and which instruction files reached it';
  const chosen = await chooseSession(client, textDocument, why);
  if (chosen === undefined) return;
  const { harness, id } = chosen;
  const { uri } = await client.preview({ textDocument, harness, recorded: id });
  await vscode.window.showTextDocument(client.uri(uri), {
    viewColumn: previewGroup()?.viewColumn ?? vscode.ViewColumn.Beside,
    preview: false,
  });
}

/** Asks for a recorded session of the folder, the newest first; `why` says what for. */
export async function chooseSession(
  client: Client,
  textDocument: SessionsParams['textDocument'],
  why: string,
): Promise<RecordedSession | undefined> {
  const { sessions, unread } = await client.sessions({ ...(textDocument && { textDocument }) });
  for (const sentence of unread) void vscode.window.showWarningMessage(sentence);
  if (sessions.length === 0) {
    void vscode.window.showInformationMessage('No program has recorded a session of this folder.');
    return undefined;
  }
  const chosen = await vscode.window.showQuickPick(sessions.map(item), {
    title: 'Recorded sessions of this folder',
    placeHolder: why,
    matchOnDetail: true,
  });
  return chosen?.session;
}

function item(session: RecordedSession): Item {
  const { harness, version, started, tokens, cwd, id, reads } = session;
  const last = tokens.at(-1);
  return {
    session,
    label: `${harness} ${version ?? ''}`.trim(),
    description: started === null ? '' : new Date(started).toLocaleString(),
    detail: [
      ...(last === undefined ? [] : [`${last.toLocaleString()} tokens`]),
      `${reads.length} ${reads.length === 1 ? 'file' : 'files'} read`,
      path.basename(cwd),
      id,
    ].join(' · '),
  };
}
