import assert from 'node:assert/strict';
import { test } from 'node:test';

import { OneAtATime } from '../src/queue';
import { CrashCount, Restarts } from '../src/restart';

/** A server whose start waits for `release`, and which notes what is done with it. */
function recorder(targets: unknown[]) {
  const done: string[] = [];
  const waiting: (() => void)[] = [];
  let running = 0;
  const restarts = new Restarts<unknown>({
    resolve: () => Promise.resolve(targets.length > 1 ? targets.shift() : targets[0]),
    stop: () => {
      done.push('stop');
      return Promise.resolve();
    },
    start: async (target) => {
      assert.equal(++running, 1, 'two starts at a time');
      done.push(`start ${JSON.stringify(target)}`);
      await new Promise<void>((resolve) => waiting.push(resolve));
      running--;
    },
  });
  const release = async (): Promise<void> => {
    while (waiting.length === 0) await new Promise(setImmediate);
    waiting.shift()?.();
  };
  return { restarts, done, release };
}

test('another start only where the target has changed', async () => {
  const { restarts, done, release } = recorder([{ a: 1 }, { a: 1 }, { a: 2 }]);
  await Promise.all([restarts.request(), release()]);
  await restarts.request();
  assert.deepEqual(done, ['stop', 'start {"a":1}']);
  await Promise.all([restarts.request(), release()]);
  assert.deepEqual(done.slice(2), ['stop', 'start {"a":2}']);
});

test('a forced request starts anew in any case', async () => {
  const { restarts, done, release } = recorder([1]);
  await Promise.all([restarts.request(), release()]);
  await Promise.all([restarts.request(true), release()]);
  assert.deepEqual(done, ['stop', 'start 1', 'stop', 'start 1']);
});

test('requests made during a start become one more start', async () => {
  const { restarts, done, release } = recorder([1, 2, 3]);
  const requests = [restarts.request(), restarts.request(), restarts.request(), restarts.request()];
  await release();
  await release();
  await Promise.all(requests);
  assert.deepEqual(done, ['stop', 'start 1', 'stop', 'start 2']);
});

test('after dispose nothing starts', async () => {
  const { restarts, done, release } = recorder([1]);
  const first = restarts.request();
  const second = restarts.request(true);
  const end = restarts.dispose();
  await release();
  await Promise.all([first, second, end]);
  await restarts.request(true);
  assert.deepEqual(
    done.filter((step) => step !== 'stop'),
    ['start 1'],
  );
  assert.equal(done.at(-1), 'stop');
});

test('a job that fails does not stop the next', async () => {
  let runs = 0;
  const queue = new OneAtATime(() => (++runs === 1 ? Promise.reject(new Error('no')) : Promise.resolve()));
  const first = queue.request();
  const second = queue.request();
  await assert.rejects(first, /no/);
  await second;
  await queue.idle();
  assert.equal(runs, 2);
});

test('five crashes in three minutes are too many', () => {
  const minute = 60_000;
  const quick = new CrashCount();
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((time) => quick.isTooMany(time)),
    [false, false, false, false, true],
  );
  const slow = new CrashCount();
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6].map((time) => slow.isTooMany(time * minute)),
    [false, false, false, false, false, false, false],
  );
});
