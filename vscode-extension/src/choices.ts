/**
 * The harness whose prompt the user wants to see here. It is kept for the user: nothing is written into the folder.
 * Which harnesses they have is asked of the server, which keeps it for the terminal and for other editors, too.
 */
import type { Settings } from './protocol';

/** Where it is kept; VS Code's `Memento` of a workspace is one. */
export interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const HARNESS = 'harness';

export class Choices {
  constructor(
    private readonly memory: Memory,
    /** Called when there is another choice. */
    private readonly changed: () => void,
  ) {}

  /** The harness whose prompt to show; empty: none is chosen. */
  get harness(): string {
    const kept = this.memory.get(HARNESS);
    return typeof kept === 'string' ? kept : '';
  }

  async show(harness: string): Promise<void> {
    await this.memory.update(HARNESS, harness || undefined);
    this.changed();
  }

  /** Settings with what is chosen in the place of what they say. */
  over(settings: Settings): Settings {
    const { harness } = this;
    return { ...settings, ...(harness && { harness }) };
  }
}
