/**
 * The server's process. It is started here and not by the LSP client, which would first look up a relative command
 * in the workspace, and so run a file of the workspace.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

const END_MS = 1000;

export type ServerProcess = ChildProcessWithoutNullStreams;

/** Starts a command; if that fails, throws an error with one sentence as its message. */
export async function launch(
  command: string,
  args: string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ServerProcess> {
  const child = spawn(command, args, { cwd, env, windowsHide: true });
  child.stdin.on('error', () => undefined); // a server that has exited; `ended` reports it
  try {
    await once(child, 'spawn');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`The server could not be started: ${command} fails with ${code}.`, { cause: error });
  }
  return child;
}

/** Settles when the process has exited, with a sentence that says how. */
export async function ended(child: ServerProcess): Promise<string> {
  if (isRunning(child)) await once(child, 'exit');
  return child.signalCode === null
    ? `The server exited with code ${child.exitCode}.`
    : `The server was terminated by ${child.signalCode}.`;
}

/** Kills a process that was already asked to exit and may not have done so. */
export async function end(child: ServerProcess): Promise<void> {
  await Promise.race([ended(child), delay(END_MS, undefined, { ref: false })]);
  if (isRunning(child)) child.kill('SIGKILL');
}

function isRunning(child: ServerProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}
