// No server anywhere: the extension asks, and makes an environment of its own when it is let.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { command, open, processes, startEditor, within, write } from '../code_server.mjs';
import { quoted, REPOSITORY, TIMEOUT_MS } from './steps.mjs';
import { Window } from './window.mjs';

const QUESTION = 'promptls is not installed. Install it for this extension?';
const INSTALLING_MS = 120_000;

export async function installation({ steps, scratch, vsix }) {
  const folder = path.join(scratch, 'shop');
  write(path.join(folder, 'AGENTS.md'), 'Prices are integers in cents.\n');
  write(path.join(folder, 'app.py'), 'price = 1\n');
  const searchPath = withoutServer(path.join(scratch, 'bin'));

  const editor = await startEditor({ scratch, vsix, folder, searchPath });
  const { page } = editor;
  page.setDefaultTimeout(TIMEOUT_MS);
  steps.page = page;
  const window = new Window(page);
  const storage = path.join(scratch, 'data/User/globalStorage/promptls.promptls');
  const question = window.notification(QUESTION);
  const button = (name) => question.locator('.monaco-button').filter({ hasText: name });

  try {
    await open(editor);

    await steps.step('without a server there is one question', async (saw) => {
      await window.openInFiles('app.py', 'price');
      await question.waitFor();
      const buttons = await question.locator('.monaco-button').allInnerTexts();
      assert.deepEqual(buttons, ['Install', 'Choose Path…', 'Not Now']);
      saw(`${quoted(QUESTION)} with ${buttons.map(quoted).join(', ')}`);
      await steps.picture('question', window.notification(QUESTION));
      assert.deepEqual(environments(storage), []);
    });

    await steps.step('“Not Now” is not asked again, and the view says what can be done', async (saw) => {
      await button('Not Now').click();
      await question.waitFor({ state: 'detached' });
      await window.openView();
      const welcome = window.view.locator('.welcome-view-content');
      await welcome.getByText('Install Server').waitFor();
      saw(quoted(await welcome.innerText()));
      await steps.picture('welcome', window.view);
      await command(page, 'Prompt: Restart Server');
      await command(page, 'Prompt: Show Log');
      await page.locator('.panel .view-line').filter({ hasText: /The.server.is.not.installed.*The.server.is.not.installed/s }).or(
        page.locator('.panel .view-line').filter({ hasText: /is.not.installed/ }).nth(1),
      ).first().waitFor();
      assert.equal(await question.count(), 0);
      saw('after Restart Server, which finds none again, there is no question');
      await command(page, 'View: Hide Panel');
      assert.deepEqual(environments(storage), []);
    });

    await steps.step('in a new session, a click on the status asks again; “Install” makes an environment', async (saw) => {
      await page.goto(editor.address);
      await window.statusBar('promptls').first().click({ timeout: 3 * TIMEOUT_MS });
      await question.waitFor({ timeout: 3 * TIMEOUT_MS });
      await button('Install').click();
      await window.notification('Installing promptls').waitFor();
      saw(quoted(await window.notification('Installing promptls').innerText()));
      await steps.picture('installing');
      await within(INSTALLING_MS, 'no server', () => [...processes(scratch).values()].some((line) => / serve$/.test(line)));
      const [made] = environments(storage);
      assert.match(made, /^server-\d+\.\d+/);
      await window.openInFiles('app.py', 'price');
      await window.openPreview('app.py');
      await window.shows('Prices are integers in cents.');
      const serving = [...processes(scratch).values()].find((line) => / serve$/.test(line));
      assert.ok(serving.includes(path.join(storage, made)), serving);
      saw(`the server runs from ${made} in the extension's storage, and the preview shows AGENTS.md`);
      assert.equal(await window.offers('Prompt: Install Server'), false);
    });

    await steps.step('the question which coding agents one uses stays until it is answered, by keyboard', async (saw) => {
      await command(page, 'Notifications: Clear All Notifications');
      await command(page, 'Focus on Effective Prompt View');
      await window.view.locator('.monaco-list:focus').waitFor();
      const asks = window.view.locator('.monaco-list-row').filter({ hasText: 'Which coding agents do you use?' });
      await asks.waitFor();
      await steps.picture('asked', window.view);
      await page.keyboard.press('Home');
      await window.view.locator('.monaco-list-row.focused').filter({ hasText: 'Which coding agents' }).waitFor();
      await page.keyboard.press('Enter');
      await window.pick.locator('.monaco-list-row').first().waitFor();
      await window.pick.locator('input[type=text]').fill('codex');
      await steps.picture('chosen', window.pick, { kept: false });
      await window.pick.locator('.monaco-list-row').filter({ hasText: 'Codex' }).first().waitFor();
      for (const key of ['ArrowDown', 'Space', 'Enter']) await page.keyboard.press(key);
      const kept = path.join(scratch, '.config/promptls/promptls.toml');
      await within(TIMEOUT_MS, 'nothing is kept', () => fs.existsSync(kept));
      saw(`promptls.toml of the user says ${quoted(fs.readFileSync(kept, 'utf8'))}`);
      await asks.waitFor({ state: 'detached' });
      assert.equal(fs.existsSync(path.join(folder, '.vscode')), false);
      saw('the question is gone, and nothing was written into the folder');
    });
  } finally {
    await editor.stop();
  }
}

function environments(storage) {
  return fs.existsSync(storage) ? fs.readdirSync(storage).filter((name) => name.startsWith('server-')) : [];
}

/** A search path that has the Python that the tests run with, what an editor needs, and no promptls. */
function withoutServer(bin) {
  fs.mkdirSync(bin, { recursive: true });
  for (const name of ['git', 'sh', 'env', 'uname', 'getconf', 'cat', 'sed', 'grep']) {
    const found = process.env.PATH.split(':').map((place) => path.join(place, name)).find((file) => fs.existsSync(file));
    if (found) fs.symlinkSync(found, path.join(bin, name));
  }
  const ask = ['-c', 'import sys; print(sys._base_executable)'];
  const python = execFileSync(path.join(REPOSITORY, '.venv/bin/python'), ask, { encoding: 'utf8' }).trim();
  fs.symlinkSync(python, path.join(bin, 'python3'));
  return bin;
}
