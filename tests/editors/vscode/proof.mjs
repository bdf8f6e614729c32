// A preview held against the installed program, for which a small program of our own stands in.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { command, focus, open, processes, startEditor, within, write } from '../code_server.mjs';
import { quoted, REPOSITORY, TIMEOUT_MS } from './steps.mjs';
import { Window } from './window.mjs';

/** How long a program may run on a slow machine. */
const RUN_MS = 60_000;
const VERIFY = 'Prompt: Verify against the Installed Program';
const FILES = {
  'AGENTS.md': '# Shop\n\nThe rules of the root.\n',
  'pkg/app.py': 'price = 1\n',
};
const HANGS = 'import time\ntime.sleep(600)';

export async function proof({ steps, scratch, vsix, server }) {
  const folder = path.join(scratch, 'shop');
  const programs = path.join(scratch, 'programs');
  for (const [name, text] of Object.entries(FILES)) write(path.join(folder, name), text);
  write(path.join(folder, '.vscode/settings.json'), JSON.stringify({ 'promptls.harness': 'codex', 'promptls.habits': false }));
  execFileSync('git', ['init', '--quiet', folder]);
  fs.mkdirSync(programs);

  // VS Code takes the search path from a login shell.
  write(path.join(scratch, '.profile'), `PATH='${programs}'${path.delimiter}"$PATH"\n`);

  // A program that is enclosed sees only its own package; ours imports these tests, and is let in.
  const lets = path.join(scratch, 'lets');
  write(path.join(lets, 'sitecustomize.py'), LETS_IN(programs));
  const variables = { PYTHONPATH: lets };

  const editor = await startEditor({ scratch, vsix, folder, settings: server, variables });
  const { page } = editor;
  page.setDefaultTimeout(TIMEOUT_MS);
  steps.page = page;
  const window = new Window(page);
  const { files } = window;

  try {
    await open(editor);
    await window.openView();
    await window.openInFiles('pkg/app.py', 'price');
    await window.row('AGENTS.md').first().waitFor();

    await steps.step('a program that is not installed is named in one sentence', async (saw) => {
      await command(page, VERIFY);
      const says = window.notification('There is no codex on the search path');
      await says.waitFor({ timeout: RUN_MS });
      saw(quoted(await says.locator('.notification-list-item-message').innerText()));
      await command(page, 'Notifications: Clear All Notifications');
    });

    await steps.step('a program that hangs is ended by Cancel, without another word', async (saw) => {
      install(programs, HANGS);
      await focus(files);
      await command(page, VERIFY);
      const progress = window.notification('Verifying the preview of app.py: Running Codex, offline').first();
      await progress.waitFor({ timeout: RUN_MS });
      const running = () => [...processes(scratch).values()].some((line) => line.includes('promptls.cli.attended'));
      await within(RUN_MS, 'not started', running);
      saw(quoted(await progress.locator('.notification-list-item-message').innerText()));
      await steps.picture('verifying', progress);
      await progress.locator('.monaco-button').filter({ hasText: 'Cancel' }).click();
      await within(RUN_MS, 'not ended', () => !running());
      await progress.waitFor({ state: 'detached' });
      assert.equal(await page.locator('.notification-toast').count(), 0);
    });

    await steps.step('what holds is said, and the view and the status bar say so from then on', async (saw) => {
      install(programs);
      await focus(files);
      await command(page, VERIFY);
      const says = window.notification('sends what the preview of app.py shows');
      await says.waitFor({ timeout: RUN_MS });
      saw(quoted(await says.locator('.notification-list-item-message').innerText()));
      await window.view.getByText('verified here on').first().waitFor();
      const tooltip = await window.hover('verified here on', () => window.statusBar('codex ').hover());
      saw(`the status bar, pointed at: ${quoted((await tooltip.innerText()).replace(/\d{4}-\d\d-\d\d/, '<date>'))}`);
      await steps.picture('verified', undefined, { hover: true });
      await command(page, 'Notifications: Clear All Notifications');
      await window.openPreview('app.py');
      await window.shows('sends this prompt.');
    });

    await steps.step('a difference is shown in the diff editor, with its rule', async (saw) => {
      install(programs, OTHER);
      await focus(files);
      await command(page, VERIFY);
      await window.activeTab(files, 'app.py · promptls: expected ↔ captured from codex').waitFor({ timeout: RUN_MS });
      await window.line(files, 'The rules of nobody.').first().waitFor();
      await window.line(files, 'Expected because').first().waitFor();
      const says = window.notification('does not send what the preview of app.py shows');
      await says.waitFor();
      saw(quoted(await says.locator('.notification-list-item-message').innerText()));
      await steps.picture('differs');
      await within(TIMEOUT_MS, 'it is still called verified', async () => !(await window.view.innerText()).includes('verified here'));
    });
  } finally {
    await editor.stop();
  }
}

const OTHER = 'other';

/** What Python runs first, wherever it runs promptls. */
const LETS_IN = (programs) => `
import sys
if any("promptls" in each for each in sys.orig_argv):
    sys.path.append(${JSON.stringify(REPOSITORY)})
    from pathlib import Path
    from tests.capture.fakes import let_in
    let_in(Path(${JSON.stringify(programs)}))
`;

/** Puts a Codex of our own into `programs`; `instead` is Python that it runs in place of its requests. */
function install(programs, instead = '') {
  const script = `
import sys
from pathlib import Path
from tests.capture.fakes import OTHER, install, newest
version = newest("codex")
instead = OTHER.format(harness="codex", version=version) if sys.argv[2] == "other" else sys.argv[2]
install(Path(sys.argv[1]), "codex", version=version, instead=instead)
`;
  execFileSync(path.join(REPOSITORY, '.venv/bin/python'), ['-c', script, programs, instead], { env: { ...process.env, PYTHONPATH: REPOSITORY } });
}
