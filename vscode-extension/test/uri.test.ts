import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Spellings } from '../src/uri';

const FILE = 'file:///w/a%20b%26c/app.py';

/** The URI as the editor has it: decoded once. */
const PREVIEW = {
  scheme: 'promptls',
  path: '/app.py (prompt)',
  query: `uri=${FILE}&harness=etcode@design`,
  toString: () => "the editor's spelling",
};

test('a URI that the server wrote goes back as it was written', () => {
  const spellings = new Spellings();
  spellings.remember(PREVIEW, 'promptls:/a.md?uri=b');
  assert.equal(spellings.of(PREVIEW), 'promptls:/a.md?uri=b');
});

test('the query of any other URI is encoded value by value', () => {
  const text = new Spellings().of(PREVIEW);
  assert.match(text, /^promptls:\/app\.py%20\(prompt\)\?uri=/);
  const values = new URLSearchParams(text.slice(text.indexOf('?')));
  assert.deepEqual(Object.fromEntries(values), { uri: FILE, harness: 'etcode@design' });
});

test('a URI without a query stays one', () => {
  assert.equal(new Spellings().of({ scheme: 'promptls', path: '/a.md', query: '' }), 'promptls:/a.md');
});
