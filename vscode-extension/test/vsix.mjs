// Asserts what is in the package: node test/vsix.mjs FILE
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const EXPECTED = [
  '[Content_Types].xml',
  'extension.vsixmanifest',
  'extension/LICENSE.txt',
  'extension/dist/extension.js',
  'extension/media/icon.png',
  'extension/media/prompt.svg',
  'extension/media/prompt.tmLanguage.json',
  'extension/package.json',
  'extension/readme.md',
  'extension/server/promptls-VERSION-py3-none-any.whl',
  'extension/walkthrough.md',
];
// Half of it is code, and a third the vocabulary of tokens: a library that slips in is larger than what is left.
const LARGEST = 2_900_000;

const zip = readFileSync(process.argv[2]);
// Whatever the version of the server is.
const found = names(zip).map((name) => name.replace(/promptls-[\d.]+[^-]*-py3/, 'promptls-VERSION-py3'));
assert.deepEqual(found.sort(), EXPECTED);
assert.ok(zip.length < LARGEST, `the package has ${zip.length} bytes; ${LARGEST} are too many`);
console.log(`${EXPECTED.length} files, ${zip.length} bytes`);

/** The names in a zip file's central directory. */
function names(bytes) {
  const end = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  const found = [];
  let at = bytes.readUInt32LE(end + 16);
  while (bytes.toString('latin1', at, at + 4) === 'PK\x01\x02') {
    const [name, extra, comment] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    found.push(bytes.toString('utf8', at + 46, at + 46 + name));
    at += 46 + name + extra + comment;
  }
  return found;
}
