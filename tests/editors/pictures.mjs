// Puts the record of the last run, and the pictures it names, into docs/; the pictures in fewer colours, where
// ImageMagick is there to do it.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const REPOSITORY = path.resolve(import.meta.dirname, '../..');
const SEEN = path.join(REPOSITORY, 'test-output/vscode');
const IMAGES = path.join(REPOSITORY, 'docs/images');
const LARGEST = 120_000;

const record = fs.readFileSync(path.join(SEEN, 'vscode-tried.md'), 'utf8');
fs.rmSync(IMAGES, { recursive: true, force: true });
fs.mkdirSync(IMAGES, { recursive: true });
for (const [, name] of record.matchAll(/\]\(\.\.\/images\/([\w-]+\.png)\)/g)) {
  const from = path.join(SEEN, name);
  const to = path.join(IMAGES, name);
  try {
    execFileSync('convert', [from, '-strip', '+dither', '-colors', '64', `PNG8:${to}`]);
  } catch {
    fs.copyFileSync(from, to);
  }
  const { size } = fs.statSync(to);
  if (size > LARGEST) throw new Error(`${name} has ${size} bytes; ${LARGEST} are too many`);
}
fs.writeFileSync(path.join(REPOSITORY, 'docs/editors/vscode-tried.md'), record);
