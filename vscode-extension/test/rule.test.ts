import assert from 'node:assert/strict';
import { test } from 'node:test';

import { linksOf } from '../src/rule';

const rule = (path: string, stood: number) => ({
  path,
  use: 'instruction' as const,
  stood,
  cut: 0,
  last: null,
  why: null,
  computed: false,
});

test('each row of the table leads to its file', () => {
  const text = [
    'Claude Code · 3 recorded sessions of this folder',
    '██████████    3 of 3  CLAUDE.md         last 2026-11-22',
    '████······ ~  1 of 3  ~/.claude/x.md    last 2026-11-20',
    '··········    0 of 3  pkg/CLAUDE.md     never: no session read a file near it',
    '',
    '█ of the last 3 sessions',
  ].join('\n');
  const rules = [rule('/w/CLAUDE.md', 3), rule('/home/me/.claude/x.md', 1), rule('/w/pkg/CLAUDE.md', 0)];
  const found = linksOf(text, {
    root: '/w',
    text,
    last: 50,
    programs: [{ harness: 'claude-code', sessions: 3, rules }],
  });
  assert.deepEqual(
    found.map(({ path, line, start, end }) => [path, text.split('\n')[line]?.slice(start, end)]),
    [
      ['/w/CLAUDE.md', 'CLAUDE.md'],
      ['/home/me/.claude/x.md', '~/.claude/x.md'],
      ['/w/pkg/CLAUDE.md', 'pkg/CLAUDE.md'],
    ],
  );
});
