/** What the user has chosen here. It is kept for the user: nothing is written into the folder. */
import type { Settings } from './protocol';

/** Where it is kept; VS Code's `Memento` of a workspace is one. */
export interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const HARNESS = 'harness';
const HARNESSES = 'harnesses';
const ANSWERED = 'answeredWhichHarnesses';

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

  /** The harnesses in use; empty: none are chosen. */
  get harnesses(): string[] {
    const kept = this.memory.get(HARNESSES);
    return Array.isArray(kept) ? kept.filter((each) => typeof each === 'string') : [];
  }

  /** Whether the question which harnesses are in use has been answered, if only with “none”. */
  get isAnswered(): boolean {
    return this.memory.get(ANSWERED) === true;
  }

  async show(harness: string): Promise<void> {
    await this.memory.update(HARNESS, harness || undefined);
    this.changed();
  }

  async use(harnesses: string[]): Promise<void> {
    await this.memory.update(HARNESSES, harnesses.length > 0 ? harnesses : undefined);
    await this.answer();
  }

  async answer(): Promise<void> {
    await this.memory.update(ANSWERED, true);
    this.changed();
  }

  /** Settings with what is chosen in the place of what they say. */
  over(settings: Settings): Settings {
    const { harness, harnesses } = this;
    return { ...settings, ...(harness && { harness }), ...(harnesses.length > 0 && { harnesses }) };
  }
}
