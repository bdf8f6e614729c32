/** When the server is restarted: one start at a time, and only if something relevant has changed. */
import { isDeepStrictEqual } from 'node:util';

import { OneAtATime } from './queue';

/** What a start needs from outside. `Target` is everything that a running server depends on. */
export interface Steps<Target> {
  resolve(): Promise<Target>;
  stop(): Promise<void>;
  start(target: Target): Promise<void>;
}

export class Restarts<Target> {
  private current: { target: Target } | undefined;
  private forced = false;
  private disposed = false;
  private readonly queue = new OneAtATime(() => this.restart());

  constructor(private readonly steps: Steps<Target>) {}

  /** Starts the server, or restarts it if another one should run now; `force`: in any case. */
  request(force = false): Promise<void> {
    this.forced ||= force;
    return this.queue.request();
  }

  /** Settles when every requested start is done. */
  idle(): Promise<void> {
    return this.queue.idle();
  }

  /** Stops the server for good: queued starts do nothing. */
  async dispose(): Promise<void> {
    this.disposed = true;
    await this.queue.request();
  }

  private async restart(): Promise<void> {
    if (this.disposed) {
      this.current = undefined;
      await this.steps.stop();
      return;
    }
    const forced = this.forced;
    this.forced = false;
    const target = await this.steps.resolve();
    if (!forced && this.current !== undefined && isDeepStrictEqual(this.current.target, target)) return;
    this.current = { target };
    await this.steps.stop();
    await this.steps.start(target);
  }
}

const CRASHES = 5;
const CRASHES_WITHIN_MS = 3 * 60 * 1000;

/** Counts crashes: a server that keeps crashing is not restarted forever. */
export class CrashCount {
  private times: number[] = [];

  /** Records a crash at `now` (milliseconds); returns whether there have been too many recently. */
  isTooMany(now: number): boolean {
    this.times = [...this.times.filter((time) => now - time < CRASHES_WITHIN_MS), now];
    return this.times.length >= CRASHES;
  }
}
