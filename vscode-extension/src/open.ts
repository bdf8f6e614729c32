/** The open editors as the server wants them: the active one last, with what is selected in it. */
import type { OpenOptions, Position } from './protocol';
import { asServer } from './words';

/** An editor: its file, and the corners of its main selection. */
export interface Editor {
  path: string;
  selection: { start: Position; end: Position };
}

/** `paths` are the files of all tabs; each file is in the list once. */
export function openFiles(paths: readonly string[], active: Editor | undefined): OpenOptions[] {
  const last = active === undefined ? [] : [asServer(active.path)];
  const others = [...new Set(paths.map(asServer))].filter((path) => !last.includes(path));
  return [
    ...others.map((path) => ({ path })),
    ...last.map((path) => ({ path, selection: active && corners(active) })),
  ];
}

/** A cursor selects nothing. */
function corners({ selection: { start, end } }: Editor): number[] | null {
  const isEmpty = start.line === end.line && start.character === end.character;
  return isEmpty ? null : [start.line, start.character, end.line, end.character];
}
