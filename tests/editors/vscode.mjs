// The extension in a real VS Code, against the real server:
//     tools.sh run vscode.mjs VSIX
// SERVER names another command for the server; pictures go to test-output/vscode/.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { command, focus, leftBehind, openFile, startEditor, within, write } from './code_server.mjs';

const REPOSITORY = path.resolve(import.meta.dirname, '../..');
const PICTURES = path.join(REPOSITORY, 'test-output/vscode');
const TIMEOUT_MS = 20_000;

const FILES = {
  'AGENTS.md': '# Shop\n\nPrices are integers in cents.\nRun `make test` before you say that you are done.\n',
  'CLAUDE.md': 'Answer in one short paragraph.\n',
  'README.md': '# Shop\n',
  'docs/style.md': 'Names are whole words.\n',
  'docs/review.md': 'Every change has a test that failed before.\n',
  'etcode.json': '{\n  "instructions": [\n    "docs/style.md",\n    "docs/missing.md"\n  ]\n}\n',
  'pkg/api/AGENTS.md': '# API\n\nEvery route checks the token first.\n',
  'pkg/api/src/app.py': 'def price(item: str) -> int:\n    """The price of an item, in cents."""\n    return PRICES[item]\n',
  'pkg/web/main.py': 'def page() -> str:\n    return "<h1>Shop</h1>"\n',
};

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'promptls-vscode-'));
const folder = path.join(scratch, 'shop');
for (const [name, text] of Object.entries(FILES)) write(path.join(folder, name), text);
execFileSync('git', ['init', '--quiet', folder]);
fs.rmSync(PICTURES, { recursive: true, force: true });
fs.mkdirSync(PICTURES, { recursive: true });

const editor = await startEditor({ scratch, vsix: path.resolve(process.argv[2]), folder, settings: serverSettings() });
const { page } = editor;
page.setDefaultTimeout(TIMEOUT_MS);
let passed = 0;
let failed = 0;

/** The columns of the editor, from the left. */
const column = (n) => page.locator('.editor-group-container').nth(n);
const files = column(0);
const preview = column(1);

