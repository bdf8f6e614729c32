/** Which server is started. Nothing here asks the editor: what it needs of it is passed in. */
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import * as path from 'node:path';

import { expand, type StartSettings } from './settings';

const PROBE_TIMEOUT_MS = 5000;
const PROBE = "import importlib.util, sys; sys.exit(importlib.util.find_spec('promptls') is None)";

/** A command that starts the server, and why it was chosen. */
export interface Found {
  found: true;
  because:
    | 'promptls.path'
    | 'promptls.interpreter'
    | 'the active environment'
    | 'the search path'
    | 'the environment of this extension';
  command: string;
  args: string[];
}

/** No server: `problem` is one sentence for the user. */
export interface NotFound {
  found: false;
  problem: string;
}

/** What the search for the server needs. */
export interface Surroundings {
  settings: StartSettings;
  trusted: boolean;
  /** The first workspace folder. */
  folder: string | undefined;
  /** Whether a program, or a file given to it, may be used if the workspace is not trusted. */
  mayStart(file: string): Promise<boolean>;
  home: string;
  /** The Python of the environment that is active for the workspace, if the editor knows one. */
  activeInterpreter(): Promise<string | undefined>;
  /** Whether promptls can be imported by this Python. */
  hasServer(interpreter: string): Promise<boolean>;
  /** The full path of an executable on the search path. */
  onPath(name: string): Promise<string | undefined>;
  /** The Python of the extension's own environment. */
  ownInterpreter(): Promise<string | undefined>;
}

const SERVE = ['-P', '-m', 'promptls', 'serve'];

/** The first program that was named and may not be started, if any. */
async function refused(around: Surroundings, files: string[]): Promise<NotFound | undefined> {
  if (around.trusted) return undefined;
  for (const file of files.filter((each) => path.isAbsolute(each))) {
    if (await around.mayStart(file)) continue;
    const problem = `The server is not started: ${file} is in an untrusted folder.`;
    return { found: false, problem };
  }
  return undefined;
}

/**
 * Finds the server; uses the first of these that exists:
 *
 * 1. the command of the setting `promptls.path`;
 * 2. the Python of the setting `promptls.interpreter`, or, where that is empty and the workspace is trusted,
 *    the Python of the environment active for the workspace, if promptls can be imported by it (an active
 *    environment often lies inside the workspace, so to run it is to run the workspace's code);
 * 3. `promptls` on the search path;
 * 4. the extension's own environment, if the user let it create one.
 *
 * In an untrusted workspace, nothing inside it is used.
 *
 * Python is started with `-P`; otherwise a file in the workspace could replace a module of the server.
 */
export async function findServer(around: Surroundings): Promise<Found | NotFound> {
  const { settings } = around;

  const [command, ...args] = settings.path.map((item) => expand(item, around.folder, around.home));
  if (command) return chosenCommand(around, command, args);

  const chosen = expand(settings.interpreter, around.folder, around.home);
  const refusal = await refused(around, [chosen]);
  if (refusal !== undefined) return refusal;
  const active = !chosen && around.trusted ? await around.activeInterpreter() : undefined;
  const interpreter = chosen || active;
  if (interpreter && (await around.hasServer(interpreter))) {
    return {
      found: true,
      because: chosen ? 'promptls.interpreter' : 'the active environment',
      command: interpreter,
      args: SERVE,
    };
  }

  const executable = await around.onPath('promptls');
  if (executable) return { found: true, because: 'the search path', command: executable, args: ['serve'] };

  const own = await around.ownInterpreter();
  if (own && (around.trusted || (await around.mayStart(own))))
    return { found: true, because: 'the environment of this extension', command: own, args: SERVE };

  const looked = interpreter ? `neither in ${interpreter} nor on the search path` : 'not on the search path';
  return { found: false, problem: `The server is not installed: promptls is ${looked}.` };
}

/** The command of the settings. Where the workspace is not trusted, a bare name is looked up here, as one may be. */
async function chosenCommand(
  around: Surroundings,
  command: string,
  args: string[],
): Promise<Found | NotFound> {
  const refusal = await refused(around, [command, ...args]);
  if (refusal !== undefined) return refusal;
  if (around.trusted || path.isAbsolute(command)) {
    return { found: true, because: 'promptls.path', command, args };
  }
  const found = /[/\\]/.test(command) ? undefined : await around.onPath(command);
  if (found) return { found: true, because: 'promptls.path', command: found, args };
  return { found: false, problem: `The server is not started: ${command} is not on the search path.` };
}

/** Asks a Python whether it has promptls, without running promptls; no answer means no. */
export function hasServer(
  interpreter: string,
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { cwd, env, timeout: PROBE_TIMEOUT_MS, windowsHide: true };
    execFile(interpreter, ['-P', '-c', PROBE], options, (error) => {
      resolve(error === null);
    });
  });
}

/**
 * Looks an executable up in PATH. Relative entries are passed over: they would mean the workspace; and so is what may
 * not be started.
 */
export async function onPath(
  name: string,
  env: NodeJS.ProcessEnv,
  mayStart: (file: string) => Promise<boolean> = () => Promise.resolve(true),
): Promise<string | undefined> {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  for (const folder of (env.PATH ?? '').split(path.delimiter).filter((entry) => path.isAbsolute(entry))) {
    const candidate = path.join(folder, file);
    const usable = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (usable && (await mayStart(candidate))) return candidate;
  }
  return undefined;
}
