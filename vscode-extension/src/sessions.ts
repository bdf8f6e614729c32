/** “Prompt of My Last Session”: a session that a program recorded, its prompt, and what reached it. */
import * as path from 'node:path';

import * as vscode from 'vscode';

import type { Client } from './client';
import { previewGroup } from './preview';
import type { RecordedSession } from './protocol';

interface Item extends vscode.QuickPickItem {
  session: RecordedSession;
}

/** Asks which one, the newest first, and opens its prompt beside the file. */
export async function showSession(client: Client, file: vscode.Uri | undefined): Promise<void> {
  const textDocument = file === undefined ? null : { uri: file.toString() };
  const { sessions, unread } = await client.sessions({ textDocument });
  for (const sentence of unread) void vscode.window.showWarningMessage(sentence);
  if (sessions.length === 0) {
    void vscode.window.showInformationMessage('No program has recorded a session of this folder.');
    return;
  }
  const chosen = await vscode.window.showQuickPick(sessions.map(item), {
    title: 'Recorded sessions of this folder',
    placeHolder: 'Choose a session to see its prompt, and which instruction files reached it',
    matchOnDetail: true,
  });
  if (chosen === undefined) return;
  const { harness, id } = chosen.session;
  const { uri } = await client.preview({ textDocument, harness, recorded: id });
  await vscode.window.showTextDocument(client.uri(uri), {
    viewColumn: previewGroup()?.viewColumn ?? vscode.ViewColumn.Beside,
    preview: false,
  });
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
