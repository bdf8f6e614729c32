import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';

import { findServer, hasServer, onPath, type Surroundings } from '../src/server';

const SERVE = ['-P', '-m', 'promptls', 'serve'];

function surroundings(changes: Partial<Surroundings>): Surroundings {
  return {
    settings: { path: [], interpreter: '' },
    trusted: true,
    folder: '/shop',
    mayStart: () => Promise.resolve(true),
    home: '/home',
    activeInterpreter: () => Promise.resolve('/env/python'),
    hasServer: () => Promise.resolve(true),
    onPath: () => Promise.resolve('/bin/promptls'),
    ownInterpreter: () => Promise.resolve('/own/python'),
    ...changes,
  };
}

test('the command of the settings goes before everything', async () => {
  const settings = { path: ['${workspaceFolder}/run', 'serve'], interpreter: '/p' };
  assert.deepEqual(await findServer(surroundings({ settings })), {
    found: true,
    because: 'promptls.path',
    command: '/shop/run',
    args: ['serve'],
  });
});

test('the interpreter of the settings goes before the active environment', async () => {
  const settings = { path: [], interpreter: '/p' };
  assert.deepEqual(await findServer(surroundings({ settings })), {
    found: true,
    because: 'promptls.interpreter',
    command: '/p',
    args: SERVE,
  });
});

test('the active environment goes before the search path', async () => {
  assert.deepEqual(await findServer(surroundings({})), {
    found: true,
    because: 'the active environment',
    command: '/env/python',
    args: SERVE,
  });
});

test('the active environment of a workspace that is not trusted is not run', async () => {
  const ran: string[] = [];
  const around = surroundings({
    trusted: false,
    hasServer: (interpreter) => {
      ran.push(interpreter);
      return Promise.resolve(true);
    },
  });
  const server = await findServer(around);
  assert.equal(server.found && server.because, 'the search path');
  assert.deepEqual(ran, []);
});

const inShop = { trusted: false, mayStart: (file: string) => Promise.resolve(!file.startsWith('/shop/')) };

test('nothing of a workspace that is not trusted is started', async () => {
  for (const settings of [
    { path: ['${workspaceFolder}/run', 'serve'], interpreter: '' },
    { path: ['/bin/python', '${workspaceFolder}/serve.py'], interpreter: '' },
    { path: [], interpreter: '${workspaceFolder}/.venv/bin/python' },
  ]) {
    const server = await findServer(surroundings({ ...inShop, settings }));
    assert.ok(!server.found);
    assert.match(server.problem, /\/shop\/\S+ is in an untrusted folder\.$/);
  }
});

test("the extension's own environment in a workspace that is not trusted is not started", async () => {
  const around = surroundings({
    ...inShop,
    onPath: () => Promise.resolve(undefined),
    ownInterpreter: () => Promise.resolve('/shop/own/python'),
  });
  assert.equal((await findServer(around)).found, false);
});

test('a bare name of the settings is looked up outside of a workspace that is not trusted', async () => {
  const settings = { path: ['promptls', 'serve'], interpreter: '' };
  assert.deepEqual(await findServer(surroundings({ ...inShop, settings })), {
    found: true,
    because: 'promptls.path',
    command: '/bin/promptls',
    args: ['serve'],
  });
  const nowhere = surroundings({ ...inShop, settings, onPath: () => Promise.resolve(undefined) });
  assert.equal((await findServer(nowhere)).found, false);
});

test('an environment without promptls is passed over', async () => {
  const server = await findServer(surroundings({ hasServer: () => Promise.resolve(false) }));
  assert.deepEqual(server, {
    found: true,
    because: 'the search path',
    command: '/bin/promptls',
    args: ['serve'],
  });
});

test("the extension's own environment comes last", async () => {
  const server = await findServer(
    surroundings({ hasServer: () => Promise.resolve(false), onPath: () => Promise.resolve(undefined) }),
  );
  assert.deepEqual(server, {
    found: true,
    because: 'the environment of this extension',
    command: '/own/python',
    args: SERVE,
  });
});

test('where there is no server, the sentence says where it was looked for', async () => {
  const around = surroundings({
    hasServer: () => Promise.resolve(false),
    onPath: () => Promise.resolve(undefined),
    ownInterpreter: () => Promise.resolve(undefined),
  });
  const server = await findServer(around);
  assert.ok(!server.found);
  assert.match(server.problem, /neither in \/env\/python nor on the search path/);
});

test('a Python that cannot be started has no server', async () => {
  assert.equal(await hasServer('/nowhere/python', tmpdir()), false);
});

test(
  'the search path is searched in order, absolute entries only',
  { skip: process.platform === 'win32' },
  async (t) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'promptls-'));
    t.after(() => {
      rmSync(folder, { recursive: true });
    });
    const program = path.join(folder, 'promptls');
    writeFileSync(program, '');
    assert.equal(await onPath('promptls', { PATH: folder }), undefined, 'not executable');
    chmodSync(program, 0o755);
    assert.equal(await onPath('promptls', { PATH: `/nowhere:${folder}` }), program);
    assert.equal(await onPath('promptls', { PATH: path.relative('.', folder) }), undefined);
    assert.equal(await onPath('promptls', {}), undefined);
  },
);
