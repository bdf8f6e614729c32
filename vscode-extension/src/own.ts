/** The rows of the view with what is the reader's first, whatever the order on the wire is. */
import { notLoaded } from './candidates';
import {
  fileOf,
  joined,
  left,
  partRow,
  shareText,
  size,
  sized,
  sum,
  titleOf,
  toolRows,
  toolTokens,
  unanswered,
  wayTo,
  whenText,
} from './parts';
import type { Candidate, Message, PreviewResult, Segment, Size } from './protocol';
import { type Group, row, type Row } from './row';
import { count, placeText, relative } from './words';

type Kind = Size['kind'];

/** Files of these uses are listed together: there may be hundreds. */
const TOGETHER: Partial<Record<Candidate['use'], Kind>> = {
  skill: 'skills',
  command: 'commands',
  agent: 'agents',
  server: 'servers',
  hook: 'hooks',
};
const LISTS: [Kind, title: string, one: string][] = [
  ['skills', 'Skills', 'skill'],
  ['agents', 'Agents', 'agent'],
  ['commands', 'Commands', 'command'],
  ['servers', 'MCP servers', 'MCP server'],
  ['hooks', 'Hooks', 'hook'],
  ['typed', 'Typed and read', 'read'],
];

/** A file, an entry of a list, or a part of the program's own: all segments that are of it. */
interface Thing {
  kind: Kind;
  key: string;
  segments: [Segment, ...Segment[]];
  at: Set<Message['at']>;
}

/** The reader's files, their lists, then one row each for the tools and the program, and what is not loaded. */
export function ownRows(result: PreviewResult): Row[] {
  const things = thingsOf(result);
  const of = (...kinds: Kind[]) => things.filter(({ kind }) => kinds.includes(kind));
  const files = of('file', 'url');
  const lists = LISTS.map(([kind, ...says]) => ({ kind, says, things: of(kind).filter(isKnown) }));
  const sizes = [
    ...files.map(({ segments }) => sum(segments)),
    ...lists.map((list) => sum(segmentsOf(list.things))),
  ];
  const most = Math.max(...sizes, 0);
  const tools = toolTokens(result) + sum(segmentsOf(of('tools')));
  return [
    ...named(files, result.session.cwd).map(([thing, label]) => thingRow(thing, label, result, most)),
    ...lists.flatMap((list) => listRows(list.kind, list.says, list.things, result, most)),
    ...toolRows(result, tools),
    ...programRows(of('harness'), result),
    ...notLoaded(left(result), result.session.cwd),
  ];
}

/** Each part of the prompt with all of its segments, wherever they stand, as the sizes of the preview count them. */
function thingsOf(result: PreviewResult): Thing[] {
  const uses = new Map(result.candidates.map(({ path, use }) => [path, use]));
  const found = new Map<string, Thing>();
  for (const { at, role, segments } of result.messages) {
    for (const segment of segments) {
      const kind = kindOf(segment, uses, role, result);
      const key = `${kind} ${keyOf(segment, kind)}`;
      const thing = found.get(key);
      if (thing === undefined) found.set(key, { kind, key, segments: [segment], at: new Set([at]) });
      else {
        thing.segments.push(segment);
        thing.at.add(at);
      }
    }
  }
  return [...found.values()];
}

function kindOf(
  segment: Segment,
  uses: Map<Candidate['path'], Candidate['use']>,
  role: Message['role'],
  result: PreviewResult,
): Kind {
  const { origin, layer } = segment;
  if (origin.url || unanswered(segment, result)) return 'url';
  const file = fileOf(segment);
  const together = TOGETHER[uses.get(file) ?? 'instruction'];
  if (together !== undefined) return together;
  if (layer === 'runtime') return 'typed';
  if (file || origin.kind === 'argument') return 'file';
  return role === 'tools' ? 'tools' : 'harness';
}

/** One file may have several of this kind: each is named by its title. */
function isOfMany(kind: Kind): boolean {
  return kind === 'servers' || kind === 'hooks';
}

function keyOf(segment: Segment, kind: Kind): string {
  const file = isOfMany(kind) ? undefined : fileOf(segment);
  return file ?? segment.origin.url ?? segment.title;
}

