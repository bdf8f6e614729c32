import assert from 'node:assert/strict';
import { test } from 'node:test';

import { placeOf } from '../src/place';

test('a click names a line of a file, in the folder or outside of it', () => {
  const at = (line: number) => ({ start: { line, character: 0 }, end: { line, character: 0 } });
  const open = (path: string, line?: unknown) => placeOf({ command: 'open', path, line }, '/w');
  assert.deepEqual(open('pkg/AGENTS.md', 3), { path: '/w/pkg/AGENTS.md', range: at(3) });
  assert.deepEqual(open('/home/you/CLAUDE.md'), { path: '/home/you/CLAUDE.md', range: at(0) });
  assert.deepEqual(open('a.md', -1), { path: '/w/a.md', range: at(0) });
});

test('anything else is no click', () => {
  for (const message of [
    undefined,
    null,
    'open',
    {},
    { command: 'run', path: 'a' },
    { command: 'open', path: 1 },
  ])
    assert.equal(placeOf(message, '/w'), undefined);
});
