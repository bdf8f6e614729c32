import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { test, type TestContext } from 'node:test';

import { findWheel, install, InstallationError, installed, type Means } from '../src/installation';

const WHEEL = 'promptls-0.2.0-py3-none-any.whl';
/** Stands for a Python that makes an environment, in which this same script is the Python. */
const PYTHON = `
echo "$0 $*" >> "$CALLS"
case "$*" in
*version_info*) echo "3 12" ;;
*"-m venv"*) for last; do :; done; mkdir -p "$last/bin"; cp "$0" "$last/bin/python" ;;
*"-m pip install"*) echo "Successfully installed promptls" ;;
*) exit 9 ;;
esac`;
const posix = { skip: process.platform === 'win32' };

interface Scene {
  means: Means;
  storage: string;
  steps: string[];
  abort: AbortController;
  /** The commands that were run, less the folder they are in. */
  calls: () => string[];
}

/** A search path with nothing but `programs`: name to a script. */
function scene(t: TestContext, programs: Record<string, string>): Scene {
  const folder = mkdtempSync(path.join(tmpdir(), 'promptls-'));
  t.after(() => {
    rmSync(folder, { recursive: true });
  });
  const storage = path.join(folder, 'storage');
  const bin = path.join(folder, 'bin');
  mkdirSync(bin);
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(path.join(bin, name), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`);
    chmodSync(path.join(bin, name), 0o755);
  }
  const calls = path.join(folder, 'calls');
  writeFileSync(calls, '');
  const abort = new AbortController();
  const steps: string[] = [];
  const means = {
    wheel: { file: path.join(folder, WHEEL), version: '0.2.0' },
    storage,
    env: { PATH: bin, CALLS: calls },
    signal: abort.signal,
    progress: (step: string) => steps.push(step),
    log: () => undefined,
  };
  return {
    means,
    storage,
    steps,
    abort,
    calls: () => readFileSync(calls, 'utf8').replaceAll(`${folder}/`, '').trim().split('\n'),
  };
}

async function problem({ means, storage }: Scene): Promise<string> {
  try {
    await install(means);
  } catch (error) {
    assert.ok(error instanceof InstallationError, String(error));
    assert.deepEqual(await installed(storage), []);
    assert.deepEqual(existsSync(storage) ? readdirSync(storage) : [], [], 'something is left');
    return error.message;
  }
  return assert.fail('it was installed');
}

test('the wheel is found by its name', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'promptls-'));
  t.after(() => {
    rmSync(folder, { recursive: true });
  });
  assert.equal(await findWheel(folder), undefined);
  assert.equal(await findWheel(path.join(folder, 'nowhere')), undefined);
  for (const name of ['other-1.0-py3-none-any.whl', 'promptls-0.2.0.tar.gz', WHEEL]) {
    writeFileSync(path.join(folder, name), '');
  }
  assert.deepEqual(await findWheel(folder), { file: path.join(folder, WHEEL), version: '0.2.0' });
});

test('with a Python, the wheel is installed into an environment of its own', posix, async (t) => {
  const { means, storage, steps, calls } = scene(t, { python3: PYTHON });
  const python = path.join(storage, 'server-0.2.0/bin/python');
  assert.deepEqual(await install(means), { python, version: '0.2.0' });
  assert.deepEqual(await installed(storage), [{ python, version: '0.2.0' }]);
  assert.deepEqual(calls().slice(1), [
    'bin/python3 -I -m venv storage/server-0.2.0',
    'storage/server-0.2.0/bin/python -I -m pip install --no-input --disable-pip-version-check --retries 2 ' +
      WHEEL,
  ]);
  assert.deepEqual(steps, ['Looking for Python…', 'Creating an environment…', 'Installing packages…']);
});

test('uv goes before any Python', posix, async (t) => {
  const { means, calls } = scene(t, {
    python3: PYTHON,
    uv: 'echo "$0 $*" >> "$CALLS"; for last; do :; done; [ "$1" = pip ] || mkdir -p "$last"',
  });
  await install(means);
  assert.deepEqual(calls(), [
    'bin/uv venv --no-project --python >=3.11 storage/server-0.2.0',
    `bin/uv pip install --python storage/server-0.2.0/bin/python ${WHEEL}`,
  ]);
});

test('the newest Python that works is taken', posix, async (t) => {
  const { means, calls } = scene(t, {
    'python3.13': 'exit 127', // a shim for a version that is not there
    'python3.12': 'echo "3 12 ensurepip"',
    'python3.11': PYTHON,
    python3: 'echo "3 9"',
  });
  await install(means);
  assert.match(calls()[1] ?? '', /^bin\/python3\.11 -I -m venv/);
});

test('another version takes the place of the one before, whole or not', posix, async (t) => {
  const { means, storage } = scene(t, { python3: PYTHON });
  await install({ ...means, wheel: { ...means.wheel, version: '0.1.0' } });
  mkdirSync(path.join(storage, 'server-0.2.0/bin'), { recursive: true });
  writeFileSync(path.join(storage, 'server-0.2.0/left'), '');
  writeFileSync(path.join(storage, 'other'), '');
  assert.deepEqual(
    (await installed(storage)).map(({ version }) => version),
    ['0.1.0'],
  );
  await install(means);
  assert.deepEqual(readdirSync(storage).sort(), ['other', 'server-0.2.0']);
  assert.deepEqual(readdirSync(path.join(storage, 'server-0.2.0')).sort(), ['bin', 'ready']);
});

const PROBLEMS: [string, Record<string, string>, RegExp][] = [
  ['no Python', {}, /^No Python was found: install Python 3\.11 or newer, or uv\.$/],
  [
    'a Python that is too old',
    { python3: 'echo "3 9"', python: 'echo "2 7"' },
    /^Python 3\.9 is too old for promptls: install Python 3\.11 or newer, or uv\.$/,
  ],
  [
    'a Python without ensurepip',
    { python3: 'echo "3 12 ensurepip"', python: 'echo "3 9"' },
    /^\/.*\/python3 has no module ensurepip: install your system's package for it, such as python3-venv, or uv\.$/,
  ],
  [
    'a Python without venv',
    { python3: 'echo "3 12 venv ensurepip"' },
    /has no module venv and no ensurepip: /,
  ],
  [
    'no network',
    {
      python3: PYTHON.replace(
        'echo "Successfully',
        'echo "Temporary failure in name resolution" >&2; exit 1; "',
      ),
    },
    /^The packages that promptls needs could not be fetched: check the network, then try again\.$/,
  ],
  [
    'anything else',
    { python3: PYTHON.replace('mkdir -p', 'exit 1; mkdir') },
    /^python3 could not install promptls: see the log\.$/,
  ],
  [
    'uv that fails',
    { uv: 'for last; do :; done; mkdir -p "$last"; echo "error sending request for url"; exit 2' },
    /^The packages that promptls needs could not be fetched/,
  ],
];

for (const [name, programs, expected] of PROBLEMS) {
  test(`${name}: one sentence, and nothing is left`, posix, async (t) => {
    assert.match(await problem(scene(t, programs)), expected);
  });
}

test('a cancelled installation ends what runs, and leaves nothing', posix, async (t) => {
  const found = scene(t, { python3: PYTHON.replace('echo "Successfully', 'sleep 60; echo "') });
  found.means.progress = (step) => {
    if (step.startsWith('Installing'))
      setImmediate(() => {
        found.abort.abort();
      });
  };
  const start = Date.now();
  assert.equal(await problem(found), 'The installation was cancelled.');
  assert.ok(Date.now() - start < 30_000, 'it was waited for');
});

test('one that was cancelled before it began does nothing', posix, async (t) => {
  const found = scene(t, { python3: PYTHON });
  found.abort.abort();
  assert.equal(await problem(found), 'The installation was cancelled.');
  assert.deepEqual(found.calls(), ['']);
});
