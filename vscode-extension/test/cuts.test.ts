import assert from 'node:assert/strict';
import { test } from 'node:test';

import { cuts, type Reported } from '../src/cuts';

const CUT: Reported = {
  source: 'promptls',
  code: { value: 'cut' },
  message:
    'codex does not send 3,042 of its 35,810 bytes, from line 275 on: the limit is 32768. Shorten the file.',
  range: { start: { line: 274 } },
};

test('a line at which an agent stops has a sentence', () => {
  assert.deepEqual([...cuts([CUT])], [[274, ['codex does not send 3,042 of its 35,810 bytes']]]);
});

test('several agents that stop at one line are all named', () => {
  const other = { ...CUT, code: 'cut', message: 'other stops.' };
  assert.deepEqual([...cuts([CUT, other]).keys()], [274]);
  assert.deepEqual(cuts([CUT, other]).get(274), [
    'codex does not send 3,042 of its 35,810 bytes',
    'other stops.',
  ]);
});

test('no other diagnostic is a cut', () => {
  assert.equal(
    cuts([
      { ...CUT, source: 'eslint' },
      { ...CUT, code: 'import-missing' },
      { ...CUT, code: undefined },
    ]).size,
    0,
  );
});
