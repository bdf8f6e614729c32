/** Where the table of rules names each file. Nothing here knows the editor. */
import type { RulesResult } from './protocol';

/** A file and where it is named: a line and its characters. */
export interface Link {
  path: string;
  line: number;
  start: number;
  end: number;
}

/** The rows are in the order of the table, each with the number of sessions before the name of its file. */
export function linksOf(text: string, { root, programs }: RulesResult): Link[] {
  const paths = programs.flatMap(({ rules }) => rules.map(({ path }) => path));
  const rows = text
    .split('\n')
    .map((says, line) => ({ says, line, row: /^[█·]+ [ ~] *\d+ of \d+ {2}/u.exec(says)?.[0] }))
    .filter(({ row }) => row !== undefined);
  return rows.flatMap(({ says, line, row = '' }, at) => {
    const path = paths[at];
    if (path === undefined) return [];
    const below = `${root}/`;
    const name = path.startsWith(below) ? path.slice(below.length) : path.split('/').slice(-1).join('');
    const start = says.indexOf(name, row.length);
    return start < 0 ? [] : [{ path, line, start: row.length, end: start + name.length }];
  });
}
