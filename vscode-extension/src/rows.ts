/** The rows of the view “Effective Prompt”, made from the server's reply. Nothing here knows the editor. */
import { notLoaded } from './candidates';
import type { Candidate, Message, PreviewResult, Range, Segment } from './protocol';
import { type Parts, row, type Row } from './row';
import { atText, bar, cutText, linesText, relative, tokensText } from './words';

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

/** The groups: at start, on reading each file, not loaded. */
export function rowsOf(result: PreviewResult): Row[] {
  const folder = result.session.cwd;
  const numbered = result.messages.map((message, i) => ({ message, number: i + 1 }));
  const groups = [...new Set(result.messages.map(({ at }) => at))].map((at) => {
    const inGroup = numbered.filter(({ message }) => message.at === at);
    return row({
      id: at,
      label: atText(at, folder),
      description: size(
        inGroup.flatMap(({ message }) => message.segments),
        result,
      ),
      group: at === 'start' ? 'start' : 'read',
      expanded: true,
      rows: inGroup.map(({ message, number }) => messageRow(message, number, result)),
    });
  });
  // A URL without an answer already has its place in the prompt.
  const shown = new Set(result.messages.flatMap(({ segments }) => segments.map(({ title }) => title)));
  const left = result.candidates.filter(({ outcome, url }) => !UNKNOWN[outcome] || !url || !shown.has(url));
  return [...groups, ...notLoaded(left, folder)];
}

/** The number is that of the preview's text. A message with one part is the row of that part. */
function messageRow(message: Message, number: number, result: PreviewResult): Row {
  const id = `${message.at} ${message.index}.${message.block}`;
  const name = `${number}. ${message.role}`;
  const mark = message.cached ? ['cache mark'] : [];
  const about = message.cached ? ['The harness asks the provider to cache the prompt up to here.'] : [];
  const parts = joinedPieces(withoutFrames(message.segments));
  const [only] = parts;
  if (only && parts.length === 1) {
    const part = segmentParts(only[0], id, result, message.segments);
    const description = joined([part.description, ...mark, name]);
    return row({ ...part, description, tooltip: [...part.tooltip, ...about] });
  }
  return row({
    id,
    label: name,
    description: joined([size(message.segments, result), ...mark]),
    group: 'message',
    tooltip: about,
    expanded: true,
    rows: parts.map((pieces, i) => row(segmentParts(pieces[0], `${id} ${i}`, result, pieces))),
  });
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

/** `counted` are the segments whose size the row shows: a frame counts with the part inside it. */
function segmentParts(
  segment: Segment,
  id: string,
  result: PreviewResult,
  counted: Segment[],
): Parts & Pick<Row, 'description' | 'tooltip'> {
  const { origin, cut, elided } = segment;
  const unknown = result.candidates.find(({ url, outcome }) => url === segment.title && UNKNOWN[outcome]);
  const folder = result.session.cwd;
  const file = origin.path ?? origin.again;
  const where = whole(counted, segment);
  const lines = where ? `, ${linesText(where)}` : '';
  const from = file ?? origin.url;
  const description = [
    ...(cut ? [`${bar(cut)} ${cutText(cut)}`] : []),
    ...(elided ? [(unknown && UNKNOWN[unknown.outcome]) ?? 'not reproduced'] : []),
    ...(unknown ? [] : [size(counted, result)]),
  ];
  return {
    id,
    label: relative(segment.title, folder),
    description: joined(description),
    state: unknown?.outcome ?? (elided ? 'elided' : cut ? 'cut' : 'loaded'),
    tooltip: [
      relative(segment.why, folder),
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

/** How much of the prompt a part is: `▰▰▱▱▱▱▱▱ 25% of the prompt`. */
function share(segments: Segment[], { totals }: PreviewResult): string[] {
  const tokens = sum(segments);
  if (tokens === 0 || totals.tokens === 0) return [];
  const percent = Math.max(1, Math.round((100 * tokens) / totals.tokens));
  return [`${bar({ kept: tokens, total: totals.tokens })} ${percent}% of the prompt`];
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
function size(segments: Segment[], { totals }: PreviewResult): string {
  if (segments.every(({ elided }) => elided?.size === null)) return '';
  const atLeast = segments.some(({ elided }) => elided?.size === null);
  return tokensText(sum(segments), totals.token_method, atLeast);
}

function sum(segments: Segment[]): number {
  return segments.reduce((tokens, segment) => tokens + segment.tokens, 0);
}

function joined(parts: string[]): string {
  return parts.filter(Boolean).join(' · ');
}
