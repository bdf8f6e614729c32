import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { MINIMUM_VERSION, versionProblem } from '../src/version';

test('a version that is new enough is no problem', () => {
  for (const version of ['1.2', '1.2.0', '1.2.1', '1.10', '2.0.0rc1', 'v1.2']) {
    assert.equal(versionProblem(version, '1.2'), undefined, version);
  }
});

test('an older version, or none, is one sentence that says what to do', () => {
  assert.match(versionProblem('1.1.9', '1.2') ?? '', /^promptls 1\.1\.9 is too old.* install promptls 1\.2/);
  assert.match(versionProblem(undefined, '1.2') ?? '', /does not report its version: install/);
  assert.match(versionProblem('unknown', '1.2') ?? '', /does not report its version: install/);
});

test('the minimum is not newer than this extension', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  assert.equal(versionProblem(version, MINIMUM_VERSION), undefined);
});
