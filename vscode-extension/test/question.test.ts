import assert from 'node:assert/strict';
import { test } from 'node:test';

import { askOnce, type Memory } from '../src/question';

class Kept implements Memory {
  readonly values = new Map<string, unknown>();

  get(key: string): unknown {
    return this.values.get(key);
  }

  update(key: string, value: unknown): Promise<void> {
    this.values.set(key, value);
    return Promise.resolve();
  }
}

const open = (): Promise<boolean> => Promise.resolve(true);
const closed = (): Promise<boolean> => Promise.resolve(false);

test('a question is asked once, also by the next session', async () => {
  const memory = new Kept();
  const asked: string[] = [];
  const ask = (): Promise<void> => Promise.resolve(void asked.push('asked'));
  await askOnce(memory, 'programs', open, ask);
  await askOnce(memory, 'programs', open, ask);
  assert.deepEqual(asked, ['asked']);
  await askOnce(new Kept(), 'programs', open, ask);
  assert.deepEqual(asked, ['asked', 'asked']);
});

test('a question that is not open is not asked, and may be asked later', async () => {
  const memory = new Kept();
  const asked: string[] = [];
  const ask = (): Promise<void> => Promise.resolve(void asked.push('asked'));
  await askOnce(memory, 'programs', closed, ask);
  assert.deepEqual([asked, [...memory.values]], [[], []]);
  await askOnce(memory, 'programs', open, ask);
  assert.deepEqual(asked, ['asked']);
});

test('a message that is closed without an answer counts as asked', async () => {
  const memory = new Kept();
  const fails = (): Promise<void> => Promise.reject(new Error('closed'));
  await assert.rejects(askOnce(memory, 'programs', open, fails));
  assert.equal(memory.get('programs'), true);
});
