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
import { pictured } from './vscode/pictured.mjs';
import { OUTPUT, RECORD, REPOSITORY, Steps, TIMEOUT_MS } from './vscode/steps.mjs';
import { sessions } from './vscode/sessions.mjs';
import { proof } from './vscode/proof.mjs';
import { trust } from './vscode/trust.mjs';

const PARTS = {
  everyday: ['Every day', everyday],
  pictured: ['A repository of the usual shape', pictured],
  sessions: ['Sessions, agents and narrow windows', sessions],
  proof: ['Against the installed program', proof],
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

// Two at a time, the longest first; whoever has ended takes the next.
const waiting = [...wanted];
const ran = new Map();
await Promise.all([runNext(), runNext()]);
const all = wanted.map((name) => ran.get(name));
const passed = all.reduce((sum, steps) => sum + steps.passed, 0);
const failed = all.reduce((sum, steps) => sum + steps.failed, 0);
fs.writeFileSync(RECORD, [HEAD, ...all.map(({ record }) => record)].join('\n'));
console.log(`VS Code: ${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

async function runNext() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) ran.set(name, await runPart(...PARTS[name]));
}

/** Runs a part in a scratch folder of its own; what is said of its steps is said at once, at its end. */
async function runPart(title, run) {
  const began = Date.now();
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'promptls-vscode-'));
  const steps = new Steps(title, scratch);
  const start = () => run({ steps, scratch, vsix, server: serverSettings() });
  const gone = () =>
    within(TIMEOUT_MS, `processes ${[...processes(scratch).keys()]} are there`, () => processes(scratch).size === 0);
  await steps.step('the editor starts and ends', start).catch(() => undefined);
  await steps.step('nothing is left running', gone).catch(() => undefined);
  const seconds = Math.round((Date.now() - began) / 1000);
  console.log(`VS Code, ${title}: ${steps.passed} passed, ${steps.failed} failed, ${seconds} s`);
  console.log(steps.log.join('\n').replace(/^/gm, '  '));
  if (steps.failed === 0) fs.rmSync(scratch, { recursive: true, force: true });
  else console.log(`  Logs: ${scratch}/data/logs, pictures: ${OUTPUT}`);
  return steps;
}

/** The settings that choose the server: the repository's own unless SERVER names a command. */
function serverSettings() {
  const words = (process.env.SERVER ?? '').split(' ').filter(Boolean);
  if (words.length === 0) return { 'promptls.interpreter': path.join(REPOSITORY, '.venv/bin/python') };
  return { 'promptls.path': words.map((word) => (fs.existsSync(word) ? path.resolve(word) : word)) };
}
