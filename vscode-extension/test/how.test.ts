import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isHow, saysOf, startOf, typed, unknownsOf } from '../src/how';
import type { How, PreviewResult } from '../src/protocol';

const CAPTURE: How = { kind: 'capture', command: ['promptls', 'capture', '--save', '--cwd=/w/a b'] };
const SERVERS: How = { kind: 'servers', command: ['promptls', 'servers', "it's", '--ask'] };
const LEARN: How = { kind: 'learn', command: ['promptls', 'learn', 'codex'] };

test('a command is typed as a shell takes it', () => {
  assert.equal(typed(CAPTURE), "promptls capture --save '--cwd=/w/a b'");
  assert.equal(typed(SERVERS), `promptls servers 'it'"'"'s' --ask`);
});

test('each command is there once, with what it finds out', () => {
  const segment = (title: string, how: How | null) => ({ title, how });
  const messages = [
    { segments: [segment('base prompt', CAPTURE), segment('AGENTS.md', null)] },
    { segments: [segment('closing words', CAPTURE), segment('base prompt', CAPTURE)] },
  ];
  const tools = [{ name: 'docs_search', how: SERVERS }, { name: 'read' }];
  assert.deepEqual(unknownsOf({ messages, tools } as unknown as PreviewResult), [
    { how: CAPTURE, names: ['base prompt', 'closing words'] },
    { how: SERVERS, names: ['docs_search'] },
  ]);
  assert.deepEqual(unknownsOf({ messages: [], tools: null } as unknown as PreviewResult), []);
  assert.deepEqual(unknownsOf({ how: LEARN, messages: [], tools: null } as unknown as PreviewResult), [
    { how: LEARN, names: ['the installed version'] },
  ]);
});

test('it is run as the server is', () => {
  const args = ['-P', '-m', 'promptls', 'serve'];
  const rest = ['capture', '--save', '--cwd=/w/a b'];
  assert.deepEqual(startOf(CAPTURE, { command: '/v/python', args }), [
    '/v/python',
    ['-P', '-m', 'promptls', ...rest],
  ]);
  assert.deepEqual(startOf(CAPTURE, { command: '/v/promptls', args: ['serve', '--verbose'] }), [
    '/v/promptls',
    rest,
  ]);
  assert.deepEqual(startOf(CAPTURE, undefined), ['promptls', rest]);
  assert.deepEqual(startOf(CAPTURE, { command: 'wrapper', args: [] }), ['promptls', rest]);
});

test('only a command of promptls is one', () => {
  assert.ok(isHow(CAPTURE));
  for (const other of [
    undefined,
    'promptls',
    { ...CAPTURE, command: ['rm', '-r'] },
    { ...CAPTURE, command: ['promptls', 1] },
    { ...CAPTURE, kind: 'other' },
  ])
    assert.ok(!isHow(other));
  assert.match(saysOf(SERVERS), /starts those that you say yes to/);
});
