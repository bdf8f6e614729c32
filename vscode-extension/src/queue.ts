/**
 * Runs one job, never twice at a time: a request made while it runs makes it run once more after, however
 * many requests there were.
 */
export class OneAtATime {
  private running: Promise<void> | undefined;
  private next: Promise<void> | undefined;

  constructor(private readonly job: () => Promise<void>) {}

  /** Settles as the run that this request brought about does. */
  request(): Promise<void> {
    if (this.running === undefined) {
      this.running = this.job().finally(() => (this.running = undefined));
      return this.running;
    }
    this.next ??= this.running
      .catch(() => undefined) // its own requesters hear of it
      .then(() => {
        this.next = undefined;
        return this.request();
      });
    return this.next;
  }

  /** Settles when nothing runs and nothing is queued. */
  idle(): Promise<void> {
    return this.next ?? this.running ?? Promise.resolve();
  }
}
