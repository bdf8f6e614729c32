// A picture in fewer colours and pixels: node smaller.mjs FROM TO. ImageMagick does it if it is there.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';

const LARGEST = 120_000;
const [from, to] = process.argv.slice(2);

try {
  execFileSync('convert', [from, '-strip', '-colors', '64', `PNG8:${to}`]);
} catch {
  fs.copyFileSync(from, to);
}
const { size } = fs.statSync(to);
if (size > LARGEST) throw new Error(`${to} has ${size} bytes; ${LARGEST} are too many`);
