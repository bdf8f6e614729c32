// The extension in a real VS Code, against the real server:
//     tools.sh run vscode.mjs VSIX
// SERVER names another command for the server; pictures and a record of what was seen go to test-output/vscode/.
// PARTS="everyday trust" tries only these.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { processes, within } from './code_server.mjs';
import { everyday } from './vscode/everyday.mjs';
import { inHost } from './vscode/in_host.mjs';
import { installation } from './vscode/installation.mjs';
import { OUTPUT, RECORD, REPOSITORY, Steps, TIMEOUT_MS } from './vscode/steps.mjs';
import { trust } from './vscode/trust.mjs';

const PARTS = {
  everyday: ['Every day', everyday],
  trust: ['A folder that is not trusted', trust],
  installation: ['No server', installation],
  inHost: ['Inside the extension host', inHost],
};
const HEAD = `# Tried in VS Code

What \`make test-vscode\` saw in VS Code (code-server, headless), step by step; \`make pictures\` writes this page.
`;

const vsix = path.resolve(process.argv[2]);
const wanted = (process.env.PARTS ?? Object.keys(PARTS).join(' ')).split(' ');
fs.rmSync(OUTPUT, { recursive: true, force: true });
const records = [];
let passed = 0;
let failed = 0;

for (const name of wanted) {
  const [title, run] = PARTS[name];
  const began = Date.now();
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'promptls-vscode-'));
  const steps = new Steps(title, scratch);
  console.log(`      ${title}`);
  await steps.step('the editor starts and ends', () => run({ steps, scratch, vsix, server: serverSettings() })).catch(() => undefined);
  await steps.step('nothing is left running', () =>
    within(TIMEOUT_MS, `processes ${[...processes(scratch).keys()]} are there`, () => processes(scratch).size === 0),
  ).catch(() => undefined);
  if (steps.failed === 0) fs.rmSync(scratch, { recursive: true, force: true });
  else console.log(`Logs: ${scratch}/data/logs, pictures: ${OUTPUT}`);
  console.log(`      ${steps.passed} passed, ${steps.failed} failed, ${Math.round((Date.now() - began) / 1000)} s`);
  records.push(steps.record);
  passed += steps.passed;
  failed += steps.failed;
}
fs.writeFileSync(RECORD, [HEAD, ...records].join('\n'));
console.log(`VS Code: ${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

/** The settings that choose the server: the repository's own unless SERVER names a command. */
function serverSettings() {
  const words = (process.env.SERVER ?? '').split(' ').filter(Boolean);
  if (words.length === 0) return { 'promptls.interpreter': path.join(REPOSITORY, '.venv/bin/python') };
  return { 'promptls.path': words.map((word) => (fs.existsSync(word) ? path.resolve(word) : word)) };
}
