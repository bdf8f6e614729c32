/** The rows of the view before a file is open: what each coding agent gets at a start in the folder. */
import { typed } from './how';
import { joined, shareText, wayTo } from './parts';
import type { How, TableColumn, TableResult, TableRow } from './protocol';
import { type Group, row, type Row } from './row';
import { capital, numberText, placeText, relative, sizeBar, sizeText } from './words';

/** Rows that are not the user's own text. */
const PROGRAM: TableRow['kind'][] = ['tools', 'harness'];

/** The commands that find out what a row counts. */
const FINDS: Partial<Record<TableRow['kind'], How['kind'][]>> = {
  servers: ['servers'],
  hooks: ['hooks'],
  url: ['fetch'],
  tools: ['capture', 'probe'],
  harness: ['capture', 'probe'],
};

/** When a part comes that is not there at a start in the folder. */
const WHEN = { read: 'on reading a file near it', elsewhere: 'only if started near it' };

/** One row for each program, the one that is shown open; in it a row for each file and part, yours first. */
export function folderRows({ columns, rows, root, how: ways }: TableResult): Row[] {
  const largest = Math.max(...columns.map(({ tokens }) => tokens), 0);
  return columns.map((column, at) => {
    const { harness, title, tokens, token_method: method, at_least, window, stopped, fault } = column;
    const totals = { ...column, characters: 0, bytes: 0, files: 0, elided: 0 };
    const size = fault ? '?' : sizeText({ totals }) + (column.own_text_only ? ' own' : '');
    const how = ways?.find((each) => each.harness === harness);
    const percent = window && !fault ? `${((100 * tokens) / window).toFixed(1)}% of the window` : '';
    return row({
      id: `harness ${harness}`,
      label: title,
      description: joined([`${size} ${fault ? '' : sizeBar(tokens, largest)}`.trim(), percent]),
      said: joined([`${numberText(tokens, method, at_least)} tokens`, percent]),
      tooltip: [
        `${title} ${column.version}, started in ${root}`,
        ...(stopped ? [fault ? stopped : `Nothing is sent: ${stopped}`] : []),
        'Click to see this prompt.',
        ...(how ? [`To know the rest: ${typed(how)}`] : []),
      ],
      group: 'session',
      ...(stopped && { state: 'failed' as const }),
      command: { id: 'promptls.previewStart', argument: harness },
      expanded: at === 0,
      ...(how && { how }),
      rows: partRows(column, at, rows, root, ways),
    });
  });
}

function partRows(
  column: TableColumn,
  at: number,
  rows: TableRow[],
  root: string,
  ways: TableResult['how'],
): Row[] {
  const taken = rows.flatMap(({ cells, ...rest }) => {
    const cell = cells[at];
    return cell ? [{ ...rest, ...cell }] : [];
  });
  const own = taken.filter(({ kind }) => !PROGRAM.includes(kind));
  const most = Math.max(...own.map(({ tokens }) => tokens ?? 0), 0);
  const names = own.map((each) => placeText(each.names[0] ?? '', root).name);
  const method = column.token_method;
  const waysOf = (kind: TableRow['kind']) =>
    (ways ?? [])
      .filter((each) => each.harness === column.harness && FINDS[kind]?.includes(each.kind))
      .map((how) => ({ how: { kind: how.kind, command: how.command } }));
  const ownRows = own
    .filter(({ kind, tokens }) => kind !== 'typed' || (tokens ?? 0) > 0)
    .map(({ names: paths, kind, tokens, at: when, cut, at_least: atLeast }) => {
      const isOpen = tokens === null || atLeast;
      const { way, tooltip } = wayTo(waysOf(kind));
      const [path = ''] = paths;
      const isFile = kind === 'file';
      const place = placeText(path, root);
      const isAlone = names.filter((each) => each === place.name).length === 1;
      const name = isFile ? (isAlone ? place.name : relative(path, root)) : path;
      const number = tokens === null ? '?' : numberText(tokens, method) + (atLeast ? '+' : '');
      const more = [
        cut ? 'cut' : '',
        when === 'start' ? '' : WHEN[when],
        isFile && isAlone ? place.folder : '',
      ];
      return row({
        id: `${column.harness} ${kind} ${path}`,
        // How many there are differs from program to program.
        label: isFile ? name : capital(name),
        description: joined([`${number} ${tokens === null ? '' : sizeBar(tokens, most)}`.trim(), ...more]),
        said: joined([`${number} tokens`, ...more]),
        tooltip: [
          ...paths.slice(1).map((each) => `Also ${relative(each, root)}`),
          ...(when === 'start' ? [] : [`Not at a start in ${root}: ${WHEN[when]}.`]),
          ...(isOpen ? tooltip : []),
        ],
        group: kind as Group,
        ...(isOpen && way),
        ...(cut && { state: 'cut' as const }),
        ...(isFile && { place: { path }, file: path }),
      });
    });
  const totals = {
    tokens: column.tokens,
    token_method: method,
    token_error: column.token_error,
    characters: 0,
    bytes: 0,
    files: 0,
    elided: 0,
  };
  const programRows = taken
    .filter(({ kind }) => PROGRAM.includes(kind))
    .map(({ kind, tokens, at_least: atLeast }) => {
      const { way, tooltip } = wayTo(tokens === null || atLeast ? waysOf(kind) : []);
      return row({
        id: `${column.harness} ${kind}`,
        label: kind === 'tools' ? 'Tools' : `${column.title} itself`,
        description: tokens === null ? '?' : shareText(tokens, totals, atLeast),
        tooltip,
        group: kind === 'tools' ? 'tools' : 'own',
        ...way,
      });
    });
  return [...ownRows, ...programRows];
}
