import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { SETTING_KEYS } from '../src/protocol';
import { type Configuration, expand, serverSettings, START_KEYS, startSettings } from '../src/settings';

function configuration(values: Record<string, { user?: unknown; workspace?: unknown }>): Configuration {
  return {
    get: (key) => values[key]?.workspace ?? values[key]?.user,
    inspect: (key) => ({ globalValue: values[key]?.user }),
  };
}

test('a trusted workspace chooses the server', () => {
  const values = configuration({
    path: { user: ['mine'], workspace: ['theirs'] },
    interpreter: { workspace: ' python ' },
  });
  assert.deepEqual(startSettings(values, true), { path: ['theirs'], interpreter: 'python' });
});

test('a workspace that is not trusted does not choose the server', () => {
  const values = configuration({
    path: { user: ['mine'], workspace: ['theirs'] },
    interpreter: { workspace: 'python' },
  });
  assert.deepEqual(startSettings(values, false), { path: ['mine'], interpreter: '' });
});

test('settings of a wrong type count as not set', () => {
  const values = configuration({ path: { user: 'promptls' }, interpreter: { user: 3 } });
  assert.deepEqual(startSettings(values, true), { path: [], interpreter: '' });
});

test('the server gets its own settings only, and no empty strings', () => {
  const raw = {
    harness: 'etcode',
    model: '',
    args: [],
    urls: { enabled: false, slowMs: 5 },
    path: ['x'],
    interpreter: 'y',
    trace: { server: 'off' },
  };
  assert.deepEqual(serverSettings(raw), {
    harness: 'etcode',
    args: [],
    urls: { enabled: false, slowMs: 5 },
  });
  assert.deepEqual(serverSettings(undefined), {});
});

test('package.json has the settings of the server, those that choose it, and the trace', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
    contributes: { configuration: { properties: Record<string, unknown> } };
    capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
  };
  const expected = [...SETTING_KEYS, ...START_KEYS, 'trace.server'].map((key) => `promptls.${key}`);
  assert.deepEqual(Object.keys(manifest.contributes.configuration.properties).sort(), expected.sort());
  assert.deepEqual(
    manifest.capabilities.untrustedWorkspaces.restrictedConfigurations,
    START_KEYS.map((key) => `promptls.${key}`),
  );
});

test('variables of a setting are put in full', () => {
  assert.equal(expand('${workspaceFolder}/.venv/bin/python', '/w', '/h'), '/w/.venv/bin/python');
  assert.equal(expand('~/bin/promptls', '/w', '/h'), '/h/bin/promptls');
  assert.equal(expand('a~/b', undefined, '/h'), 'a~/b');
});
