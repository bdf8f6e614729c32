/** The rows of the view “Effective Prompt”, made from the server's reply. Nothing here knows the editor. */
import { notLoaded } from './candidates';
import type { Candidate, Message, PreviewResult, Range, Segment } from './protocol';
import { type Parts, row, type Row } from './row';
import { bar, cutText, linesText, numberText, placeText, relative, tokensText } from './words';

const CACHE_SAYS = {
  static: 'the same in every session',
  session: 'the same for the whole session',
  turn: 'rebuilt for each request',
};

/** The description of a URL that has a place in the prompt but no text. */
const UNKNOWN: Partial<Record<Candidate['outcome'], string>> = {
  pending: 'not answered yet',
  disabled: 'not fetched',
};

const OWN_KINDS: Segment['origin']['kind'][] = ['builtin', 'computed'];
const OWN_LAYERS: Segment['layer'][] = ['provider', 'environment', 'tools'];

/** A row, and the segments that it stands for; `own`: all of them are the harness's own. */
interface Part {
  row: Row;
  segments: Segment[];
  own: boolean;
}

/** The groups: at start, on reading each file, not loaded. */
export function rowsOf(result: PreviewResult): Row[] {
  const folder = result.session.cwd;
  const numbered = result.messages.map((message, i) => ({ message, number: i + 1 }));
  const groups = [...new Set(result.messages.map(({ at }) => at))].map((at) => {
    const parts = numbered
      .filter(({ message }) => message.at === at)
      .map(({ message, number }) => messagePart(message, number, result));
    const read = at === 'start' ? undefined : placeText(at.replace(/^read:/, ''), folder);
    const tools = at === 'start' ? toolRows(result) : [];
    const segments = parts.flatMap((part) => part.segments);
    return row({
      id: at,
      label: read ? `On reading ${read.name}` : 'At start',
      description: joined([size(segments, result, tools.length && toolTokens(result)), read?.folder ?? '']),
      group: at === 'start' ? 'start' : 'read',
      expanded: true,
      rows: [...folded(parts, result), ...tools],
    });
  });
  // A URL without an answer already has its place in the prompt.
  const shown = new Set(result.messages.flatMap(({ segments }) => segments.map(({ title }) => title)));
  const left = result.candidates.filter(({ outcome, url }) => !UNKNOWN[outcome] || !url || !shown.has(url));
  return [...groups, ...notLoaded(left, folder)];
}

/** The row of what the definitions of tools take, which are no message. */
function toolRows(result: PreviewResult): Row[] {
  const tokens = toolTokens(result);
  if (tokens <= 0) return [];
  const { totals, tools } = result;
  const offered = tools?.filter(({ enabled }) => enabled).length ?? 0;
  const number = numberText(tokens, totals.token_method);
  const tooltip = offered > 0 ? [`The definitions of ${offered} ${offered === 1 ? 'tool' : 'tools'}`] : [];
  const description = `${number} ${bar({ kept: tokens, total: totals.tokens })}`;
  return [row({ id: 'tools', label: 'tools', description, tooltip, group: 'tools' })];
}

/** What is in no message. */
function toolTokens({ messages, totals }: PreviewResult): number {
  return totals.tokens - sum(messages.flatMap(({ segments }) => segments));
}

/** Neighbours that are the harness's own are one folded row: the user's own text comes first. */
function folded(parts: Part[], result: PreviewResult): Row[] {
  const runs: Part[][] = [];
  for (const part of parts) {
    const last = runs.at(-1);
    if (part.own && last?.[0]?.own) last.push(part);
    else runs.push([part]);
  }
  return runs.map((run) => {
    const rows = run.map((part) => part.row);
    const [first] = rows;
    if (first !== undefined && rows.length === 1) return first;
    const segments = run.flatMap((part) => part.segments);
    const [id, label] = [`${first?.id ?? ''} own`, `${result.harness.name} itself`];
    const [description, said] = [sized(segments, result), size(segments, result)];
    return row({ id, label, description, said, group: 'own', rows });
  });
}

/** The number is that of the preview's text. A message with one part is the row of that part. */
function messagePart(message: Message, number: number, result: PreviewResult): Part {
  const { segments } = message;
  const id = `${message.at} ${message.index}.${message.block}`;
  const name = `${number}. ${message.role}`;
  const mark = message.cached ? ['cache mark'] : [];
  const about = message.cached ? ['The harness asks the provider to cache the prompt up to here.'] : [];
  const parts = joinedPieces(withoutFrames(segments));
  const own = parts.every(([first]) => isOwn(first));
  const [only] = parts;
  if (only && parts.length === 1) {
    const part = segmentParts(only[0], id, result, own ? segments : framed(only, segments));
    const description = joined([part.description, ...mark]);
    const said = joined([part.said, ...mark]);
    const tooltip = [...part.tooltip, `Message ${name}`, ...about];
    return { row: row({ ...part, description, said, tooltip }), segments, own };
  }
  const rows = folded(
    parts.map((pieces, i) => ({
      row: row(segmentParts(pieces[0], `${id} ${i}`, result, framed(pieces, segments))),
      segments: pieces,
      own: isOwn(pieces[0]),
    })),
    result,
  );
  const description = joined([size(segments, result), ...mark]);
  const parent = row({
    id,
    label: name,
    description,
    group: 'message',
    tooltip: about,
    expanded: !own,
    rows,
  });
  return { row: parent, segments, own };
}

