import assert from 'node:assert/strict';
import { test } from 'node:test';

import { promptRows } from '../src/prompt';
import type { Segment, Size } from '../src/protocol';
import type { Row } from '../src/row';
import { candidate, CONFIG, message, result, segment } from './prompts';

const OWN = { origin: { kind: 'builtin' as const }, layer: 'provider' as const };

function skill(name: string, tokens = 10): Segment {
  const path = `/w/.claude/skills/${name}/SKILL.md`;
  return segment(`skill ${name}`, { origin: { kind: 'file', path }, layer: 'tools', tokens });
}

function used(use: 'skill' | 'agent' | 'server', path: string) {
  return candidate('loaded', { use, path });
}

function rows(...of: Parameters<typeof result>): Row[] {
  return promptRows(result(...of), 'app.py', 'own');
}

function says(all: Row[]): string[] {
  return all.map(({ label, description }) => `${label}: ${description}`);
}

test('what is the reader’s comes first, then one row each for the tools and the program', () => {
  const prompt = result(
    [
      message('start', [segment('billing line', OWN), segment('own prompt', { ...OWN, tokens: 80 })], 0),
      message('start', [segment('/w/AGENTS.md', { tokens: 40 }), segment('tail', OWN)], 1),
      message('start', [skill('incident'), skill('release', 30)], 2),
      message('read:/w/app.py', [segment('/w/pkg/AGENTS.md', { tokens: 1 })], 3),
    ],
    [
      used('skill', '/w/.claude/skills/incident/SKILL.md'),
      used('skill', '/w/.claude/skills/release/SKILL.md'),
    ],
  );
  const sizes: Size[] = [{ name: 'Etcode', kind: 'harness', tokens: 100, files: 0, at_least: false }];
  const session = { ...prompt.session, reads: ['/w/app.py'] };
  const all = promptRows(
    { ...prompt, session, sizes, totals: { ...prompt.totals, tokens: 381 } },
    'app.py',
    'own',
  );
  assert.deepEqual(says(all), [
    'Etcode design: app.py · ~381 tokens · not verified',
    'AGENTS.md: ~40 ████████',
    'pkg/AGENTS.md: ~1 ▎ · on reading',
    'Skills (2): ~40 ████████',
    'Tools: ~200 · 52%',
    'Etcode itself: ~100 · 26%',
  ]);
  const [, , , skills, , itself] = all;
  assert.deepEqual(says(skills?.rows ?? []), ['incident: ~10 ██', 'release: ~30 ██████']);
  assert.deepEqual(
    itself?.rows.map(({ label }) => label),
    ['billing line', 'own prompt', 'tail'],
  );
  assert.ok(all.every(({ expanded }) => !expanded));
});

test('no bar of a small part looks like that of a large one', () => {
  const sizes = [39, 5072, 500].map((tokens, at) => segment(`/w/${at}.md`, { tokens }));
  const [, small, large, middle] = rows([message('start', sizes)]);
  assert.deepEqual(
    [small, large, middle].map((row) => row?.description.split(' ')[1]),
    ['▏', '████████', '▊'],
  );
});

test('a file that is sent twice is one row, with its frames', () => {
  const frame = segment('frame', { origin: { kind: 'computed', path: '/w/AGENTS.md' }, tokens: 5 });
  const again = segment('/w/AGENTS.md', { origin: { kind: 'file', again: '/w/AGENTS.md' } });
  const [, only, ...others] = rows([message('start', [frame, segment('/w/AGENTS.md'), again])]);
  assert.deepEqual([only?.label, only?.description, others], ['AGENTS.md', '~25 ████████', []]);
});

test('rows have names of their own: skills by their folder, servers by their name', () => {
  const servers = ['tools of a', 'tools of b'].map((title) =>
    segment(title, { origin: CONFIG, layer: 'runtime' }),
  );
  const agent = segment('agent reviewer', { origin: { kind: 'file', path: '/w/.claude/agents/r.md' } });
  const plain = segment('/x/skills/far/SKILL.md', {
    origin: { kind: 'file', path: '/x/skills/far/SKILL.md' },
  });
  const all = rows(
    [message('start', [agent, skill('near'), plain, ...servers])],
    [
      used('agent', '/w/.claude/agents/r.md'),
      used('skill', '/w/.claude/skills/near/SKILL.md'),
      used('skill', '/x/skills/far/SKILL.md'),
      used('server', '/w/etcode.json'),
    ],
  );
  assert.deepEqual(
    all.slice(1).map(({ label, rows: inside }) => [label, ...inside.map((each) => each.label)]),
    [['Skills (2)', 'near', 'far'], ['reviewer'], ['MCP servers (2)', 'tools of a', 'tools of b']],
  );
});

test('what is typed, of which nothing is known, is left out, and a URL without an answer is not', () => {
  const url = 'http://localhost/rules.md';
  const waiting = segment(url, {
    origin: { kind: 'computed', name: url },
    elided: { name: url, size: null },
  });
  const typed = segment('prompt of the user', { origin: { kind: 'computed' }, layer: 'runtime', tokens: 0 });
  const all = rows([message('start', [waiting, typed])], [candidate('pending', { path: null, url })]);
  assert.deepEqual(says(all.slice(1)), [`${url}: not answered yet`]);
  assert.equal(all[1]?.state, 'pending');
});

test('the order on the wire is that of the messages', () => {
  const prompt = result([
    message('start', [segment('own', OWN)], 0),
    message('start', [segment('/w/A.md')], 1),
  ]);
  const [, start] = promptRows(prompt, 'app.py', 'wire');
  assert.deepEqual(
    start?.rows.map(({ label }) => label),
    ['own', 'A.md'],
  );
});

test('no two rows have the same id', () => {
  const parts = [segment('/w/AGENTS.md'), segment('/w/AGENTS.md', OWN), skill('a'), segment('frame', OWN)];
  const ids = (all: Row[]): string[] => all.flatMap(({ id, rows: inside }) => [id, ...ids(inside)]);
  const all = ids(rows([message('start', parts), message('read:/w/a', parts, 1)], [candidate('missing')]));
  assert.equal(new Set(all).size, all.length);
});

test('what is not known leads to its command, also from the row above it', () => {
  const how = { kind: 'servers' as const, command: ['promptls', 'servers', '--ask'] };
  const server = (name: string) =>
    segment(`tools of ${name}`, {
      origin: { kind: 'config', path: '/w/.mcp.json', name },
      layer: 'tools',
      how,
    });
  const own = segment('own prompt', { ...OWN, how: { kind: 'capture', command: ['promptls', 'capture'] } });
  const prompt = result(
    [message('start', [own, segment('tail', OWN), server('docs'), server('web')], 0)],
    [used('server', '/w/.mcp.json')],
  );
  const learning = { kind: 'learn' as const, command: ['promptls', 'learn', 'etcode'] };
  const [session, servers, itself] = promptRows({ ...prompt, how: learning }, 'app.py', 'own');
  assert.deepEqual(session?.how, learning);
  assert.deepEqual(servers?.how, how);
  assert.ok(servers.tooltip.includes('To know it: promptls servers --ask'));
  assert.equal(itself?.how?.kind, 'capture');
  assert.equal(promptRows(prompt, 'app.py', 'wire')[1]?.how?.kind, 'capture');
});
