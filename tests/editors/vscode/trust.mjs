// A folder that nobody trusts yet: its settings do not choose the server, and nothing is fetched for it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';

import { command, open, processes, startEditor, within, write } from '../code_server.mjs';
import { quoted, TIMEOUT_MS } from './steps.mjs';
import { Window } from './window.mjs';

export async function trust({ steps, scratch, vsix, server }) {
  const folder = path.join(scratch, 'found');
  const asked = [];
  const rules = http.createServer((request, response) => {
    asked.push(request.url);
    response.end('Prices are shown with two decimals.\n');
  });
  rules.listen(0, '127.0.0.1');
  await once(rules, 'listening');
  const url = `http://127.0.0.1:${rules.address().port}/rules.md`;
  const sprung = path.join(scratch, 'sprung');
  const trap = path.join(folder, 'promptls');
  write(path.join(folder, 'AGENTS.md'), 'Prices are integers in cents.\n');
  write(path.join(folder, 'etcode.json'), `${JSON.stringify({ instructions: [url] }, null, 2)}\n`);
  write(path.join(folder, 'app.py'), 'price = 1\n');
  const [own] = Object.values(server);
  const serve = Array.isArray(own) ? own.join(' ') : `${own} -P -m promptls serve`;
  write(trap, `#!/bin/sh\ntouch "${sprung}"\nexec ${serve}\n`);
  fs.chmodSync(trap, 0o755);
  write(path.join(folder, '.vscode/settings.json'), JSON.stringify({ 'promptls.path': [trap] }));

  const editor = await startEditor({ scratch, vsix, folder, settings: server, trust: true });
  const { page } = editor;
  page.setDefaultTimeout(TIMEOUT_MS);
  steps.page = page;
  const window = new Window(page);
  const serving = () => [...processes(scratch)].filter(([, line]) => / serve$/.test(line)).map(([pid]) => pid);

  try {
    await open(editor);

    await steps.step('in Restricted Mode the server is the one of the user', async (saw) => {
      await window.statusBar('Restricted Mode').waitFor();
      await window.openInFiles('app.py', 'price');
      await window.openPreview('app.py');
      await window.shows('Prices are integers in cents.');
      assert.equal(fs.existsSync(sprung), false, 'the setting of the folder was followed');
      saw('the preview appears, and the command in the settings of the folder was not run');
    });

    await steps.step('and fetches nothing', async (saw) => {
      await window.openView();
      await within(TIMEOUT_MS, 'no row for the URL', async () => (await window.rows()).some((row) => row.startsWith(url)));
      const row = (await window.rows()).find((text) => text.startsWith(url));
      assert.match(row, /, disabled, not fetched/);
      assert.deepEqual(asked, []);
      saw(quoted(row.replace(url, 'http://127.0.0.1/rules.md')));
      await steps.picture('restricted');
    });

    await steps.step('neither Git HEAD nor the installed program is offered', async (saw) => {
      assert.equal(await window.offers('Prompt: Compare with Git HEAD'), false);
      assert.equal(await window.offers('Prompt: Verify against the Installed Program'), false);
      saw('Compare with Git HEAD and Verify against the Installed Program are not in the palette');
    });

    await steps.step('trust starts the server anew, as the folder says', async (saw) => {
      const [before] = serving();
      await command(page, 'Workspaces: Manage Workspace Trust');
      await page.locator('.workspace-trust-editor .monaco-button').filter({ hasText: /^Trust$/ }).first().click();
      await window.statusBar('Restricted Mode').waitFor({ state: 'detached' });
      await within(TIMEOUT_MS, 'the server of before runs', () => serving().length === 1 && serving()[0] !== before);
      await within(TIMEOUT_MS, 'the setting of the folder is not followed', () => fs.existsSync(sprung));
      await within(TIMEOUT_MS, 'the URL is not fetched', () => asked.length > 0);
      await within(TIMEOUT_MS, 'the URL is not loaded', async () =>
        (await window.rows()).some((row) => row.startsWith(`${url}, loaded`)),
      );
      saw('another process serves, the command in the settings of the folder was run, the URL is fetched and loaded');
    });
  } finally {
    rules.close();
    rules.closeAllConnections();
    await editor.stop();
  }
}
