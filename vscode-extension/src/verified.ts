/** What is said of a preview that was held against the installed program. Nothing here knows the editor. */
import type { PreviewResult, VerifyResult } from './protocol';
import { percentText, relative, sizeText } from './words';

/** `verified here on 2026-11-22`; empty if that is not known of this prompt. */
export function hereText({ verified_here: here }: Pick<PreviewResult, 'verified_here'>): string {
  if (!here) return '';
  return `verified here on ${here.date}${here.whole ? '' : ', with MCP servers and hooks turned off'}`;
}

/** What a prompt is, in one line: `codex 0.169.0 · ~7,103+ tokens · 0.4% of the window · not verified`. */
export function summaryText(result: Pick<PreviewResult, 'harness' | 'totals' | 'verified_here'>): string {
  const { harness, totals } = result;
  const here = hereText(result);
  const percent = percentText(totals);
  return [
    `${harness.name} ${harness.version}`,
    `${sizeText(result)} tokens`,
    ...(percent ? [`${percent} of the window`] : []),
    ...(here ? [here] : harness.verified ? [] : ['not verified']),
  ].join(' · ');
}

/** The program sent what was expected. */
export function holds(result: VerifyResult, name: string): string {
  const without = result.whole ? '' : ' MCP servers and hooks were turned off.';
  const messages = `${result.messages.length} ${result.messages.length === 1 ? 'message' : 'messages'}`;
  return `${program(result)} sends what the preview of ${name} shows. Compared: ${messages}, their order, roles, texts and sizes.${without}`;
}

/** It did not: the first difference, and the rule that the preview goes by. */
export function differs(result: VerifyResult, name: string): string {
  const { differences, cwd, harness } = result;
  const [first] = differences;
  const count = differences.length === 1 ? '' : ` ${differences.length} differences, the first:`;
  const rule = first?.rule ? ` Expected because ${relative(first.rule, cwd)}.` : '';
  const says = first === undefined ? '' : ` ${sentence(relative(first.says, cwd))}.`;
  const known = result.program.version;
  const other = known === harness.version ? '' : ` The preview is that of ${harness.version}.`;
  return `${program(result)} does not send what the preview of ${name} shows.${other}${count}${says}${rule}`;
}

/** The title of the diff editor. */
export function titleOf(result: VerifyResult, name: string): string {
  return `${name} · promptls: expected ↔ captured from ${program(result)}`;
}

function program({ harness, program }: VerifyResult): string {
  return `${harness.name} ${program.version}`;
}

/** With a capital letter, unless it begins with the name of a file. */
function sentence(text: string): string {
  const [word = ''] = text.split(' ');
  return /[./]/.test(word) ? text : text.slice(0, 1).toUpperCase() + text.slice(1);
}