/** Whether a part is the harness's own, and not what files, URLs or the user say. */
function isOwn({ origin, layer }: Segment): boolean {
  return OWN_KINDS.includes(origin.kind) && OWN_LAYERS.includes(layer);
}

/** The pieces of each part: a file that comments split is one part. */
function joinedPieces(segments: Segment[]): [Segment, ...Segment[]][] {
  const parts = new Map<string, [Segment, ...Segment[]]>();
  segments.forEach((segment, i) => {
    const { origin, title, layer, elided } = segment;
    const file = origin.path ?? origin.again;
    const key = file && !elided ? JSON.stringify([file, title, layer]) : String(i);
    const pieces = parts.get(key);
    if (pieces) pieces.push(segment);
    else parts.set(key, [segment]);
  });
  return [...parts.values()];
}

/** A frame is shown only if there is nothing in it. */
function withoutFrames(segments: Segment[]): Segment[] {
  const own = segments.filter(({ title }) => title !== 'frame');
  return own.length > 0 ? own : segments.slice(0, 1);
}

/** The pieces of a part with the frames that name its file, as the sizes of the preview count them. */
function framed(pieces: [Segment, ...Segment[]], segments: Segment[]): Segment[] {
  const file = fileOf(pieces[0]);
  const frames = segments.filter((each) => each.title === 'frame' && !pieces.includes(each));
  return file ? [...pieces, ...frames.filter((each) => fileOf(each) === file)] : pieces;
}

function fileOf({ origin }: Segment): string | null | undefined {
  return origin.path ?? origin.again;
}

/** `counted` are the segments whose size the row shows. */
function segmentParts(
  segment: Segment,
  id: string,
  result: PreviewResult,
  counted: Segment[],
): Parts & Pick<Row, 'description' | 'tooltip'> & { said: string } {
  const { origin, cut, elided } = segment;
  const unknown = result.candidates.find(({ url, outcome }) => url === segment.title && UNKNOWN[outcome]);
  const folder = result.session.cwd;
  const file = origin.path ?? origin.again;
  const where = whole(counted, segment);
  const lines = where ? `, ${linesText(where)}` : '';
  const from = file ?? origin.url;
  const path = file && file === segment.title ? placeText(file, folder) : undefined;
  const waits = unknown && UNKNOWN[unknown.outcome];
  const more = [...(cut ? [`cut to ${cutText(cut)}`] : []), path?.folder ?? ''];
  return {
    id,
    label: path?.name ?? relative(segment.title, folder),
    description: joined([waits ?? sized(counted, result), ...more]),
    said: joined([waits ?? size(counted, result), ...more]),
    state: unknown?.outcome ?? (elided ? 'elided' : cut ? 'cut' : 'loaded'),
    tooltip: [
      relative(segment.why, folder),
      ...(elided && !unknown ? ['This text is not reproduced.'] : []),
      ...(cut ? [`Cut to ${cutText(cut)}: ${relative(cut.limit, folder)}`] : []),
      ...(from ? [`From ${relative(from, folder)}${lines}`] : []),
      `${segment.layer} · ${CACHE_SAYS[segment.cache]}`,
      ...(unknown ? [] : share(counted, result)),
    ],
    ...placed(segment, file, result.candidates),
  };
}

/** The range of the pieces of a part. */
function whole(pieces: Segment[], { origin, title }: Segment): Range | null | undefined {
  const ranges = pieces.filter((each) => each.title === title).map((each) => each.origin.range);
  const last = ranges.at(-1);
  return origin.range && last ? { start: origin.range.start, end: last.end } : origin.range;
}

/** How much of the prompt a part is: `25% of the prompt`. */
function share(segments: Segment[], { totals }: PreviewResult): string[] {
  const tokens = sum(segments);
  if (tokens === 0 || totals.tokens === 0) return [];
  return [`${Math.max(1, Math.round((100 * tokens) / totals.tokens))}% of the prompt`];
}

/** The tokens, with a bar of the share in the prompt: `~52 ▰▰▱▱▱`. */
function sized(segments: Segment[], { totals }: PreviewResult): string {
  const tokens = sum(segments);
  if (tokens === 0 || segments.every(({ elided }) => elided?.size === null)) return '';
  const more = segments.some(({ elided }) => elided?.size === null) ? '+' : '';
  return `${numberText(tokens, totals.token_method)}${more} ${bar({ kept: tokens, total: totals.tokens })}`;
}

/** Text from a URL links to the entry that names the URL. */
function placed(
  { origin }: Segment,
  file: string | null | undefined,
  candidates: Candidate[],
): Pick<Row, 'place' | 'file'> {
  if (file) {
    const place = { path: file, range: origin.range ?? null };
    return origin.kind === 'file' ? { place, file } : { place };
  }
  const named = origin.url ? candidates.find(({ url }) => url === origin.url)?.origin : undefined;
  return named?.path ? { place: { path: named.path, range: named.range ?? null } } : {};
}

/** Empty if the size is unknown. */
function size(segments: Segment[], { totals }: PreviewResult, more = 0): string {
  if (more === 0 && segments.every(({ elided }) => elided?.size === null)) return '';
  const atLeast = segments.some(({ elided }) => elided?.size === null);
  return tokensText(sum(segments) + more, totals.token_method, atLeast);
}

function sum(segments: Segment[]): number {
  return segments.reduce((tokens, segment) => tokens + segment.tokens, 0);
}

function joined(parts: string[]): string {
  return parts.filter(Boolean).join(' · ');
}
