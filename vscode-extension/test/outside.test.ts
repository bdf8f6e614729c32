import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { test, type TestContext } from 'node:test';

import { environmentOutside, mayStart } from '../src/outside';
import { hasServer, onPath } from '../src/server';

const skip = process.platform === 'win32';

/** A workspace of two folders, one of them named by a link, and a place beside them. */
function lay(t: TestContext) {
  const top = realpathSync(mkdtempSync(path.join(tmpdir(), 'promptls-')));
  t.after(() => {
    rmSync(top, { recursive: true });
  });
  const at = (...names: string[]) => path.join(top, ...names);
  for (const name of ['shop/.venv/bin', 'real', 'bin', 'home']) mkdirSync(at(name), { recursive: true });
  symlinkSync(at('real'), at('linked'));
  const program = (name: string, text = '#!/bin/sh\n') => {
    writeFileSync(at(name), text);
    chmodSync(at(name), 0o755);
    return at(name);
  };
  return { at, program, folders: [at('shop'), at('linked')] };
}

test('what lies in the workspace is not started', { skip }, async (t) => {
  const { at, program, folders } = lay(t);
  const inside = program('shop/.venv/bin/promptls');
  assert.equal(await mayStart(inside, folders), false);
  assert.equal(await mayStart(at('shop/../shop/.venv/bin/promptls'), folders), false);
  assert.equal(await mayStart(program('real/promptls'), folders), false, 'a folder that is named by a link');
  assert.equal(await mayStart(at('linked/promptls'), folders), false);
  assert.equal(await mayStart(program('bin/promptls'), folders), true);
  assert.equal(await mayStart(at('shopping'), folders), true, 'a name that only begins alike');
});

test('no link on the way lies in the workspace', { skip }, async (t) => {
  const { at, program, folders } = lay(t);
  const outside = program('bin/promptls');
  symlinkSync(outside, at('shop/back'));
  symlinkSync(at('shop/back'), at('home/there-and-back'));
  symlinkSync(at('shop/.venv/bin'), at('home/bin'));
  symlinkSync(outside, at('home/promptls'));
  program('shop/.venv/bin/promptls');
  assert.equal(await mayStart(at('shop/back'), folders), false);
  assert.equal(await mayStart(at('home/there-and-back'), folders), false);
  assert.equal(await mayStart(at('home/bin/promptls'), folders), false);
  assert.equal(await mayStart(at('home/promptls'), folders), true);
  symlinkSync('loop', at('home/loop'));
  assert.equal(await mayStart(at('home/loop'), folders), true, 'it cannot be started at all');
});

test('the interpreter of a program does not lie in the workspace', { skip }, async (t) => {
  const { at, program, folders } = lay(t);
  const python = program('shop/.venv/bin/python');
  symlinkSync(python, at('home/python'));
  for (const text of [
    `#!${python}\n`,
    `#! ${python} -P\n`,
    `#!${at('home/python')}\n`,
    `#!/bin/sh\n'''exec' "${python}" "$0" "$@"\n' '''\n`,
  ]) {
    assert.equal(await mayStart(program('bin/promptls', text), folders), false, text);
  }
  assert.equal(await mayStart(program('bin/promptls', '#!/usr/bin/env python3\n'), folders), true);
});

test('an active environment of the workspace does not choose the server', { skip }, async (t) => {
  const { at, program, folders } = lay(t);
  program('shop/.venv/bin/promptls');
  const outside = program('bin/promptls');
  const env = { PATH: [at('shop/.venv/bin'), 'relative', '', at('bin')].join(path.delimiter) };
  assert.equal(await onPath('promptls', env, (file) => mayStart(file, folders)), outside);
  assert.equal(await onPath('promptls', env), at('shop/.venv/bin/promptls'), 'as where it is trusted');
});

test('the environment leads to nothing in the workspace', { skip }, async (t) => {
  const { at, folders } = lay(t);
  const env = {
    PATH: [at('shop/.venv/bin'), '.', '', at('bin')].join(path.delimiter),
    PYTHONPATH: [at('shop'), at('home')].join(path.delimiter),
    PYTHONHOME: at('real'),
    PYTHONUTF8: '1',
    LD_PRELOAD: at('shop/evil.so'),
    VIRTUAL_ENV: at('shop/.venv'),
    PWD: at('shop'),
    LANG: 'C',
  };
  assert.deepEqual(await environmentOutside(env, folders), {
    PATH: at('bin'),
    PYTHONPATH: at('home'),
    PYTHONUTF8: '1',
    PWD: at('shop'),
    LANG: 'C',
  });
});

test('a server whose modules would come from the workspace is not found there', { skip }, async (t) => {
  const { at, program, folders } = lay(t);
  // Stands for a Python: it has the server only where PYTHONPATH leads to the workspace.
  const python = program('bin/python', `#!/bin/sh\n[ "$PYTHONPATH" = '${at('shop')}' ]\n`);
  const env = { ...process.env, PYTHONPATH: at('shop') };
  assert.equal(await hasServer(python, at('home'), env), true);
  assert.equal(await hasServer(python, at('home'), await environmentOutside(env, folders)), false);
});