try {
  await step('the preview of the active file opens beside it', async () => {
    await openFile(page, 'pkg/api/src/app.py');
    await openPreview('app.py');
    await shows('Prices are integers in cents.');
    await shows('Every route checks the token first.');
    await activeTab(files, 'app.py').waitFor();
    await focus(preview);
    await page.keyboard.press('Control+Home');
    await focus(files);
    await picture('preview');
  });

  await step('the view has the parts of the prompt, and what is not there', async () => {
    await section('shop').click(); // folded, it leaves its room to the view
    await section('Effective Prompt').click();
    await row('On reading pkg/api/src/app.py').waitFor();
    await row('pkg/api/AGENTS.md').waitFor();
    assert.match(await row('AGENTS.md').first().getAttribute('aria-label'), /^AGENTS\.md, loaded, about \d+ tokens · 3\. system, etcode looks/);
    await row('docs/missing.md').waitFor();
    await activeTab(files, 'app.py').waitFor();
    await picture('view');
  });

  await step('a click on a part opens its source at its line, and leaves the view as it is', async () => {
    await row('docs/missing.md').click();
    await activeTab(files, 'etcode.json').waitFor();
    await page.locator('.statusbar-item').filter({ hasText: 'Ln 4, Col 5' }).waitFor();
    await row('pkg/api/AGENTS.md').waitFor();
    await tab(preview, 'app.py').waitFor();
    await picture('source');
  });

  await step('why a file is not loaded is told of the row in hand', async () => {
    await row('pkg/api/AGENTS.md').hover();
    await row('pkg/api/AGENTS.md').locator('.action-label').click();
    await activeTab(preview, 'Who loads AGENTS.md').waitFor();
    const line = (text) => preview.locator('.view-line').filter({ hasText: text.replaceAll(' ', '\u00a0') });
    await line('# Who loads pkg/api/AGENTS.md').waitFor();
    await line('**Not loaded**').first().waitFor();
    await picture('explained');
    await closeEditor();
  });

  await step('the prompt is rendered, and copied as JSON', async () => {
    await focus(files);
    await command(page, 'Prompt: Copy as JSON');
    await page.locator('.statusbar-item').filter({ hasText: 'Copied 5 messages of the prompt.' }).waitFor();
    await command(page, 'Prompt: Show Rendered Preview');
    // What is in it is drawn by a service worker, which is blocked here.
    await activeTab(preview, 'Preview Effective Prompt of app.py').waitFor();
    await closeEditor();
  });

  await step('two harnesses are compared in the diff editor', async () => {
    await focus(files);
    await command(page, 'Prompt: Compare Harnesses');
    await choice('opencode').click();
    await activeTab(files, 'app.py in etcode ↔ app.py in opencode').waitFor();
    await files.locator('.monaco-diff-editor .line-insert').first().waitFor();
    await picture('compared');
  });

  await step('it follows what is typed and not saved', async () => {
    await openInFiles('AGENTS.md', FILES['AGENTS.md'].split('\n')[2]);
    await tab(preview, 'AGENTS.md').waitFor();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('Round half up, never to even.');
    await shows('Round half up, never to even.');
    await files.locator('.tab.active.dirty').waitFor();
    assert.equal(fs.readFileSync(path.join(folder, 'AGENTS.md'), 'utf8'), FILES['AGENTS.md']);
    await picture('typing');
  });

  await step('it follows the active file, and takes no focus', async () => {
    await openInFiles('pkg/web/main.py', 'def page');
    await tab(preview, 'main.py').waitFor();
    await activeTab(files, 'main.py').waitFor();
    assert.equal(await preview.locator('.tab').count(), 1, 'more than one preview is open');
    await shows('Prices are integers in cents.');
    await showsNot('Every route checks the token first.');
    await picture('following');
  });

  await step('a missing file is underlined and in the Problems view', async () => {
    await openInFiles('etcode.json', 'instructions');
    await files.locator('.squiggly-error').first().waitFor();
    await command(page, 'View: Toggle Problems');
    const row = page.locator('.markers-panel .monaco-list-row').filter({ hasText: 'instruction-missing' });
    await row.waitFor();
    assert.match(await row.innerText(), /missing\.md[^]*\[Ln 4, /);
    await picture('problem');
  });

  await step('the entry set right, the problem is gone', async () => {
    await files.locator('.view-line').filter({ hasText: 'missing' }).getByText('missing').dblclick();
    await page.keyboard.type('review');
    await files.locator('.squiggly-error').first().waitFor({ state: 'detached' });
    await page.locator('.markers-panel .monaco-list-row').filter({ hasText: 'instruction-missing' }).waitFor({ state: 'detached' });
    await command(page, 'View: Hide Panel');
    await shows('Every change has a test that failed before.');
    await picture('fixed');
  });

  await step('another harness is another prompt', async () => {
    await openInFiles('pkg/api/src/app.py', 'def price');
    await tab(preview, 'app.py').waitFor();
    await showsNot('Workspace root folder:');
    await command(page, 'Prompt: Choose Harness');
    await choice('opencode').waitFor();
    await picture('harnesses');
    await choice('opencode').click();
    await shows('Workspace root folder:');
    const settings = JSON.parse(fs.readFileSync(path.join(folder, '.vscode/settings.json'), 'utf8'));
    assert.equal(settings['promptls.harness'], 'opencode');
    await picture('harness');
  });
} finally {
  await editor.stop();
}
await step('nothing is left running', () =>
  within(TIMEOUT_MS, `processes ${leftBehind(scratch)} are there`, () => leftBehind(scratch).length === 0),
);
if (failed === 0) fs.rmSync(scratch, { recursive: true, force: true });
else console.log(`Logs: ${scratch}/data/logs, pictures: ${PICTURES}`);
console.log(`VS Code: ${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

async function step(name, run) {
  try {
    await run();
    passed++;
    console.log(`ok    ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAIL  ${name}\n${String(error).replace(/^/gm, '      ')}`);
    if (!page.isClosed()) await picture(`failed-${failed}`);
  }
}

/** Runs the command as a person would: once more if a busy editor let the first time pass. */
async function openPreview(name) {
  for (const patience of [TIMEOUT_MS / 2, TIMEOUT_MS]) {
    await focus(files);
    await command(page, 'Prompt: Preview for Active File');
    const opened = tab(preview, name).waitFor({ timeout: patience });
    if (await opened.then(() => true, () => false)) return;
  }
  throw new Error(`the preview of ${name} did not open`);
}

/** The settings that choose the server: the repository's own unless SERVER names a command. */
function serverSettings() {
  const words = (process.env.SERVER ?? '').split(' ').filter(Boolean);
  if (words.length === 0) return { 'promptls.interpreter': path.join(REPOSITORY, '.venv/bin/python') };
  return { 'promptls.path': words.map((word) => (fs.existsSync(word) ? path.resolve(word) : word)) };
}

async function openInFiles(file, text) {
  await focus(files);
  await openFile(page, file);
  await files.locator('.view-line').filter({ hasText: text.replaceAll(' ', '\u00a0') }).first().waitFor();
}

async function closeEditor() {
  const closing = await page.locator('.editor-group-container.active .tab.active').elementHandle();
  await page.locator('.editor-group-container.active .tab.active .tab-actions .action-label').click();
  await closing.waitForElementState('hidden');
}

/** The header of a section of the Explorer. */
function section(name) {
  return page.locator('.pane-header').filter({ hasText: name });
}

/** A row of the view by its label. */
function row(label) {
  const labels = page.locator('.label-name').getByText(label, { exact: true });
  return page.locator('.pane').filter({ hasText: 'Effective Prompt' }).locator('.monaco-list-row').filter({ has: labels });
}

/** A harness in the open quick pick. */
function choice(name) {
  return page.locator('.quick-input-list .label-description').getByText(name, { exact: true });
}

function tab(group, name) {
  return group.locator('.tab').filter({ hasText: `Effective Prompt of ${name}` });
}

function activeTab(group, name) {
  return page.locator('.editor-group-container.active').and(group).locator('.tab.active').filter({ hasText: name });
}

/** Waits until the preview has a text, in view or not. */
async function shows(text) {
  await findInPreview(text, (count) => /of/.test(count), 'is not in the preview');
}

async function showsNot(text) {
  await findInPreview(text, (count) => /No results/.test(count), 'is in the preview');
}

/** Looks for `text` with the preview's own search, which sees the lines out of view, too; then goes back. */
async function findInPreview(text, is, problem) {
  await focus(preview);
  await page.keyboard.press('Control+F');
  const widget = preview.locator('.find-widget.visible');
  const input = widget.locator('textarea').first();
  await input.fill(text);
  await within(TIMEOUT_MS, `“${text}” ${problem}`, async () => is(await widget.locator('.matchesCount').innerText()));
  // The first Escape may go to a hover that has come up meanwhile.
  await within(TIMEOUT_MS, 'the search is still open', async () => {
    if (await widget.isVisible()) await page.keyboard.press('Escape');
    return !(await widget.isVisible());
  });
  await focus(files);
}

async function picture(name) {
  await page.mouse.move(0, 0);
  await page.screenshot({ path: path.join(PICTURES, `${name}.png`), animations: 'disabled' });
}
