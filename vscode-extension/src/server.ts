/** Which server is started. Nothing here asks the editor: what it needs of it is passed in. */
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import * as path from 'node:path';

import { expand, type StartSettings } from './settings';

const PROBE_TIMEOUT_MS = 5000;
const PROBE = "import importlib.util, sys; sys.exit(importlib.util.find_spec('promptls') is None)";

/** A command that starts the server, and what made it the one. */
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

/** No server: `problem` is one sentence for people. */
export interface NotFound {
  found: false;
  problem: string;
}

/** What the resolution looks at. */
export interface Surroundings {
  settings: StartSettings;
  trusted: boolean;
  /** The first workspace folder. */
  folder: string | undefined;
  home: string;
  /** The Python of the environment that is active for the workspace, if the editor knows of one. */
  activeInterpreter(): Promise<string | undefined>;
  /** Whether promptls can be imported by this Python. */
  hasServer(interpreter: string): Promise<boolean>;
  /** The full path of an executable on the search path. */
  onPath(name: string): Promise<string | undefined>;
  /** The Python of the environment that the extension has made for itself. */
  ownInterpreter(): Promise<string | undefined>;
}

const SERVE = ['-P', '-m', 'promptls', 'serve'];

/**
 * Finds the server; the first of these that is there is taken:
 *
 * 1. the command of the setting `promptls.path`;
 * 2. the Python of the setting `promptls.interpreter`, or, where that is empty and the workspace is trusted,
 *    the Python of the environment active for the workspace, if promptls can be imported by it (an active
 *    environment often lies inside the workspace, so to run it is to run the workspace's code);
 * 3. `promptls` on the search path;
 * 4. the environment that this extension has made, if it was let.
 *
 * A Python is started with `-P`, else a file of the workspace could stand in for a module of the server.
 */
export async function findServer(around: Surroundings): Promise<Found | NotFound> {
  const { settings } = around;

  const [command, ...args] = settings.path.map((item) => expand(item, around.folder, around.home));
  if (command) return { found: true, because: 'promptls.path', command, args };

  const chosen = expand(settings.interpreter, around.folder, around.home);
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
  if (own) return { found: true, because: 'the environment of this extension', command: own, args: SERVE };

  const looked = interpreter ? `neither in ${interpreter} nor on the search path` : 'not on the search path';
  return { found: false, problem: `The server is not installed: promptls is ${looked}.` };
}

/** Asks a Python whether it has promptls, without running promptls; a Python that does not answer has not. */
export function hasServer(interpreter: string, cwd: string): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { cwd, timeout: PROBE_TIMEOUT_MS, windowsHide: true };
    execFile(interpreter, ['-P', '-c', PROBE], options, (error) => {
      resolve(error === null);
    });
  });
}

/** Looks an executable up in PATH. Relative entries are passed over: they would mean the workspace. */
export async function onPath(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  for (const folder of (env.PATH ?? '').split(path.delimiter).filter((entry) => path.isAbsolute(entry))) {
    const candidate = path.join(folder, file);
    const usable = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (usable) return candidate;
  }
  return undefined;
}
