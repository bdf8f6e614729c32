/** The rows of files that are not loaded, and why. */
import type { Candidate } from './protocol';
import { type Place, row, type Row } from './row';
import { atText, bar, count, cutText, placeText, relative } from './words';

/** Entries that are named but not loaded, one by one; places that a harness only looks at, together. */
export function notLoaded(candidates: Candidate[], folder: string): Row[] {
  const isUsed = ({ outcome }: Candidate) => outcome === 'loaded' || outcome === 'cut';
  // A file that another rule brings is loaded, whatever hides it elsewhere.
  const used = new Set(candidates.filter(isUsed).map(({ path }) => path));
  const left = candidates.filter(
    (each) => !isUsed(each) && !(each.outcome === 'shadowed' && used.has(each.path)),
  );
  const looked = left.filter(isOnlyLookedFor);
  const shown = left.filter((candidate) => !isOnlyLookedFor(candidate));
  return [
    ...group({ id: 'notLoaded', label: 'Not loaded', group: 'notLoaded', expanded: true }, shown, folder),
    ...group({ id: 'missing', label: 'Looked for, not there', group: 'missing' }, looked, folder),
  ];
}

function isOnlyLookedFor({ outcome, origin }: Candidate): boolean {
  return outcome === 'missing' && !origin.path;
}

function group(
  parts: Pick<Row, 'id' | 'label' | 'group'> & Partial<Row>,
  candidates: Candidate[],
  folder: string,
): Row[] {
  const rows = new Map<string, Row>();
  for (const candidate of candidates) {
    const id = `${parts.id} ${candidate.outcome} ${nameOf(candidate)} ${candidate.at}`;
    if (!rows.has(id)) rows.set(id, candidateRow(candidate, id, folder));
  }
  return rows.size === 0 ? [] : [row({ ...parts, description: count(rows.size), rows: [...rows.values()] })];
}

function candidateRow(candidate: Candidate, id: string, folder: string): Row {
  const { path, outcome, other, cut, origin, at } = candidate;
  const by = other ? ` by ${relative(other, folder)}` : '';
  const says = [
    outcome === 'shadowed' ? outcome + by : outcome,
    ...(cut ? [`${bar(cut)} ${cutText(cut)}`] : []),
  ];
  const named = origin.path && origin.range ? `:${origin.range.start.line + 1}` : '';
  const place = placeOf(candidate);
  const shown = path ? placeText(path, folder) : { name: nameOf(candidate), folder: '' };
  return row({
    id,
    label: shown.name,
    description: [...says, shown.folder].filter(Boolean).join(' · '),
    state: outcome,
    tooltip: [
      relative(candidate.why, folder),
      ...(other ? [`Because of ${relative(other, folder)}`] : []),
      ...(origin.path ? [`Named by ${relative(origin.path, folder)}${named}`] : []),
      atText(at, folder),
    ],
    ...(place && { place }),
    ...(path && outcome !== 'missing' && { file: path }),
  });
}

function nameOf({ path, url, origin }: Candidate): string {
  return path ?? url ?? origin.name ?? '';
}

/** The entry that names it, because that can be fixed; otherwise the file itself, if there is one. */
function placeOf({ path, outcome, origin }: Candidate): Place | undefined {
  if (origin.path) return { path: origin.path, range: origin.range ?? null };
  return path && outcome !== 'missing' ? { path } : undefined;
}
