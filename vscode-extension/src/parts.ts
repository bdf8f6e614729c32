/** A part of the prompt as a row: what it is called, how large it is, and where it comes from. */
import { typed } from './how';
import type { Candidate, How, Message, PreviewResult, Range, Segment } from './protocol';
import { type Parts, row, type Row } from './row';
import {
  atText,
  cutText,
  ESTIMATE,
  linesText,
  numberText,
  placeText,
  relative,
  sizeBar,
  tokensText,
} from './words';

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

/** How many characters of a definition are a token, as the server estimates. */
const PER_TOKEN = 4;

/** What the row of a part has in any view. */
export type PartRow = Parts & Pick<Row, 'description' | 'tooltip'> & { said: string };

/** The row of a part: `counted` are the segments whose size it shows, `most` is what a full bar stands for. */
export function partRow(
  segment: Segment,
  id: string,
  result: PreviewResult,
  counted: Segment[],
  most = result.totals.tokens,
): PartRow {
  const { origin, cut, elided } = segment;
  const unknown = unanswered(segment, result);
  const folder = result.session.cwd;
  const file = fileOf(segment);
  const where = whole(counted, segment);
  const lines = where ? `, ${linesText(where)}` : '';
  const from = file ?? origin.url;
  const path = file && file === segment.title ? placeText(file, folder) : undefined;
  const waits = unknown && UNKNOWN[unknown.outcome];
  const more = [...(cut ? [`cut to ${cutText(cut)}`] : []), path?.folder ?? ''];
  return {
    id,
    label: path?.name ?? relative(segment.title, folder),
    description: joined([waits ?? sized(counted, result, most), ...more]),
    said: joined([waits ?? size(counted, result), ...more]),
    state: unknown?.outcome ?? (elided ? 'elided' : cut ? 'cut' : 'loaded'),
    tooltip: [
      relative(segment.why, folder),
      ...(elided && !unknown ? ['This text is not reproduced.'] : []),
      ...wayTo(counted).tooltip,
      ...(cut ? [`Cut to ${cutText(cut)}: ${relative(cut.limit, folder)}`] : []),
      ...(from ? [`From ${relative(from, folder)}${lines}`] : []),
      `${segment.layer} · ${CACHE_SAYS[segment.cache]}`,
      ...(unknown ? [] : share(counted, result)),
    ],
    ...wayTo(counted).way,
    ...placed(segment, file, result.candidates),
  };
}

/** The first command that finds out more of what a row counts, and what its tooltip says of it. */
export function wayTo(counted: { how?: How | null }[]): { way: Pick<Row, 'how'>; tooltip: string[] } {
  const how = counted.find((each) => each.how)?.how;
  return how ? { way: { how }, tooltip: [`To know it: ${typed(how)}`] } : { way: {}, tooltip: [] };
}

/** The URL of a part that has no answer yet, or gets none. */
export function unanswered({ title }: Segment, { candidates }: PreviewResult): Candidate | undefined {
  return candidates.find(({ url, outcome }) => url === title && UNKNOWN[outcome]);
}

/** The candidates without those that have a place in the prompt already: URLs without an answer. */
export function left({ messages, candidates }: PreviewResult): Candidate[] {
  const shown = new Set(messages.flatMap(({ segments }) => segments.map(({ title }) => title)));
  return candidates.filter(({ outcome, url }) => !UNKNOWN[outcome] || !url || !shown.has(url));
}

/** The file that a segment is of, or names. */
export function fileOf({ origin }: Segment): string | null | undefined {
  return origin.path ?? origin.again;
}

/** The row of what the definitions of tools take, with a row for each tool; none where there are none. */
export function toolRows(result: PreviewResult, tokens: number): Row[] {
  if (tokens <= 0) return [];
  const tools = result.tools ?? [];
  const offered = tools.filter(({ enabled }) => enabled).length;
  const { way, tooltip: known } = wayTo(tools);
  const tooltip = [
    ...(offered > 0 ? [`The definitions of ${offered} ${offered === 1 ? 'tool' : 'tools'}`] : []),
    ...known,
  ];
  const rows = tools.map(({ name, enabled, why, size, how }) =>
    row({
      id: `tool ${name}`,
      label: name,
      description: enabled ? (size ? numberText(Math.round(size / PER_TOKEN), ESTIMATE) : '') : 'not offered',
      state: enabled ? 'loaded' : 'disabled',
      tooltip: [relative(why, result.session.cwd), ...(how ? [`To know its size: ${typed(how)}`] : [])],
      ...(how && { how }),
    }),
  );
  const description = shareText(tokens, result.totals);
  return [row({ id: 'tools', label: 'Tools', description, tooltip, group: 'tools', rows, ...way })];
}

/** The program's name for people. */
export function titleOf({ sizes, harness }: Pick<PreviewResult, 'sizes' | 'harness'>): string {
  return sizes.find(({ kind }) => kind === 'harness')?.name ?? harness.name;
}

/** What is in no message: the definitions of tools. */
export function toolTokens({ messages, totals }: PreviewResult): number {
  return totals.tokens - sum(messages.flatMap(({ segments }) => segments));
}

/** `~7,765 · 63%`: how much of the prompt something is. */
export function shareText(tokens: number, totals: PreviewResult['totals'], atLeast = false): string {
  const percent = tokens > 0 && totals.tokens > 0 ? `${percentOf(tokens, totals.tokens)}%` : '';
  return joined([`${numberText(tokens, totals.token_method)}${atLeast ? '+' : ''}`, percent]);
}

/** The tokens, with a bar that compares them with `most`: `~52 ██▌`. */
export function sized(segments: Segment[], { totals }: PreviewResult, most = totals.tokens): string {
  const tokens = sum(segments);
  if (tokens === 0 || segments.every(({ elided }) => elided?.size === null)) return '';
  const more = segments.some(({ elided }) => elided?.size === null) ? '+' : '';
  return `${numberText(tokens, totals.token_method)}${more} ${sizeBar(tokens, most)}`;
}

/** Empty if the size is unknown. */
export function size(segments: Segment[], { totals }: PreviewResult, more = 0): string {
  if (more === 0 && segments.every(({ elided }) => elided?.size === null)) return '';
  const atLeast = segments.some(({ elided }) => elided?.size === null);
  return tokensText(sum(segments) + more, totals.token_method, atLeast);
}

export function sum(segments: Segment[]): number {
  return segments.reduce((tokens, segment) => tokens + segment.tokens, 0);
}

export function joined(parts: string[]): string {
  return parts.filter(Boolean).join(' · ');
}

/** When the messages at these times are sent; empty for a start. What is read is named where several files are. */
export function whenText(ats: ReadonlySet<Message['at']>, { session }: PreviewResult): string {
  const [at] = ats;
  if (at === undefined || ats.has('start')) return '';
  return session.reads.length === 1 ? 'on reading' : atText(at, session.cwd).replace(/^On/, 'on');
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
  return tokens === 0 || totals.tokens === 0 ? [] : [`${percentOf(tokens, totals.tokens)}% of the prompt`];
}

function percentOf(tokens: number, all: number): number {
  return Math.max(1, Math.round((100 * tokens) / all));
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
