/** The settings: which go to the server, which choose the server, and which the editor's own client reads. */
import type { Settings } from './protocol';

export const SECTION = 'promptls';

/** Settings that choose the server: another value means another start. The server never sees them. */
export interface StartSettings {
  /** A command and its arguments; empty: not set. */
  path: string[];
  /** A Python; empty: not set. */
  interpreter: string;
}

export const START_KEYS = ['path', 'interpreter'] as const satisfies (keyof StartSettings)[];

/** What is needed of VS Code's WorkspaceConfiguration for the section. */
export interface Configuration {
  get(key: string): unknown;
  inspect(key: string): { defaultValue?: unknown; globalValue?: unknown } | undefined;
}

/**
 * The settings that choose the server. Where the workspace is not trusted, only what the user's own
 * settings say counts: a folder must not choose what is run.
 */
export function startSettings(configuration: Configuration, trusted: boolean): StartSettings {
  const read = (key: string): unknown => {
    if (trusted) return configuration.get(key);
    const values = configuration.inspect(key);
    return values?.globalValue ?? values?.defaultValue;
  };
  const path = read('path');
  const interpreter = read('interpreter');
  return {
    path: Array.isArray(path) ? path.filter((item) => typeof item === 'string') : [],
    interpreter: typeof interpreter === 'string' ? interpreter.trim() : '',
  };
}

/** What the section holds that is not the server's. */
const LOCAL_KEYS: readonly string[] = [...START_KEYS, 'trace'];

/**
 * The settings as the server takes them: `section` (the whole of it) without the keys that are not the
 * server's, and without empty strings, which stand for "not set".
 */
export function serverSettings(section: unknown): Settings {
  const entries = Object.entries(section ?? {});
  return Object.fromEntries(entries.filter(([key, value]) => !LOCAL_KEYS.includes(key) && value !== ''));
}

/** Puts `${workspaceFolder}` and a leading `~/` of a setting in full. */
export function expand(text: string, folder: string | undefined, home: string): string {
  const expanded = text.startsWith('~/') ? home + text.slice(1) : text;
  return folder === undefined ? expanded : expanded.replaceAll('${workspaceFolder}', folder);
}
