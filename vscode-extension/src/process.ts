/**
 * The server's process. It is started here and not by the LSP client, which would look a relative command up in
 * the workspace first: that would run a file of the workspace.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

const END_MS = 1000;

export type ServerProcess = ChildProcessWithoutNullStreams;

/** Starts a command; throws an error with one sentence as its message where that is not possible. */
export async function launch(command: string, args: string[], cwd: string): Promise<ServerProcess> {
  const child = spawn(command, args, { cwd, windowsHide: true });
  child.stdin.on('error', () => undefined); // a server that has ended; `ended` tells of it
  try {
    await once(child, 'spawn');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`The server could not be started: ${command} gives ${code}.`, { cause: error });
  }
  return child;
}

/** Settles when the process has ended, with a sentence that says how. */
export async function ended(child: ServerProcess): Promise<string> {
  if (isRunning(child)) await once(child, 'exit');
  return child.signalCode === null
    ? `The server has ended with exit code ${child.exitCode}.`
    : `The server was ended by ${child.signalCode}.`;
}

/** Ends a process that was told to end already and may not have listened. */
export async function end(child: ServerProcess): Promise<void> {
  await Promise.race([ended(child), delay(END_MS, undefined, { ref: false })]);
  if (isRunning(child)) child.kill('SIGKILL');
}

function isRunning(child: ServerProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}
