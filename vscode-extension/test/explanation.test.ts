import assert from 'node:assert/strict';
import { test } from 'node:test';

import { explanationText } from '../src/explanation';
import type { Explanation, Verdict } from '../src/protocol';

const NOT_LOADED: Explanation = {
  harness: { name: 'codex', version: '1', verified: true },
  found: false,
  loaded: [],
  outcome: 'shadowed',
  why: 'the first of two names is loaded',
  rule: 'the first of two names is loaded',
  reason: '',
  other: '/w/AGENTS.override.md',
  fault: false,
};
const LOADED: Explanation = {
  ...NOT_LOADED,
  harness: { name: 'etcode', version: 'design', verified: false },
  found: true,
  other: null,
  loaded: [
    {
      cwd: '/w',
      at: 'start',
      role: 'system',
      layer: 'instructions',
      why: 'a rule',
      invalidates: { tokens: 1200, of: 2000 },
    },
  ],
};

const VERDICTS: Verdict[] = [
  { harnesses: ['etcode'], answer: 'yes', says: 'yes, at the start.', start: null, remedy: null },
];

test('the harnesses of the workspace come first, with all that is known', () => {
  const text = explanationText(
    { path: '/w/AGENTS.md', verdicts: VERDICTS, harnesses: [NOT_LOADED, LOADED] },
    '/w',
  );
  assert.equal(
    text,
    `# Who loads AGENTS.md

**etcode**: yes, at the start.

## etcode design (not verified)

**Loaded** at start, as instructions in the system message, if started in the workspace folder: a rule.

Changing it invalidates 1,200 of 2,000 tokens of a cached prompt.

---

Not configured in this workspace:

## codex 1

**Not loaded** (shadowed): the first of two names is loaded. See \`AGENTS.override.md\`.
`,
  );
});

test('without a workspace folder paths are in full', () => {
  const text = explanationText({ path: '/w/AGENTS.md', verdicts: [], harnesses: [LOADED] });
  assert.match(text, /# Who loads \/w\/AGENTS\.md/);
  assert.match(text, /if started in `\/w`/);
});

test('the name of a file cannot leave its code span', () => {
  const odd = { ...NOT_LOADED, other: '/w/a`b.md' };
  assert.match(
    explanationText({ path: '/w/x.md', verdicts: [], harnesses: [odd] }, '/w'),
    /See `` a`b\.md ``\./,
  );
});
