/** The commands that need the server. */
import * as vscode from 'vscode';

import type { Client } from './client';
import { compareFiles, compareHarnesses, compareHead } from './compare';
import type { Explain } from './explain';
import type { FindOut } from './findOut';
import { chooseHarnesses, selectHarness } from './harness';
import type { Pages } from './pages';
import { type Preview, previewGroup } from './preview';
import type { Place, Row } from './row';
import type { Rules } from './rules';
import { showSession } from './sessions';
import { previewSubagent } from './subagent';
import type { Compared, Tables } from './table';
import type { Verify } from './verify';

type Command = (...given: unknown[]) => Promise<void>;

/** What the commands are about. */
interface Parts {
  client: Client;
  preview: Preview;
  explain: Explain;
  findOut: FindOut;
  pages: Pages;
  rules: Rules;
  tables: Tables;
  verify: Verify;
}

const NOTICE_MS = 5000;
/** VS Code's own view of rendered Markdown. */
const RENDERED = 'vscode.markdown.preview.editor';

/** The commands by their ids. Commands on a file use the one that the preview follows. */
export function promptCommands({
  client,
  preview,
  explain,
  findOut,
  pages,
  rules,
  tables,
  verify,
}: Parts): Record<string, Command> {
  const forFile = (run: (file: vscode.Uri) => Promise<void>): Command => {
    return async () => {
      if (preview.source !== undefined) await run(preview.source);
      else void vscode.window.showInformationMessage('Open a file to see its prompt.');
    };
  };
  const ask = (file: vscode.Uri) => client.preview({ textDocument: { uri: file.toString() } });

  return {
    // It looks for the active file itself: the event may not have arrived yet.
    'promptls.preview': async () => {
      await preview.show();
      await forFile(() => Promise.resolve())();
    },
    'promptls.showRendered': forFile(async (file) => {
      const { uri } = await ask(file);
      // In the column of the preview, which other editors are kept out of.
      const viewColumn = previewGroup()?.viewColumn ?? vscode.ViewColumn.Beside;
      await vscode.commands.executeCommand('vscode.openWith', client.uri(uri), RENDERED, { viewColumn });
    }),
    'promptls.copyJson': forFile(async (file) => {
      const { messages } = await ask(file);
      await vscode.env.clipboard.writeText(JSON.stringify(messages, null, 2));
      vscode.window.setStatusBarMessage(`Copied the ${messages.length} messages of the prompt.`, NOTICE_MS);
    }),
    'promptls.compareHarnesses': forFile((file) => tables.show(file)),
    'promptls.previewStart': (harness) => preview.showStart(harness as string),
    'promptls.compareWith': (compared) => {
      const { file, harness } = compared as Compared;
      return compareHarnesses(client, vscode.Uri.parse(file), harness);
    },
    'promptls.compareFile': forFile((file) => compareFiles(client, file)),
    'promptls.compareHead': forFile((file) => compareHead(client, file)),
    'promptls.verify': forFile((file) => verify.run(file)),
    'promptls.findOut': (argument) => findOut.run(argument, preview.source),
    'promptls.showSession': () => showSession(client, preview.source),
    'promptls.sessionPage': () => pages.showSession(preview.source),
    'promptls.showRules': (uri) =>
      rules.show(typeof uri === 'string' ? vscode.Uri.parse(uri) : preview.source),
    'promptls.previewSubagent': (...given) => previewSubagent(client, given),
    'promptls.map': () => pages.showMap(preview.source),
    'promptls.selectHarness': () => selectHarness(client, preview.source),
    'promptls.chooseHarnesses': () => chooseHarnesses(client, preview.source),
    'promptls.explain': async (argument) => {
      const file = fileOf(argument) ?? vscode.window.activeTextEditor?.document.uri;
      if (file?.scheme === 'file') await explain.show(file);
      else void vscode.window.showInformationMessage('Open a file to see which harnesses load it.');
    },
    'promptls.open': (place) => openPlace(preview, place as Place),
  };
}

/** A menu of the Explorer or an editor passes a URI, the view its row, the palette nothing. */
function fileOf(argument: unknown): vscode.Uri | undefined {
  if (argument instanceof vscode.Uri) return argument;
  const file = (argument as Row | undefined)?.file;
  return file === undefined ? undefined : vscode.Uri.file(file);
}

/** Opens the source of a part of the prompt. */
export async function openPlace(preview: Preview, { path, range }: Place): Promise<void> {
  const { start, end } = range ?? {};
  // Only the position: if the whole file were selected, one keystroke would replace it.
  const at = start && end && new vscode.Range(start.line, start.character, start.line, start.character);
  await preview.open(path, at ?? undefined);
}
