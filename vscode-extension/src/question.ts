/** Questions that are asked once in a workspace, whatever the answer is. */

/** What a workspace keeps; VS Code's `Memento` is one. */
export interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** Asks the question called `name` unless it has been asked before, or is not open now. */
export async function askOnce(
  memory: Memory,
  name: string,
  isOpen: () => Promise<boolean>,
  ask: () => Promise<void>,
): Promise<void> {
  if (memory.get(name) === true || !(await isOpen())) return;
  // Before the answer: a message that is closed is an answer too.
  await memory.update(name, true);
  await ask();
}
