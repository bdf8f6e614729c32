// Puts the record of the last run into tests/editors/transcripts, and the pictures that it names into docs/images, in
// fewer colours if ImageMagick is there.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const REPOSITORY = path.resolve(import.meta.dirname, '../..');
const SEEN = path.join(REPOSITORY, 'test-output/vscode');
const IMAGES = path.join(REPOSITORY, 'docs/images');
const LARGEST = 120_000;

const RECORD = path.join(REPOSITORY, 'tests/editors/transcripts/vscode.md');

const named = (text) => new Set([...text.matchAll(/\]\(\.\.\/\.\.\/\.\.\/docs\/images\/([\w-]+\.png)\)/g)].map(([, name]) => name));
const record = fs.readFileSync(path.join(SEEN, 'vscode-tried.md'), 'utf8');
// Nothing changes until all of them are made; what the record has never named is not its own.
const made = fs.mkdtempSync(path.join(os.tmpdir(), 'pictures-'));
for (const name of named(record)) {
  const from = path.join(SEEN, name);
  const to = path.join(made, name);
  try {
    execFileSync('convert', [from, '-strip', '+dither', '-colors', '64', `PNG8:${to}`]);
  } catch {
    fs.copyFileSync(from, to);
  }
  const { size } = fs.statSync(to);
  if (size > LARGEST) throw new Error(`${name} has ${size} bytes; ${LARGEST} are too many`);
}
for (const name of named(fs.readFileSync(RECORD, 'utf8'))) fs.rmSync(path.join(IMAGES, name), { force: true });
for (const name of fs.readdirSync(made)) fs.copyFileSync(path.join(made, name), path.join(IMAGES, name));
fs.rmSync(made, { recursive: true });
fs.writeFileSync(RECORD, record);
