/** The rows of the view in the order on the wire, made from the server's reply. Nothing here knows the editor. */
import { notLoaded } from './candidates';
import { fileOf, joined, left, partRow, size, sized, titleOf, toolRows, toolTokens, wayTo } from './parts';
import type { Message, PreviewResult, Segment } from './protocol';
import { row, type Row } from './row';
import { placeText } from './words';

const OWN_KINDS: Segment['origin']['kind'][] = ['builtin', 'computed'];
const OWN_LAYERS: Segment['layer'][] = ['provider', 'environment', 'tools'];

/** A row, and the segments that it stands for; `own`: all of them are the harness's own. */
interface Part {
  row: Row;
  segments: Segment[];
  own: boolean;
}

/** The groups: at start, on reading each file, not loaded. */
export function wireRows(result: PreviewResult): Row[] {
  const folder = result.session.cwd;
  const numbered = result.messages.map((message, i) => ({ message, number: i + 1 }));
  const groups = [...new Set(result.messages.map(({ at }) => at))].map((at) => {
    const parts = numbered
      .filter(({ message }) => message.at === at)
      .map(({ message, number }) => messagePart(message, number, result));
    const read = at === 'start' ? undefined : placeText(at.replace(/^read:/, ''), folder);
    const tools = at === 'start' ? toolRows(result, toolTokens(result)) : [];
    const segments = parts.flatMap((part) => part.segments);
    const { way, tooltip } = wayTo(segments);
    return row({
      id: at,
      label: read ? `On reading ${read.name}` : 'At start',
      description: joined([size(segments, result, tools.length && toolTokens(result)), read?.folder ?? '']),
      tooltip,
      group: at === 'start' ? 'start' : 'read',
      ...way,
      expanded: true,
      rows: [...folded(parts, result), ...tools],
    });
  });
  return [...groups, ...notLoaded(left(result), folder)];
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
    const [id, label] = [`${first?.id ?? ''} own`, `${titleOf(result)} itself`];
    const [description, said] = [sized(segments, result), size(segments, result)];
    const { way, tooltip } = wayTo(segments);
    return row({ id, label, description, said, tooltip, group: 'own', rows, ...way });
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
    const part = partRow(only[0], id, result, own ? segments : framed(only, segments));
    const description = joined([part.description, ...mark]);
    const said = joined([part.said, ...mark]);
    const tooltip = [...part.tooltip, `Message ${name}`, ...about];
    return { row: row({ ...part, description, said, tooltip }), segments, own };
  }
  const rows = folded(
    parts.map((pieces, i) => ({
      row: row(partRow(pieces[0], `${id} ${i}`, result, framed(pieces, segments))),
      segments: pieces,
      own: isOwn(pieces[0]),
    })),
    result,
  );
  const description = joined([size(segments, result), ...mark]);
  const { way, tooltip } = wayTo(segments);
  const parent = row({
    id,
    label: name,
    description,
    group: 'message',
    tooltip: [...about, ...tooltip],
    expanded: !own,
    rows,
    ...way,
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
