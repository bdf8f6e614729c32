/**
 * What is inside the workspace. In an untrusted workspace, nothing in it is started, and nothing in it decides what
 * is. Nothing here asks the editor.
 */
import { lstat, open, readlink, realpath } from 'node:fs/promises';
import * as path from 'node:path';

/** The number of links that operating systems follow. */
const MOST_LINKS = 40;
/** How much of a program is read: enough for the line that names its interpreter. */
const HEAD_BYTES = 4096;
const NAMED_INTERPRETER = /^#!\s*(\S+)/;
/** Variables that lead a program, its Python or its loader elsewhere. */
const LEADING = /^(PYTHON|LD_|DYLD_|VIRTUAL_ENV|CONDA|UV_|PIP_|NODE_)/;
const FOLDS_CASE = process.platform === 'win32' || process.platform === 'darwin';

/** Tells whether paths are inside given folders. */
export type IsInside = (file: string) => Promise<boolean>;

/** For these folders, by their own names and by the paths that their links lead to. */
export async function insideOf(folders: readonly string[]): Promise<IsInside> {
  const tops = await spellings(folders);
  return async (file) => {
    for (const step of await steps(path.resolve(file))) {
      if (tops.some((top) => isBelow(step, top))) return true;
    }
    return false;
  };
}

/**
 * Whether a program may be started beside these folders: neither it, nor a link on the way to it, nor its interpreter
 * lies in one of them.
 */
export async function mayStart(program: string, folders: readonly string[]): Promise<boolean> {
  const isInside = await insideOf(folders);
  if (await isInside(program)) return false;
  const head = await headOf(program);
  const interpreter = NAMED_INTERPRETER.exec(head)?.[1];
  if (interpreter === undefined) return true;
  // A long path is not in the first line: that names a shell, and the path is in the shell's command.
  const named = (await spellings(folders)).some((top) => folded(head).includes(top + path.sep));
  return !named && !(await isInside(interpreter));
}

/** The environment without variables that would lead a program into one of these folders. */
export async function environmentOutside(
  env: NodeJS.ProcessEnv,
  folders: readonly string[],
): Promise<NodeJS.ProcessEnv> {
  const isInside = await insideOf(folders);
  const outside: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    const isPath = name.toUpperCase() === 'PATH';
    if (!isPath && !LEADING.test(name)) {
      outside[name] = value;
      continue;
    }
    const kept: string[] = [];
    for (const entry of value.split(path.delimiter)) {
      const isOutside = path.isAbsolute(entry) ? !(await isInside(entry)) : !isPath && !/[/\\]/.test(entry);
      if (isOutside) kept.push(entry);
    }
    if (kept.length > 0) outside[name] = kept.join(path.delimiter);
  }
  return outside;
}

/** The folders by their names and by their resolved paths, for comparison. */
async function spellings(folders: readonly string[]): Promise<string[]> {
  const real = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  return [...new Set([...folders, ...real].map((folder) => folded(path.resolve(folder))))];
}

/** A path, and each path that it becomes as its links are followed one by one. */
async function steps(file: string): Promise<string[]> {
  const found = [file];
  let current = file;
  for (let count = 0; count < MOST_LINKS; count++) {
    const next = await follow(current);
    if (next === undefined) return found;
    found.push(next);
    current = next;
  }
  return found;
}

/** The path with its first link resolved; undefined if it has none. */
async function follow(file: string): Promise<string | undefined> {
  const { root } = path.parse(file);
  const names = file.slice(root.length).split(path.sep);
  let place = root;
  for (const [at, name] of names.entries()) {
    const above = place;
    place = path.join(place, name);
    const info = await lstat(place).catch(() => undefined);
    if (info?.isSymbolicLink() !== true) continue;
    const target = await readlink(place).catch(() => undefined);
    return target === undefined ? undefined : path.resolve(above, target, ...names.slice(at + 1));
  }
  return undefined;
}

function isBelow(file: string, top: string): boolean {
  const name = folded(file);
  return name === top || name.startsWith(top.endsWith(path.sep) ? top : top + path.sep);
}

function folded(file: string): string {
  return FOLDS_CASE ? file.toLowerCase() : file;
}

async function headOf(file: string): Promise<string> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (handle === undefined) return '';
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return '';
  } finally {
    await handle.close();
  }
}
