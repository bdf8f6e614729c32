/** How sizes and places are said to people, the same as in the preview's text. */
import type { Cut, PreviewResult, Range } from './protocol';

const ESTIMATE = 'estimate';
export const AT_LEAST = 'at least ';
const BAR = 8;

/** `~1,234 tokens`; the mark says that they are estimated. `atLeast`: some of what is counted has no known size. */
export function tokensText(tokens: number, method: string, atLeast = false): string {
  const mark = method === ESTIMATE ? '~' : '';
  return `${atLeast ? AT_LEAST : ''}${mark}${count(tokens)} token${tokens === 1 ? '' : 's'}`;
}

/** `etcode · at least ~1,234 tokens` */
export function sizeText({ harness, totals }: PreviewResult): string {
  return `${harness.name} · ${tokensText(totals.tokens, totals.token_method, totals.at_least)}`;
}

export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** How much of a budget was kept: `▰▰▰▱▱▱▱▱`. Something kept is never an empty bar, something cut never a full one. */
export function bar({ kept, total }: Pick<Cut, 'kept' | 'total'> & Partial<Cut>): string {
  const share = total > 0 ? Math.round((kept / total) * BAR) : 0;
  const filled = kept <= 0 ? 0 : Math.min(Math.max(share, 1), kept < total ? BAR - 1 : BAR);
  return '▰'.repeat(filled) + '▱'.repeat(BAR - filled);
}

export function cutText({ kept, total, unit }: Cut): string {
  return `${count(kept)} of ${count(total)} ${unit}`;
}

/** `lines 1 to 5`: those that a range touches. A range that ends where a line begins does not touch it. */
export function linesText({ start, end }: Range): string {
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return last === start.line ? `line ${start.line + 1}` : `lines ${start.line + 1} to ${last + 1}`;
}

/** A path of this machine as the server writes it: on Windows with slashes and a capital drive letter. */
export function asServer(path: string): string {
  const drive = /^[a-z]:\\/iu.test(path);
  if (!drive && !path.startsWith('\\\\')) return path;
  return (path.slice(0, 1).toUpperCase() + path.slice(1)).replaceAll('\\', '/');
}

/** `text` with the paths in it that are below `folder` relative to it. */
export function relative(text: string, folder: string): string {
  const separator = folder.includes('\\') ? '\\' : '/';
  if (['', separator].includes(folder)) return text;
  return text.replaceAll(folder.endsWith(separator) ? folder : folder + separator, '');
}

/** What is said of a message's `at`. */
export function atText(at: string, folder: string): string {
  return at === 'start' ? 'At start' : `On reading ${relative(at.replace(/^read:/, ''), folder)}`;
}
