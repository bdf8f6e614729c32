/**
 * The server in the extension's own Python environment, made from the wheel that is bundled with the extension.
 * Nothing here asks the user or depends on the editor.
 */
import { spawn } from 'node:child_process';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import * as path from 'node:path';

import { onPath } from './server';

const PREFIX = 'server-';
/** Written last: an environment without it is incomplete. */
const READY = 'ready';
const WHEEL = /^promptls-(?<version>[^-]+)-py3-none-any\.whl$/;
const OLDEST_PYTHON = [3, 11] as const;
/** The newest first; a pyenv shim may exist but not work. */
const PYTHONS = ['python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3', 'python', 'py'];
/** Prints the version, and the required modules that are missing: some systems package them separately. */
const ASK_PYTHON =
  'import sys, importlib.util as u; ' +
  "print(*sys.version_info[:2], *(m for m in ('venv', 'ensurepip') if u.find_spec(m) is None))";
const NETWORK =
  /name resolution|getaddrinfo|dns error|error sending request|Failed to (fetch|establish)|Connection|timed out|Max retries|ProxyError|SSLError|CERTIFICATE|Could not find a version/;

/** The wheel of the server that is bundled with this extension. */
export interface Wheel {
  file: string;
  version: string;
}

/** A server that was installed: the Python of its environment. */
export interface Installed {
  python: string;
  version: string;
}

/** What an installation needs. */
export interface Means {
  wheel: Wheel;
  /** The folder for environments; commands run in it, because it is outside the workspace. */
  storage: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  /** Shows the user what is being done. */
  progress: (step: string) => void;
  /** Receives the output of the commands. */
  log: (text: string) => void;
}

/** Why there is no server now: its message is one sentence for the user. */
export class InstallationError extends Error {}

/** The wheel in a folder; undefined if there is none. */
export async function findWheel(folder: string): Promise<Wheel | undefined> {
  for (const name of await names(folder)) {
    const version = WHEEL.exec(name)?.groups?.version;
    if (version !== undefined) return { file: path.join(folder, name), version };
  }
  return undefined;
}

/** The complete environments that were made here. */
export async function installed(storage: string): Promise<Installed[]> {
  const found = [];
  for (const name of await names(storage)) {
    const directory = path.join(storage, name);
    if (!name.startsWith(PREFIX) || !(await exists(path.join(directory, READY)))) continue;
    found.push({ python: pythonOf(directory), version: name.slice(PREFIX.length) });
  }
  return found;
}

/**
 * Creates the environment of the wheel's version and removes every other one. Uses uv if available, otherwise a
 * Python that is new enough. If that fails, throws an InstallationError and leaves no files.
 */
export async function install(means: Means): Promise<Installed> {
  const { wheel, storage, signal } = means;
  const directory = path.join(storage, PREFIX + wheel.version);
  const python = pythonOf(directory);
  try {
    await remove(directory);
    await mkdir(storage, { recursive: true });
    const uv = await onPath('uv', means.env);
    await (uv === undefined ? withPython(means, directory) : withUv(means, uv, directory));
    await writeFile(path.join(directory, READY), '');
  } catch (error) {
    await remove(directory);
    if (signal.aborted) throw new InstallationError('The installation was cancelled.');
    if (error instanceof InstallationError) throw error;
    const says = error instanceof Error ? error.message : String(error);
    throw new InstallationError(`promptls could not be installed: ${says}`);
  }
  await removeOthers(storage, path.basename(directory));
  return { python, version: wheel.version };
}

async function withUv(means: Means, uv: string, directory: string): Promise<void> {
  means.progress('Creating an environment with uv…');
  const oldest = `>=${OLDEST_PYTHON.join('.')}`;
  await must(means, uv, ['venv', '--no-project', '--python', oldest, directory]);
  means.progress('Installing packages with uv…');
  await must(means, uv, ['pip', 'install', '--python', pythonOf(directory), means.wheel.file]);
}

async function withPython(means: Means, directory: string): Promise<void> {
  means.progress('Looking for Python…');
  const python = await findPython(means);
  means.progress('Creating an environment…');
  await must(means, python, ['-I', '-m', 'venv', directory]);
  means.progress('Installing packages…');
  const options = ['--no-input', '--disable-pip-version-check', '--retries', '2'];
  await must(means, pythonOf(directory), ['-I', '-m', 'pip', 'install', ...options, means.wheel.file]);
}

/** A Python that can create the environment; throws what is wrong with the best one found. */
async function findPython(means: Means): Promise<string> {
  const lacking: string[] = [];
  const old: string[] = [];
  for (const name of PYTHONS) {
    const python = await onPath(name, means.env);
    if (python === undefined) continue;
    const { code, output } = await run(means, python, ['-I', '-c', ASK_PYTHON]);
    const [major, minor, ...missing] = output.trim().split(' ');
    if (code !== 0 || major === undefined || minor === undefined) continue;
    if (isOld(Number(major), Number(minor))) old.push(`Python ${major}.${minor}`);
    else if (missing.length === 0) return python;
    else lacking.push(`${python} has no module ${missing.join(' and no ')}`);
  }
  if (lacking[0] !== undefined) {
    throw new InstallationError(
      `${lacking[0]}: install your system's package for it, such as python3-venv, or uv.`,
    );
  }
  const problem = old[0] === undefined ? 'No Python was found' : `${old[0]} is too old for promptls`;
  throw new InstallationError(`${problem}: install Python ${OLDEST_PYTHON.join('.')} or newer, or uv.`);
}

function isOld(major: number, minor: number): boolean {
  const [oldestMajor, oldestMinor] = OLDEST_PYTHON;
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

async function must(means: Means, command: string, args: string[]): Promise<void> {
  const { code, output } = await run(means, command, args);
  if (code === 0) return;
  if (NETWORK.test(output)) {
    throw new InstallationError(
      'The packages that promptls needs could not be fetched: check the network, then try again.',
    );
  }
  throw new InstallationError(`${path.basename(command)} could not install promptls: see the log.`);
}

/** Runs a command to its end, or kills it and its child processes when the installation is cancelled. */
async function run(
  { storage, env, signal, log }: Means,
  command: string,
  args: string[],
): Promise<{ code: number | null; output: string }> {
  signal.throwIfAborted();
  log(`${command} ${args.join(' ')}`);
  const isGroup = process.platform !== 'win32';
  const child = spawn(command, args, { cwd: storage, env, windowsHide: true, detached: isGroup });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      log(text.trimEnd());
    });
  }
  child.stdin.end();
  const stop = () => {
    try {
      if (isGroup && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      else child.kill('SIGKILL');
    } catch {
      // it has exited meanwhile
    }
  };
  signal.addEventListener('abort', stop);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    signal.throwIfAborted();
    return { code, output };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function removeOthers(storage: string, keep: string): Promise<void> {
  for (const name of await names(storage)) {
    if (name.startsWith(PREFIX) && name !== keep) await remove(path.join(storage, name));
  }
}

/** A file that is in use, as on Windows, is left until the next time. */
async function remove(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
}

function pythonOf(directory: string): string {
  return process.platform === 'win32'
    ? path.join(directory, 'Scripts', 'python.exe')
    : path.join(directory, 'bin', 'python');
}

async function names(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).sort();
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
