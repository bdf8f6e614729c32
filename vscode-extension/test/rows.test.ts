import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Candidate, Segment } from '../src/protocol';
import type { Row } from '../src/row';
import { wireRows } from '../src/rows';
import { candidate, CONFIG, message, RANGE, result, segment } from './prompts';

function only(rows: Row[]): Row {
  const [first] = rows;
  assert.ok(first !== undefined && rows.length === 1);
  return first;
}

/** The row of the first of two segments of the only message. */
function segmentRow(parts: Partial<Segment>, candidates: Candidate[] = []): Row {
  const [group] = wireRows(
    result([message('start', [segment('/w/AGENTS.md', parts), segment('/w/other.md')])], candidates),
  );
  const [first] = only(group?.rows ?? []).rows;
  assert.ok(first);
  return first;
}

test('what is there at start and what a read brings are groups of messages, numbered as in the text', () => {
  const frame = segment('frame', { tokens: 5 });
  const groups = wireRows(
    result([
      message('start', [frame, segment('/w/AGENTS.md'), segment('/w/b.md')], 0),
      message('start', [frame, segment('/w/docs/style.md')], 1),
      message('read:/w/pkg/app.py', [segment('/w/pkg/AGENTS.md', { tokens: 1 })], 2),
    ]),
  );
  const outline = groups.map(({ label, description, rows }) => [
    `${label}: ${description}`,
    ...rows.flatMap((each) => [`${each.label}: ${each.description}`, ...each.rows.map((row) => row.label)]),
  ]);
  assert.deepEqual(outline, [
    ['At start: ~40 tokens', ...['1. system: ~25 tokens', 'AGENTS.md', 'b.md'], 'style.md: ~10 ██ · docs'],
    ['On reading app.py: ~1 token · pkg', 'AGENTS.md: ~1 ▎ · pkg'],
  ]);
});

test('a part leads to its lines, and is read out as a whole', () => {
  const row = segmentRow({});
  assert.deepEqual(row.place, { path: '/w/AGENTS.md', range: RANGE });
  assert.equal(row.file, '/w/AGENTS.md');
  assert.deepEqual(row.tooltip, [
    'a rule',
    'From AGENTS.md, lines 3 to 5',
    'instructions · the same for the whole session',
    '50% of the prompt',
  ]);
  assert.match(row.spoken, /^AGENTS\.md, loaded, about 10 tokens, a rule, /);
});

test('what is the own text of the harness is one folded row between those of the user', () => {
  const own = { origin: { kind: 'builtin' as const }, layer: 'provider' as const };
  const [start] = wireRows(
    result([
      message('start', [segment('head', own)], 0),
      message('start', [segment('tools', own), segment('environment', own)], 1),
      message('start', [segment('/w/AGENTS.md')], 2),
      message('start', [segment('tail', own)], 3),
    ]),
  );
  assert.deepEqual(
    start?.rows.map(({ label, description, expanded, rows }) => [label, description, expanded, rows.length]),
    [
      ['etcode itself', '~30 ████▊', false, 2],
      ['AGENTS.md', '~10 █▋', false, 0],
      ['tail', '~10 █▋', false, 0],
    ],
  );
});

test('a cut part says what is left of it; its bar, which is not read out, is its share of the prompt', () => {
  const row = segmentRow({ cut: { kept: 3, total: 4, unit: 'lines', limit: 'three lines at most' } });
  assert.equal(row.state, 'cut');
  assert.equal(row.description, '~10 ████ · cut to 3 of 4 lines');
  assert.ok(row.tooltip.includes('Cut to 3 of 4 lines: three lines at most'));
  assert.match(row.spoken, /cut, about 10 tokens · cut to 3 of 4 lines/);
});

test('a text that is not reproduced says so, and its size only where that is known', () => {
  const known = segmentRow({ elided: { name: 'own prompt', size: 40 } });
  const unknown = segmentRow({ elided: { name: 'own prompt', size: null } });
  assert.deepEqual(
    [known, unknown].map(({ state, description }) => [state, description]),
    [
      ['elided', '~10 ████'],
      ['elided', ''],
    ],
  );
});

