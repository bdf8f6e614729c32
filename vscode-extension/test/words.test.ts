import assert from 'node:assert/strict';
import { test } from 'node:test';

import { asServer, bar, linesText, relative, tokensText } from '../src/words';

test('estimated tokens say so', () => {
  assert.equal(tokensText(1234, 'estimate'), '~1,234 tokens');
  assert.equal(tokensText(1, 'o200k_base'), '1 token');
});

test('a bar is empty or full only for nothing or all', () => {
  const filled = (kept: number, total: number) =>
    bar({ kept, total, unit: 'bytes', limit: '' }).lastIndexOf('▰') + 1;
  assert.deepEqual([filled(0, 100), filled(1, 100), filled(50, 100), filled(99, 100)], [0, 1, 4, 7]);
  assert.deepEqual([filled(100, 100), filled(0, 0)], [8, 0]);
});

test('a range that ends where a line begins does not touch that line', () => {
  const range = (line: number, character: number) => ({
    start: { line: 0, character: 0 },
    end: { line, character },
  });
  assert.equal(linesText(range(1, 0)), 'line 1');
  assert.equal(linesText(range(1, 1)), 'lines 1 to 2');
});

test('paths below a folder are relative to it, whatever the separator', () => {
  assert.equal(relative('reading /w/a/b.py', '/w'), 'reading a/b.py');
  assert.equal(relative('C:\\w\\a.md', 'C:\\w'), 'a.md');
  assert.equal(relative('/a/b', '/'), '/a/b');
  assert.equal(relative('/a/b', ''), '/a/b');
});

test('paths of Windows are as the server writes them', () => {
  assert.equal(asServer('c:\\Users\\me'), 'C:/Users/me');
  assert.equal(asServer('\\\\server\\share'), '//server/share');
  assert.equal(asServer('/a\\b'), '/a\\b');
  assert.equal(relative('C:/w/a.md', asServer('c:\\w')), 'a.md');
});
