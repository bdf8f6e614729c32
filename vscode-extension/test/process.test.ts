import assert from 'node:assert/strict';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { test } from 'node:test';

import { end, ended, launch } from '../src/process';

const node = (script: string) => launch(process.execPath, ['-e', script], tmpdir());

test('a command that is not there is one sentence', async () => {
  await assert.rejects(
    launch('/nowhere/promptls', [], tmpdir()),
    /^Error: The server could not be started: \/nowhere\/promptls fails with ENOENT\.$/,
  );
});

test('how a process has ended is one sentence', async () => {
  assert.equal(await ended(await node('process.exit(3)')), 'The server exited with code 3.');
});

test('a process that does not listen is ended', { skip: process.platform === 'win32' }, async () => {
  const child = await node("process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')");
  await once(child.stdout, 'data');
  await end(child);
  assert.equal(await ended(child), 'The server was terminated by SIGKILL.');
});

test('a process that has ended is left alone', async () => {
  const child = await node('');
  await ended(child);
  await end(child);
  assert.equal(child.exitCode, 0);
});
