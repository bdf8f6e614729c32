// Sessions that a program has recorded of the folder, agents, and narrow windows: all of it by keyboard alone.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { command, open, openFile, startEditor, within, write } from '../code_server.mjs';
import { quoted, REPOSITORY, TIMEOUT_MS } from './steps.mjs';
import { Window } from './window.mjs';

const RECORDS = path.join(REPOSITORY, 'tests/records');
const { files: FILES } = JSON.parse(fs.readFileSync(path.join(RECORDS, 'short/workspace.json'), 'utf8'));
FILES['workspace/.mcp.json'] = '{"mcpServers": {\n  "docs": {"command": "docs"}\n}}\n';
const NARROW = { width: 600, height: 800 };
const WIDE = { width: 1280, height: 800 };
const LENSES = 'Show CodeLens Commands for Current Line';

export async function sessions({ steps, scratch, vsix, server }) {
  const folder = path.join(scratch, 'workspace');
  for (const [name, text] of Object.entries(FILES)) write(path.join(scratch, name.replace(/^home\//, '')), text);
  for (const kind of ['short', 'long']) layOut(path.join(RECORDS, kind, 'claude-code/home'), scratch, folder);
  execFileSync('git', ['init', '--quiet', folder]);

  const editor = await startEditor({ scratch, vsix, folder, settings: server, webviews: true });
  const { page } = editor;
  page.setDefaultTimeout(TIMEOUT_MS);
  steps.page = page;
  const window = new Window(page);
  const { files, preview, view } = window;
  const step = (name, run) => steps.step(name, run);
  const framed = () => page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
  const lens = (text) => files.locator('.codelens-decoration').filter({ hasText: text });

  try {
    await open(editor);

    await step('before a file is open the view has what each coding agent gets, those in use first', async (saw) => {
      // The commands of a view come after its icon.
      await within(TIMEOUT_MS, 'the view has no command', () => window.offers('View: Show Effective Prompt'));
      await command(page, 'View: Show Effective Prompt');
      await view.locator('.monaco-list-row').first().waitFor();
      assert.match((await window.rows())[0], /^Claude Code, /);
      for (const row of await window.rows()) saw(quoted(row));
      await steps.picture('sessions-folder', view, { kept: false });
    });

    await step('a line above a file says in how many sessions it stood, and leads to the table', async (saw) => {
      await opened('docs/CLAUDE.md');
      const says = lens('of your last 14 sessions');
      // Counted by a process of its own, which other work may hold up.
      await says.first().waitFor({ timeout: 2 * TIMEOUT_MS });
      saw(quoted(await says.first().innerText()));
      await steps.picture('rules-lens', files, { kept: false });
      await chosenLens('of your last 14 sessions');
      await window.activeTab(files, 'Rules in your sessions').waitFor();
      const row = files.locator('.view-line').filter({ hasText: 'docs/CLAUDE.md' }).first();
      await row.waitFor();
      for (const line of (await files.locator('.view-line').allInnerTexts()).slice(0, 5)) saw(quoted(line));
      await steps.picture('rules', files);
      await page.keyboard.press('Control+W');
    });

    await step('the entry of an MCP server leads to the command that asks it', async (saw) => {
      await opened('.mcp.json');
      const entry = window.line(files, '"docs"').first();
      const hover = await window.hoverOver('To know what it adds', () => entry.boundingBox(), 30);
      saw(`when pointed at ${quoted(await hover.innerText())}`);
      await hover.locator('a').filter({ hasText: 'promptls servers' }).first().click();
      const dialog = page.locator('.monaco-dialog-box');
      await dialog.waitFor();
      saw(`the link asks ${quoted(await dialog.innerText())}`);
      assert.match(await dialog.innerText(), /promptls servers .*--ask/);
      await steps.picture('servers', undefined, { kept: false });
      for (const key of ['Escape', 'Control+W']) await page.keyboard.press(key);
    });

    await step('the file of an agent shows its prompt as a sub-agent', async (saw) => {
      await opened('.claude/agents/digger.md');
      await lens('Preview as sub-agent').waitFor();
      await chosenLens('Preview as sub-agent');
      await window.activeTab(preview, 'digger.md as sub-agent (prompt)').waitFor();
      await steps.picture('subagent');
      for (const key of ['Control+Home', 'Control+F']) await page.keyboard.press(key);
      await preview.locator('.find-widget.visible textarea').first().fill('MARK-ag-cl-digger');
      await within(TIMEOUT_MS, 'its text is not there', async () => /of/.test(await preview.locator('.matchesCount').innerText()));
      saw(`the tab ${quoted(await preview.locator('.tab.active').innerText())}, with the text of the agent`);
      for (const key of ['Escape', 'Control+W']) await page.keyboard.press(key);
    });

    await step('a recorded session is a page with a bar for each request', async (saw) => {
      await opened('docs/style.md');
      await command(page, 'Prompt: Show a Session, Request by Request');
      await window.pick.locator('.monaco-list-row').first().waitFor();
      saw(`offered first ${quoted(await window.pick.locator('.monaco-list-row').first().innerText())}`);
      await steps.picture('sessions-offered', window.pick, { kept: false });
      await window.pick.locator('input[type=text]').fill('11111111-2222');
      await page.keyboard.press('Enter');
      await framed().getByRole('heading', { name: 'A session in workspace' }).waitFor();
      assert.ok((await framed().locator('svg.bar').count()) > 10);
      saw(quoted(await framed().locator('.sum').innerText()));
      await steps.picture('session');
    });

    await step('its links are reached with Tab, and Enter opens the file', async (saw) => {
      await within(TIMEOUT_MS, 'no link is reached', async () => {
        await page.keyboard.press('Tab');
        return framed().locator('#requests a:focus').count();
      });
      saw(`Tab leads to ${quoted(await framed().locator('a:focus').innerText())}`);
      await page.keyboard.press('Enter');
      await window.activeTab(files, 'CLAUDE.md').waitFor();
    });

    await step('at 600 pixels the page, the view, the table, the difference and the map can be read', async (saw) => {
      await command(page, 'Prompt: Show a Session, Request by Request');
      await window.pick.locator('input[type=text]').fill('11111111-2222');
      await page.keyboard.press('Enter');
      await framed().getByRole('heading', { name: 'A session in workspace' }).waitFor();
      await page.setViewportSize(NARROW);
      await steps.picture('narrow-session', undefined, { kept: false });
      const wide = await framed().locator('html').evaluate((root) => root.scrollWidth > root.clientWidth);
      assert.equal(wide, false, 'the page scrolls sideways');
      await command(page, 'Prompt: Show Prompt Map');
      await framed().getByRole('heading', { name: 'Prompt map of workspace' }).waitFor();
      await steps.picture('narrow-map', undefined, { kept: false });
      await opened('pkg/deep/d.py');
      await command(page, 'View: Show Effective Prompt');
      await window.row('CLAUDE.md').first().waitFor();
      await steps.picture('narrow-view', undefined, { kept: false });
      await command(page, 'View: Toggle Primary Side Bar Visibility');
      await command(page, 'Prompt: Compare Harnesses');
      await window.activeTab(files, 'd.py in each harness').waitFor();
      await files.locator('.view-line').filter({ hasText: 'itself' }).first().waitFor();
      await steps.picture('narrow-table', undefined, { kept: false });
      const lines = await files.locator('.view-line span span').evaluateAll((all) => Math.max(...all.map((each) => each.getBoundingClientRect().right)));
      saw(`the table ends at pixel ${Math.round(lines)} of ${NARROW.width}`);
      assert.ok(lines <= NARROW.width, `the table ends at pixel ${lines}`);
      await page.keyboard.press('Control+Home');
      await chosenLens('…');
      await window.choice('codex').waitFor();
      await window.pick.locator('input[type=text]').fill('codex');
      await page.keyboard.press('Enter');
      await window.activeTab(files, 'd.py in claude-code ↔ d.py in codex').waitFor();
      await files.locator('.monaco-diff-editor .line-insert, .monaco-diff-editor .inline-added-margin-view-zone').first().waitFor();
      await steps.picture('narrow-compared', undefined, { kept: false });
      await page.setViewportSize(WIDE);
    });

    await step('in a dark theme, too', async (saw) => {
      await command(page, 'Preferences: Toggle between Light/Dark Themes');
      await page.locator('.monaco-workbench.vs-dark').waitFor();
      await command(page, 'Prompt: Show a Session, Request by Request');
      await window.pick.locator('input[type=text]').fill('11111111-2222');
      await page.keyboard.press('Enter');
      await framed().getByRole('heading', { name: 'A session in workspace' }).waitFor();
      await within(TIMEOUT_MS, 'the page is light', () => framed().locator('body.vscode-dark').count());
      await steps.picture('session-dark', undefined, { kept: false });
      saw('the page has the colours of the theme');
    });

    await step('nothing was written into the folder', () => {
      assert.equal(fs.existsSync(path.join(folder, '.vscode')), false);
    });
  } finally {
    await editor.stop();
  }

  /** Opens a file, whatever has the focus. */
  async function opened(file) {
    await openFile(page, file);
    await window.line(files, FILES[`workspace/${file}`].split('\n')[0]).first().waitFor();
  }

  /** Takes a code lens of the first line as one does without a mouse. */
  async function chosenLens(text) {
    await page.keyboard.press('Control+Home');
    const row = window.pick.locator('.monaco-list-row').filter({ hasText: text });
    await within(TIMEOUT_MS, `${text} is not offered`, async () => {
      await command(page, LENSES);
      return row.first().waitFor({ timeout: TIMEOUT_MS / 10 }).then(() => true, () => page.keyboard.press('Escape').then(() => false));
    });
    await window.pick.locator('input[type=text]').fill(text);
    await page.keyboard.press('Enter');
  }
}

/** The records of a program, as if they were of this home and folder. */
function layOut(from, home, folder) {
  const slug = folder.replace(/[^A-Za-z0-9]/g, '-').slice(0, 200);
  for (const entry of fs.readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const text = fs.readFileSync(file, 'utf8').replaceAll('/mnt/workspace', folder).replaceAll('/mnt/home', home);
    write(path.join(home, path.relative(from, file).replace('-mnt-workspace', slug)), text);
  }
}
