// The tests of vscode-extension/test/host, inside VS Code's extension host, against the installed extension.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { startEditor, write } from '../code_server.mjs';
import { REPOSITORY } from './steps.mjs';

const LIMIT_MS = 120_000;
const EXTENSION = path.join(REPOSITORY, 'vscode-extension');

export async function inHost({ steps, scratch, vsix, server }) {
  const folder = path.join(scratch, 'shop');
  const report = path.join(scratch, 'report.json');
  write(path.join(folder, 'AGENTS.md'), 'Prices are integers in cents.\n');
  write(path.join(folder, 'etcode.json'), '{"instructions": ["docs/missing.md"]}\n');
  write(path.join(folder, 'pkg/AGENTS.md'), 'Every route checks the token first.\n');
  write(path.join(folder, 'pkg/app.py'), 'price = 1\n');
  execFileSync('git', ['init', '--quiet', folder]);

  const variables = { PROMPTLS_REPORT: report };
  const options = ['enable-smoke-test-driver']; // without it the page does not heed the payload below
  const interpreter = server['promptls.interpreter'] ?? path.join(REPOSITORY, '.venv/bin/python');
  const editor = await startEditor({ scratch, vsix, folder, settings: { 'promptls.interpreter': interpreter }, options, variables });
  steps.page = editor.page;
  try {
    let end;
    const ended = new Promise((resolve) => (end = resolve));
    await editor.page.exposeFunction('codeAutomationExit', (code) => end(code));
    await editor.page.exposeFunction('codeAutomationLog', () => undefined);
    const remote = (file) => `vscode-remote://127.0.0.1:${editor.port}${file}`;
    const payload = [
      ['extensionDevelopmentPath', remote(path.join(EXTENSION, 'test/host'))],
      ['extensionTestsPath', remote(path.join(EXTENSION, 'build-host/index.cjs'))],
    ];
    await editor.page.goto(`${editor.address}&payload=${encodeURIComponent(JSON.stringify(payload))}`);
    const late = new Promise((resolve) => setTimeout(resolve, LIMIT_MS, 'not ended in time').unref());
    const code = await Promise.race([ended, late]);
    const results = fs.existsSync(report) ? JSON.parse(fs.readFileSync(report, 'utf8')) : [];
    for (const { title, error } of results) {
      await steps.step(title, (saw) => {
        if (error !== undefined) throw new Error(error);
        saw('passed');
      });
    }
    assert.equal(code, 0, 'the tests in the extension host failed, or did not run');
  } finally {
    await editor.stop();
  }
}
