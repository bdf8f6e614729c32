import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { PreviewResult, VerifyResult } from '../src/protocol';
import { differs, hereText, holds, summaryText, titleOf } from '../src/verified';

const RESULT: VerifyResult = {
  harness: { name: 'codex', version: '0.169.0', verified: true },
  program: { version: '0.169.0', model: null, interactive: false, editor: false },
  cwd: '/shop',
  date: '2026-11-22',
  notes: [],
  same: true,
  whole: true,
  all: true,
  left_out: [],
  unknown: [],
  not_fixed: [],
  of_servers: [],
  tools: { sent: 12, characters: 31_059, only_sent: [], only_shown: [], sizes: [] },
  expected: '',
  sent: '',
  messages: [
    { role: 'system', state: 'same', number: 1, characters: 10 },
    { role: 'user', state: 'same', number: 2, characters: 10 },
  ],
  differences: [],
};
const DIFFERENCE: VerifyResult['differences'][number] = {
  kind: 'text',
  says: '/shop/pkg/AGENTS.md was not sent as expected',
  message: 2,
  rule: 'codex reads AGENTS.md in /shop/pkg',
  path: '/shop/pkg/AGENTS.md',
  diff: [],
};

test('a preview that holds: program, version, and what was compared', () => {
  assert.equal(
    holds(RESULT, 'app.py'),
    'codex 0.169.0 sends what the preview of app.py shows. Compared: 2 messages, their order, roles, texts and sizes, and 12 tools.',
  );
  assert.match(
    holds({ ...RESULT, whole: false, all: false }, 'app.py'),
    / What the folder or you let it run was left out\.$/,
  );
  assert.match(holds({ ...RESULT, messages: [] }, 'app.py'), /Compared: 0 messages,/);
});

test('what was not compared is listed', () => {
  const unknown = ['result of viewing /shop/a.py (152 characters were sent)', 'line on programs'];
  assert.match(
    holds({ ...RESULT, whole: false, unknown }, 'app.py'),
    / and 12 tools\. The preview does not know: result of viewing a\.py \(152 characters were sent\); line on programs\.$/,
  );
  const tools = { sent: 1, characters: 9, only_sent: [], only_shown: [], sizes: [] };
  assert.match(
    holds({ ...RESULT, tools, not_fixed: ['the date'], of_servers: ['x was not sent'] }, 'app.py'),
    / and 1 tool\. Not fixed by the program: the date\. Because an MCP server did not start: x was not sent\.$/,
  );
  assert.doesNotMatch(
    holds({ ...RESULT, unknown: ['its tools (3 of 9 characters were sent)'] }, 'app.py'),
    /12 tools/,
  );
  assert.doesNotMatch(holds({ ...RESULT, tools: null }, 'app.py'), / tools/);
});

test('a difference: what it is, and the rule that was expected', () => {
  const result = { ...RESULT, same: false, differences: [DIFFERENCE] };
  assert.equal(
    differs(result, 'app.py'),
    'codex 0.169.0 does not send what the preview of app.py shows. pkg/AGENTS.md was not sent as expected. ' +
      'Expected because codex reads AGENTS.md in pkg.',
  );
  const order = { ...DIFFERENCE, says: 'it was sent before message 2, not after it', rule: null };
  assert.match(
    differs({ ...result, differences: [order, DIFFERENCE] }, 'app.py'),
    /shows\. 2 differences, the first: It was sent before message 2, not after it\.$/,
  );
});

test('a program that is not known is compared with the nearest version that is', () => {
  const result = {
    ...RESULT,
    program: { version: '0.200.0', model: null, interactive: false, editor: false },
    differences: [DIFFERENCE],
  };
  assert.match(differs(result, 'app.py'), /^codex 0\.200\.0 does not .* The preview is that of 0\.169\.0\. /);
  assert.equal(titleOf(result, 'app.py'), 'app.py · promptls: expected ↔ captured from codex 0.200.0');
});

test('a prompt in one line', () => {
  const totals: PreviewResult['totals'] = {
    characters: 0,
    bytes: 0,
    tokens: 1234,
    token_method: 'estimate',
    token_error: 5,
    files: 1,
    elided: 0,
    at_least: true,
    window: 200_000,
  };
  const result = { harness: RESULT.harness, totals };
  assert.equal(summaryText(result), 'codex 0.169.0 · ~1,234+ tokens · 0.6% of the window');
  const harness = { ...RESULT.harness, verified: false };
  assert.match(summaryText({ ...result, harness }), / · not verified$/);
  const here = { version: '0.169.0', date: '2026-11-22', whole: true, all: true, unknown: 0 };
  assert.match(
    summaryText({ ...result, harness, verified_here: here }),
    /window · verified here on 2026-11-22$/,
  );
});

test('what was learned here says so, with the rules that hold', () => {
  const counts = { holds: 130, rules: 131, open: 0, sessions: 40, planned: 40, inherited: 0 };
  const learned = { date: '2026-11-23', base: '2.1.332', ...counts, moved: [], untried: [], whole: true };
  assert.equal(hereText({ learned }), 'learned here on 2026-11-23: 130 of 131 rules hold');
  assert.match(
    hereText({ learned: { ...learned, sessions: 3, whole: false } }),
    /hold, by 3 of 40 sessions$/,
  );
});

test('what is verified here says so, with the day', () => {
  assert.equal(hereText({}), '');
  const here = { version: '0.169.0', date: '2026-11-22', whole: true, all: true, unknown: 0 };
  assert.equal(hereText({ verified_here: here }), 'verified here on 2026-11-22');
  assert.equal(
    hereText({ verified_here: { ...here, whole: false, all: false } }),
    'verified here on 2026-11-22, without what the folder or you let it run',
  );
  assert.equal(
    hereText({ verified_here: { ...here, whole: false, unknown: 2 } }),
    'verified here on 2026-11-22, apart from 2 parts unknown',
  );
  assert.match(
    hereText({ verified_here: { ...here, whole: false, unknown: 1 } }),
    /, apart from 1 part unknown$/,
  );
});