/** That somebody types something, of which nothing is known, goes without saying. */
function isKnown({ kind, segments }: Thing): boolean {
  return kind !== 'typed' || sum(segments) > 0 || segments.some((each) => fileOf(each));
}

function segmentsOf(things: Thing[]): Segment[] {
  return things.flatMap(({ segments }) => segments);
}

function thingRow(thing: Thing, label: string, result: PreviewResult, most: number, what = ''): Row {
  const { key, kind, segments, at } = thing;
  const main = mainOf(segments);
  const part = partRow(main, key, result, segments, most);
  // Its folder is in the label, where another has the same name.
  const folder = placeText(fileOf(main) ?? '', result.session.cwd).folder;
  const shown =
    folder && label.includes('/') ? part.description.replace(` · ${folder}`, '') : part.description;
  const when = whenText(at, result);
  const cut = segments.find((each) => each.cut);
  return row({
    ...part,
    label,
    description: joined([shown, when, what]),
    said: joined([part.said, when, what]),
    group: groupOf(kind),
    ...(cut && part.state === 'loaded' && { state: 'cut' }),
  });
}

function groupOf(kind: Kind): Group {
  return kind === 'harness' ? 'own' : kind;
}

/** What a thing is, rather than what stands around it. */
function mainOf(segments: [Segment, ...Segment[]]): Segment {
  const own = segments.filter(({ title }) => title !== 'frame');
  return own.find(({ cut }) => cut) ?? own[0] ?? segments[0];
}

/** A list with its entries; one entry stands alone. */
function listRows(
  kind: Kind,
  [title, one]: [string, string],
  things: Thing[],
  result: PreviewResult,
  most: number,
): Row[] {
  const isAlone = things.length === 1;
  const rows = named(things, result.session.cwd).map(([thing, label]) =>
    thingRow(thing, label, result, most, isAlone ? one : ''),
  );
  if (rows.length < 2) return rows;
  const segments = segmentsOf(things);
  const label = `${title} (${count(rows.length)})`;
  const [description, said] = [sized(segments, result, most), size(segments, result)];
  const { way, tooltip } = wayTo(segments);
  return [row({ id: kind, label, description, said, tooltip, group: groupOf(kind), rows, ...way })];
}

/** The program's own text: one row, with its parts in their order. */
function programRows(things: Thing[], result: PreviewResult): Row[] {
  const segments = segmentsOf(things);
  if (segments.length === 0) return [];
  const atLeast = segments.some(({ elided }) => elided?.size === null);
  const parts = things.filter((thing) => mainOf(thing.segments).title !== 'frame');
  const most = Math.max(...parts.map((thing) => sum(thing.segments)), 0);
  const rows = parts.map((thing) => thingRow(thing, mainOf(thing.segments).title, result, most));
  const description = shareText(sum(segments), result.totals, atLeast);
  const { way, tooltip } = wayTo(segments);
  const label = `${titleOf(result)} itself`;
  return [row({ id: 'program', label, description, tooltip, group: 'own', rows, ...way })];
}

/** The things with names of their own: where two would be called the same, their paths tell them apart. */
function named(things: Thing[], folder: string): [Thing, string][] {
  const names = things.map(nameOf);
  return things.map((thing, at) => {
    const name = names[at] ?? '';
    const isAlone = names.filter((each) => each === name).length === 1;
    const file = fileOf(mainOf(thing.segments));
    return [thing, isAlone || !file ? name : relative(file, folder)];
  });
}

/** `incident` of `.claude/skills/incident/SKILL.md`, `reviewer` of `skill reviewer`, else the name of the file. */
function nameOf({ kind, segments }: Thing): string {
  const main = mainOf(segments);
  const file = fileOf(main);
  const said = /^(?:skill|agent|command) (.+)$/u.exec(main.title)?.[1];
  if (said !== undefined && kind !== 'file') return said;
  if (!file || isOfMany(kind)) return main.title;
  const parts = file.split(/[/\\]/u);
  return (kind === 'skills' && parts.at(-1) === 'SKILL.md' ? parts.at(-2) : parts.at(-1)) ?? file;
}
