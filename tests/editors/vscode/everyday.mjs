// What people do with the extension in a folder that they trust.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';

import { command, focus, open, processes, startEditor, within, write } from '../code_server.mjs';
import { quoted, TIMEOUT_MS } from './steps.mjs';
import { Window } from './window.mjs';

// After so long, a key that was pressed was lost.
const LOST_KEY_MS = 3000;
const FILES = {
  'AGENTS.md': '# Shop\n\nPrices are integers in cents.\nRun `make test` before you say that you are done.\n',
  // For Codex: it goes before AGENTS.md, and is longer than Codex takes.
  'AGENTS.override.md': '# Shop\n\n' + 'Names are whole words, and a name says what a thing is for.\n'.repeat(600),
  'CLAUDE.md': 'Answer in one short paragraph.\n',
  'README.md': '# Shop\n',
  'docs/style.md': 'Names are whole words.\n',
  'docs/review.md': 'Every change has a test that failed before.\n',
  'pkg/api/AGENTS.md': '# API\n\nEvery route checks the token first.\nErrors are\u200b JSON.\n',
  'pkg/api/src/app.py': 'def price(item: str) -> int:\n    """The price of an item, in cents."""\n    return PRICES[item]\n',
  'pkg/web/main.py': 'def page() -> str:\n    return "<h1>Shop</h1>"\n',
};