test('a text from a URL leads to the entry that names the URL', () => {
  const url = 'https://example.com/a.md';
  const fetched = candidate('loaded', { path: null, url, origin: CONFIG });
  const row = segmentRow({ title: url, origin: { kind: 'url', url } }, [fetched]);
  assert.deepEqual(row.place, { path: '/w/etcode.json', range: RANGE });
  assert.equal(row.file, undefined);
});

test('the definitions of tools are a row of their own, and count at start', () => {
  const found = result([message('start', [segment('a.md')])]);
  const tool = { name: 'Bash', enabled: true, why: '', size: 80, origin: { kind: 'computed' as const } };
  const [start] = wireRows({ ...found, tools: [tool], totals: { ...found.totals, tokens: 30 } });
  assert.equal(start?.description, '~30 tokens');
  assert.deepEqual(
    start.rows.map(({ label, description, tooltip }) => [label, description, ...tooltip]),
    [
      ['a.md', '~10 ██▋', ...(start.rows[0]?.tooltip ?? [])],
      ['Tools', '~20 · 67%', 'The definitions of 1 tool'],
    ],
  );
});

test('a frame that names a file counts with it, as in the sizes of the preview', () => {
  const origin = { kind: 'file' as const, path: '/w/a.md' };
  const frame = segment('frame', { origin: { kind: 'computed', path: '/w/a.md' }, tokens: 5 });
  const text = segment('/w/a.md', { origin });
  const closing = segment('frame', { origin: { kind: 'computed' }, tokens: 5 });
  const [start] = wireRows(result([message('start', [frame, text, closing])]));
  assert.equal(start?.rows[0]?.description, '~15 ██████');
});

test('a file that is not loaded says what became of it, why, and by which other', () => {
  const shadowed = candidate('shadowed', { other: '/w/AGENTS.md' });
  const groups = wireRows(
    result([], [candidate('loaded'), candidate('cut'), shadowed, candidate('pending')]),
  );
  assert.deepEqual(
    only(groups).rows.map(({ label, description, state }) => [label, description, state]),
    [
      ['shadowed.md', 'shadowed by AGENTS.md', 'shadowed'],
      ['pending.md', 'pending', 'pending'],
    ],
  );
  assert.deepEqual(only(groups).rows[0]?.tooltip, ['a rule', 'Because of AGENTS.md', 'At start']);
  assert.deepEqual(only(groups).rows[0]?.place, { path: '/w/shadowed.md' });
});

test('a missing file that somebody named is not among the places that are only looked at', () => {
  const named = candidate('missing', { path: '/w/named.md', origin: CONFIG });
  const [told, looked] = wireRows(result([], [candidate('missing'), candidate('missing'), named]));
  assert.deepEqual([told?.label, told?.expanded, told?.rows[0]?.label], ['Not loaded', true, 'named.md']);
  assert.deepEqual(told?.rows[0]?.place, { path: '/w/etcode.json', range: RANGE });
  assert.deepEqual(
    [looked?.label, looked?.description, looked?.expanded],
    ['Looked for, not there', '1', false],
  );
  assert.equal(looked?.rows[0]?.place, undefined);
});

test('no two rows have the same id', () => {
  const part = segment('/w/AGENTS.md');
  const messages = [
    message('start', [part, part]),
    message('start', [part], 1),
    message('read:/w/a', [part]),
  ];
  const both = [candidate('missing'), candidate('missing', { origin: CONFIG })];
  const ids = (rows: Row[]): string[] => rows.flatMap(({ id, rows: inner }) => [id, ...ids(inner)]);
  const all = ids(wireRows(result(messages, both)));
  assert.equal(new Set(all).size, all.length);
});

test('a URL without an answer is pending in its place, and nowhere else', () => {
  const url = 'http://localhost/rules.md';
  const elided = { name: url, size: null };
  const waiting = segment(url, { origin: { kind: 'computed', name: url }, elided });
  const pending = candidate('pending', { path: null, url });
  const [start, ...others] = wireRows(result([message('start', [waiting])], [pending]));
  assert.deepEqual(
    start?.rows.map(({ label, state, description }) => [label, state, description]),
    [[url, 'pending', 'not answered yet']],
  );
  assert.deepEqual(others, []);
  const [, left] = wireRows(result([message('start', [segment('/w/a.md')])], [pending]));
  assert.deepEqual(
    left?.rows.map(({ label, state }) => [label, state]),
    [[url, 'pending']],
  );
});
