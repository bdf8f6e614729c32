import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openFiles } from '../src/open';

const selection = (line: number, character: number) => ({
  start: { line: 0, character: 0 },
  end: { line, character },
});

test('the active editor is last, with what is selected in it', () => {
  assert.deepEqual(openFiles(['/w/a.py', '/w/b.ts'], { path: '/w/a.py', selection: selection(1, 3) }), [
    { path: '/w/b.ts' },
    { path: '/w/a.py', selection: [0, 0, 1, 3] },
  ]);
});

test('a cursor selects nothing', () => {
  assert.deepEqual(openFiles([], { path: '/w/a.py', selection: selection(0, 0) }), [
    { path: '/w/a.py', selection: null },
  ]);
});

test('a file in two tabs is open once, and none is active without an editor', () => {
  assert.deepEqual(openFiles(['/w/a.py', '/w/a.py'], undefined), [{ path: '/w/a.py' }]);
  assert.deepEqual(openFiles([], undefined), []);
});

test('paths of Windows are as the server writes them', () => {
  assert.deepEqual(openFiles(['c:\\w\\a.py'], { path: 'C:\\w\\a.py', selection: selection(0, 1) }), [
    { path: 'C:/w/a.py', selection: [0, 0, 0, 1] },
  ]);
});