export async function everyday({ steps, scratch, vsix, server }) {
  const folder = path.join(scratch, 'shop');
  const rules = await slowRules();
  const instructions = ['docs/style.md', 'docs/reviews.md', rules.url];
  for (const [name, text] of Object.entries(FILES)) write(path.join(folder, name), text);
  write(path.join(folder, 'etcode.json'), `${JSON.stringify({ instructions }, null, 2)}\n`);
  const git = (...args) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@example', ...args], { stdio: 'ignore' });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');

  const editor = await startEditor({ scratch, vsix, folder, settings: server, webviews: true });
  const { page } = editor;
  page.setDefaultTimeout(TIMEOUT_MS);
  steps.page = page;
  const window = new Window(page);
  const { files, preview, view } = window;
  const step = (name, run) => steps.step(name, run);
  const spoken = (file) => window.spoken(file);

  try {
    await open(editor);

    await step('commands of the prompt are offered only where there is one', async (saw) => {
      assert.equal(await window.offers('Prompt: Copy as JSON'), false);
      assert.equal(await window.offers('Prompt: Compare with Git HEAD'), false);
      assert.equal(await window.offers('Prompt: Install Server'), false);
      saw('without a file, Copy as JSON, Compare with Git HEAD and Install Server are not in the palette');
    });

    await step('the preview of the active file opens beside it', async (saw) => {
      await window.openInFiles('pkg/api/src/app.py', 'def price');
      await window.openPreview('app.py');
      await window.shows('Prices are integers in cents.');
      await window.shows('Every route checks the token first.');
      await window.activeTab(files, 'app.py').waitFor();
      await focus(preview);
      await page.keyboard.press('Control+Home');
      await focus(files);
      saw(`the tab ${quoted(await window.tab(preview, 'app.py').innerText())} beside app.py, which keeps the focus`);
      assert.equal(await window.offers('Prompt: Copy as JSON'), true);
    });

    await step('the view has your own parts first, the program in one row, and what is not loaded with the reason', async (saw) => {
      await window.openView();
      await window.row('pkg/api/AGENTS.md').waitFor();
      await window.row('etcode itself').waitFor();
      assert.match(await spoken('AGENTS.md'), /^AGENTS\.md, loaded, about \d+ tokens, /);
      await window.row('docs/reviews.md').waitFor();
      await window.activeTab(files, 'app.py').waitFor();
      for (const row of await window.rows()) saw(quoted(row));
    });

    await step('a URL without an answer is pending, and then there', async (saw) => {
      const late = rules.url.replace('rules.md', 'late.md');
      const config = path.join(folder, 'etcode.json');
      fs.writeFileSync(config, fs.readFileSync(config, 'utf8').replace(rules.url, late));
      await within(TIMEOUT_MS, 'not pending', async () => /, pending/.test(await spoken(late)));
      saw(quoted(await spoken(late)));
      await steps.picture('view', view);
      rules.answer();
      await within(TIMEOUT_MS, 'the URL is not loaded', async () => /, loaded/.test(await spoken(late)));
      saw(`once answered ${quoted(await spoken(late))}`);
    });

    await step('the tooltip of a part says why it is there', async (saw) => {
      const tooltip = await window.hover('From AGENTS.md', () => window.row('AGENTS.md').first().hover());
      saw(quoted(await tooltip.innerText()));
      await steps.picture('tooltip', { x: 0, y: 120, width: 640, height: 360 }, { hover: true });
      await page.mouse.move(700, 500);
    });

    await step('the status bar has the harness, the size and the problems, and a click chooses', async (saw) => {
      const item = window.statusBar('etcode ~');
      const tooltip = await window.hover('tokens in all', () => item.hover());
      saw(`${quoted(await item.innerText())}, and when pointed at ${quoted(await tooltip.innerText())}`);
      await steps.picture('status', { x: 640, y: 520, width: 640, height: 280 }, { hover: true });
      await page.mouse.move(700, 400);
      await item.click();
      await window.choice('codex').waitFor();
      await page.keyboard.press('Escape');
    });

    await step('a click on a part opens its source at its line, and leaves the view as it is', async (saw) => {
      await window.row('docs/reviews.md').click();
      await window.activeTab(files, 'etcode.json').waitFor();
      const place = window.statusBar('Ln 4, Col 5');
      await place.waitFor();
      await window.row('pkg/api/AGENTS.md').waitFor();
      await window.tab(preview, 'app.py').waitFor();
      saw(`a click on docs/reviews.md leads to etcode.json, ${quoted(await place.innerText())}; the view is still that of app.py`);
    });

    await step('the view is worked with by keyboard alone', async (saw) => {
      await command(page, 'Focus on Effective Prompt View');
      const list = view.locator('.monaco-list').first();
      await view.locator('.monaco-list:focus').waitFor();
      await page.keyboard.press('Home');
      for (let presses = 0; !/^etcode itself, /.test(await focusedRow(view)); presses++) {
        assert.ok(presses < 30, `${await focusedRow(view)} is reached instead`);
        const before = await list.getAttribute('aria-activedescendant');
        const moves = async () => (await list.getAttribute('aria-activedescendant')) !== before;
        await page.keyboard.press('ArrowDown');
        // A key may be lost while the rows are drawn anew, or they take the focus back.
        await within(LOST_KEY_MS, 'the focus stays', moves).catch(() => page.keyboard.press('ArrowDown'));
        await within(TIMEOUT_MS, 'the focus stays', moves);
      }
      saw(`arrow keys lead to ${quoted(await focusedRow(view))}`);
      await steps.picture('keyboard', view);
      await page.keyboard.press('ArrowRight');
      await view.locator('.monaco-list-row.focused[aria-expanded=true]').waitFor();
      await page.keyboard.press('ArrowLeft');
      await view.locator('.monaco-list-row.focused[aria-expanded=false]').waitFor();
      saw(`Left folds ${quoted(await focusedRow(view))}`);
      await page.keyboard.press('ArrowUp');
      await within(TIMEOUT_MS, 'another row', async () => /^pkg\/api\/AGENTS\.md, /.test(await focusedRow(view)));
      await page.keyboard.press('Enter');
      await window.activeTab(files, 'AGENTS.md').waitFor();
      saw('Enter opens its file');
    });

    await step('why a file is not loaded is told of the row in hand', async (saw) => {
      await window.row('pkg/api/AGENTS.md').hover();
      await window.row('pkg/api/AGENTS.md').locator('.action-label').click();
      await window.activeTab(preview, 'Who loads AGENTS.md').waitFor();
      await window.line(preview, '# Who loads pkg/api/AGENTS.md').waitFor();
      const not = window.line(preview, '**Not loaded**').first();
      await not.waitFor();
      saw(`${quoted(await not.innerText())}`);
      await steps.picture('explained', preview);
      await window.closeEditor();
    });

    await step('the menu of a file explains it, too', async (saw) => {
      await window.openView('Explorer');
      const file = page.locator('.explorer-folders-view .monaco-list-row').filter({ hasText: 'CLAUDE.md' });
      await file.click({ button: 'right' });
      const entry = page.locator('.context-view .action-label, .monaco-menu .action-label').filter({ hasText: 'Explain Why This Is (Not) Loaded' });
      await entry.waitFor();
      await steps.picture('menu', { x: 0, y: 0, width: 560, height: 640 }, { hover: true });
      await entry.click();
      await window.activeTab(preview, 'Who loads CLAUDE.md').waitFor();
      await window.line(preview, '# Who loads CLAUDE.md').waitFor();
      saw('Explorer: Explain Why This Is (Not) Loaded on CLAUDE.md opens “Who loads CLAUDE.md”');
      await window.closeEditor();
      await window.openView();
    });

    await step('a part of the preview is folded, and leads to its source', async (saw) => {
      await window.openInFiles('pkg/api/src/app.py', 'def price');
      await focus(preview);
      await page.keyboard.press('Control+Home');
      await command(page, 'Fold All');
      await preview.locator('.cldr.codicon-folding-collapsed, .codicon-folding-manual-collapsed').first().waitFor();
      await within(TIMEOUT_MS, 'all lines are there', async () => (await window.line(preview, 'You are etcode').count()) === 0);
      saw(`folded: ${(await preview.locator('.view-line').allInnerTexts()).map(quoted).filter((text) => text.startsWith('“#')).join(' ')}`);
      await steps.picture('folded', preview);
      await command(page, 'Unfold All');
      await window.line(preview, 'You are etcode').waitFor();
      await page.keyboard.press('Control+F');
      await preview.locator('.find-widget.visible textarea').first().fill('Prices are integers');
      await within(TIMEOUT_MS, 'not found', async () => /1 of/.test(await preview.locator('.matchesCount').innerText()));
      await page.keyboard.press('Escape');
      await page.keyboard.press('F12');
      await window.activeTab(files, 'AGENTS.md').waitFor();
      await window.statusBar(/Ln 3, Col/).waitFor();
      await window.line(preview, 'Prices are integers').waitFor();
      await window.tab(preview, 'app.py').waitFor();
      saw(`Go to Definition opens AGENTS.md beside the preview, ${quoted(await window.statusBar(/Ln 3, Col/).innerText())}; the preview stays`);
      await window.openInFiles('pkg/api/src/app.py', 'def price');
    });

    await step('the prompt is rendered, and copied as JSON', async (saw) => {
      await focus(files);
      await command(page, 'Prompt: Copy as JSON');
      const copied = window.statusBar(/Copied the \d+ messages of the prompt\./);
      await copied.waitFor();
      saw(quoted(await copied.innerText()));
      await command(page, 'Prompt: Show Rendered Preview');
      const rendered = page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
      await rendered.getByRole('heading', { name: 'Effective prompt of app.py' }).waitFor();
      await window.activeTab(preview, 'app.py (prompt)').waitFor();
      saw('a second tab “app.py (prompt)”, the rendered one');
      await window.closeEditor();
      await command(page, 'Notifications: Clear All Notifications');
    });

    await step('two harnesses are compared in the diff editor', async (saw) => {
      await focus(files);
      await command(page, 'Prompt: Compare Harnesses');
      await window.activeTab(files, 'app.py in each harness').waitFor();
      // Of others that are in use the names follow, and “…” is for all.
      const other = files.locator('.codelens-decoration a').filter({ hasText: '…' }).last();
      await other.waitFor();
      for (const line of await files.locator('.view-line').allInnerTexts()) saw(quoted(line));
      saw(`above them ${quoted(await files.locator('.codelens-decoration').first().innerText())}`);
      await steps.picture('table', files);
      await other.click();
      await window.choice('opencode').click();
      await window.activeTab(files, 'app.py in etcode ↔ app.py in opencode').waitFor();
      await files.locator('.monaco-diff-editor .line-insert').first().waitFor();
      saw('the diff editor “app.py in etcode ↔ app.py in opencode”');
      await steps.picture('compared', files);
    });

    await step('it follows what is typed and not saved', async (saw) => {
      await window.openInFiles('AGENTS.md', FILES['AGENTS.md'].split('\n')[2]);
      await window.tab(preview, 'AGENTS.md').waitFor();
      await page.keyboard.press('Control+End');
      await page.keyboard.type('Round half up, never to even.');
      await window.shows('Round half up, never to even.');
      await files.locator('.tab.active.dirty').waitFor();
      assert.equal(fs.readFileSync(path.join(folder, 'AGENTS.md'), 'utf8'), FILES['AGENTS.md']);
      saw('a sentence typed into AGENTS.md is in the preview, the file on disk is as it was');
    });

    await step('the preview stays where it was scrolled to while one types', async (saw) => {
      await focus(preview);
      await page.keyboard.press('Control+End');
      const first = () => preview.locator('.line-numbers').allInnerTexts().then((all) => Math.min(...all.map(Number).filter(Boolean)));
      let before = 0;
      await within(TIMEOUT_MS, 'not scrolled to an end', async () => {
        const last = before;
        before = await first();
        return before > 10 && before === last;
      });
      const same = await preview.locator('.monaco-editor').elementHandle();
      await focus(files);
      await page.keyboard.press('Control+End');
      for (const word of ['So', ' it', ' is.']) await page.keyboard.type(word);
      await window.row('AGENTS.md').first().waitFor();
      await window.line(preview, 'Round half up, never to even.So it is.').or(preview.locator('.line-numbers').first()).first().waitFor();
      assert.ok(Math.abs((await first()) - before) <= 1, `scrolled from line ${before} to ${await first()}`);
      assert.ok(await same.evaluate((node) => node.isConnected), 'another editor was put in its place');
      saw(`line ${before} is still the first one in view, in the same editor`);
    });

    await step('now is compared with the last commit, and follows what is typed', async (saw) => {
      await focus(files);
      await command(page, 'Prompt: Compare with Git HEAD');
      await window.activeTab(files, 'AGENTS.md at HEAD ↔ AGENTS.md now').waitFor();
      await files.locator('.monaco-diff-editor .line-insert').first().waitFor();
      const inserted = files.locator('.monaco-diff-editor .view-line').filter({ hasText: /Round\shalf\sup/ });
      await within(TIMEOUT_MS, 'not among the differences', async () => {
        if (!(await inserted.first().isVisible())) await page.keyboard.press('Alt+F5'); // the next difference
        return inserted.first().isVisible();
      });
      saw(`the diff editor “AGENTS.md at HEAD ↔ AGENTS.md now” with ${quoted(await inserted.first().innerText())} on the right only`);
      await steps.picture('head', files);
    });

    await step('it follows the active file, and takes no focus', async (saw) => {
      await window.openInFiles('pkg/web/main.py', 'def page');
      await window.tab(preview, 'main.py').waitFor();
      await window.activeTab(files, 'main.py').waitFor();
      await within(TIMEOUT_MS, 'more than one preview is open', async () => (await preview.locator('.tab').count()) === 1);
      await window.shows('Prices are integers in cents.');
      await window.showsNot('Every route checks the token first.');
      saw('one preview, now of main.py, and main.py has the focus');
    });

    await step('a missing file is underlined and in the Problems view', async (saw) => {
      await window.openInFiles('etcode.json', 'instructions');
      await files.locator('.squiggly-error').first().waitFor();
      await command(page, 'View: Toggle Problems');
      const problem = page.locator('.markers-panel .monaco-list-row').filter({ hasText: 'instruction-missing' });
      await problem.waitFor();
      assert.match(await problem.innerText(), /reviews\.md[^]*\[Ln 4, /);
      saw(quoted(await problem.innerText()));
    });

    await step('the entry set right, the problem is gone', async (saw) => {
      // A lens that comes between two clicks moves the line.
      await within(TIMEOUT_MS, 'the word is not selected', async () => {
        await window.line(files, 'reviews').getByText('reviews').dblclick();
        return window.statusBar('(7 selected)').waitFor({ timeout: TIMEOUT_MS / 10 }).then(() => true, () => false);
      });
      await page.keyboard.type('review');
      const problem = page.locator('.markers-panel .monaco-list-row').filter({ hasText: 'instruction-missing' });
      await problem.waitFor({ state: 'detached' });
      await page.keyboard.press('Control+S');
      await files.locator('.tab.active:not(.dirty)').waitFor();
      await command(page, 'View: Hide Panel');
      await window.shows('Every change has a test that failed before.');
      saw('the text of docs/review.md is in the preview');
    });

    await step('the lightbulb mends what a rule found', async (saw) => {
      await window.openInFiles('pkg/api/AGENTS.md', 'Errors are');
      await files.locator('.squiggly-warning, .squiggly-error').first().waitFor();
      // The place behind “Errors are”.
      for (const key of ['Control+End', 'ArrowUp', 'Home', ...Array(10).fill('ArrowRight')]) await page.keyboard.press(key);
      await window.statusBar('Ln 4, Col 11').waitFor();
      const actions = page.locator('.action-widget .monaco-list-row.action');
      const fix = actions.filter({ hasText: 'Remove the hidden characters' });
      // A busy editor may ask for them before the problem is known, and then says that there are none.
      await within(TIMEOUT_MS, 'the fix is not offered', async () => {
        await page.keyboard.press('Control+.');
        return fix.waitFor({ timeout: TIMEOUT_MS / 10 }).then(() => true, () => false);
      });
      saw(`offered: ${(await actions.allInnerTexts()).map(quoted).join(', ')}`);
      await steps.picture('lightbulb', { x: 350, y: 0, width: 640, height: 360 });
      await fix.click();
      await files.locator('.tab.active.dirty').waitFor();
      await page.keyboard.press('Control+S');
      await within(TIMEOUT_MS, 'the character is there', () => !fs.readFileSync(path.join(folder, 'pkg/api/AGENTS.md'), 'utf8').includes('\u200b'));
      saw('the hidden character is gone from the file');
    });

    await step('a file that is renamed keeps its entry', async (saw) => {
      await window.openView('Explorer');
      const entry = (name) => page.locator('.explorer-folders-view .monaco-list-row').filter({ hasText: name });
      if (!(await entry('style.md').isVisible())) await entry('docs').first().click();
      await entry('style.md').click();
      await page.keyboard.press('F2');
      const input = page.locator('.explorer-item-edited input');
      await input.fill('names.md');
      await page.keyboard.press('Enter');
      const ask = page.locator('.monaco-dialog-box');
      await ask.waitFor();
      saw(`asked ${quoted(await ask.innerText())}`);
      await ask.locator('.monaco-button').filter({ hasText: 'OK' }).click();
      const config = page.locator('.tab.dirty').filter({ hasText: 'etcode.json' });
      await config.waitFor();
      await within(TIMEOUT_MS, 'not renamed', () => fs.existsSync(path.join(folder, 'docs/names.md')));
      await config.click();
      await window.line(files, 'docs/names.md').waitFor();
      await page.keyboard.press('Control+S');
      await within(TIMEOUT_MS, 'not saved', () => fs.readFileSync(path.join(folder, 'etcode.json'), 'utf8').includes('docs/names.md'));
      await window.openInFiles('pkg/api/src/app.py', 'def price');
      await window.openView();
      await window.row('docs/names.md').waitFor();
      saw(`etcode.json says “docs/names.md”, and the view ${quoted(await spoken('docs/names.md'))}`);
    });

    await step('another harness is another prompt, with what it cuts and what goes before what', async (saw) => {
      await window.tab(preview, 'app.py').waitFor();
      await command(page, 'Prompt: Choose Harness');
      await window.choice('codex').waitFor();
      await steps.picture('harnesses', window.pick);
      await window.choice('codex').click();
      await window.row('AGENTS.override.md').first().waitFor();
      assert.ok(!fs.existsSync(path.join(folder, '.vscode')), 'the choice is kept for the user, not in the folder');
      assert.match(await spoken('AGENTS.override.md'), /, cut, /);
      assert.match(await spoken('AGENTS.md'), /^AGENTS\.md, shadowed by AGENTS\.override\.md, /);
      saw(quoted(await spoken('AGENTS.override.md')));
      saw(quoted(await spoken('AGENTS.md')));
      await steps.picture('codex', view);
    });

    await step('a line shows where a limit cuts, what follows is faded, and the hover says why', async (saw) => {
      await window.openInFiles('AGENTS.override.md', '# Shop');
      const lens = files.locator('.codelens-decoration').filter({ hasText: 'over the limit, from line' });
      await lens.waitFor();
      saw(`above the file ${quoted(await lens.innerText())}`);
      const [, line] = /from line (\d+)/.exec(await lens.innerText());
      await page.keyboard.press('Control+G');
      await page.keyboard.type(line);
      await page.keyboard.press('Enter');
      await files.locator('.squiggly-unnecessary, .squiggly-inline-unnecessary').first().waitFor({ state: 'attached' });
      const rule = files.locator('.codelens-decoration').filter({ hasText: 'does not send' }).first();
      await rule.waitFor();
      assert.match(await rule.innerText(), /codex does not send [\d,]+ of its [\d,]+ bytes/);
      saw(`at line ${line} ${quoted(await rule.innerText())}`);
      const lines = window.line(files, 'Names are whole words');
      const below = async () => {
        const places = await lines.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON()));
        return places.find((each) => each.y > 550 && each.y < 650); // the line is in the middle
      };
      const hover = await window.hoverOver('does not send this', below, 40);
      saw(`below it ${quoted(await hover.innerText())}`);
      await steps.picture('faded', files, { hover: true });
      await page.mouse.move(0, 0);
    });

    await step('in a dark theme it is as readable', async (saw) => {
      await command(page, 'Preferences: Toggle between Light/Dark Themes');
      await page.locator('.monaco-workbench.vs-dark').waitFor();
      await preview.locator('.view-line').filter({ hasText: '##' }).first().waitFor();
      await steps.picture('dark');
      saw('after “Toggle between Light/Dark Themes”');
    });

    await step('every setting says what it is for', async (saw) => {
      await focus(files);
      await command(page, 'Preferences: Open Settings (UI)');
      await page.locator('.settings-editor .suggest-input-container .monaco-editor').click();
      await page.keyboard.press('Control+A');
      await page.keyboard.type('@ext:promptls.promptls');
      const items = page.locator('.settings-editor .setting-item-contents .setting-item-category').filter({ hasText: 'Promptls' });
      await page.locator('.settings-editor .setting-item-description').filter({ hasText: 'The harness whose prompt is shown' }).waitFor();
      assert.ok((await items.count()) > 3);
      await steps.picture('settings', page.locator('.settings-editor'));
      saw('the settings editor lists them, the harness first');
      await window.closeModal();
    });

    await step('a server that is killed is started again', async (saw) => {
      const serving = () => [...processes(scratch)].filter(([, line]) => / serve$/.test(line)).map(([pid]) => pid);
      const [pid, ...others] = serving();
      assert.deepEqual(others, [], 'more than one server');
      process.kill(pid, 'SIGKILL');
      await within(TIMEOUT_MS, 'no other server', () => serving().length === 1 && serving()[0] !== pid);
      await window.openInFiles('CLAUDE.md', 'Answer in one');
      await window.tab(preview, 'CLAUDE.md').waitFor();
      saw('another process serves, and the preview follows the next file');
    });

    await step('the walkthrough opens', async (saw) => {
      await command(page, 'Welcome: Open Walkthrough...');
      await page.locator('.quick-input-list .monaco-list-row').filter({ hasText: 'See the prompt that your coding agent gets' }).click();
      const walkthrough = page.locator('.gettingStartedContainer .gettingStartedDetailsContent');
      await walkthrough.getByText('Ask why a file is not loaded').first().waitFor();
      saw(quoted(await walkthrough.locator('.category-title, .step-title').allInnerTexts().then((all) => all.join(' · '))));
      await steps.picture('walkthrough', page.locator('.gettingStartedContainer'));
    });

    await step('the map of the folder is a page that leads to the sources', async (saw) => {
      await command(page, 'Prompt: Show Prompt Map');
      const map = page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
      await map.getByRole('heading', { name: 'Prompt map of shop' }).waitFor();
      saw(`the sections ${(await map.locator('nav a').allInnerTexts()).map(quoted).join(', ')}`);
      await map.locator('#files a').filter({ hasText: 'CLAUDE.md' }).first().click();
      await window.activeTab(files, 'CLAUDE.md').waitFor();
      saw('a click on CLAUDE.md opens it');
    });
  } finally {
    rules.close();
    await editor.stop();
  }
}

async function focusedRow(view) {
  const row = view.locator('.monaco-list-row.focused');
  return (await row.count()) > 0 ? ((await row.first().getAttribute('aria-label')) ?? '') : '';
}

/** Instruction files on this machine: rules.md, and late.md, which does not answer until it is told to. */
async function slowRules() {
  let answer;
  const told = new Promise((resolve) => (answer = resolve));
  const server = http.createServer(async ({ url }, response) => {
    if (url === '/late.md') await told;
    response.end('Prices are shown with two decimals.\n');
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/rules.md`,
    answer,
    close: () => {
      answer();
      server.closeAllConnections();
      server.close();
    },
  };
}
