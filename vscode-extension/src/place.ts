/** What a click in the map says: `{"command": "open", "path": ..., "line": ...}`. Nothing here knows the editor. */
import * as path from 'node:path';

import type { Place } from './row';

/** The place that a message of the map names, if it is one; a path is relative to `root`, and may lead out of it. */
export function placeOf(message: unknown, root: string): Place | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  const { command, path: file, line } = message as Record<string, unknown>;
  if (command !== 'open' || typeof file !== 'string') return undefined;
  const at = { line: typeof line === 'number' && line > 0 ? Math.floor(line) : 0, character: 0 };
  return { path: path.resolve(root, file), range: { start: at, end: at } };
}
