/** How sizes and places are said to people, the same as in the preview's text. */
import * as os from 'node:os';

import type { Cut, PreviewResult, Range } from './protocol';

export const ESTIMATE = 'estimate';
export const AT_LEAST = 'at least ';
const BAR = 5;
/** A full bar of a size, and the parts of its last character. */
const FULL = 8;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
/** Parts that a tooltip lists. */
const LISTED = 6;
const HOME = asServer(os.homedir());

/** `~1,234 tokens`; the mark says that they are estimated. `atLeast`: some of what is counted has no known size. */
export function tokensText(tokens: number, method: string, atLeast = false): string {
  return `${numberText(tokens, method, atLeast)} token${tokens === 1 ? '' : 's'}`;
}

/** `~1,234` */
export function numberText(tokens: number, method: string, atLeast = false): string {
  return `${atLeast ? AT_LEAST : ''}${method === ESTIMATE ? '~' : ''}${count(tokens)}`;
}

/** The size of a prompt, short: `~1,234`, or `~1,234+` if some of it has no known size. */
export function sizeText({ totals }: Pick<PreviewResult, 'totals'>): string {
  return numberText(totals.tokens, totals.token_method) + (totals.at_least ? '+' : '');
}

/** The share of the model's window: `0.4%`; empty if the window is not known. */
export function percentText({ tokens, window }: Pick<PreviewResult['totals'], 'tokens' | 'window'>): string {
  return window ? `${((100 * tokens) / window).toFixed(1)}%` : '';
}

/** The largest parts of a prompt, one a line: their tokens and names. */
export function sizesText({
  sizes,
  session,
  totals,
}: Pick<PreviewResult, 'sizes' | 'session' | 'totals'>): string {
  const rows = [...sizes].sort((one, other) => (other.tokens ?? 0) - (one.tokens ?? 0));
  const lines = rows.slice(0, LISTED).map(({ tokens, name, kind, at_least }) => ({
    number: tokens === null ? '?' : count(tokens) + (at_least ? '+' : ''),
    name: kind === 'harness' ? `${name} itself` : relative(name, session.cwd),
  }));
  const rest = rows.slice(LISTED).reduce((sum, { tokens }) => sum + (tokens ?? 0), 0);
  if (rest > 0) lines.push({ number: count(rest), name: `${rows.length - LISTED} more` });
  lines.push({ number: sizeText({ totals }), name: 'tokens in all' });
  const width = Math.max(...lines.map(({ number }) => number.length));
  return lines.map(({ number, name }) => `${number.padStart(width)}  ${name}`).join('\n');
}

export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** How much of a whole something is: `▰▰▱▱▱`. Something kept is never an empty bar, something cut never a full one. */
export function bar({ kept, total }: Pick<Cut, 'kept' | 'total'> & Partial<Cut>): string {
  const share = total > 0 ? Math.round((kept / total) * BAR) : 0;
  const filled = kept <= 0 ? 0 : Math.min(Math.max(share, 1), kept < total ? BAR - 1 : BAR);
  return '▰'.repeat(filled) + '▱'.repeat(BAR - filled);
}

/** Tokens in proportion to the `most` that there are: `██▌`. What is there is never without a bar. */
export function sizeBar(tokens: number, most: number): string {
  if (tokens <= 0 || most <= 0) return '';
  const eighths = Math.max(1, Math.round((Math.min(tokens, most) / most) * FULL * EIGHTHS.length));
  return '█'.repeat(Math.floor(eighths / EIGHTHS.length)) + (EIGHTHS[eighths % EIGHTHS.length] ?? '');
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

/** `text` with the paths in it that are below `folder` relative to it, and those below the home directory as `~/`. */
export function relative(text: string, folder: string, home = HOME): string {
  return without(without(text, folder, ''), home, '~/');
}

/** `text` with `instead` in the place of a directory and its separator. */
function without(text: string, directory: string, instead: string): string {
  const separator = directory.includes('\\') ? '\\' : '/';
  if (['', separator].includes(directory)) return text;
  return text.replaceAll(directory.endsWith(separator) ? directory : directory + separator, instead);
}

/** A file's name, and its folder relative to `folder`: '' for `folder` itself. */
export function placeText(path: string, folder: string): { name: string; folder: string } {
  const shown = relative(path, folder);
  const end = Math.max(shown.lastIndexOf('/'), shown.lastIndexOf('\\'));
  return { name: shown.slice(end + 1), folder: shown.slice(0, Math.max(end, 0)) };
}

/** What is said of a message's `at`. */
export function atText(at: string, folder: string): string {
  return at === 'start' ? 'At start' : `On reading ${relative(at.replace(/^read:/, ''), folder)}`;
}
