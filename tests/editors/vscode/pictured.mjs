// A repository of the usual shape, as tests/pictures/shop.txt lays it out: several programs, nested files, skills.
// What it looks like is what the README shows.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { command, focus, open, startEditor, within, write } from '../code_server.mjs';
import { quoted, REPOSITORY, TIMEOUT_MS } from './steps.mjs';
import { Window } from './window.mjs';

const SHOP = path.join(REPOSITORY, 'tests/pictures/shop.txt');
const PROGRAMS = ['claude-code', 'codex', 'copilot-cli', 'gemini-cli'];
const SOURCE = `from api.core.errors import EmptyOrder


def total(lines):
    """What a customer pays, in cents."""
    if not lines:
        return EmptyOrder()
    return sum(line.cents * line.count for line in lines)
`;
// What happens to such files in time: a guide that has moved, a misspelt key, a name in the wrong case.
const FAULTS = {
  'CLAUDE.md': '@AGENTS.md\n@docs/testing.md\n\n- Ask before you run anything that writes to staging.\n',
  '.claude/skills/load-test/SKILL.md':
    '---\nname: load-test\ndescripton: Run a load test against staging.\n---\n\nRun `make load`.\n',
  'web/Agents.md': '# Pages\n\n- A page has an end-to-end test.\n',
};

export async function pictured({ steps, scratch, vsix, server }) {
  const folder = path.join(scratch, 'shop');
  for (const [name, text] of filesOf(fs.readFileSync(SHOP, 'utf8'))) write(path.join(folder, name), text);
  write(path.join(folder, 'api/core/orders.py'), SOURCE);
  write(path.join(folder, '.vscode/settings.json'), JSON.stringify({ 'promptls.harness': 'claude-code', 'promptls.harnesses': PROGRAMS }));
  execFileSync('git', ['init', '--quiet', folder]);

  const editor = await startEditor({ scratch, vsix, folder, settings: server, webviews: true });
  const { page } = editor;
  page.setDefaultTimeout(TIMEOUT_MS);
  steps.page = page;
  const window = new Window(page);
  const { files, preview } = window;
  const step = (name, run) => steps.step(name, run);

  try {
    await open(editor);

    await step('a source file, its prompt beside it, and where the tokens go', async (saw) => {
      await window.openView();
      await window.openInFiles('api/core/orders.py', 'def total');
      await window.openPreview('orders.py');
      await window.row('api/CLAUDE.md').waitFor();
      await focus(preview);
      await page.keyboard.press('Control+Home');
      await focus(files);
      await preview.locator('.view-line .mtkb').first().waitFor(); // colours come after the text
      for (const row of await window.rows()) saw(quoted(row));
      await steps.picture('preview');
    });

    await step('what is broken is underlined and in the Problems view', async (saw) => {
      await window.openInFiles('CLAUDE.md', '@AGENTS.md');
      for (const [name, text] of Object.entries(FAULTS)) write(path.join(folder, name), text);
      await files.locator('.squiggly-warning, .squiggly-error').first().waitFor();
      await command(page, 'View: Toggle Problems');
      const problems = page.locator('.markers-panel .monaco-list-row');
      await problems.filter({ hasText: 'import-missing' }).waitFor();
      await problems.filter({ hasText: 'skill-unlisted' }).waitFor();
      await within(TIMEOUT_MS, 'a whole path is in a message', async () => !(await problems.allInnerTexts()).join().includes(`${folder}/`));
      for (const row of await problems.allInnerTexts()) saw(quoted(row));
      await steps.picture('problem');
      assert.ok((await problems.count()) > 3);
    });

    await step('the map of the repository, and a click opens a source', async (saw) => {
      await command(page, 'View: Toggle Problems');
      await command(page, 'View: Close Editors in Other Groups');
      await page.keyboard.press('Control+B'); // the sidebar makes room
      await command(page, 'Prompt: Show Prompt Map');
      const map = page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
      await map.getByRole('heading', { name: 'Prompt map of shop' }).waitFor();
      saw(`the sections ${(await map.locator('nav a').allInnerTexts()).map(quoted).join(', ')}`);
      await steps.picture('map');
      await map.locator('#files a').filter({ hasText: 'CLAUDE.md' }).first().click();
      await window.activeTab(files, 'CLAUDE.md').waitFor();
      saw('a click on CLAUDE.md opens it');
    });
  } finally {
    await editor.stop();
  }
}

/** The files of a page of fixtures: a line `-- NAME --` heads each. */
function filesOf(text) {
  const [, ...parts] = text.split(/^-- (.+) --\n/m);
  return parts.flatMap((name, at) => (at % 2 === 0 ? [[name, parts[at + 1]]] : []));
}
